//===- CheckLimits.cpp - a check before all passes ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckLimits.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace {
/// The pass isn't registered: no command line names it.
struct CheckLimits : PassWrapper<CheckLimits, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckLimits)

  StringRef getName() const override { return "CheckLimits"; }
  void runOnOperation() override {
    if (failed(carousel::verifyLimits(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

MlirOptMainConfig carousel::checkLimitsFirst(const MlirOptMainConfig &config) {
  MlirOptMainConfig checked = config;
  checked.setPassPipelineSetupFn([&config](PassManager &pm) {
    pm.addPass(std::make_unique<CheckLimits>());
    return config.setupPassPipeline(pm);
  });
  return checked;
}
