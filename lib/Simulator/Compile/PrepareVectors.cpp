//===- PrepareVectors.cpp - vectors as rows and elements --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers vector operations to those that LLVM has, so that every memory access
// is a plain load or store of the bytes that it needs. Several rows become
// several accesses, and masked lanes become branches. Copies of memrefs become
// loops.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "carousel/Dialect/Transforms/MaskedTransfers.h"
#include "carousel/Dialect/Transforms/VectorLowering.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

struct CopyByElement : public OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type || !isa<MemRefType>(op.getTarget().getType()))
      return rewriter.notifyMatchFailure(op, "unranked");
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> lower(type.getRank(), zero), upper,
        step(type.getRank(), one);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      upper.push_back(
          memref::DimOp::create(rewriter, loc, op.getSource(), dim));
    scf::buildLoopNest(
        rewriter, loc, lower, upper, step,
        [&](OpBuilder &builder, Location loc, ValueRange ivs) {
          Value element =
              memref::LoadOp::create(builder, loc, op.getSource(), ivs);
          memref::StoreOp::create(builder, loc, element, op.getTarget(), ivs);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

/// All of a thread's buffers are allocated at the start of its function
/// (InstrumentMemory.cpp). Upstream branches to the body, with types that LLVM
/// lacks.
struct InlineScope : public OpRewritePattern<memref::AllocaScopeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::AllocaScopeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getBodyRegion().hasOneBlock())
      return rewriter.notifyMatchFailure(op, "several blocks");
    Block &body = op.getBodyRegion().front();
    Operation *end = body.getTerminator();
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, end->getOperands());
    rewriter.eraseOp(end);
    return success();
  }
};

/// The machine doesn't assume that promises hold.
template <typename Op> struct DropPromise : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperands());
    return success();
  }
};

} // namespace

/// The host has no nontemporal loads of single elements: LLVM fails on them.
static void dropCacheHints(ModuleOp module) {
  module.walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
            [](auto access) { access.setNontemporal(false); });
  });
}

static void lowerMaskedTransfers(ModuleOp module) {
  SmallVector<Operation *> masks;
  module.walk([&](Operation *op) {
    if (isMaskedTransfer(op))
      masks.push_back(op);
  });
  if (masks.empty())
    return;
  RewritePatternSet patterns(module.getContext());
  populateMaskedTransfers(patterns);
  (void)applyOpPatternsGreedily(masks, std::move(patterns));
}

LogicalResult carousel::sim::prepareVectors(ModuleOp module) {
  MLIRContext *context = module.getContext();
  dropCacheHints(module);
  lowerMaskedTransfers(module);
  RewritePatternSet patterns(context);
  populateVectorLowering(patterns);
  patterns
      .add<CopyByElement, InlineScope, DropPromise<memref::AssumeAlignmentOp>,
           DropPromise<memref::DistinctObjectsOp>>(context);
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorMaskedLoadStoreEmulationPatterns(patterns);
  return rewriteOps(module, std::move(patterns));
}
