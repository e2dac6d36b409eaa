//===- VectorRows.cpp - vectors of several rows, row by row ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorRows.h. What upstream's conversions refuse, or take with an element
// type only that LLVM has.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Vectors/VectorRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// The indices of the rows of a vector: all positions of its leading
/// dimensions.
static SmallVector<SmallVector<int64_t>> getRows(VectorType type) {
  ArrayRef<int64_t> leading = type.getShape().drop_back();
  SmallVector<SmallVector<int64_t>> rows;
  for (int64_t i = 0, e = ShapedType::getNumElements(leading); i < e; ++i)
    rows.push_back(delinearize(i, computeSuffixProduct(leading)));
  return rows;
}

/// The memref indices of a row: the vector's dimensions are the memref's last.
static SmallVector<Value> getRowIndices(OpBuilder &builder, Location loc,
                                        ValueRange indices,
                                        ArrayRef<int64_t> row) {
  SmallVector<Value> result(indices);
  size_t first = result.size() - row.size() - 1;
  for (auto [dim, position] : llvm::enumerate(row)) {
    if (position == 0)
      continue;
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

/// The first position of an op that is known at run time only, where what it
/// names is a row: elements of vectors of rank 1 have ops of LLVM.
template <typename Op>
static std::optional<size_t> findDynamicRow(Op op, VectorType type) {
  ArrayRef<int64_t> position = op.getStaticPosition();
  if (type.isScalable() || op.getDynamicPosition().empty() ||
      type.getRank() == 1)
    return std::nullopt;
  const int64_t *found = llvm::find(position, ShapedType::kDynamic);
  if (found == position.end())
    return std::nullopt;
  return found - position.begin();
}

static Value isAt(OpBuilder &builder, Location loc, Value position,
                  int64_t row) {
  Value constant = arith::ConstantIndexOp::create(builder, loc, row);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position,
                               constant);
}

namespace {

/// Upstream converts loads and stores of one row.
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
          getRowIndices(rewriter, loc, op.getIndices(), row),
          op.getNontemporal());
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
          getRowIndices(rewriter, loc, op.getIndices(), row),
          op.getNontemporal());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Chooses among all rows that it may be.
struct ExtractRow : public OpRewritePattern<vector::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getSourceVectorType();
    std::optional<size_t> dim = findDynamicRow(op, type);
    if (!dim)
      return rewriter.notifyMatchFailure(op, "no row at run time");
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> position = op.getMixedPosition();
    Value row = cast<Value>(position[*dim]);
    Value result;
    for (int64_t i = 0; i < type.getDimSize(*dim); ++i) {
      position[*dim] = rewriter.getIndexAttr(i);
      Value one =
          vector::ExtractOp::create(rewriter, loc, op.getSource(), position);
      result = result ? arith::SelectOp::create(rewriter, loc,
                                                isAt(rewriter, loc, row, i),
                                                one, result)
                      : one;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Each row is the new one or stays.
struct InsertRow : public OpRewritePattern<vector::InsertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::InsertOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getDestVectorType();
    std::optional<size_t> dim = findDynamicRow(op, type);
    if (!dim)
      return rewriter.notifyMatchFailure(op, "no row at run time");
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> position = op.getMixedPosition();
    Value row = cast<Value>(position[*dim]), result = op.getDest();
    for (int64_t i = 0; i < type.getDimSize(*dim); ++i) {
      position[*dim] = rewriter.getIndexAttr(i);
      Value old = vector::ExtractOp::create(rewriter, loc, result, position);
      Value one =
          arith::SelectOp::create(rewriter, loc, isAt(rewriter, loc, row, i),
                                  op.getValueToStore(), old);
      result = vector::InsertOp::create(rewriter, loc, one, result, position);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// One after the other: of lanes with one place the last one stays.
struct ScatterByLane : public OpRewritePattern<vector::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() != 1 || type.isScalable() ||
        !isa<MemRefType>(op.getBase().getType()))
      return rewriter.notifyMatchFailure(op, "not one row into a memref");
    Location loc = op.getLoc();
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      Value isOn = vector::ExtractOp::create(rewriter, loc, op.getMask(), lane);
      auto branch = scf::IfOp::create(rewriter, loc, isOn, /*else=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      Value offset =
          vector::ExtractOp::create(rewriter, loc, op.getIndices(), lane);
      if (!offset.getType().isIndex())
        offset = arith::IndexCastOp::create(rewriter, loc,
                                            rewriter.getIndexType(), offset);
      SmallVector<Value> indices(op.getOffsets());
      indices.back() =
          arith::AddIOp::create(rewriter, loc, indices.back(), offset);
      Value element =
          vector::ExtractOp::create(rewriter, loc, op.getValueToStore(), lane);
      memref::StoreOp::create(rewriter, loc, element, op.getBase(), indices);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateVectorRowPatterns(RewritePatternSet &patterns) {
  patterns.add<LoadByRow, StoreByRow, ExtractRow, InsertRow, ScatterByLane>(
      patterns.getContext());
}
