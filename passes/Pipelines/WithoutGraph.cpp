//===- WithoutGraph.cpp - a build without the compiler of graphs ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for GraphToBlock.cpp where CAROUSEL_GRAPH is off: the pipelines refuse
// whatever they are run on.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace carousel;

namespace {
/// The pass isn't registered: no command line names it.
struct RefuseGraph : PassWrapper<RefuseGraph, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefuseGraph)

  StringRef getName() const override { return "RefuseGraph"; }
  void runOnOperation() override {
    getOperation()->emitError("expected a build with CAROUSEL_GRAPH=ON for "
                              "graphs and programs, got one without");
    signalPassFailure();
  }
};
} // namespace

void carousel::buildNormalizeGraphPipeline(OpPassManager &pm,
                                           const NormalizeGraphOptions &) {
  pm.addPass(std::make_unique<RefuseGraph>());
}

void carousel::buildGraphToBlockPipeline(OpPassManager &pm,
                                         const GraphToBlockOptions &) {
  pm.addPass(std::make_unique<RefuseGraph>());
}

void carousel::buildProgramPipeline(OpPassManager &pm) {
  pm.addPass(std::make_unique<RefuseGraph>());
}
