//===- MaskedTransfers.cpp - masks of transfers as operands ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MaskedTransfers.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/MaskedTransfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Takes the elements that a masked read leaves out from the passthru, after
/// the read. Upstream lowers masks without a passthru.
struct SelectPassthru : public OpRewritePattern<vector::MaskOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::MaskOp op,
                                PatternRewriter &rewriter) const override {
    auto read = dyn_cast_or_null<vector::TransferReadOp>(op.getMaskableOp());
    if (!read || !op.hasPassthru())
      return rewriter.notifyMatchFailure(op, "no read with a passthru");
    Location loc = op.getLoc();
    Value passthru = op.getPassthru();
    rewriter.modifyOpInPlace(op, [&] { op.getPassthruMutable().clear(); });
    rewriter.setInsertionPointAfter(op);
    Value mask = orderMask(rewriter, loc, op.getMask(), read);
    Value result = op.getResult(0);
    auto select =
        arith::SelectOp::create(rewriter, loc, mask, result, passthru);
    rewriter.replaceAllUsesExcept(result, select, select);
    return success();
  }

private:
  /// The mask of a read has the memref's order of dimensions, and none of those
  /// that it broadcasts.
  static Value orderMask(PatternRewriter &rewriter, Location loc, Value mask,
                         vector::TransferReadOp read) {
    AffineMap map = compressUnusedDims(read.getPermutationMap());
    SmallVector<int64_t> shape, order;
    for (auto [expr, extent] :
         llvm::zip_equal(map.getResults(), read.getVectorType().getShape()))
      if (!isa<AffineDimExpr>(expr))
        shape.push_back(extent);
    int64_t numBroadcast = shape.size(), next = 0;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      order.push_back(dim ? numBroadcast + dim.getPosition() : next++);
    }
    if (numBroadcast != 0) {
      auto type = cast<VectorType>(mask.getType());
      llvm::append_range(shape, type.getShape());
      mask = vector::BroadcastOp::create(
          rewriter, loc, VectorType::get(shape, type.getElementType()), mask);
    }
    if (llvm::is_sorted(order))
      return mask;
    return vector::TransposeOp::create(rewriter, loc, mask, order);
  }
};

} // namespace

void carousel::populateMaskedTransfers(RewritePatternSet &patterns) {
  patterns.add<SelectPassthru>(patterns.getContext());
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
}

bool carousel::isMaskedTransfer(Operation *op) {
  auto mask = dyn_cast<vector::MaskOp>(op);
  return mask &&
         isa_and_nonnull<VectorTransferOpInterface>(mask.getMaskableOp());
}
