//===- ExtentPatterns.cpp - simpler extents -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExtentPatterns.h.
//
//===----------------------------------------------------------------------===//

#include "ExtentPatterns.h"

#include "../Reading/ExtentFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The extent of a reshape that PyTorch infers: all elements, divided by the
/// other extents.
template <typename Op> struct ExactQuotient : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || !isa<func::FuncOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "expected an index of a function");
    std::optional<ExtentFactors> rest =
        factorizeExtent(op.getLhs()).divide(factorizeExtent(op.getRhs()));
    if (!rest)
      return rewriter.notifyMatchFailure(op,
                                         "expected a divisor of the extent");
    rewriter.replaceOp(op, rest->build(rewriter, op.getLoc()));
    return success();
  }
};

template <typename Op> struct NoRemainder : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || !isa<func::FuncOp>(op->getParentOp()) ||
        !factorizeExtent(op.getLhs()).divide(factorizeExtent(op.getRhs())))
      return rewriter.notifyMatchFailure(
          op, "expected an extent of a function and its divisor");
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, 0);
    return success();
  }
};

/// ONNX takes an extent of the operand where the one that it is given is 0.
struct SelectOfSameExtent : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || !isa<func::FuncOp>(op->getParentOp()) ||
        !(factorizeExtent(op.getTrueValue()) ==
          factorizeExtent(op.getFalseValue())))
      return rewriter.notifyMatchFailure(op,
                                         "expected one extent on both sides");
    rewriter.replaceOp(op, op.getTrueValue());
    return success();
  }
};

/// PyTorch broadcasts along dimensions whose extents it doesn't know: it reads
/// the element 0 if the operand's extent is 1. If that is the loop's extent,
/// the loop has no other index.
struct IndexOfOwnExtent : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
    auto index = op.getFalseValue().getDefiningOp<linalg::IndexOp>();
    auto isOne = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!generic || !index || !isOne ||
        isOne.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(isOne.getRhs(), m_One()) ||
        !matchPattern(op.getTrueValue(), m_Zero()))
      return rewriter.notifyMatchFailure(
          op, "expected an index that is zero where an extent is one");
    ExtentFactors compared = factorizeExtent(isOne.getLhs());
    AffineExpr loop = rewriter.getAffineDimExpr(index.getDim());
    for (OpOperand &operand : generic->getOpOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (expr == loop && factorizeExtent(operand.get(), dim) == compared) {
          rewriter.replaceOp(op, index);
          return success();
        }
    }
    return rewriter.notifyMatchFailure(
        op, "expected an operand with the extent along the loop");
  }
};

} // namespace

void carousel::populateExtentPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExactQuotient<arith::DivSIOp>, ExactQuotient<arith::DivUIOp>,
           ExactQuotient<arith::FloorDivSIOp>,
           ExactQuotient<arith::CeilDivSIOp>, ExactQuotient<arith::CeilDivUIOp>,
           NoRemainder<arith::RemSIOp>, NoRemainder<arith::RemUIOp>,
           SelectOfSameExtent, IndexOfOwnExtent>(patterns.getContext());
}
