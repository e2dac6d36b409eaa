//===- ExpandErf.cpp - one plus the error function ------------------------===//
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
  Type type = x.getType();
  auto number = [&](float value) -> Value {
    TypedAttr attribute = builder.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = SplatElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  Value t = math::AbsFOp::create(builder, loc, x);
  Value sum = number(kExponent[std::size(kExponent) - 1]);
  for (float coefficient : llvm::reverse(ArrayRef(kExponent).drop_back()))
    sum = math::FmaOp::create(builder, loc, sum, t, number(coefficient));
  Value exponent = arith::MulFOp::create(builder, loc, sum, t);
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

} // namespace

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
  patterns.add<AddErfToOne>(patterns.getContext());
}
