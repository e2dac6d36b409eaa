//===- EmptyLoops.cpp - ops that compute nothing --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {
struct RemoveEmptyLoops final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !llvm::is_contained(op.getStaticLoopRanges(), 0))
      return rewriter.notifyMatchFailure(op, "it may compute something");
    SmallVector<Value> inits(op.getDpsInits());
    rewriter.replaceOp(op, inits);
    return success();
  }
};

/// A fill doesn't read its init. Upstream does so for linalg.generic.
struct FillEmptyTensors final : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    OpOperand &init = op.getDpsInitsMutable()[0];
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (!type || init.get().getDefiningOp<tensor::EmptyOp>())
      return rewriter.notifyMatchFailure(op, "its init is empty");
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
        type.getElementType());
    if (empty.getType() != type)
      return rewriter.notifyMatchFailure(op, "its extents are in no type");
    rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    return success();
  }
};
} // namespace

void carousel::populateEmptyLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<RemoveEmptyLoops, FillEmptyTensors>(patterns.getContext());
}
