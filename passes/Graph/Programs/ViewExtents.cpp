//===- ViewExtents.cpp - extents of views of buffers ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ViewExtents.h.
//
//===----------------------------------------------------------------------===//

#include "ViewExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;

namespace {

struct ExtentOfReshape : public OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = op.getConstantIndex();
    Operation *view = op.getSource().getDefiningOp();
    if (!dim ||
        !isa_and_present<memref::ExpandShapeOp, memref::CollapseShapeOp>(view))
      return rewriter.notifyMatchFailure(
          op, "expected a constant dimension of a reshaped memref");
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> factors;
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
      factors.push_back(expand.getMixedOutputShape()[*dim]);
    } else {
      SmallVector<ReassociationIndices> groups =
          cast<memref::CollapseShapeOp>(view).getReassociationIndices();
      for (int64_t of : groups[*dim])
        factors.push_back(
            memref::getMixedSize(rewriter, loc, view->getOperand(0), of));
    }
    AffineExpr product = rewriter.getAffineConstantExpr(1);
    for (unsigned factor = 0; factor != factors.size(); ++factor)
      product = product * rewriter.getAffineSymbolExpr(factor);
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(
                               rewriter, loc,
                               affine::makeComposedFoldedAffineApply(
                                   rewriter, loc, product, factors)));
    return success();
  }
};

} // namespace

void carousel::populateViewExtentPatterns(RewritePatternSet &patterns) {
  patterns.add<ExtentOfReshape>(patterns.getContext());
}
