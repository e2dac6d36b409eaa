//===- IntegerPatterns.cpp - integers of the host as indices --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends compute with extents in integers of 32 or 64 bits. The host has
// indices, of 64 bits. Integers of 32 bits are the low bits of these: sums and
// products keep them, but quotients and comparisons need all bits, which is
// proven or checked at the launch.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace carousel;

/// Integers between structured ops are extents and what follows from them: the
/// host computes with indices, of 64 bits.
static bool isOfHost(Operation *op) {
  return isa<func::FuncOp>(op->getParentOp());
}

static bool isWide(Type type) {
  return type.isSignlessInteger(64) || type.isSignlessInteger(32);
}

/// Whether an integer is an index, or a constant.
static bool isIndex(Value integer) {
  auto cast = integer.getDefiningOp<arith::IndexCastOp>();
  return matchPattern(integer, m_Constant()) ||
         (cast && cast.getIn().getType().isIndex());
}

/// Whether an index is an extent, or a number of elements.
static bool isNeverNegative(Value value) {
  // A product of extents fits, as memory does.
  auto isPositive = [](Value index) {
    return index.getType().isIndex() &&
           isa_and_present<arith::AddIOp, arith::MulIOp, arith::DivSIOp,
                           arith::DivUIOp, arith::FloorDivSIOp,
                           arith::CeilDivSIOp, arith::MinSIOp, arith::MaxSIOp,
                           arith::MinUIOp, arith::MaxUIOp, arith::SelectOp>(
               index.getDefiningOp());
  };
  auto mayBeNegative = [&](Value index) {
    if (isPositive(index) || index.getType().isInteger(1))
      return false;
    IntegerAttr constant;
    if (matchPattern(index, m_Constant(&constant)))
      return constant.getInt() < 0;
    return !isa_and_present<tensor::DimOp, linalg::IndexOp>(
        index.getDefiningOp());
  };
  return value.getType().isIndex() &&
         !isComputedOf(value, isPositive, mayBeNegative);
}

/// Whether an index is known to be an integer of 32 bits.
static bool fits32Bits(Value index) {
  OperandFold<bool> known;
  auto isBounded = [](Value value) {
    return isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp, arith::DivSIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp>(value.getDefiningOp());
  };
  auto fits = [&](Value value) { return known.lookup(value); };
  return known.get(index, isBounded, [&](Value value) {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return llvm::isInt<32>(constant.getInt());
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto cast = dyn_cast<arith::IndexCastOp>(op))
      return cast.getIn().getType().isInteger() &&
             cast.getIn().getType().getIntOrFloatBitWidth() <= 32;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return fits(select.getTrueValue()) && fits(select.getFalseValue());
    // An extent is at most what another one bounds it by.
    if (isa<arith::MinSIOp>(op) && llvm::any_of(op->getOperands(), fits) &&
        llvm::all_of(op->getOperands(), isNeverNegative))
      return true;
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      return llvm::all_of(op->getOperands(), fits);
    // A positive divisor only makes numbers smaller.
    IntegerAttr divisor;
    return isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
           matchPattern(op->getOperand(1), m_Constant(&divisor)) &&
           divisor.getInt() > 0 && fits(op->getOperand(0));
  });
}

/// Lets launches refuse an index of which an integer of 32 bits has the low
/// bits only.
static void check32Bits(OpBuilder &builder, Location loc, Value index) {
  auto check = [&](arith::CmpIPredicate predicate, int64_t limit) {
    Value bound = arith::ConstantIndexOp::create(builder, loc, limit);
    Value holds = arith::CmpIOp::create(builder, loc, predicate, index, bound);
    cf::AssertOp::create(builder, loc, holds,
                         "expected an index that fits 32 bits");
  };
  check(arith::CmpIPredicate::sle, std::numeric_limits<int32_t>::max());
  if (!isNeverNegative(index))
    check(arith::CmpIPredicate::sge, std::numeric_limits<int32_t>::min());
}

/// What an op needs to know of the integers that become indices.
enum class Bits {
  Low, ///< the low bits of its result follow from those of its operands
  All, ///< it has another result if an integer has lost bits
};

/// The operands, with indices for integers. Empty if one is neither an index
/// nor a constant, or if nothing can say whether it is more than the integer.
static SmallVector<Value> findIndices(OpBuilder &builder, Operation *op,
                                      Bits needed) {
  SmallVector<Value> unknown;
  for (Value operand : op->getOperands()) {
    if (!isWide(operand.getType()) || matchPattern(operand, m_Constant()))
      continue;
    if (!isIndex(operand))
      return {};
    Value index = operand.getDefiningOp<arith::IndexCastOp>().getIn();
    if (needed == Bits::Low || operand.getType().isInteger(64) ||
        fits32Bits(index))
      continue;
    if (dependsOnData(index))
      return {};
    unknown.push_back(index);
  }
  for (Value index : unknown)
    check32Bits(builder, op->getLoc(), index);
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
    IntegerAttr constant;
    if (!isWide(operand.getType()))
      return operand;
    if (matchPattern(operand, m_Constant(&constant)))
      return arith::ConstantIndexOp::create(builder, op->getLoc(),
                                            constant.getInt());
    return operand.getDefiningOp<arith::IndexCastOp>().getIn();
  });
}

