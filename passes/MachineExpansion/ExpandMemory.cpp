//===- ExpandMemory.cpp - expand copies, atomics and masked transfers -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands memory ops that take a thread many instructions, for both the NVVM
// and the EmitC stage. Upstream's conversion to LLVM would call a function of
// the host for copies with strides, and supports atomics with a region on
// integers only. Its conversion of transfers to loops leaves a vector.mask
// around the loops.
//
//===----------------------------------------------------------------------===//

#include "GenericAtomics.h"

#include "carousel/Dialect/Transforms/MaskedTransfers.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDMEMORY
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct CopyByElement : public OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getTarget().getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "unranked");
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> lower(from.getRank(), zero), upper,
        step(from.getRank(), one);
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      // Either may know the extent that both have.
      Value shaped = from.isDynamicDim(dim) ? op.getTarget() : op.getSource();
      int64_t extent =
          from.isDynamicDim(dim) ? to.getDimSize(dim) : from.getDimSize(dim);
      if (ShapedType::isDynamic(extent))
        upper.push_back(memref::DimOp::create(rewriter, loc, shaped, dim));
      else
        upper.push_back(arith::ConstantIndexOp::create(rewriter, loc, extent));
    }
    scf::buildLoopNest(
        rewriter, loc, lower, upper, step,
        [&](OpBuilder &builder, Location loc, ValueRange position) {
          Value element =
              memref::LoadOp::create(builder, loc, op.getSource(), position);
          memref::StoreOp::create(builder, loc, element, op.getTarget(),
                                  position);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpandMemory : public carousel::impl::ExpandMemoryBase<ExpandMemory> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    patterns.add<CopyByElement>(context);
    populateGenericAtomics(patterns);
    populateMaskedTransfers(patterns);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> expanded;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::CopyOp, memref::GenericAtomicRMWOp>(op) ||
          isMaskedTransfer(op))
        expanded.push_back(op);
    });
    if (expanded.empty())
      return markAllAnalysesPreserved();
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    // The rest is the business of later passes.
    (void)applyOpPatternsGreedily(expanded, frozen, config);
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
