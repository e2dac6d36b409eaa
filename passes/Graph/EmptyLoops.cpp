//===- EmptyLoops.cpp - ops that compute nothing --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

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
} // namespace

void carousel::populateEmptyLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<RemoveEmptyLoops>(patterns.getContext());
}
