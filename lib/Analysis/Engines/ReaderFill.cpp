//===- ReaderFill.cpp - fills where a tile is read ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReaderFill.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/ReaderFill.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace carousel;

static bool isReader(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getVectorType().getRank() == 1;
  return isa<memref::LoadOp>(op);
}

ReaderFill carousel::planReaderFill(LoadOp load) {
  ReaderFill plan;
  if (getRows(load)) {
    plan.refusal = "rows that a table names";
    return plan;
  }
  Value tile = load.getTile();
  auto argument = dyn_cast<BlockArgument>(tile);
  bool isAttribution =
      argument && isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
      !isGlobalMemRef(tile.getType());
  if (!tile.getDefiningOp<memref::AllocOp>() && !isAttribution) {
    plan.refusal = "the tile isn't a buffer of its own";
    return plan;
  }
  DominanceInfo dominance;
  for (Operation *user : tile.getUsers()) {
    if (user == load || isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    if (isa<LoadOp>(user)) {
      plan.refusal = "another load of the tile";
      return plan;
    }
    if (!isReader(user)) {
      plan.refusal = "a use of the tile by " +
                     user->getName().getStringRef().str() +
                     ", which can't fill";
      return plan;
    }
    // The offsets that it sees are then those of the latest load.
    if (!dominance.properlyDominates(load, user)) {
      plan.refusal = "a read of the tile that the load doesn't dominate";
      return plan;
    }
    plan.readers.push_back(user);
  }
  return plan;
}
