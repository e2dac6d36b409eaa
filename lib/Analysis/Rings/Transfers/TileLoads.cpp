//===- TileLoads.cpp - the loads of one tile in a loop --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileLoads.h. Only scf.if counts as a branch. Two branches on the same
// value take the same side in one iteration.
//
//===----------------------------------------------------------------------===//

#include "TileLoads.h"

using namespace mlir;
using namespace carousel;

TileLoads::TileLoads(scf::ForOp loop, ArrayRef<Operation *> accesses)
    : loop(loop) {
  for (Operation *op : accesses)
    if (auto load = dyn_cast<LoadOp>(op); load && loop->isProperAncestor(load))
      loads.push_back(load);
}

/// Whether the ops stand in different branches of one op.
static bool areInDifferentBranches(Operation *op, Operation *other) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (parent->isProperAncestor(other))
      return isa<scf::IfOp>(parent) &&
             !region->isAncestor(other->getParentRegion());
  }
  return false;
}

bool TileLoads::areExclusive() const {
  for (auto [index, load] : llvm::enumerate(loads))
    for (LoadOp other : ArrayRef(loads).drop_front(index + 1))
      if (!areInDifferentBranches(load, other))
        return false;
  return true;
}

bool TileLoads::isLoadedBy(Block &block, const Taken &taken) const {
  return llvm::any_of(block,
                      [&](Operation &op) { return isLoadedBy(&op, taken); });
}

bool TileLoads::isLoadedBy(Operation *op, const Taken &taken) const {
  if (auto load = dyn_cast<LoadOp>(op))
    return llvm::is_contained(loads, load);
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  auto isLoadedIn = [&](bool side) {
    Block *block = side ? branch.thenBlock() : branch.elseBlock();
    return block && isLoadedBy(*block, taken);
  };
  if (auto known = taken.find(branch.getCondition()); known != taken.end())
    return isLoadedIn(known->second);
  return isLoadedIn(true) && isLoadedIn(false);
}

bool TileLoads::isLoadedBefore(Operation *op) const {
  Taken taken;
  for (Operation *inner = op; inner != loop; inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      taken[branch.getCondition()] =
          inner->getParentRegion() == &branch.getThenRegion();
  for (Operation *outer = op; outer != loop; outer = outer->getParentOp())
    for (Operation &before : *outer->getBlock()) {
      if (&before == outer)
        break;
      if (isLoadedBy(&before, taken))
        return true;
    }
  return false;
}

bool TileLoads::isLoadedAlways() const {
  return isLoadedBy(*scf::ForOp(loop).getBody(), Taken());
}
