//===- ExpandArith.cpp - expand arithmetic that has no instruction --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands arithmetic that LLVM or C++ lacks. Upstream's arith-expand would also
// make comparisons and selections of the maxima and minima of floats, which are
// instructions. So its patterns for the other ops run here.
//
//===----------------------------------------------------------------------===//

#include "ExpandExtended.h"
#include "ExpandMath.h"
#include "RoundingModes.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDARITH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static bool hasRoundingMode(Operation *op) {
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  return isa<RoundTF32Op>(op) || (truncation && truncation.getRoundingmode());
}

/// PTX has max.NaN and min.NaN of the other types.
static bool isMaximumOfDoubles(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

static bool isExpandedUpstream(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
}

namespace {

/// NaN where an operand is, otherwise the op that takes the other operand.
template <typename OpTy, typename NumberOp>
struct SelectNaN : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isMaximumOfDoubles(op))
      return rewriter.notifyMatchFailure(op, "an instruction of both targets");
    Location loc = op.getLoc();
    Type type = op.getType();
    Attribute attribute = rewriter.getFloatAttr(
        getElementTypeOrSelf(type),
        llvm::APFloat::getQNaN(llvm::APFloat::IEEEdouble()));
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, attribute);
    Value nan = arith::ConstantOp::create(rewriter, loc, type,
                                          cast<TypedAttr>(attribute));
    Value number = NumberOp::create(rewriter, loc, op.getLhs(), op.getRhs(),
                                    op.getFastmath());
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, op.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, number);
    return success();
  }
};

struct ExpandArith : public carousel::impl::ExpandArithBase<ExpandArith> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateExpandMath(patterns);
    populateExpandExtended(patterns);
    patterns.add<SelectNaN<arith::MaximumFOp, arith::MaxNumFOp>,
                 SelectNaN<arith::MinimumFOp, arith::MinNumFOp>>(context);
    populateRoundingModes(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandScalingExtTruncPatterns(patterns);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // A clamp of doubles becomes a maximum, which is expanded itself.
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    SmallVector<Operation *> expanded;
    getOperation()->walk([&](Operation *op) {
      if (isExpandedMath(op) || hasRoundingMode(op) || isExpandedExtended(op) ||
          isMaximumOfDoubles(op) || isExpandedUpstream(op))
        expanded.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(expanded, frozen, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
