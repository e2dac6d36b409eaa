//===- EmitPTX.h - PTX from the target phase --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates gpu.modules in the LLVM and NVVM dialects to PTX text through
// LLVM's NVPTX back end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_EMITPTX_H
#define CAROUSEL_TARGET_EMITPTX_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <string>

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

class MathLibrary;
class TargetMachines;

struct EmitPTXOptions {
  /// The directory that has nvvm/libdevice/libdevice.10.bc. Only kernels that
  /// call math functions need it.
  std::string cudaRoot;
  /// Keeps functions of libdevice for later calls. Null to keep nothing.
  MathLibrary *math = nullptr;
  /// Keeps LLVM's back ends for later calls. Null to keep nothing. A back end
  /// that has numbered function calls in its output isn't kept.
  TargetMachines *machines = nullptr;
  /// Called with the name of each kernel that has a kind of writes that LLVM
  /// proves never to happen, or to change nothing. A warning says so.
  std::function<void(llvm::StringRef)> noteIdle = nullptr;
  /// Called before LLVM's passes, on any thread. Once it returns true, emitPTX
  /// fails without an error. The back end runs to its end.
  std::function<bool()> isCancelled = nullptr;
};

/// Registers the translations to LLVM IR and the serialisation of the target
/// attribute, which emitPTX needs.
void registerPTXTranslations(mlir::DialectRegistry &registry);

/// Translates one gpu.module with one `#nvvm.target` to PTX. On failure emits
/// an error at the module, or at the op that has no LLVM IR form.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     const EmitPTXOptions &options = {});

} // namespace carousel

#endif // CAROUSEL_TARGET_EMITPTX_H
