//===- VectorLowering.cpp - vectors to what LLVM has ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorLowering.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VectorLowering.h"

#include "carousel/Dialect/Transforms/VectorBits.h"
#include "carousel/Dialect/Transforms/VectorLanes.h"
#include "carousel/Dialect/Transforms/VectorRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

/// Extends factors to the sum's type, as at the block phase: integers are
/// signed. Upstream's patterns take one type only.
struct WidenFactors : public OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    Type sum = getElementTypeOrSelf(op.getAccType());
    Type factor = op.getLhsType().getElementType();
    if (factor != op.getRhsType().getElementType() || !factor.isIntOrFloat() ||
        !sum.isIntOrFloat() ||
        factor.getIntOrFloatBitWidth() >= sum.getIntOrFloatBitWidth())
      return rewriter.notifyMatchFailure(op, "no factors to extend");
    // A mask has no other op in its region.
    auto mask = dyn_cast<vector::MaskOp>(op->getParentOp());
    rewriter.setInsertionPoint(mask ? mask.getOperation() : op.getOperation());
    auto widen = [&](TypedValue<VectorType> vector) -> Value {
      Type wide = vector.getType().clone(sum);
      if (isa<FloatType>(sum))
        return arith::ExtFOp::create(rewriter, op.getLoc(), wide, vector);
      return arith::ExtSIOp::create(rewriter, op.getLoc(), wide, vector);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(lhs);
      op.getRhsMutable().assign(rhs);
    });
    return success();
  }
};

} // namespace

void carousel::populateVectorLowering(RewritePatternSet &patterns) {
  populateVectorsByRow(patterns);
  populateVectorsByLane(patterns);
  populateVectorsOfBits(patterns);
  patterns.add<WidenFactors>(patterns.getContext());
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorGatherToConditionalLoadPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
}
