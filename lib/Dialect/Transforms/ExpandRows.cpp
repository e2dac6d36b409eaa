//===- ExpandRows.cpp - transfers of rows that a table names --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExpandRows.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;
using arith::CmpIPredicate;

static Value createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// `number` if `isValid` says so, or else -1.
static Value createValid(ImplicitLocOpBuilder &b, Value isValid, Value number) {
  Value none =
      arith::ConstantOp::create(b, b.getIntegerAttr(number.getType(), -1));
  return arith::SelectOp::create(b, isValid, number, none);
}

Value carousel::createRowNumber(ImplicitLocOpBuilder &b, RowsOp rows,
                                Value position) {
  Value table = rows.getTable();
  Type type = rows.getTable().getType().getElementType();
  auto createIsBelow = [&](Value value, Value memref) -> Value {
    // Negative numbers are large ones.
    return arith::CmpIOp::create(
        b, CmpIPredicate::ult, value,
        b.createOrFold<memref::DimOp>(memref, int64_t(0)));
  };
  auto branch = scf::IfOp::create(
      b, createIsBelow(position, table),
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(
            nested, loc,
            memref::LoadOp::create(nested, loc, table, position).getResult());
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc,
                             arith::ConstantOp::create(
                                 nested, loc, nested.getIntegerAttr(type, -1))
                                 .getResult());
      });
  Value number =
      arith::IndexCastOp::create(b, b.getIndexType(), branch.getResult(0));
  return createValid(b, createIsBelow(number, rows.getSource()), number);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A copy of the transfer of one row. One that doesn't exist is behind the
/// last: no store begins before its memref.
static void createRowTransfer(ImplicitLocOpBuilder &b, TransferOpInterface op,
                              Value position, Value tile) {
  RowsOp rows = getRows(op);
  Value number = createRowNumber(b, rows, position);
  Value isBefore =
      arith::CmpIOp::create(b, CmpIPredicate::slt, number, createIndex(b, 0));
  Value last = b.createOrFold<memref::DimOp>(rows.getSource(), int64_t(0));
  Operation *own = b.clone(*op);
  auto transfer = cast<TransferOpInterface>(own);
  own->replaceUsesOfWith(op.getTile(), tile);
  own->replaceUsesOfWith(rows.getResult(), rows.getSource());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(own);
  Value row = arith::SelectOp::create(b, isBefore, last, number);
  unsigned first = transfer.getOffsets().getBeginOperandIndex();
  own->setOperand(first, row);
}

/// Makes a transfer of a tile one of each row.
static void expandTileRows(TransferOpInterface op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value first = op.getOffsets().front();
  if (op.getNumLeadingDims() > 0) {
    createRowTransfer(b, op, first, op.getTile());
    return op->erase();
  }
  MemRefType type = op.getTile().getType();
  auto loop =
      scf::ForOp::create(b, createIndex(b, 0),
                         createIndex(b, type.getDimSize(0)), createIndex(b, 1));
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      sizes = memref::getMixedSizes(b, b.getLoc(), op.getTile()),
      strides(type.getRank(), b.getIndexAttr(1));
  offsets.front() = number;
  sizes.front() = b.getIndexAttr(1);
  Value part =
      memref::SubViewOp::create(b, op.getTile(), offsets, sizes, strides);
  createRowTransfer(b, op, arith::AddIOp::create(b, first, number), part);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {

/// Indices and mask of the elements of a vector transfer.
class RowElements {
public:
  RowElements(ImplicitLocOpBuilder &b, VectorTransferOpInterface op)
      : b(b), type(op.getVectorType()),
        rows(op.getBase().getDefiningOp<RowsOp>()) {
    MemRefType source = rows.getSource().getType();
    auto layout = memref::ExtractStridedMetadataOp::create(b, rows.getSource());
    int64_t leading = source.getRank() - type.getRank();
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      Value at = op.getIndices()[dim];
      Value place =
          dim >= leading ? createCoordinates(dim - leading, at) : splat(at);
      if (dim == 0)
        place = createNumbers(op, dim >= leading);
      add(place, dim, layout.getStrides()[dim], dim + 1 == source.getRank());
    }
  }

  Value indices, mask;

private:
  VectorType with(Type element) const {
    return VectorType::get(type.getShape(), element);
  }

  Value splat(Value value) {
    return vector::BroadcastOp::create(b, with(value.getType()), value);
  }

  /// A vector along one dimension as one of all elements.
  Value spread(Value line, int64_t dim) {
    SmallVector<int64_t> shape(type.getRank() - dim, 1);
    shape.front() = type.getDimSize(dim);
    Type element = cast<VectorType>(line.getType()).getElementType();
    if (shape.size() > 1)
      line =
          vector::ShapeCastOp::create(b, VectorType::get(shape, element), line);
    return vector::BroadcastOp::create(b, with(element), line);
  }

  Value createCoordinates(int64_t dim, Value at) {
    Value steps = vector::StepOp::create(
        b, VectorType::get(type.getDimSize(dim), b.getIndexType()));
    return arith::AddIOp::create(b, splat(at), spread(steps, dim));
  }

  /// Of rows that the table doesn't have: -1.
  Value createNumbers(VectorTransferOpInterface op, bool isVector) {
    Value at = op.getIndices().front();
    if (!isVector)
      return splat(createRowNumber(b, rows, at));
    Type element = rows.getTable().getType().getElementType();
    int64_t extent = type.getDimSize(0);
    Value none = arith::ConstantOp::create(b, b.getIntegerAttr(element, -1));
    Value numbers = vector::TransferReadOp::create(
        b, VectorType::get(extent, element), rows.getTable(), at, none);
    return spread(arith::IndexCastOp::create(
                      b, VectorType::get(extent, b.getIndexType()), numbers),
                  0);
  }

  void add(Value place, int64_t dim, Value stride, bool isInnermost) {
    Value extent = b.createOrFold<memref::DimOp>(rows.getSource(), dim);
    Value exists =
        arith::CmpIOp::create(b, CmpIPredicate::ult, place, splat(extent));
    mask = mask ? arith::AndIOp::create(b, mask, exists).getResult() : exists;
    if (!isInnermost)
      place = arith::MulIOp::create(b, place, splat(stride));
    indices =
        indices ? arith::AddIOp::create(b, indices, place).getResult() : place;
  }

  ImplicitLocOpBuilder &b;
  VectorType type;
  RowsOp rows;
};

} // namespace

void carousel::expandVectorRows(VectorTransferOpInterface op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto rows = op.getBase().getDefiningOp<RowsOp>();
  RowElements elements(b, op);
  SmallVector<Value> begin(rows.getSource().getType().getRank(),
                           createIndex(b, 0));
  if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation())) {
    Value others =
        vector::BroadcastOp::create(b, op.getVectorType(), read.getPadding());
    read.replaceAllUsesWith(
        vector::GatherOp::create(b, op.getVectorType(), rows.getSource(), begin,
                                 elements.indices, elements.mask, others)
            .getResult());
  } else {
    auto write = cast<vector::TransferWriteOp>(op.getOperation());
    vector::ScatterOp::create(b, Type(), rows.getSource(), begin,
                              elements.indices, elements.mask,
                              write.getVector());
  }
  op->erase();
}

void carousel::expandAllRows(Operation *root) {
  root->walk([](TransferOpInterface op) {
    if (getRows(op))
      expandTileRows(op);
  });
  root->walk([](VectorTransferOpInterface op) {
    if (op.getBase().getDefiningOp<RowsOp>())
      expandVectorRows(op);
  });
}
