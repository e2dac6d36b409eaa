//===- AttachTarget.cpp - chip and PTX version of a gpu.module ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets the one `#nvvm.target` from which later passes read chip and PTX
// version.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace carousel {
#define GEN_PASS_DEF_ATTACHTARGET
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct AttachTarget : public carousel::impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    std::string error;
    FailureOr<TargetSpec> spec =
        makeTargetSpec(chip, ptxVersion.getValue(), error);
    if (failed(spec)) {
      emitError(module.getLoc()) << error;
      return signalPassFailure();
    }
    if (optLevel > 3) {
      emitError(module.getLoc())
          << "expected an optimisation level of 0 to 3, got "
          << optLevel.getValue();
      return signalPassFailure();
    }
    attachTarget(module, *spec, optLevel);
  }
};

} // namespace
