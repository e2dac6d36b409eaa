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

#include "ExpandMath.h"
#include "Float8Conversions.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDARITH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Numbers that are rounded
//
// Patterns of carousel-expand-arith for arith.truncf with a rounding mode, and
// for carousel.round_tf32. Conversions of LLVM and C++ round to nearest, ties
// to even, and ignore other modes. Each mode is the default truncation with a
// correction. Ties are broken before the truncation. If the result is on the
// wrong side of the operand, it moves by one unit in the last place. For tf32,
// half of the last place that stays is added to the bits of the magnitude, and
// a carry goes into the exponent.
//===----------------------------------------------------------------------===//

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
    // The dropped bits carry if they are above the half, or the half of an odd
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

static void populateRoundingModes(RewritePatternSet &patterns) {
  patterns.add<TruncateByMode, RoundByBits>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Arithmetic with two results
//
// arith.addui_extended, mulsi_extended and mului_extended where upstream's
// conversion to LLVM has no form of them: of indices, of single bits, and of
// vectors with several dimensions.
//===----------------------------------------------------------------------===//

static bool isExtended(Operation *op) {
  return isa<arith::AddUIExtendedOp, arith::MulSIExtendedOp,
             arith::MulUIExtendedOp>(op);
}

/// Upstream's conversion to LLVM makes no struct of indices, and C++ has no
/// arithmetic of bool.
static bool isOddExtended(Operation *op) {
  if (!isExtended(op))
    return false;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  return element.isIndex() || element.isInteger(1);
}

/// Nor does it take several rows.
static bool hasRows(Operation *op) {
  if (!isExtended(op))
    return false;
  auto vector = dyn_cast<VectorType>(op->getOperand(0).getType());
  return vector && vector.getRank() > 1 && !vector.isScalable();
}

/// Whether populateExpandExtended has a pattern for an op.
static bool isExpandedExtended(Operation *op) {
  return isOddExtended(op) || hasRows(op);
}

namespace {

/// A sum that is less than an operand has wrapped.
struct AddWithOverflow : public OpRewritePattern<arith::AddUIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOddExtended(op))
      return rewriter.notifyMatchFailure(op, "an instruction of both targets");
    Value sum =
        arith::AddIOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    Value overflow = arith::CmpIOp::create(
        rewriter, op.getLoc(), arith::CmpIPredicate::ult, sum, op.getLhs());
    rewriter.replaceOp(op, {sum, overflow});
    return success();
  }
};

/// The product of single bits has one bit: -1 * -1 is 1, too.
template <typename OpTy> struct MultiplyBits : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getLhs().getType()).isInteger(1))
      return rewriter.notifyMatchFailure(op, "several bits");
    Value low =
        arith::AndIOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    Value high = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(op.getLhs().getType()));
    rewriter.replaceOp(op, {low, high});
    return success();
  }
};

/// Row by row.
template <typename OpTy> struct ExtendRows : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!hasRows(op) || isOddExtended(op))
      return rewriter.notifyMatchFailure(op, "one row, or no instruction");
    Location loc = op.getLoc();
    SmallVector<Value> results;
    for (Value result : op->getResults())
      results.push_back(arith::ConstantOp::create(
          rewriter, loc, rewriter.getZeroAttr(result.getType())));
    ArrayRef<int64_t> leading =
        cast<VectorType>(op.getLhs().getType()).getShape().drop_back();
    SmallVector<int64_t> basis = computeSuffixProduct(leading);
    for (int64_t i = 0, e = ShapedType::getNumElements(leading); i < e; ++i) {
      SmallVector<int64_t> row = delinearize(i, basis);
      Value lhs = vector::ExtractOp::create(rewriter, loc, op.getLhs(), row);
      Value rhs = vector::ExtractOp::create(rewriter, loc, op.getRhs(), row);
      auto part = OpTy::create(rewriter, loc, lhs, rhs);
      for (auto [result, value] : llvm::zip_equal(results, part->getResults()))
        result = vector::InsertOp::create(rewriter, loc, value, result, row);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

static void populateExpandExtended(RewritePatternSet &patterns) {
  patterns.add<
      AddWithOverflow, MultiplyBits<arith::MulSIExtendedOp>,
      MultiplyBits<arith::MulUIExtendedOp>, ExtendRows<arith::AddUIExtendedOp>,
      ExtendRows<arith::MulSIExtendedOp>, ExtendRows<arith::MulUIExtendedOp>>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Expand arithmetic that has no instruction
//===----------------------------------------------------------------------===//

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
