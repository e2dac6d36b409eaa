//===- ExpandMath.cpp - math ops as arithmetic ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Clamps to the bounds, both of which are possible results. Upstream's
/// expansion takes the minimum with the lower bound first, and its result may
/// be outside.
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

/// Compares the magnitude with the largest and the smallest normal number, in
/// the type of the operand: in a wider type a subnormal number is normal. A
/// comparison with NaN is false.
struct CompareMagnitude : public OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    auto vector = dyn_cast<VectorType>(type);
    if (vector && vector.isScalable())
      return rewriter.notifyMatchFailure(op, "scalable");
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
    auto compareWith = [&](arith::CmpFPredicate predicate,
                           const APFloat &number) -> Value {
      TypedAttr bound = FloatAttr::get(element, number);
      if (vector)
        bound = SplatElementsAttr::get(vector, bound);
      return arith::CmpFOp::create(
          rewriter, loc, predicate, magnitude,
          arith::ConstantOp::create(rewriter, loc, bound));
    };
    Value isFinite =
        compareWith(arith::CmpFPredicate::OLE, APFloat::getLargest(semantics));
    Value isLarge = compareWith(arith::CmpFPredicate::OGE,
                                APFloat::getSmallestNormalized(semantics));
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isFinite, isLarge);
    return success();
  }
};

} // namespace

bool carousel::isExpandedMath(Operation *op) {
  return isa<math::ClampFOp, math::IsNormalOp>(op) || isExpandedPower(op) ||
         isErfAndOne(op) || isErfOfBF16(op);
}

void carousel::populateExpandMath(RewritePatternSet &patterns) {
  patterns.add<ClampWithinBounds, CompareMagnitude>(patterns.getContext());
  populateExpandPowers(patterns);
  populateExpandErf(patterns);
}
