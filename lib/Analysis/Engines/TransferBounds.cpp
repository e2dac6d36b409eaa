//===- TransferBounds.cpp - transfers that are in bounds ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimension by dimension. A static extent is compared with the largest multiple
// that the offset's range has. A dynamic extent that is the upper bound of a
// loop is above its induction variable.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TransferBounds.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

/// Whether `bound` is at most the extent of `memref`'s dimension `dim`.
static bool isAtMostExtent(Value bound, Value memref, int64_t dim) {
  llvm::SetVector<Value> bounds;
  bounds.insert(bound);
  for (unsigned i = 0; i < bounds.size(); ++i) {
    if (auto least = bounds[i].getDefiningOp<arith::MinSIOp>())
      bounds.insert_range(least->getOperands());
    auto extent = bounds[i].getDefiningOp<memref::DimOp>();
    if (extent && extent.getSource() == memref &&
        extent.getConstantIndex() == dim)
      return true;
  }
  return false;
}

/// Whether `offset` counts up to the extent of `memref`'s dimension `dim`.
static bool isBelowExtent(Value offset, Value memref, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(offset);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && offset == loop.getInductionVar() && !loop.getUnsignedCmp() &&
         isAtMostExtent(loop.getUpperBound(), memref, dim);
}

/// The largest value that `offset` may have, or nullopt.
static std::optional<int64_t> findMost(Value offset, const Divisibility &facts,
                                       IndexRanges &ranges) {
  IntegerValueRange range = ranges.get(offset);
  if (range.isUninitialized() || range.getValue().smax().isMaxSignedValue())
    return std::nullopt;
  int64_t most = range.getValue().smax().getSExtValue(),
          multiple = facts.getMultiple(offset);
  if (most < 0 || multiple == 0)
    return 0;
  return most / multiple * multiple;
}

bool carousel::isKnownInBounds(TransferOpInterface op,
                               const Divisibility &facts, IndexRanges &ranges) {
  if (getRows(op))
    return false;
  MemRefType tile = op.getTile().getType(), global = op.getGlobal().getType();
  int64_t leading = op.getNumLeadingDims();
  for (int64_t dim = 0, e = global.getRank(); dim < e; ++dim) {
    int64_t box = dim < leading ? 1 : tile.getDimSize(dim - leading),
            extent = global.getDimSize(dim);
    Value offset = op.getOffsets()[dim];
    if (!ranges.isNonNegative(offset))
      return false;
    if (box == 1 && isBelowExtent(offset, op.getGlobal(), dim))
      continue;
    std::optional<int64_t> most = findMost(offset, facts, ranges);
    if (ShapedType::isDynamic(extent) || !most || *most > extent - box)
      return false;
  }
  return true;
}
