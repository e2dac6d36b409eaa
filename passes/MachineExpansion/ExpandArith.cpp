//===- ExpandArith.cpp - arithmetic that is several instructions ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's expansions, for the ops that need them: its own pass also makes
// comparisons and selects of what is an intrinsic of LLVM, which then finds the
// intrinsic again.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandMath.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDARITH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static bool isExpanded(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
             arith::MinNumFOp, arith::ScalingExtFOp, arith::ScalingTruncFOp>(
      op);
}

namespace {

struct ExpandArith : public carousel::impl::ExpandArithBase<ExpandArith> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    arith::populateArithExpandOpsPatterns(patterns);
    arith::populateExpandScalingExtTruncPatterns(patterns);
    frozen = std::move(patterns);
    RewritePatternSet math(context);
    populateExpandMath(math);
    frozenMath = std::move(math);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    // What comes of these may have to be expanded, too.
    SmallVector<Operation *> math, expanded;
    getOperation()->walk([&](Operation *op) {
      if (isExpandedMath(op))
        math.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(math, frozenMath, config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (isExpanded(op))
        expanded.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(expanded, frozen, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen, frozenMath;
};

} // namespace
