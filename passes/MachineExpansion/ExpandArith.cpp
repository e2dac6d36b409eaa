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

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// Within the bounds, both of which may be results. Upstream's expansion takes
/// the least with the lower bound first, which isn't within them.
struct ClampWithinBounds : public OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value above = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                            op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, above, op.getMax());
    return success();
  }
};

struct ExpandArith : public carousel::impl::ExpandArithBase<ExpandArith> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    arith::populateArithExpandOpsPatterns(patterns);
    arith::populateExpandScalingExtTruncPatterns(patterns);
    frozen = std::move(patterns);
    RewritePatternSet clamps(context);
    clamps.add<ClampWithinBounds>(context);
    frozenClamps = std::move(clamps);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    SmallVector<Operation *> clamps, expanded;
    getOperation()->walk([&](math::ClampFOp op) { clamps.push_back(op); });
    if (failed(applyOpPatternsGreedily(clamps, frozenClamps, config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (isExpanded(op))
        expanded.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(expanded, frozen, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen, frozenClamps;
};

} // namespace
