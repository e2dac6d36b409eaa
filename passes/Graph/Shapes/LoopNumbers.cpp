//===- LoopNumbers.cpp - numbers of loops that are limited ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "LoopNumbers.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The loop whose number a value is, perhaps as an integer that has all of
/// them; null if there is none.
static linalg::IndexOp findLoopNumber(Value value) {
  Type type = value.getType();
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  auto loops =
      index ? index->getParentOfType<linalg::LinalgOp>() : linalg::LinalgOp();
  if (!loops || type.isIndex())
    return index;
  int64_t extent = loops.getStaticLoopRanges()[index.getDim()];
  bool isWhole = !ShapedType::isDynamic(extent) &&
                 extent - 1 <= llvm::maxIntN(type.getIntOrFloatBitWidth());
  return isWhole ? index : linalg::IndexOp();
}

namespace {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

struct LowerLimit : public OpRewritePattern<arith::MaxSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MaxSIOp op,
                                PatternRewriter &rewriter) const override {
    APInt limit;
    if (!findLoopNumber(op.getLhs()) ||
        !matchPattern(op.getRhs(), m_ConstantInt(&limit)) ||
        limit.isStrictlyPositive())
      return rewriter.notifyMatchFailure(op, "no loop's number that is limited "
                                             "to zero");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

struct UpperLimit : public OpRewritePattern<arith::MinSIOp> {
  UpperLimit(MLIRContext *context, EqualExtentsListener &extents)
      : OpRewritePattern(context), extents(extents) {}

  LogicalResult matchAndRewrite(arith::MinSIOp op,
                                PatternRewriter &rewriter) const override {
    linalg::IndexOp index = findLoopNumber(op.getLhs());
    auto loops =
        index ? index->getParentOfType<linalg::LinalgOp>() : linalg::LinalgOp();
    if (!loops)
      return rewriter.notifyMatchFailure(op, "no loop's number");
    std::optional<ExtentFactors> limit = findLimit(op.getRhs());
    if (!limit)
      return rewriter.notifyMatchFailure(op, "not limited to an extent");
    for (const ExtentFactors &extent : findLoopExtents(loops, index.getDim())) {
      bool areConstant = extent.others.empty() && limit->others.empty();
      bool isWithin =
          areConstant ? !extent.isTooLarge && extent.constant <= limit->constant
                      : extent == *limit || extents.areEqual(extent, *limit);
      if (!isWithin)
        continue;
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the loop may be longer");
  }

private:
  /// The extent that a value is the last index of.
  static std::optional<ExtentFactors> findLimit(Value last) {
    APInt constant;
    if (matchPattern(last, m_ConstantInt(&constant))) {
      ExtentFactors extent;
      extent.constant = constant.getSExtValue() + 1;
      return extent;
    }
    auto difference = last.getDefiningOp<arith::SubIOp>();
    auto sum = last.getDefiningOp<arith::AddIOp>();
    if (difference && matchPattern(difference.getRhs(), m_One()))
      return factorizeExtent(difference.getLhs());
    if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
        constant.isAllOnes())
      return factorizeExtent(sum.getLhs());
    return std::nullopt;
  }

  EqualExtentsListener &extents;
};

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

/// An integer from 0 to below 1 is 0: scatters compare the distance between a
/// loop and where a window of one element begins with its extent.
struct RangeOfOne : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned = op.getPredicate() == Predicate::ult;
    if ((!isUnsigned && op.getPredicate() != Predicate::slt) ||
        !matchPattern(op.getRhs(), m_One()))
      return rewriter.notifyMatchFailure(op, "expected a number below one");
    if (!isUnsigned && !isOnlyWithSign(op.getResult(), op.getLhs()))
      return rewriter.notifyMatchFailure(op, "the number may be negative");
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(op.getLhs().getType()));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, Predicate::eq, op.getLhs(),
                                               zero);
    return success();
  }

  /// Whether a conjunction says that a number isn't negative.
  static bool saysSign(Value conjunction, Value number) {
    auto isConjunction = [](Value value) {
      return value.getDefiningOp<arith::AndIOp>() != nullptr;
    };
    return walkOperands(conjunction, isConjunction,
                        [&](Value value) {
                          auto compare = value.getDefiningOp<arith::CmpIOp>();
                          return compare && compare.getLhs() == number &&
                                         compare.getPredicate() ==
                                             arith::CmpIPredicate::sge &&
                                         matchPattern(compare.getRhs(),
                                                      m_Zero())
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
        .wasInterrupted();
  }

  /// Whether a condition is used only where the number isn't negative.
  static bool isOnlyWithSign(Value condition, Value number) {
    return !condition.use_empty() &&
           llvm::all_of(condition.getUsers(), [&](Operation *user) {
             auto both = dyn_cast<arith::AndIOp>(user);
             return both && (saysSign(both.getLhs(), number) ||
                             saysSign(both.getRhs(), number) ||
                             isOnlyWithSign(both, number));
           });
  }
};

struct DifferenceOfZero : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto difference = op.getLhs().getDefiningOp<arith::SubIOp>();
    if (op.getPredicate() != arith::CmpIPredicate::eq || !difference ||
        !matchPattern(op.getRhs(), m_Zero()))
      return rewriter.notifyMatchFailure(op, "expected a difference of zero");
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, op.getPredicate(), difference.getLhs(), difference.getRhs());
    return success();
  }
};

} // namespace

void carousel::populateLoopNumberPatterns(RewritePatternSet &patterns,
                                          EqualExtentsListener &extents) {
  patterns.add<LowerLimit, RangeOfOne, DifferenceOfZero>(patterns.getContext());
  patterns.add<UpperLimit>(patterns.getContext(), extents);
}
