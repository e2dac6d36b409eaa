//===- ExpandErf.cpp - the error function of bf16, and one plus it --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gelu needs 1 + erf(x), which is between 0 and 2: an error of erf relative
// to a small result is of no use there. So erfc(|x|) is enough, one power of 2
// with a polynomial as its exponent, where libdevice's erf has two polynomials
// and selects among their coefficients.
//
// For bf16, erf(x) / x is a polynomial of x^2 up to where the result is 1.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

/// The factors of t, t^2, and so on, whose sum is log2(erfc(t)), minimax on [0,
/// 4.2] with errors weighted by erfc(t) + 0.001. Beyond, it falls to minus
/// infinity faster than the function (docs/Accuracy.md has the bound).
static constexpr float kExponent[] = {
    -1.627917767f,    -0.9182701111f,   -0.1492069215f,  0.0298564937f,
    -0.002567306859f, -4.431074776e-4f, 1.435055165e-4f, -1.141363373e-5f};

/// The factors of 1, t, t^2, and so on, whose sum is erf(x) / x for t = x^2, up
/// to kLargest, where erf(x) is closer to 1 than to the number of bf16 before
/// it. The first one is the function's slope at zero; with the others the
/// relative error is at most 2^-18, and no result of bf16 differs from the
/// correctly rounded one (docs/Accuracy.md).
static constexpr float kQuotient[] = {
    1.128379226f,   -0.3760682642f,    0.1125420034f,  -0.02633955330f,
    0.00476230914f, -6.2628684100e-4f, 5.22141017e-5f, -2.01960484e-6f};
static constexpr float kLargest = 2.21f;

/// The factors of t, t^2, and so on, whose sum is log2(erfc(t)) + t^2 log2(e)
/// up to kLeast, where erfc(t) is zero in bf16. The relative error of the power
/// is at most 2^-14.5, and one result of bf16 differs from the correctly
/// rounded one (docs/Accuracy.md).
static constexpr float kComplement[] = {
    -1.6280652285f,     0.5258114338f,    -0.1531875283f,
    0.03490205854f,     -0.00582708977f,  6.7544833292e-4f,
    -5.08871235070e-5f, 2.2251390419e-6f, -4.267151254567e-8f};
static constexpr float kLeast = 9.55f, kLog2OfE = 1.4426950216f;

