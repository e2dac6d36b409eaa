//===- VectorLanes.cpp - vectors row by row and lane by lane --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers ops that upstream's conversions reject, or support only for LLVM's
// element types: rows at positions known at run time, and accesses with one
// address per lane.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/VectorLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// The first position of an op that is known only at run time, if it selects a
/// row. LLVM has ops for elements of vectors of rank 1.
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

/// Selects among all rows that it may be.
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

/// Each row becomes the new one, or stays as it is.
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

/// Extracts the even lanes and the odd ones.
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

/// One lane after the other, so that the last of several lanes with the same
/// address wins.
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

/// The offset after the lanes of the mask before this one.
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

std::string carousel::explainScalable(Operation *op) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  auto check = [&](TypeRange types) {
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type);
          vector && vector.isScalable() && reason.empty())
        os << "expected vectors of a fixed length, got '" << type << "'";
  };
  // Its result is an index.
  if (isa<vector::VectorScaleOp>(op))
    os << "expected vectors of a fixed length, got the scale of others";
  check(op->getResultTypes());
  check(op->getOperandTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      check(block.getArgumentTypes());
  return reason;
}

void carousel::populateVectorsByLane(RewritePatternSet &patterns) {
  patterns.add<ExtractRow, InsertRow, DeinterleaveByShuffles, ScatterByLane,
               ExpandLoadByLane, CompressStoreByLane>(patterns.getContext());
}
