//===- ExpandExtended.cpp - arithmetic with two results -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExpandExtended.h.
//
//===----------------------------------------------------------------------===//

#include "ExpandExtended.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

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

bool carousel::isExpandedExtended(Operation *op) {
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

void carousel::populateExpandExtended(RewritePatternSet &patterns) {
  patterns.add<
      AddWithOverflow, MultiplyBits<arith::MulSIExtendedOp>,
      MultiplyBits<arith::MulUIExtendedOp>, ExtendRows<arith::AddUIExtendedOp>,
      ExtendRows<arith::MulSIExtendedOp>, ExtendRows<arith::MulUIExtendedOp>>(
      patterns.getContext());
}
