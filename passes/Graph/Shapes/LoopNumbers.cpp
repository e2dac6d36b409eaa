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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

namespace {

struct LowerLimit : public OpRewritePattern<arith::MaxSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MaxSIOp op,
                                PatternRewriter &rewriter) const override {
    APInt limit;
    if (!op.getLhs().getDefiningOp<linalg::IndexOp>() ||
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
    auto index = op.getLhs().getDefiningOp<linalg::IndexOp>();
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

} // namespace

void carousel::populateLoopNumberPatterns(RewritePatternSet &patterns,
                                          EqualExtentsListener &extents) {
  patterns.add<LowerLimit>(patterns.getContext());
  patterns.add<UpperLimit>(patterns.getContext(), extents);
}
