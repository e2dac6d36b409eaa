//===- ExpandPowers.cpp - powers as products ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A power is a product of squares, one for each bit that the exponent has. A
// constant exponent and one that the run knows give the same products in the
// same order, so a result doesn't depend on what a phase knows. The exponent
// has any width: libdevice's functions take 32 bits only.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

/// The exponents of math.powf that become products. Their errors are below that
/// of libdevice's function (docs/Accuracy.md).
static constexpr int kLeastExponent = -2, kMostExponent = 4;

static bool isScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable();
}

/// A number, or a vector of it.
static Value makeNumber(OpBuilder &builder, Location loc, Type type,
                        int64_t number) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  if (isa<FloatType>(element))
    value = builder.getFloatAttr(element, static_cast<double>(number));
  else
    value = builder.getIntegerAttr(element, number);
  if (auto vector = dyn_cast<VectorType>(type))
    value = SplatElementsAttr::get(vector, value);
  return arith::ConstantOp::create(builder, loc, value);
}

static Value multiply(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  return arith::MulIOp::create(builder, loc, lhs, rhs);
}

/// The base of a negative exponent. It is inverted before the products: these
/// may overflow where the power is a subnormal number. An integer's inverse is
/// an integer; as in a division, 0 has none.
static Value invert(OpBuilder &builder, Location loc, Value base) {
  Value one = makeNumber(builder, loc, base.getType(), 1);
  if (isa<FloatType>(getElementTypeOrSelf(base.getType())))
    return arith::DivFOp::create(builder, loc, one, base);
  return arith::DivSIOp::create(builder, loc, one, base);
}

/// Numbers and vectors.
static Value raiseToConstant(OpBuilder &builder, Location loc, Value base,
                             const APInt &exponent) {
  if (exponent.isZero())
    return makeNumber(builder, loc, base.getType(), 1);
  Value square = exponent.isNegative() ? invert(builder, loc, base) : base;
  Value power;
  // The magnitude of the smallest exponent is an unsigned number.
  for (APInt rest = exponent.abs();;) {
    if (rest[0])
      power = power ? multiply(builder, loc, power, square) : square;
    rest.lshrInPlace(1);
    if (rest.isZero())
      return power;
    square = multiply(builder, loc, square, square);
  }
}

/// Numbers only.
static Value raiseInLoop(OpBuilder &builder, Location loc, Value base,
                         Value exponent) {
  Type type = base.getType(), counted = exponent.getType();
  Value zero = makeNumber(builder, loc, counted, 0);
  Value one = makeNumber(builder, loc, type, 1);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, exponent, zero);
  auto start = scf::IfOp::create(
      builder, loc, isNegative,
      [&](OpBuilder &builder, Location loc) {
        Value inverse = invert(builder, loc, base);
        Value positive = arith::SubIOp::create(builder, loc, zero, exponent);
        scf::YieldOp::create(builder, loc, {inverse, positive});
      },
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, {base, exponent});
      });
  Value bit = makeNumber(builder, loc, counted, 1);
  auto isNonZero = [&](OpBuilder &builder, Location loc, Value value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  };
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{type, counted, type},
      ValueRange{start.getResult(0), start.getResult(1), one},
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        scf::ConditionOp::create(builder, loc,
                                 isNonZero(builder, loc, values[1]), values);
      },
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        Value square = values[0], rest = values[1], power = values[2];
        Value isOdd = isNonZero(builder, loc,
                                arith::AndIOp::create(builder, loc, rest, bit));
        Value more = multiply(builder, loc, power, square);
        power = arith::SelectOp::create(builder, loc, isOdd, more, power);
        square = multiply(builder, loc, square, square);
        rest = arith::ShRUIOp::create(builder, loc, rest, bit);
        scf::YieldOp::create(builder, loc, {square, rest, power});
      });
  return loop.getResult(2);
}

/// Gives the exponent a width that all targets count in, and more than one bit.
static Value widenExponent(OpBuilder &builder, Location loc, Value exponent) {
  Type type = exponent.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      exponent);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32 || width >= 64)
    return exponent;
  return arith::ExtSIOp::create(
      builder, loc, builder.getIntegerType(width < 32 ? 32 : 64), exponent);
}

static Value raiseNumber(OpBuilder &builder, Location loc, Value base,
                         Value exponent) {
  APInt known;
  if (matchPattern(exponent, m_ConstantInt(&known)))
    return raiseToConstant(builder, loc, base, known);
  if (isa<FloatType>(base.getType()))
    exponent = widenExponent(builder, loc, exponent);
  return raiseInLoop(builder, loc, base, exponent);
}

