//===- ExpandMath.cpp - math ops as arithmetic ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

/// A constant of a type, or of all elements of a vector type.
static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = SplatElementsAttr::get(vector, element);
  return arith::ConstantOp::create(builder, loc, element);
}

static Value makeFloat(OpBuilder &builder, Location loc, Type type,
                       const APFloat &value) {
  return makeConstant(builder, loc, type,
                      FloatAttr::get(getElementTypeOrSelf(type), value));
}

static bool isScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable();
}

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

/// Compares the magnitude with the largest and the smallest value of a class. A
/// comparison with NaN is false, and a type without infinities has nothing
/// above its largest value.
template <typename Op> struct CompareMagnitude : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    if (isScalable(type))
      return rewriter.notifyMatchFailure(op, "scalable");
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
    auto compareWith = [&](arith::CmpFPredicate predicate, APFloat bound) {
      return arith::CmpFOp::create(rewriter, loc, predicate, magnitude,
                                   makeFloat(rewriter, loc, type, bound));
    };
    APFloat greatest = APFloat::getLargest(semantics);
    if (isa<math::IsInfOp>(op)) {
      rewriter.replaceOp(op, compareWith(arith::CmpFPredicate::OGT, greatest));
      return success();
    }
    Value result = compareWith(arith::CmpFPredicate::OLE, greatest);
    if (isa<math::IsNormalOp>(op))
      result = arith::AndIOp::create(
          rewriter, loc, result,
          compareWith(arith::CmpFPredicate::OGE,
                      APFloat::getSmallestNormalized(semantics)));
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct CompareWithItself : public OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getOperand();
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::UNO,
                                               value, value);
    return success();
  }
};

} // namespace

bool carousel::isExpandedMath(Operation *op) {
  return isa<math::ClampFOp, math::IsNormalOp>(op) || isExpandedPower(op);
}

void carousel::populateExpandMath(RewritePatternSet &patterns) {
  patterns.add<ClampWithinBounds, CompareMagnitude<math::IsNormalOp>>(
      patterns.getContext());
  populateExpandPowers(patterns);
}

void carousel::populateExpandFloatTests(RewritePatternSet &patterns) {
  patterns.add<CompareMagnitude<math::IsFiniteOp>,
               CompareMagnitude<math::IsInfOp>, CompareWithItself>(
      patterns.getContext());
}
