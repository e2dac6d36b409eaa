//===- SubgroupReduce.cpp - reductions of a warp as shuffles --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns, and patterns for the rest: upstream splits vectors only
// into parts of several elements, and doesn't reduce elements wider than a
// shuffle.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

static constexpr unsigned kShuffleBits = 32;

namespace {

struct ReduceByElement : public OpRewritePattern<gpu::SubgroupReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable() ||
        type.getElementTypeBitWidth() < kShuffleBits)
      return rewriter.notifyMatchFailure(op, "several elements fit a shuffle");
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value element =
          vector::ExtractOp::create(rewriter, op.getLoc(), op.getValue(), i);
      elements.push_back(gpu::SubgroupReduceOp::create(
          rewriter, op.getLoc(), element, op.getOp(), op.getUniform(),
          op.getClusterSize(), op.getClusterStride()));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

} // namespace

void carousel::populateSubgroupReduce(RewritePatternSet &patterns) {
  patterns.add<ReduceByElement>(patterns.getContext());
  populateGpuBreakDownSubgroupReducePatterns(patterns, kShuffleBits);
  // The narrowest shuffle that holds an element, or a part of a vector, is
  // preferred.
  constexpr unsigned kMostBits = 128;
  for (unsigned bits = kShuffleBits; bits <= kMostBits; bits *= 2) {
    PatternBenefit benefit(kMostBits / bits);
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, rules::kWarpSize,
                                                    bits, benefit);
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
        patterns, rules::kWarpSize, bits, benefit);
  }
}
