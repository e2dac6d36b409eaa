//===- LoopTransfersOutside.cpp - a loop's tiles outside of it ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots take the place of a tile in its loop. Accesses outside of the loop find
// what the last iteration has left, or belong to other loops that load the tile
// for themselves.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"
#include "TileLoads.h"

#include "carousel/Analysis/Values/Views.h"

using namespace mlir;
using namespace carousel;

/// Whether all accesses to the buffer in `loop` come after `load` in each
/// iteration, or after other loads of the loop that load what they access.
static bool isSelfContained(gpu::GPUFuncOp kernel, scf::ForOp loop, LoadOp load,
                            ArrayRef<Operation *> accesses) {
  SmallVector<LoadOp> parts;
  for (Operation *op : accesses)
    if (auto part = dyn_cast<LoadOp>(op); part && loop->isProperAncestor(op))
      parts.push_back(part);
  return LoopTransfers(kernel, loop).explainAccesses(load, parts).empty();
}

/// The reason why the rest of the tiles' buffer is an obstacle, or an empty
/// one. Accesses outside the loop are redirected to the slot of the last
/// use, which has the tiles only.
Obstacle LoopTransfers::explainOtherParts(ArrayRef<LoadOp> parts,
                                          ArrayRef<Operation *> accesses) {
  for (Operation *op : accesses)
    if (!loop->isProperAncestor(op) && !isLoaded(op, parts))
      return {Miss::OtherPartsOutside,
              ("other parts of its buffer are accessed outside of the loop by "
               "'" +
               op->getName().getStringRef() + "'")
                  .str()};
  return {};
}

Obstacle LoopTransfers::explainOutside(LoadOp load, ArrayRef<LoadOp> parts,
                                       bool &isUsedOutside) {
  SmallVector<Operation *> accesses =
      *getAccesses(getRootBuffer(load.getTile()));
  SmallVector<std::pair<scf::ForOp, LoadOp>> others;
  isUsedOutside = false;
  for (Operation *op : accesses) {
    if (loop->isProperAncestor(op))
      continue;
    isUsedOutside = true;
    auto other = dyn_cast<LoadOp>(op);
    if (!other)
      continue;
    auto around = other->getParentOfType<scf::ForOp>();
    if (!around || around->isProperAncestor(loop) ||
        !isSelfContained(kernel, around, other, accesses))
      return {Miss::LoadedOutside,
              "its tile is loaded outside of the loop, too"};
    others.emplace_back(around, other);
  }
  if (others.empty()) {
    // Outside the loop, accesses use the slot of the last use, which must be
    // the last iteration's.
    if (isUsedOutside &&
        !TileLoads(loop, getSameTile(load, parts)).isLoadedAlways())
      return {
          Miss::ConditionalAndOutside,
          "it is loaded under a condition, and its tile is accessed outside "
          "of the loop"};
    return explainOtherParts(parts, accesses);
  }
  isUsedOutside = false;
  // Each loop has the buffer to itself if no other op accesses it.
  for (Operation *op : accesses)
    if (!loop->isProperAncestor(op) && llvm::none_of(others, [&](auto &other) {
          return other.first->isAncestor(op);
        }))
      return {
          Miss::LoadedInSeveralLoops,
          "its tile is loaded in several loops and accessed outside of them"};
  return {};
}
