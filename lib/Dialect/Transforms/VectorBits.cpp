//===- VectorBits.cpp - vectors of i1 in memory ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorBits.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VectorBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

static bool isRowOfBits(VectorType type, MemRefType memref) {
  return type.getRank() == 1 && !type.isScalable() &&
         memref.getElementType().isInteger(1);
}

static SmallVector<Value> getIndices(OpBuilder &builder, Location loc,
                                     ValueRange first, int64_t number) {
  SmallVector<Value> indices(first);
  if (number == 0)
    return indices;
  Value step = arith::ConstantIndexOp::create(builder, loc, number);
  indices.back() = arith::AddIOp::create(builder, loc, indices.back(), step);
  return indices;
}

namespace {

struct LoadOfBits : public OpRewritePattern<vector::LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::LoadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isRowOfBits(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "no row of i1");
    SmallVector<Value> bits;
    for (int64_t i = 0; i != type.getNumElements(); ++i)
      bits.push_back(memref::LoadOp::create(
          rewriter, op.getLoc(), op.getBase(),
          getIndices(rewriter, op.getLoc(), op.getIndices(), i),
          op.getNontemporal()));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, bits);
    return success();
  }
};

struct StoreOfBits : public OpRewritePattern<vector::StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::StoreOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isRowOfBits(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "no row of i1");
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      Value bit = vector::ExtractOp::create(rewriter, op.getLoc(),
                                            op.getValueToStore(), i);
      memref::StoreOp::create(
          rewriter, op.getLoc(), bit, op.getBase(),
          getIndices(rewriter, op.getLoc(), op.getIndices(), i),
          op.getNontemporal());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct MaskedLoadOfBits : public OpRewritePattern<vector::MaskedLoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::MaskedLoadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isRowOfBits(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "no row of i1");
    Location loc = op.getLoc();
    SmallVector<Value> bits;
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      Value isRead = vector::ExtractOp::create(rewriter, loc, op.getMask(), i);
      auto branch = scf::IfOp::create(rewriter, loc, type.getElementType(),
                                      isRead, /*withElseRegion=*/true);
      bits.push_back(branch.getResult(0));
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      Value bit =
          memref::LoadOp::create(rewriter, loc, op.getBase(),
                                 getIndices(rewriter, loc, op.getIndices(), i));
      scf::YieldOp::create(rewriter, loc, bit);
      rewriter.setInsertionPointToStart(branch.elseBlock());
      Value other =
          vector::ExtractOp::create(rewriter, loc, op.getPassThru(), i);
      scf::YieldOp::create(rewriter, loc, other);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, bits);
    return success();
  }
};

struct MaskedStoreOfBits : public OpRewritePattern<vector::MaskedStoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::MaskedStoreOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!isRowOfBits(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "no row of i1");
    Location loc = op.getLoc();
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      Value isWritten =
          vector::ExtractOp::create(rewriter, loc, op.getMask(), i);
      auto branch = scf::IfOp::create(rewriter, loc, isWritten);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      Value bit =
          vector::ExtractOp::create(rewriter, loc, op.getValueToStore(), i);
      memref::StoreOp::create(rewriter, loc, bit, op.getBase(),
                              getIndices(rewriter, loc, op.getIndices(), i));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateVectorsOfBits(RewritePatternSet &patterns) {
  patterns.add<LoadOfBits, StoreOfBits, MaskedLoadOfBits, MaskedStoreOfBits>(
      patterns.getContext());
}
