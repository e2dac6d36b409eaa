//===- VectorRows.cpp - vectors of several rows, row by row ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorRows.h. Upstream converts loads and stores of one row, and the
// operations of one row that LLVM has as intrinsics with a flag.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VectorRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// The memref indices of a row. The vector's dimensions are the last ones of
/// the memref.
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

/// Computes an operation with one operand and one result of a type.
template <typename Op> struct ComputeByRow : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() < 2 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not several rows");
    Location loc = op.getLoc();
    Value result = ub::PoisonOp::create(rewriter, loc, type);
    for (ArrayRef<int64_t> row : getRows(type)) {
      Value operand =
          vector::ExtractOp::create(rewriter, loc, op.getOperand(), row);
      Value computed = Op::create(rewriter, loc, operand);
      result = vector::InsertOp::create(rewriter, loc, computed, result, row);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void carousel::populateVectorsByRow(RewritePatternSet &patterns) {
  patterns.add<LoadByRow, StoreByRow, ComputeByRow<math::AbsIOp>,
               ComputeByRow<math::CountLeadingZerosOp>,
               ComputeByRow<math::CountTrailingZerosOp>>(patterns.getContext());
}
