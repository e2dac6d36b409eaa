//===- EmbedPTX.cpp - replace a gpu.module by its PTX ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last pass of a pipeline to PTX. It replaces each gpu.module of the target
// phase by a gpu.binary that holds its PTX.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace carousel {
#define GEN_PASS_DEF_EMBEDPTX
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct EmbedPTX : carousel::impl::EmbedPTXBase<EmbedPTX> {
  using EmbedPTXBase::EmbedPTXBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmbedPTXBase::getDependentDialects(registry);
    registerPTXTranslations(registry);
  }

  void runOnOperation() override {
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp gpuModule : modules) {
      FailureOr<std::string> ptx = emitPTX(gpuModule, {cudaRoot});
      if (failed(ptx))
        return signalPassFailure();
      OpBuilder builder(gpuModule);
      // emitPTX has seen to it that there is one target.
      Attribute object = gpu::ObjectAttr::get(
          gpuModule.getTargetsAttr()[0], gpu::CompilationTarget::Assembly,
          builder.getStringAttr(*ptx), nullptr, nullptr);
      gpu::BinaryOp::create(builder, gpuModule.getLoc(), gpuModule.getName(),
                            nullptr, ArrayRef<Attribute>(object));
      gpuModule.erase();
    }
  }
};

} // namespace
