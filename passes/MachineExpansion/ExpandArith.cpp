//===- ExpandArith.cpp - expand arithmetic that has no instruction --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands arithmetic that LLVM or C++ lacks. Upstream's arith-expand would also
// make comparisons and selections of the maxima and minima of floats, which are
// instructions. So its patterns for the other ops run here.
//
//===----------------------------------------------------------------------===//

#include "RoundingModes.h"

#include "carousel/Dialect/Transforms/ExpandMath.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDARITH
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

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

static bool hasRoundingMode(Operation *op) {
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  return truncation && truncation.getRoundingmode();
}

/// PTX has max.NaN and min.NaN of the other types.
static bool isMaximumOfDoubles(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

static bool isExpandedUpstream(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
}

namespace {

/// NaN where an operand is, otherwise the op that takes the other operand.
template <typename OpTy, typename NumberOp>
struct SelectNaN : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isMaximumOfDoubles(op))
      return rewriter.notifyMatchFailure(op, "an instruction of both targets");
    Location loc = op.getLoc();
    Type type = op.getType();
    Attribute attribute = rewriter.getFloatAttr(
        getElementTypeOrSelf(type),
        llvm::APFloat::getQNaN(llvm::APFloat::IEEEdouble()));
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, attribute);
    Value nan = arith::ConstantOp::create(rewriter, loc, type,
                                          cast<TypedAttr>(attribute));
    Value number = NumberOp::create(rewriter, loc, op.getLhs(), op.getRhs(),
                                    op.getFastmath());
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, op.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, number);
    return success();
  }
};

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

/// Of single bits the product has one: -1 * -1 is 1, too.
template <typename OpTy> struct MultiplyBits : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isOddExtended(op))
      return rewriter.notifyMatchFailure(op, "an instruction of both targets");
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

struct ExpandArith : public carousel::impl::ExpandArithBase<ExpandArith> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateExpandMath(patterns);
    patterns.add<AddWithOverflow, MultiplyBits<arith::MulSIExtendedOp>,
                 MultiplyBits<arith::MulUIExtendedOp>,
                 ExtendRows<arith::AddUIExtendedOp>,
                 ExtendRows<arith::MulSIExtendedOp>,
                 ExtendRows<arith::MulUIExtendedOp>>(context);
    patterns.add<SelectNaN<arith::MaximumFOp, arith::MaxNumFOp>,
                 SelectNaN<arith::MinimumFOp, arith::MinNumFOp>>(context);
    populateRoundingModes(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateExpandScalingExtTruncPatterns(patterns);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // A clamp of doubles becomes a maximum, which is expanded itself.
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    SmallVector<Operation *> expanded;
    getOperation()->walk([&](Operation *op) {
      if (isExpandedMath(op) || hasRoundingMode(op) || isOddExtended(op) ||
          hasRows(op) || isMaximumOfDoubles(op) || isExpandedUpstream(op))
        expanded.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(expanded, frozen, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
