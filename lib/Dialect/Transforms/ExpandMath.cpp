//===- ExpandMath.cpp - math ops as arithmetic ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

static Value makeInteger(OpBuilder &builder, Location loc, Type type,
                         int64_t value) {
  return makeConstant(
      builder, loc, type,
      builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

static Value makeFloat(OpBuilder &builder, Location loc, Type type,
                       const APFloat &value) {
  return makeConstant(builder, loc, type,
                      FloatAttr::get(getElementTypeOrSelf(type), value));
}

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
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

/// Multiplies squares, one for each bit of the exponent. A negative exponent is
/// that of the inverse, an integer. As in a division, 0 has no inverse.
struct PowerBySquares : public OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, expand(rewriter, loc, op.getLhs(), op.getRhs()));
      return success();
    }
    if (vector.isScalable())
      return rewriter.notifyMatchFailure(op, "scalable");
    SmallVector<Value> powers;
    SmallVector<int64_t> basis = computeSuffixProduct(vector.getShape());
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> position = delinearize(i, basis);
      auto extract = [&](Value from) -> Value {
        return vector::ExtractOp::create(rewriter, loc, from, position);
      };
      powers.push_back(
          expand(rewriter, loc, extract(op.getLhs()), extract(op.getRhs())));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, powers);
    return success();
  }

private:
  static Value expand(PatternRewriter &rewriter, Location loc, Value base,
                      Value exponent) {
    Type type = base.getType();
    Value zero = makeInteger(rewriter, loc, type, 0);
    Value one = makeInteger(rewriter, loc, type, 1);
    // Exponents of one bit are 0 and -1, and each value is its own inverse.
    if (type.isInteger(1))
      return arith::SelectOp::create(rewriter, loc, exponent, base, one);
    Value isNegative =
        compare(rewriter, loc, arith::CmpIPredicate::slt, exponent, zero);
    auto invert = scf::IfOp::create(
        rewriter, loc, isNegative,
        [&](OpBuilder &builder, Location loc) {
          Value inverse = arith::DivSIOp::create(builder, loc, one, base);
          Value positive = arith::SubIOp::create(builder, loc, zero, exponent);
          scf::YieldOp::create(builder, loc, {inverse, positive});
        },
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, {base, exponent});
        });
    auto loop = scf::WhileOp::create(
        rewriter, loc, TypeRange{type, type, type},
        ValueRange{invert.getResult(0), invert.getResult(1), one},
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          Value isOpen =
              compare(builder, loc, arith::CmpIPredicate::ne, values[1], zero);
          scf::ConditionOp::create(builder, loc, isOpen, values);
        },
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          Value square = values[0], rest = values[1], power = values[2];
          Value bit = arith::AndIOp::create(builder, loc, rest, one);
          Value isOdd =
              compare(builder, loc, arith::CmpIPredicate::ne, bit, zero);
          Value more = arith::MulIOp::create(builder, loc, power, square);
          power = arith::SelectOp::create(builder, loc, isOdd, more, power);
          square = arith::MulIOp::create(builder, loc, square, square);
          // The magnitude of the smallest exponent is an unsigned number.
          rest = arith::ShRUIOp::create(builder, loc, rest, one);
          scf::YieldOp::create(builder, loc, {square, rest, power});
        });
    return loop.getResult(2);
  }
};

} // namespace

bool carousel::isExpandedMath(Operation *op) {
  return isa<math::ClampFOp, math::IsNormalOp, math::IPowIOp>(op);
}

void carousel::populateExpandMath(RewritePatternSet &patterns) {
  patterns.add<ClampWithinBounds, CompareMagnitude<math::IsNormalOp>,
               PowerBySquares>(patterns.getContext());
}

void carousel::populateExpandFloatTests(RewritePatternSet &patterns) {
  patterns.add<CompareMagnitude<math::IsFiniteOp>,
               CompareMagnitude<math::IsInfOp>, CompareWithItself>(
      patterns.getContext());
}