/// Element by element, and row by row: a vector of several dimensions has no
/// op that makes it of its elements on all ways.
static Value raiseElements(OpBuilder &builder, Location loc, Value base,
                           Value exponent) {
  auto type = dyn_cast<VectorType>(base.getType());
  if (!type)
    return raiseNumber(builder, loc, base, exponent);
  auto extract = [&](Value from, ArrayRef<int64_t> position) {
    return builder.createOrFold<vector::ExtractOp>(loc, from, position);
  };
  if (type.getRank() > 1) {
    Value result = makeNumber(builder, loc, type, 0);
    for (int64_t i = 0, e = type.getDimSize(0); i < e; ++i) {
      Value row =
          raiseElements(builder, loc, extract(base, i), extract(exponent, i));
      result = vector::InsertOp::create(builder, loc, row, result, i);
    }
    return result;
  }
  SmallVector<Value> powers;
  SmallVector<int64_t> basis = computeSuffixProduct(type.getShape());
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, basis);
    powers.push_back(raiseNumber(builder, loc, extract(base, position),
                                 extract(exponent, position)));
  }
  return vector::FromElementsOp::create(builder, loc, type, powers);
}

static Value raise(OpBuilder &builder, Location loc, Value base,
                   Value exponent) {
  APInt known;
  if (matchPattern(exponent, m_ConstantInt(&known)))
    return raiseToConstant(builder, loc, base, known);
  return raiseElements(builder, loc, base, exponent);
}

/// Computes with a float, or a vector of them, in 32 bits at least, and rounds
/// narrow ones once.
static Value computeWide(OpBuilder &builder, Location loc, Value base,
                         llvm::function_ref<Value(Value)> compute) {
  Type type = base.getType();
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32)
    return compute(base);
  Type wide = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  Value power = compute(arith::ExtFOp::create(builder, loc, wide, base));
  return arith::TruncFOp::create(builder, loc, type, power);
}

/// The exponent of a power that becomes products.
static std::optional<APInt> findSmallExponent(math::PowFOp op) {
  APFloat value(0.0);
  if (!matchPattern(op.getRhs(), m_ConstantFloat(&value)))
    return std::nullopt;
  APSInt whole(/*BitWidth=*/32, /*isUnsigned=*/false);
  bool isExact;
  if (value.convertToInteger(whole, APFloat::rmTowardZero, &isExact) !=
          APFloat::opOK ||
      whole < kLeastExponent || whole > kMostExponent)
    return std::nullopt;
  return whole;
}

namespace {

struct PowerOfIntegers : public OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    if (isScalable(type))
      return rewriter.notifyMatchFailure(op, "scalable");
    // Exponents of one bit are 0 and -1, and each value is its own inverse.
    if (getElementTypeOrSelf(type).isInteger(1))
      rewriter.replaceOpWithNewOp<arith::SelectOp>(
          op, op.getRhs(), op.getLhs(), makeNumber(rewriter, loc, type, 1));
    else
      rewriter.replaceOp(op, raise(rewriter, loc, op.getLhs(), op.getRhs()));
    return success();
  }
};

struct PowerOfFloats : public OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (isScalable(op.getType()))
      return rewriter.notifyMatchFailure(op, "scalable");
    Location loc = op.getLoc();
    auto compute = [&](Value base) {
      return raise(rewriter, loc, base, op.getRhs());
    };
    rewriter.replaceOp(op, computeWide(rewriter, loc, op.getLhs(), compute));
    return success();
  }
};

struct PowerOfConstant : public OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<APInt> exponent = findSmallExponent(op);
    if (!exponent)
      return rewriter.notifyMatchFailure(op, "no small whole exponent");
    Location loc = op.getLoc();
    auto compute = [&](Value base) {
      return raiseToConstant(rewriter, loc, base, *exponent);
    };
    rewriter.replaceOp(op, computeWide(rewriter, loc, op.getLhs(), compute));
    return success();
  }
};

} // namespace

bool carousel::isExpandedPower(Operation *op) {
  if (auto power = dyn_cast<math::PowFOp>(op))
    return findSmallExponent(power).has_value();
  return isa<math::IPowIOp, math::FPowIOp>(op);
}

void carousel::populateExpandPowers(RewritePatternSet &patterns) {
  patterns.add<PowerOfIntegers, PowerOfFloats, PowerOfConstant>(
      patterns.getContext());
}