/// A number, or a vector of copies of it.
static Value makeFloat(OpBuilder &builder, Location loc, Type type,
                       float value) {
  TypedAttr attribute = builder.getF32FloatAttr(value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = SplatElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// The sum of the factors' products with 1, t, t^2, and so on.
static Value makePolynomial(OpBuilder &builder, Location loc, Value t,
                            ArrayRef<float> factors) {
  Value sum = makeFloat(builder, loc, t.getType(), factors.back());
  for (float factor : llvm::reverse(factors.drop_back()))
    sum = math::FmaOp::create(builder, loc, sum, t,
                              makeFloat(builder, loc, t.getType(), factor));
  return sum;
}

/// The function, if only one op reads its result.
static math::ErfOp findErf(Value value) {
  auto erf = value.getDefiningOp<math::ErfOp>();
  bool isExpanded =
      erf && erf->hasOneUse() && getElementTypeOrSelf(erf.getType()).isF32();
  return isExpanded ? erf : nullptr;
}

/// The function of an op that adds one to it. A fused multiply-add `a * erf(x)
/// + a` adds it to a factor.
static math::ErfOp findErfAndOne(Operation *op) {
  if (auto sum = dyn_cast<arith::AddFOp>(op)) {
    for (auto [value, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                                std::pair(sum.getRhs(), sum.getLhs())})
      if (matchPattern(other, m_OneFloat()))
        return findErf(value);
    return nullptr;
  }
  auto fma = dyn_cast<math::FmaOp>(op);
  if (!fma)
    return nullptr;
  if (fma.getA() == fma.getC())
    return findErf(fma.getB());
  return fma.getB() == fma.getC() ? findErf(fma.getA()) : nullptr;
}

/// 1 + erf(x) = erfc(-x): erfc(|x|) of a negative number, or what it lacks to
/// 2. NaN stays.
static Value makeOneAndErf(OpBuilder &builder, Location loc, Value x) {
  auto number = [&](float value) {
    return makeFloat(builder, loc, x.getType(), value);
  };
  Value t = math::AbsFOp::create(builder, loc, x);
  Value exponent = arith::MulFOp::create(
      builder, loc, makePolynomial(builder, loc, t, kExponent), t);
  Value rest =
      math::Exp2Op::create(builder, loc, exponent, arith::FastMathFlags::afn);
  Value most = arith::SubFOp::create(builder, loc, number(2), rest);
  Value isNegative = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OLT, x, number(0));
  return arith::SelectOp::create(builder, loc, isNegative, rest, most);
}

namespace {

struct AddErfToOne : public RewritePattern {
  explicit AddErfToOne(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    math::ErfOp erf = findErfAndOne(op);
    if (!erf)
      return rewriter.notifyMatchFailure(op, "no sum of one and erf");
    Value sum = makeOneAndErf(rewriter, op->getLoc(), erf.getOperand());
    if (auto fma = dyn_cast<math::FmaOp>(op))
      sum = arith::MulFOp::create(rewriter, op->getLoc(), fma.getC(), sum);
    rewriter.replaceOp(op, sum);
    rewriter.eraseOp(erf);
    return success();
  }
};

/// f32, or a vector of it, of the same extents.
static Type getWide(Type type, MLIRContext *context) {
  Type wide = Float32Type::get(context);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(wide)) : wide;
}

/// Negative numbers have what those of positive ones lack to 2. The bound keeps
/// a NaN.
struct ErfcOfBF16 : public OpRewritePattern<math::ErfcOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &rewriter) const override {
    if (!isErfOfBF16(op))
      return rewriter.notifyMatchFailure(op, "not of bf16");
    Location loc = op.getLoc();
    Type wide = getWide(op.getType(), rewriter.getContext());
    auto number = [&](float value) {
      return makeFloat(rewriter, loc, wide, value);
    };
    Value x = arith::ExtFOp::create(rewriter, loc, wide, op.getOperand());
    Value t = math::AbsFOp::create(rewriter, loc, x);
    t = arith::MinimumFOp::create(rewriter, loc, t, number(kLeast));
    Value square = arith::MulFOp::create(rewriter, loc, t, t);
    Value exponent =
        arith::MulFOp::create(rewriter, loc, square, number(-kLog2OfE));
    exponent = math::FmaOp::create(
        rewriter, loc, makePolynomial(rewriter, loc, t, kComplement), t,
        exponent);
    Value rest = math::Exp2Op::create(rewriter, loc, exponent);
    Value most = arith::SubFOp::create(rewriter, loc, number(2), rest);
    Value isNegative = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, x, number(0));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(
        op, op.getType(),
        arith::SelectOp::create(rewriter, loc, isNegative, most, rest));
    return success();
  }
};

/// The bounds keep a NaN.
struct ErfOfBF16 : public OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isErfOfBF16(op))
      return rewriter.notifyMatchFailure(op, "not of bf16");
    Location loc = op.getLoc();
    Type wide = getWide(op.getType(), rewriter.getContext());
    Value x = arith::ExtFOp::create(rewriter, loc, wide, op.getOperand());
    x = arith::MinimumFOp::create(rewriter, loc, x,
                                  makeFloat(rewriter, loc, wide, kLargest));
    x = arith::MaximumFOp::create(rewriter, loc, x,
                                  makeFloat(rewriter, loc, wide, -kLargest));
    Value t = arith::MulFOp::create(rewriter, loc, x, x);
    Value result = arith::MulFOp::create(
        rewriter, loc, x, makePolynomial(rewriter, loc, t, kQuotient));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

} // namespace

bool carousel::isErfOfBF16(Operation *op) {
  return isa<math::ErfOp, math::ErfcOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
}

bool carousel::isErfAndOne(Operation *op) {
  return findErfAndOne(op) != nullptr;
}

bool carousel::isApproximate(Operation *op) {
  if (!isa<math::Exp2Op, math::TanhOp>(op))
    return false;
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

/// A quotient of numbers of 8 bits is at least 2^-17 of itself from the middle
/// of two neighbours, unless it is subnormal: 2 ulp of f32 don't change what it
/// is rounded to. Those of f16 may be closer.
bool carousel::isApproximateQuotient(Operation *op) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  if (!quotient)
    return false;
  Type element = getElementTypeOrSelf(quotient.getType());
  return element.isBF16() ||
         ((element.isF32() || element.isF16()) &&
          bitEnumContainsAny(quotient.getFastmath(),
                             arith::FastMathFlags::arcp |
                                 arith::FastMathFlags::afn));
}

void carousel::populateExpandErf(RewritePatternSet &patterns) {
  patterns.add<AddErfToOne, ErfOfBF16, ErfcOfBF16>(patterns.getContext());
}
