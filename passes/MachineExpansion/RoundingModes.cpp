//===- RoundingModes.cpp - numbers that are rounded
//------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RoundingModes.h. Each mode is the default truncation with a correction.
// Ties are broken before the truncation. If the result is on the wrong side of
// the operand, it moves by one unit in the last place. For tf32, half of the
// last place that stays is added to the bits of the magnitude, and a carry goes
// into the exponent.
//
//===----------------------------------------------------------------------===//

#include "RoundingModes.h"

#include "Float8Conversions.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

using arith::CmpFPredicate;
using arith::CmpIPredicate;
using arith::RoundingMode;

static Type getLike(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static const llvm::fltSemantics &getSemantics(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
}

/// Integers of the same width.
static Type getBits(ImplicitLocOpBuilder &b, Type type) {
  return getLike(type, b.getIntegerType(
                           getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
}

static Value createConstant(ImplicitLocOpBuilder &b, Type type,
                            Attribute attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, cast<TypedAttr>(attr));
}

static Value createInteger(ImplicitLocOpBuilder &b, Type type,
                           const APInt &value) {
  return createConstant(b, type,
                        b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

static Value createFloat(ImplicitLocOpBuilder &b, Type type,
                         const APFloat &value) {
  return createConstant(b, type,
                        b.getFloatAttr(getElementTypeOrSelf(type), value));
}

/// Numbers of the operand's type that lie next to a tie, away from zero, where
/// the operand is one: rounding to the nearest then goes that way. At least two
/// bits are dropped, so that no other number crosses a tie, and what the result
/// type holds stays.
static Value leaveTies(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType(), words = getBits(b, type);
  Value bits = arith::BitcastOp::create(b, words, value);
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value odd =
      arith::OrIOp::create(b, bits, createInteger(b, words, APInt(width, 1)));
  odd = arith::BitcastOp::create(b, type, odd);
  // An infinity would become NaN.
  Value magnitude = arith::AndIOp::create(
      b, bits, createInteger(b, words, APInt::getSignedMaxValue(width)));
  APInt infinity = APFloat::getInf(getSemantics(type)).bitcastToAPInt();
  Value isInfinite = arith::CmpIOp::create(b, CmpIPredicate::eq, magnitude,
                                           createInteger(b, words, infinity));
  return arith::SelectOp::create(b, isInfinite, value, odd);
}

/// Where the result type has NaN beyond its largest number, finite operands
/// beyond it become that number in a direction that leads there.
static Value clampToLargest(ImplicitLocOpBuilder &b, Value value, Type to,
                            RoundingMode mode) {
  if (APFloat::semanticsHasInf(getSemantics(to)))
    return value;
  Type type = value.getType();
  const llvm::fltSemantics &wide = getSemantics(type);
  auto clamp = [&](bool isNegative) {
    APFloat largest = APFloat::getLargest(getSemantics(to), isNegative);
    bool losesInfo;
    largest.convert(wide, APFloat::rmNearestTiesToEven, &losesInfo);
    Value limit = createFloat(b, type, largest);
    Value end = createFloat(b, type, APFloat::getInf(wide, isNegative));
    auto predicate = isNegative ? CmpFPredicate::OLT : CmpFPredicate::OGT;
    Value isBeyond = arith::CmpFOp::create(b, predicate, value, limit);
    Value isFinite = arith::CmpFOp::create(b, CmpFPredicate::ONE, value, end);
    Value isClamped = arith::AndIOp::create(b, isBeyond, isFinite);
    value = arith::SelectOp::create(b, isClamped, limit, value);
  };
  if (mode != RoundingMode::upward)
    clamp(/*isNegative=*/false);
  if (mode != RoundingMode::downward)
    clamp(/*isNegative=*/true);
  return value;
}

/// Toward zero, downward or upward: the nearest value, or its neighbour where
/// that lies on the other side of the operand.
static Value truncateDirected(ImplicitLocOpBuilder &b, Value value, Type to,
                              RoundingMode mode) {
  value = clampToLargest(b, value, to, mode);
  Type type = value.getType(), words = getBits(b, type),
       results = getBits(b, to);
  Value nearest = arith::TruncFOp::create(b, to, value);
  Value back = arith::ExtFOp::create(b, type, nearest);
  Value bits = arith::BitcastOp::create(b, words, value);
  unsigned width = getElementTypeOrSelf(words).getIntOrFloatBitWidth();
  Value isNegative =
      arith::CmpIOp::create(b, CmpIPredicate::slt, bits,
                            createInteger(b, words, APInt::getZero(width)));
  Value isAbove = arith::CmpFOp::create(b, CmpFPredicate::OGT, back, value);
  Value isBelow = arith::CmpFOp::create(b, CmpFPredicate::OLT, back, value);

  // The next bits are those of the next magnitude.
  unsigned narrow = getElementTypeOrSelf(results).getIntOrFloatBitWidth();
  Value less = createInteger(b, results, APInt::getAllOnes(narrow));
  Value more = createInteger(b, results, APInt(narrow, 1));
  Value isWrong, step;
  switch (mode) {
  case RoundingMode::downward:
    isWrong = isAbove;
    step = arith::SelectOp::create(b, isNegative, more, less);
    break;
  case RoundingMode::upward:
    isWrong = isBelow;
    step = arith::SelectOp::create(b, isNegative, less, more);
    break;
  default:
    isWrong = arith::SelectOp::create(b, isNegative, isBelow, isAbove);
    step = less;
    break;
  }
  Value result = arith::BitcastOp::create(b, results, nearest);
  Value next = arith::AddIOp::create(b, result, step);
  result = arith::SelectOp::create(b, isWrong, next, result);
  return arith::BitcastOp::create(b, to, result);
}

namespace {

struct TruncateByMode : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<RoundingMode> mode = op.getRoundingmode();
    if (!mode)
      return rewriter.notifyMatchFailure(op, "rounds by default");
    if (*mode == RoundingMode::to_nearest_even) { // the default
      rewriter.modifyOpInPlace(op, [&] { op.removeRoundingmodeAttr(); });
      return success();
    }
    Type from = op.getIn().getType(), to = op.getType();
    if (!convertsToFloat8(from) || !(convertsToFloat8(to) || isFloat8(to)))
      return rewriter.notifyMatchFailure(op, "not of floats of the targets");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (*mode == RoundingMode::to_nearest_away)
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, to,
                                                   leaveTies(b, op.getIn()));
    else
      rewriter.replaceOp(op, truncateDirected(b, op.getIn(), to, *mode));
    return success();
  }
};

struct RoundByBits : public OpRewritePattern<RoundTF32Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RoundTF32Op op,
                                PatternRewriter &rewriter) const override {
    constexpr unsigned kWidth = 32, kDropped = 13;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = op.getValue();
    Type type = value.getType(), words = getBits(b, type);
    Value bits = arith::BitcastOp::create(b, words, value);
    auto constant = [&](const APInt &number) {
      return createInteger(b, words, number);
    };
    // What is dropped carries if it is above the half, or the half of an odd
    // number.
    Value odd = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, constant(APInt(kWidth, kDropped))),
        constant(APInt(kWidth, 1)));
    Value below = arith::AddIOp::create(
        b, bits, constant(APInt::getLowBitsSet(kWidth, kDropped - 1)));
    Value rounded = arith::AndIOp::create(
        b, arith::AddIOp::create(b, below, odd),
        constant(APInt::getHighBitsSet(kWidth, kWidth - kDropped)));
    Value isNaN = arith::CmpFOp::create(b, CmpFPredicate::UNO, value, value);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, isNaN, value, arith::BitcastOp::create(b, type, rounded));
    return success();
  }
};

} // namespace

void carousel::populateRoundingModes(RewritePatternSet &patterns) {
  patterns.add<TruncateByMode, RoundByBits>(patterns.getContext());
}
