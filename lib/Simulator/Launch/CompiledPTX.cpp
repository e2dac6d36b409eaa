//===- CompiledPTX.cpp - from a kernel of PTX to a run --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins what a gpu.func says of a kernel with code that a text of PTX has.
//
//===----------------------------------------------------------------------===//

#include "../PTX/PTXTranslation.h"
#include "SimKernelImpl.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace carousel::sim;

FailureOr<std::unique_ptr<CompiledKernel>>
CompiledKernel::compilePTX(ModuleOp module, StringRef name,
                           const ptx::Module &code, StringRef file,
                           const std::optional<PTXParameters> &parameters) {
  HostCode::loadDialects(*module.getContext());
  FailureOr<gpu::GPUFuncOp> kernel = findKernel(module, name);
  if (failed(kernel))
    return failure();
  FailureOr<std::unique_ptr<Impl>> described = Impl::describe(*kernel);
  if (failed(described))
    return failure();
  std::unique_ptr<Impl> impl = std::move(*described);
  if (impl->isBlockProgram)
    return kernel->emitError("expected a kernel of the machine phase to "
                             "describe the arguments of PTX, got a block "
                             "program");
  impl->signature.indexBits = static_cast<unsigned>(
      DataLayout::closest(*kernel)
          .getTypeSizeInBits(IndexType::get(module.getContext()))
          .getFixedValue());
  PTXSource source = {code, file.str()};
  FailureOr<KernelModule> translated =
      translatePTX(source, impl->name, impl->signature, parameters,
                   *module.getContext(), impl->sites);
  if (failed(translated))
    return failure();
  impl->layout = std::move(translated->memory);
  FailureOr<uint32_t> stackBytes = estimateStack(*translated->module);
  if (failed(stackBytes))
    return failure();
  impl->stackBytes = *stackBytes;
  auto host = HostCode::compile(*translated->module, translated->entry,
                                HostCodeKind::Threads);
  if (failed(host))
    return failure();
  impl->code = std::move(*host);
  return std::unique_ptr<CompiledKernel>(new CompiledKernel(std::move(impl)));
}