namespace {

/// index_cast(a) + index_cast(b) -> index_cast(a + b)
template <typename Op, Bits needed>
struct IntegersAsIndices : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isOfHost(op) || !isWide(type))
      return rewriter.notifyMatchFailure(op,
                                         "expected a wide integer of the host");
    SmallVector<Value> indices = findIndices(rewriter, op, needed);
    if (indices.empty())
      return rewriter.notifyMatchFailure(op,
                                         "expected operands that are indices");
    Operation *index =
        rewriter.create(op.getLoc(), op->getName().getIdentifier(), indices,
                        Type(rewriter.getIndexType()));
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, type,
                                                    index->getResult(0));
    return success();
  }
};

struct ComparisonOfIntegers : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = op.getPredicate();
    bool isUnsigned =
        predicate == Predicate::ult || predicate == Predicate::ule ||
        predicate == Predicate::ugt || predicate == Predicate::uge;
    if (!isOfHost(op) || !isWide(op.getLhs().getType()) || isUnsigned)
      return rewriter.notifyMatchFailure(
          op, "expected a signed comparison of wide integers of the host");
    SmallVector<Value> indices = findIndices(rewriter, op, Bits::All);
    if (indices.empty())
      return rewriter.notifyMatchFailure(op,
                                         "expected operands that are indices");
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, indices[0],
                                               indices[1]);
    return success();
  }
};

/// PyTorch asks whether extents are negative, which stand for unknown ones.
struct ComparisonOfExtent : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    IntegerAttr limit;
    if (!matchPattern(op.getRhs(), m_Constant(&limit)) ||
        !isNeverNegative(op.getLhs()))
      return rewriter.notifyMatchFailure(
          op, "expected a number that is never negative, and a constant");
    int64_t value = limit.getInt();
    std::optional<bool> result;
    switch (op.getPredicate()) {
    case Predicate::slt:
      result = value <= 0 ? std::optional(false) : std::nullopt;
      break;
    case Predicate::sle:
    case Predicate::eq:
      result = value < 0 ? std::optional(false) : std::nullopt;
      break;
    case Predicate::sge:
      result = value <= 0 ? std::optional(true) : std::nullopt;
      break;
    case Predicate::sgt:
    case Predicate::ne:
      result = value < 0 ? std::optional(true) : std::nullopt;
      break;
    default:
      break;
    }
    if (!result)
      return rewriter.notifyMatchFailure(
          op, "expected a comparison that the range decides");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*result));
    return success();
  }
};

/// What an integer is at least where float(integer) + added >= limit.
static std::optional<int64_t> findLeast(Value sum, Value limit,
                                        Value &integer) {
  FloatAttr added, constant;
  double least = 0;
  if (auto add = sum.getDefiningOp<arith::AddFOp>();
      add && matchPattern(add.getRhs(), m_Constant(&added))) {
    least = -added.getValueAsDouble();
    sum = add.getLhs();
  }
  auto convert = sum.getDefiningOp<arith::SIToFPOp>();
  if (!convert || !matchPattern(limit, m_Constant(&constant)))
    return std::nullopt;
  least = std::ceil(least + constant.getValueAsDouble());
  integer = convert.getIn();
  // Numbers up to here are exact in all types.
  constexpr double kExact = 2048;
  if (!(std::abs(least) <= kExact))
    return std::nullopt;
  return int64_t(least);
}

/// Compares a number of elements as an integer, which PyTorch does as a float.
struct ComparisonOfFloats : public OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    bool isLeast = op.getPredicate() == arith::CmpFPredicate::UGE ||
                   op.getPredicate() == arith::CmpFPredicate::OGE;
    Value integer;
    std::optional<int64_t> least;
    if (isOfHost(op) && isLeast)
      least = findLeast(op.getLhs(), op.getRhs(), integer);
    if (!least || !isWide(integer.getType()))
      return rewriter.notifyMatchFailure(
          op, "expected a wide integer with a least value");
    Value limit = arith::ConstantIntOp::create(rewriter, op.getLoc(),
                                               integer.getType(), *least);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::sge,
                                               integer, limit);
    return success();
  }
};

/// What divides by an extent, or by 1 where that is 0, as front ends write
/// remainders: a launch computes the larger one.
struct ExtentOrOne : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = op.getCondition().getDefiningOp<arith::CmpIOp>();
    Value extent = op.getFalseValue();
    if (!isOfHost(op) || !isZero ||
        isZero.getPredicate() != arith::CmpIPredicate::eq ||
        isZero.getLhs() != extent || !matchPattern(isZero.getRhs(), m_Zero()) ||
        !matchPattern(op.getTrueValue(), m_One()) || !isNeverNegative(extent))
      return rewriter.notifyMatchFailure(op, "expected an extent, or 1 for 0");
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, extent, op.getTrueValue());
    return success();
  }
};

} // namespace

void carousel::populateIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<ExtentOrOne, ComparisonOfIntegers, ComparisonOfExtent,
               ComparisonOfFloats, IntegersAsIndices<arith::AddIOp, Bits::Low>,
               IntegersAsIndices<arith::SubIOp, Bits::Low>,
               IntegersAsIndices<arith::MulIOp, Bits::Low>,
               IntegersAsIndices<arith::SelectOp, Bits::Low>,
               IntegersAsIndices<arith::MinSIOp, Bits::All>,
               IntegersAsIndices<arith::MaxSIOp, Bits::All>,
               IntegersAsIndices<arith::DivSIOp, Bits::All>,
               IntegersAsIndices<arith::FloorDivSIOp, Bits::All>,
               IntegersAsIndices<arith::CeilDivSIOp, Bits::All>,
               IntegersAsIndices<arith::RemSIOp, Bits::All>>(
      patterns.getContext());
}
