//===- LookUpRows.cpp - rows that a table names ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of carousel.rows: a transfer of its rows is one of each row, by
// its number. A row that doesn't exist is taken to be behind the last one. A
// write to rows that reduce is a store of a tile, as it becomes for threads.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace carousel;

namespace {

class RowLookup {
public:
  RowLookup(Operation *op, RowsOp rows)
      : b(op->getLoc(), op), op(op), rows(rows) {}

  void expand(TransferOpInterface transfer);
  void expand(VectorTransferOpInterface transfer);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value extent(Value memref) {
    return memref::DimOp::create(b, memref, int64_t(0));
  }
  Value isBelow(Value number, Value limit) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, limit);
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }

  /// The number at `position`; the number of rows if that is none of a row.
  Value lookUp(Value position);
  /// A copy of the op that accesses one row of the source.
  Operation *cloneAt(Value position, unsigned firstIndex);

  ImplicitLocOpBuilder b;
  Operation *op;
  RowsOp rows;
};

} // namespace

Value RowLookup::lookUp(Value position) {
  Value last = extent(rows.getSource());
  auto named = scf::IfOp::create(b, b.getIndexType(),
                                 isBelow(position, extent(rows.getTable())),
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(named.thenBlock());
    Value number = memref::LoadOp::create(b, rows.getTable(), position);
    scf::YieldOp::create(
        b, arith::IndexCastOp::create(b, b.getIndexType(), number).getResult());
    b.setInsertionPointToStart(named.elseBlock());
    scf::YieldOp::create(b, last);
  }
  Value number = named.getResult(0);
  return arith::SelectOp::create(b, isBelow(number, last), number, last);
}

Operation *RowLookup::cloneAt(Value position, unsigned firstIndex) {
  Value row = lookUp(position);
  Operation *own = b.clone(*op);
  own->replaceUsesOfWith(rows.getResult(), rows.getSource());
  own->setOperand(firstIndex, row);
  return own;
}

void RowLookup::expand(TransferOpInterface transfer) {
  unsigned first = transfer.getOffsets().getBeginOperandIndex();
  Value begin = transfer.getOffsets().front();
  if (transfer.getNumLeadingDims() > 0) {
    cloneAt(begin, first);
    return op->erase();
  }
  MemRefType type = transfer.getTile().getType();
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(b, b.getLoc(), transfer.getTile());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  sizes.front() = b.getIndexAttr(1);
  auto loop =
      scf::ForOp::create(b, index(0), index(type.getDimSize(0)), index(1));
  b.setInsertionPointToStart(loop.getBody());
  offsets.front() = loop.getInductionVar();
  Value part =
      memref::SubViewOp::create(b, transfer.getTile(), offsets, sizes, strides);
  Operation *own = cloneAt(add(begin, loop.getInductionVar()), first);
  own->replaceUsesOfWith(transfer.getTile(), part);
  op->erase();
}

/// A vector of one row, of which the row may be outside.
static VectorType getRowType(VectorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  return VectorType::get(shape, type.getElementType());
}

void RowLookup::expand(VectorTransferOpInterface transfer) {
  VectorType type = transfer.getVectorType();
  unsigned first = transfer.getIndices().getBeginOperandIndex();
  Value begin = transfer.getIndices().front();
  auto read = dyn_cast<vector::TransferReadOp>(op);
  bool isVector = type.getRank() == rows.getSource().getType().getRank();
  if (!isVector) {
    // The op's own indices must be inside.
    Value row = lookUp(begin);
    auto branch = scf::IfOp::create(b, read ? TypeRange(type) : TypeRange(),
                                    isBelow(row, extent(rows.getSource())),
                                    /*withElseRegion=*/bool(read));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Operation *own = b.clone(*op);
    own->replaceUsesOfWith(rows.getResult(), rows.getSource());
    own->setOperand(first, row);
    if (read) {
      scf::YieldOp::create(b, own->getResults());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(
          b,
          vector::BroadcastOp::create(b, type, read.getPadding()).getResult());
      read.replaceAllUsesWith(branch.getResult(0));
    }
    return op->erase();
  }
  SmallVector<bool> inBounds = transfer.getInBoundsValues();
  inBounds.front() = false;
  Value all =
      read ? vector::BroadcastOp::create(b, type, read.getPadding()).getResult()
           : cast<vector::TransferWriteOp>(op).getVector();
  SmallVector<Value> indices(transfer.getIndices());
  for (int64_t row = 0; row < type.getDimSize(0); ++row) {
    indices.front() = lookUp(add(begin, index(row)));
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
    offsets.front() = row;
    if (read) {
      Value line =
          vector::TransferReadOp::create(b, getRowType(type), rows.getSource(),
                                         indices, read.getPadding(), inBounds);
      all =
          vector::InsertStridedSliceOp::create(b, line, all, offsets, strides);
      continue;
    }
    SmallVector<int64_t> sizes(getRowType(type).getShape());
    Value line =
        vector::ExtractStridedSliceOp::create(b, all, offsets, sizes, strides);
    vector::TransferWriteOp::create(b, line, rows.getSource(), indices,
                                    inBounds);
  }
  if (read)
    read.replaceAllUsesWith(all);
  op->erase();
}

/// Writes to a tile of the kernel's, and reduces that into the rows.
static void storeTile(vector::TransferWriteOp write, RowsOp rows) {
  ImplicitLocOpBuilder b(write.getLoc(), write);
  VectorType type = write.getVectorType();
  auto memory =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto tileType = MemRefType::get(type.getShape(), type.getElementType(),
                                  MemRefLayoutAttrInterface(), memory);
  auto kernel = write->getParentOfType<FunctionOpInterface>();
  Value tile;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getFunctionBody().front());
    tile = memref::AllocOp::create(b, tileType, b.getI64IntegerAttr(16));
  }
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> begin(type.getRank(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  vector::TransferWriteOp::create(b, write.getVector(), tile, begin, inBounds);
  StoreOp::create(b, tile, rows, write.getIndices(), rows.getReduceAttr(),
                  /*exclusive=*/false, TransferScope::CTA,
                  /*in_bounds=*/false, /*by_threads=*/false, Swizzle::None,
                  EvictPriority::Normal, EngineAttr(), /*map=*/Value());
  write.erase();
}

void sim::lookUpRows(Operation *root) {
  root->walk([](vector::TransferWriteOp op) {
    auto rows = op.getBase().getDefiningOp<RowsOp>();
    if (rows && rows.getReduce())
      storeTile(op, rows);
  });
  root->walk([](TransferOpInterface op) {
    if (RowsOp rows = getRows(op))
      RowLookup(op, rows).expand(op);
  });
  root->walk([](VectorTransferOpInterface op) {
    if (auto rows = op.getBase().getDefiningOp<RowsOp>())
      RowLookup(op, rows).expand(op);
  });
}
