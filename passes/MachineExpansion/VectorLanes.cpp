//===- VectorLanes.cpp - vectors lane by lane -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's conversions take with an element type only that LLVM has.
//
//===----------------------------------------------------------------------===//

#include "VectorLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The even lanes, and the odd ones.
struct DeinterleaveByShuffles
    : public OpRewritePattern<vector::DeinterleaveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::DeinterleaveOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getSourceVectorType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not one row");
    SmallVector<Value> halves;
    for (int64_t first : {0, 1}) {
      SmallVector<int64_t> mask;
      for (int64_t lane = first; lane < type.getNumElements(); lane += 2)
        mask.push_back(lane);
      halves.push_back(vector::ShuffleOp::create(
          rewriter, op.getLoc(), op.getSource(), op.getSource(), mask));
    }
    rewriter.replaceOp(op, halves);
    return success();
  }
};

/// The place behind that of the lanes of the mask before this one.
static Value advance(OpBuilder &builder, Location loc, Value place,
                     Value isOn) {
  Value step = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(),
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isOn));
  return arith::AddIOp::create(builder, loc, place, step);
}

struct ExpandLoadByLane : public OpRewritePattern<vector::ExpandLoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ExpandLoadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not one row");
    Location loc = op.getLoc();
    SmallVector<Value> indices(op.getIndices());
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value isOn = vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      Value rest =
          vector::ExtractOp::create(rewriter, loc, op.getPassThru(), lane);
      auto branch = scf::IfOp::create(rewriter, loc, rest.getType(), isOn,
                                      /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(branch.thenBlock());
        Value loaded =
            memref::LoadOp::create(rewriter, loc, op.getBase(), indices);
        scf::YieldOp::create(rewriter, loc, loaded);
        rewriter.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(rewriter, loc, rest);
      }
      elements.push_back(branch.getResult(0));
      indices.back() = advance(rewriter, loc, indices.back(), isOn);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

struct CompressStoreByLane : public OpRewritePattern<vector::CompressStoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::CompressStoreOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not one row");
    Location loc = op.getLoc();
    SmallVector<Value> indices(op.getIndices());
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value isOn = vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      auto branch = scf::IfOp::create(rewriter, loc, isOn, /*else=*/false);
      {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(branch.thenBlock());
        Value element = vector::ExtractOp::create(rewriter, loc,
                                                  op.getValueToStore(), lane);
        memref::StoreOp::create(rewriter, loc, element, op.getBase(), indices);
      }
      indices.back() = advance(rewriter, loc, indices.back(), isOn);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateVectorsByLane(RewritePatternSet &patterns) {
  patterns.add<DeinterleaveByShuffles, ExpandLoadByLane, CompressStoreByLane>(
      patterns.getContext());
}
