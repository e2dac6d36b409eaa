//===- SyncBoxes.cpp - the accessed part of a memref ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The boxes of SyncAccesses.h: of plain loads and stores, and of transfers.
//
//===----------------------------------------------------------------------===//

#include "SyncAccesses.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Plain loads and stores
//===----------------------------------------------------------------------===//

/// The box of a plain load or store, as far as it is the same in all threads.
AccessBox SyncAccesses::getBox(Operation *op, Value memref) {
  AccessBox box;
  box.memref = getAliasedRoot(memref);
  ValueRange indices;
  VectorType vector;
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp>(
          [&](auto access) { indices = access.getIndices(); })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
        indices = access.getIndices();
        vector = access.getVectorType();
      });
  unsigned rank = indices.size();
  if (vector && (vector.isScalable() || vector.getRank() > rank))
    return box;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    box.first.push_back(positions.getUniform(index));
    unsigned inner = rank - dim;
    bool isVector = vector && inner <= vector.getRank();
    box.extents.push_back(isVector ? vector.getDimSize(vector.getRank() - inner)
                                   : 1);
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Whether `value` is the same at each use in a kernel.
static bool isFixed(Value value) {
  return getConstantIntValue(value) ||
         isa<gpu::GPUFuncOp>(value.getParentRegion()->getParentOp());
}

/// The number of which `quotient`, and its remainder in `values`, are parts.
static Value findDividend(Value quotient, const llvm::DenseSet<Value> &values) {
  Operation *division = quotient.getDefiningOp();
  if (!isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(division) ||
      !isFixed(division->getOperand(1)))
    return {};
  for (Value value : values) {
    Operation *remainder = value.getDefiningOp();
    bool matches = isa<arith::DivUIOp>(division)
                       ? isa_and_nonnull<arith::RemUIOp>(remainder)
                       : isa_and_nonnull<arith::RemSIOp>(remainder);
    if (matches && remainder->getOperands() == division->getOperands())
      return division->getOperand(0);
  }
  return {};
}

/// The number of which `part`, and the other parts in `values`, are parts.
static Value findLinearIndex(Value part, const llvm::DenseSet<Value> &values) {
  auto split = part.getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!split || !llvm::all_of(split.getDynamicBasis(), isFixed) ||
      !llvm::all_of(split.getResults(),
                    [&](Value value) { return values.contains(value); }))
    return {};
  return split.getLinearIndex();
}

/// Adds the tile's number, from which rows and columns are computed by
/// division. Different numbers have different boxes. Rows and columns no longer
/// show this in terms of an earlier iteration.
static void addSources(SyncPositions &positions, AccessBox &box) {
  SmallVector<Value> found;
  llvm::DenseSet<Value> values;
  auto add = [&](Value value) {
    if (values.insert(value).second)
      found.push_back(value);
  };
  for (auto [position, extent] : llvm::zip_equal(box.first, box.extents)) {
    if (position.terms.size() != 1 || !position.rest.isExact())
      continue;
    auto [number, factor] = position.terms.front();
    if (factor >= extent || -factor >= extent)
      add(positions.getValue(number));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : SmallVector<Value>(found)) {
      Value source = findDividend(value, values);
      if (!source)
        source = findLinearIndex(value, values);
      if (!source || values.contains(source))
        continue;
      add(source);
      box.first.push_back(positions.get(source));
      box.extents.push_back(1);
      changed = true;
      // The values from which that number is computed.
      IndexPosition position = positions.get(source);
      if (position.terms.size() == 1 && position.rest.isExact())
        add(positions.getValue(position.terms.front().first));
    }
  }
}

AccessBox carousel::getTransferBox(SyncPositions &positions,
                                   TransferOpInterface op) {
  AccessBox box;
  // The table may name any row.
  if (getRows(op))
    return box;
  box.memref = getAliasedRoot(op.getGlobal());
  box.transfer = op;
  ArrayRef<int64_t> tile = op.getTile().getType().getShape();
  unsigned leading = op.getNumLeadingDims();
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    box.first.push_back(positions.get(offset));
    box.extents.push_back(dim < leading ? 1 : tile[dim - leading]);
  }
  addSources(positions, box);
  return box;
}
