//===- PrepareVectors.cpp - vectors as rows and elements --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Breaks vector operations down to those that LLVM has, such that every memory
// access is a plain load or store of what it touches: several rows are several
// accesses, and masked lanes are branches. Copies of memrefs become loops.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace carousel::sim;

/// The positions of the rows of a vector.
static SmallVector<SmallVector<int64_t>> getRows(VectorType type) {
  ArrayRef<int64_t> leading = type.getShape().drop_back();
  SmallVector<SmallVector<int64_t>> rows;
  for (int64_t i = 0, e = ShapedType::getNumElements(leading); i < e; ++i)
    rows.push_back(delinearize(i, computeSuffixProduct(leading)));
  return rows;
}

static SmallVector<Value> getRowIndices(OpBuilder &builder, Location loc,
                                        ValueRange indices,
                                        ArrayRef<int64_t> row) {
  SmallVector<Value> result(indices);
  size_t first = result.size() - row.size() - 1;
  for (auto [dim, position] : llvm::enumerate(row)) {
    Value offset = arith::ConstantIndexOp::create(builder, loc, position);
    result[first + dim] =
        arith::AddIOp::create(builder, loc, result[first + dim], offset);
  }
  return result;
}

static VectorType getRowType(VectorType type) {
  return VectorType::get({type.getShape().back()}, type.getElementType());
}

static bool hasRows(VectorType type, MemRefType memref) {
  return type.getRank() >= 2 && !type.isScalable() &&
         !isa<VectorType>(memref.getElementType());
}

/// The first position that is known at run time only, of a row.
template <typename Op>
static std::optional<size_t> findDynamicRow(Op op, VectorType type) {
  ArrayRef<int64_t> position = op.getStaticPosition();
  const int64_t *found = llvm::find(position, ShapedType::kDynamic);
  if (type.isScalable() || type.getRank() == 1 || found == position.end())
    return std::nullopt;
  return found - position.begin();
}

/// `yes` where `position` is `row`.
static Value select(OpBuilder &builder, Location loc, Value position,
                    int64_t row, Value yes, Value no) {
  Value isAt =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position,
                            arith::ConstantIndexOp::create(builder, loc, row));
  return arith::SelectOp::create(builder, loc, isAt, yes, no);
}

namespace {

struct LoadByRow : public OpRewritePattern<vector::LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::LoadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!hasRows(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "not several rows");
    Location loc = op.getLoc();
    Value result = ub::PoisonOp::create(rewriter, loc, type);
    for (ArrayRef<int64_t> row : getRows(type)) {
      Value vector = vector::LoadOp::create(
          rewriter, loc, getRowType(type), op.getBase(),
          getRowIndices(rewriter, loc, op.getIndices(), row));
      result = vector::InsertOp::create(rewriter, loc, vector, result, row);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct StoreByRow : public OpRewritePattern<vector::StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::StoreOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (!hasRows(type, op.getMemRefType()))
      return rewriter.notifyMatchFailure(op, "not several rows");
    Location loc = op.getLoc();
    for (ArrayRef<int64_t> row : getRows(type)) {
      Value vector =
          vector::ExtractOp::create(rewriter, loc, op.getValueToStore(), row);
      vector::StoreOp::create(
          rewriter, loc, vector, op.getBase(),
          getRowIndices(rewriter, loc, op.getIndices(), row));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Rows at positions known at run time: each that it may be is looked at.
struct ExtractRow : public OpRewritePattern<vector::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<size_t> dim = findDynamicRow(op, op.getSourceVectorType());
    if (!dim)
      return rewriter.notifyMatchFailure(op, "no row at run time");
    SmallVector<OpFoldResult> position = op.getMixedPosition();
    Value row = cast<Value>(position[*dim]), result;
    for (int64_t i = 0; i < op.getSourceVectorType().getDimSize(*dim); ++i) {
      position[*dim] = rewriter.getIndexAttr(i);
      Value one = vector::ExtractOp::create(rewriter, op.getLoc(),
                                            op.getSource(), position);
      result =
          result ? select(rewriter, op.getLoc(), row, i, one, result) : one;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct InsertRow : public OpRewritePattern<vector::InsertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::InsertOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<size_t> dim = findDynamicRow(op, op.getDestVectorType());
    if (!dim)
      return rewriter.notifyMatchFailure(op, "no row at run time");
    SmallVector<OpFoldResult> position = op.getMixedPosition();
    Value row = cast<Value>(position[*dim]), result = op.getDest();
    for (int64_t i = 0; i < op.getDestVectorType().getDimSize(*dim); ++i) {
      position[*dim] = rewriter.getIndexAttr(i);
      Value old =
          vector::ExtractOp::create(rewriter, op.getLoc(), result, position);
      Value one =
          select(rewriter, op.getLoc(), row, i, op.getValueToStore(), old);
      result = vector::InsertOp::create(rewriter, op.getLoc(), one, result,
                                        position);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Lane by lane, in order: of lanes with the same index the last one stays.
struct ScatterByLane : public OpRewritePattern<vector::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() != 1 || type.isScalable() ||
        !isa<MemRefType>(op.getBase().getType()) || op->getNumResults() != 0)
      return rewriter.notifyMatchFailure(op, "not one row into a memref");
    Location loc = op.getLoc();
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value isOn = vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      auto branch = scf::IfOp::create(rewriter, loc, isOn, /*else=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      Value index =
          vector::ExtractOp::create(rewriter, loc, op.getIndices(), lane);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(rewriter, loc,
                                           rewriter.getIndexType(), index);
      SmallVector<Value> indices(op.getOffsets());
      indices.back() =
          arith::AddIOp::create(rewriter, loc, indices.back(), index);
      Value element =
          vector::ExtractOp::create(rewriter, loc, op.getValueToStore(), lane);
      memref::StoreOp::create(rewriter, loc, element, op.getBase(), indices);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

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

/// What a promise says isn't taken for granted.
template <typename Op> struct DropPromise : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperands());
    return success();
  }
};

} // namespace

LogicalResult carousel::sim::prepareVectors(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  patterns.add<LoadByRow, StoreByRow, ExtractRow, InsertRow, ScatterByLane,
               CopyByElement, DropPromise<memref::AssumeAlignmentOp>,
               DropPromise<memref::DistinctObjectsOp>>(context);
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
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
  populateVectorToSCFConversionPatterns(
      patterns, VectorTransferToSCFOptions().enableFullUnroll());
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorMaskedLoadStoreEmulationPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}
