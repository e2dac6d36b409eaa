//===- ExpandExtrema.cpp - maxima and minima of floats ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device's max and min order -0 before +0. The host's compare them as
// equal, and LLVM takes either operand. Equal numbers differ in the sign of a
// zero only, so the bitwise and of both is their maximum, the or their minimum.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

#include <numeric>

using namespace mlir;
using namespace carousel::sim;

/// The type of integers with the bits of `type`'s floats.
static Type getBitsType(Type type) {
  Type bits = IntegerType::get(
      type.getContext(), getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(bits) : bits;
}

template <typename BitOp>
static Value combineBits(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Type bits = getBitsType(lhs.getType());
  Value both = BitOp::create(b, arith::BitcastOp::create(b, bits, lhs),
                             arith::BitcastOp::create(b, bits, rhs));
  return arith::BitcastOp::create(b, lhs.getType(), both);
}

static Value makeNaN(ImplicitLocOpBuilder &b, Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr nan = b.getFloatAttr(
      element, llvm::APFloat::getQNaN(element.getFloatSemantics()));
  if (auto vector = dyn_cast<VectorType>(type))
    nan = DenseElementsAttr::get(vector, nan);
  return arith::ConstantOp::create(b, type, nan);
}

namespace {

template <typename Op> struct CompareAndSelect : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  static constexpr bool kIsMax = std::is_same_v<Op, arith::MaxNumFOp> ||
                                 std::is_same_v<Op, arith::MaximumFOp>;
  static constexpr bool kKeepsNaN = std::is_same_v<Op, arith::MaximumFOp> ||
                                    std::is_same_v<Op, arith::MinimumFOp>;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpFPredicate;
    using BitOp = std::conditional_t<kIsMax, arith::AndIOp, arith::OrIOp>;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value lhs = op.getLhs(), rhs = op.getRhs();
    // The right operand where one is NaN.
    Value isLeft = arith::CmpFOp::create(
        b, kIsMax ? Predicate::OGT : Predicate::OLT, lhs, rhs);
    Value result = arith::SelectOp::create(b, isLeft, lhs, rhs);
    Value isEqual = arith::CmpFOp::create(b, Predicate::OEQ, lhs, rhs);
    result = arith::SelectOp::create(b, isEqual,
                                     combineBits<BitOp>(b, lhs, rhs), result);
    Value isNaN =
        arith::CmpFOp::create(b, Predicate::UNO, kKeepsNaN ? lhs : rhs, rhs);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, isNaN, kKeepsNaN ? makeNaN(b, op.getType()) : lhs, result);
    return success();
  }
};

/// Combines halves for as long as there are two, then the rest in order. All
/// orders have one result.
struct ReduceHalves : public OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ReductionOp op,
                                PatternRewriter &rewriter) const override {
    using Kind = vector::CombiningKind;
    Kind kind = op.getKind();
    if (!llvm::is_contained(
            {Kind::MAXNUMF, Kind::MINNUMF, Kind::MAXIMUMF, Kind::MINIMUMF},
            kind))
      return rewriter.notifyMatchFailure(op, "the host's result is the same");
    VectorType type = op.getSourceVectorType();
    if (op.isMasked() || type.isScalable())
      return rewriter.notifyMatchFailure(op, "masked or scalable");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto combine = [&](Value lhs, Value rhs) {
      return vector::makeArithReduction(b, op.getLoc(), kind, lhs, rhs);
    };
    Value source = op.getVector();
    int64_t size = type.getNumElements();
    for (; size % 2 == 0; size /= 2) {
      SmallVector<int64_t> low(size / 2), high(size / 2);
      std::iota(low.begin(), low.end(), 0);
      std::iota(high.begin(), high.end(), size / 2);
      source = combine(vector::ShuffleOp::create(b, source, source, low),
                       vector::ShuffleOp::create(b, source, source, high));
    }
    Value result = op.getAcc();
    for (int64_t i = 0; i < size; ++i) {
      Value element = vector::ExtractOp::create(b, source, i);
      result = result ? combine(result, element) : element;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void carousel::sim::populateExpandExtrema(RewritePatternSet &patterns) {
  patterns.add<CompareAndSelect<arith::MaxNumFOp>,
               CompareAndSelect<arith::MinNumFOp>,
               CompareAndSelect<arith::MaximumFOp>,
               CompareAndSelect<arith::MinimumFOp>, ReduceHalves>(
      patterns.getContext());
}
