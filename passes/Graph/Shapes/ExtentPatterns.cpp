//===- ExtentPatterns.cpp - simpler extents -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds front ends' arithmetic on extents that follow from how these were made.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/ExtentFactors.h"
#include "EqualExtents.h"

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
/// the element 0 if the operand's extent is 1. That extent, or null.
static Value findBroadcastExtent(arith::SelectOp op) {
  auto isOne = op.getCondition().getDefiningOp<arith::CmpIOp>();
  return isa<linalg::GenericOp>(op->getParentOp()) &&
                 op.getFalseValue().getDefiningOp<linalg::IndexOp>() && isOne &&
                 isOne.getPredicate() == arith::CmpIPredicate::eq &&
                 matchPattern(isOne.getRhs(), m_One()) &&
                 matchPattern(op.getTrueValue(), m_Zero())
             ? isOne.getLhs()
             : Value();
}

/// If the operand's extent is the loop's, the loop has no other index.
struct IndexOfOwnExtent : public OpRewritePattern<arith::SelectOp> {
  IndexOfOwnExtent(MLIRContext *context, EqualExtentsListener &extents)
      : OpRewritePattern(context), extents(extents) {}

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value extent = findBroadcastExtent(op);
    if (!extent)
      return rewriter.notifyMatchFailure(
          op, "expected an index that is zero where an extent is one");
    ExtentFactors compared = factorizeExtent(extent);
    auto generic = cast<linalg::GenericOp>(op->getParentOp());
    auto index = cast<linalg::IndexOp>(op.getFalseValue().getDefiningOp());
    if (llvm::none_of(findLoopExtents(generic, index.getDim()),
                      [&](const ExtentFactors &extent) {
                        return extent == compared ||
                               extents.areEqual(extent, compared);
                      }))
      return rewriter.notifyMatchFailure(
          op, "expected an operand with the extent along the loop");
    rewriter.replaceOp(op, index);
    return success();
  }

  EqualExtentsListener &extents;
};

} // namespace

void carousel::noteBroadcasts(func::FuncOp func, DecisionLog &log) {
  llvm::SetVector<std::pair<Value, int64_t>> noted;
  func.walk([&](arith::SelectOp op) {
    Value extent = findBroadcastExtent(op);
    if (!extent)
      return;
    ExtentFactors factors = factorizeExtent(extent);
    if (factors.others.size() != 1 || factors.others.front().second < 0 ||
        !noted.insert(factors.others.front()))
      return;
    auto [tensor, dim] = factors.others.front();
    std::string name = describeDimension(tensor, dim);
    log.missed(op->getParentOp(), "Broadcast",
               "elements are read one by one, since " + name +
                   " may be 1, and is broadcast then (give it the name of the "
                   "extent that it is equal to, or assert that)");
  });
}

void carousel::populateExtentPatterns(RewritePatternSet &patterns,
                                      EqualExtentsListener &extents) {
  patterns.add<IndexOfOwnExtent>(patterns.getContext(), extents);
  patterns.add<ExactQuotient<arith::DivSIOp>, ExactQuotient<arith::DivUIOp>,
               ExactQuotient<arith::FloorDivSIOp>,
               ExactQuotient<arith::CeilDivSIOp>,
               ExactQuotient<arith::CeilDivUIOp>, NoRemainder<arith::RemSIOp>,
               NoRemainder<arith::RemUIOp>, SelectOfSameExtent>(
      patterns.getContext());
}
