//===- LoopTransfersTiles.cpp - conditions for the tile of a ring ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of LoopTransfers.h that looks at a tile's buffer: which ops access
// it, in which order, and which of its elements. A slot has the buffer's shape,
// but only the elements of its own use are defined.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"
#include "TileLoads.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace carousel;

std::optional<SmallVector<Operation *>> carousel::getAccesses(Value buffer) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> views = {buffer};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(views, user->getResults());
      } else if (isa<memref::DimOp, memref::DeallocOp>(user)) {
        continue;
      } else if (isMemoryEffectFree(user)) {
        // Passes on the buffer or its address, for example in a region's yield.
        return std::nullopt;
      } else if (isa<MemoryEffectOpInterface>(user) &&
                 user->getNumRegions() == 0 &&
                 llvm::none_of(user->getResultTypes(),
                               llvm::IsaPred<BaseMemRefType>)) {
        if (!llvm::is_contained(accesses, user))
          accesses.push_back(user);
      } else {
        return std::nullopt;
      }
    }
  }
  return accesses;
}

bool LoopTransfers::isAccessedOutside(Value buffer) {
  return llvm::any_of(*getAccesses(buffer), [&](Operation *op) {
    return !loop->isProperAncestor(op);
  });
}

bool LoopTransfers::isBufferOfKernel(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  bool isAttribution =
      argument && argument.getOwner() == &kernel.getBody().front();
  return buffer.getDefiningOp<memref::AllocOp>() || isAttribution;
}

/// The tile must be a buffer of the kernel, and all accesses to it must be
/// redirectable to a slot.
Obstacle LoopTransfers::explainBuffer(TransferOpInterface transfer) {
  Value buffer = getRootBuffer(transfer.getTile());
  auto type = cast<MemRefType>(buffer.getType());
  if (!isBufferOfKernel(buffer))
    return {Miss::NotABuffer, "its tile isn't a buffer of the kernel"};
  if (!type.getLayout().isIdentity())
    return {Miss::TileLayout, "its tile is not contiguous"};
  if (!getAccesses(buffer))
    return {Miss::TileEscapes,
            "its tile is passed to where it can't be followed"};
  return {};
}

//===----------------------------------------------------------------------===//
// Parts of a buffer
//===----------------------------------------------------------------------===//

TileElements &LoopTransfers::getElements() {
  if (!elements)
    elements.emplace(kernel);
  return *elements;
}

/// The memrefs of `buffer` that `op` accesses.
static SmallVector<Value> getAccessed(Operation *op, Value buffer) {
  SmallVector<Value> accessed;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) && getRootBuffer(operand) == buffer)
      accessed.push_back(operand);
  return accessed;
}

/// Whether `view` is `tile` or made from it.
static bool isPartOf(Value view, Value tile) {
  while (view != tile) {
    if (!view.getDefiningOp<ViewLikeOpInterface>())
      return false;
    view = getEnclosingView(view);
  }
  return true;
}

static SmallVector<Value> getTiles(ArrayRef<LoadOp> loads) {
  return llvm::map_to_vector(
      loads, [](LoadOp load) -> Value { return load.getTile(); });
}

bool LoopTransfers::isLoaded(Operation *op, ArrayRef<LoadOp> parts) {
  SmallVector<Value> tiles = getTiles(parts);
  return llvm::all_of(
      getAccessed(op, getRootBuffer(tiles.front())),
      [&](Value view) { return getElements().isCovered(view, tiles); });
}

/// Whether `op` may access elements of the load's tile. A part of another
/// load's tile has none of them.
bool LoopTransfers::mayAccess(Operation *op, LoadOp load,
                              ArrayRef<LoadOp> parts) {
  Value tile = load.getTile();
  return llvm::any_of(getAccessed(op, getRootBuffer(tile)), [&](Value view) {
    if (isPartOf(view, tile))
      return true;
    bool isOfOther = llvm::any_of(
        parts, [&](LoadOp part) { return isPartOf(view, part.getTile()); });
    return !isOfOther && !getElements().areApart(view, tile);
  });
}

SmallVector<Operation *> carousel::getSameTile(LoadOp load,
                                               ArrayRef<LoadOp> parts) {
  SmallVector<Operation *> loads;
  for (LoadOp part : parts)
    if (part.getTile() == load.getTile())
      loads.push_back(part);
  return loads;
}

/// The reason why another load of the buffer is an obstacle.
Obstacle LoopTransfers::explainOtherLoad(LoadOp load, LoadOp other,
                                         ArrayRef<LoadOp> parts) {
  bool isSameTile = other.getTile() == load.getTile();
  if (llvm::is_contained(parts, other) && other.getScope() == load.getScope() &&
      (isSameTile || getElements().areApart(other.getTile(), load.getTile())))
    return {};
  return {Miss::OtherLoad, "its tile has another load in the loop, for other "
                           "threads or through another view"};
}

Obstacle LoopTransfers::explainAccesses(LoadOp load, ArrayRef<LoadOp> parts) {
  SmallVector<Operation *> accesses =
      *getAccesses(getRootBuffer(load.getTile()));
  llvm::erase_if(accesses,
                 [&](Operation *op) { return !loop->isProperAncestor(op); });
  for (Operation *op : accesses)
    if (auto other = dyn_cast<LoadOp>(op); other && other != load) {
      Obstacle reason = explainOtherLoad(load, other, parts);
      if (!reason.empty())
        return reason;
    }
  TileLoads loads(loop, getSameTile(load, parts));
  if (!loads.areExclusive())
    return {Miss::LoadedTwice, "its tile is loaded twice in the loop"};
  for (Operation *op : accesses) {
    if (isa<LoadOp>(op))
      continue;
    if (!isLoaded(op, parts))
      return {Miss::OtherParts,
              "other parts of its buffer are accessed in the loop by " +
                  quoteName(op)};
    if (loads.isLoadedBefore(op) || !mayAccess(op, load, parts))
      continue;
    Operation *after = load->getBlock()->findAncestorOpInBlock(*op);
    bool isBefore = after && !load->isBeforeInBlock(after);
    return {isBefore ? Miss::AccessedBeforeLoad : Miss::AccessedWithoutLoad,
            "its tile is accessed by " + quoteName(op) +
                (isBefore ? " before it is loaded"
                          : " where it may not be loaded")};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The other stores to the ring, if `store` is one of several.
static Obstacle explainParts(StoreOp store, ArrayRef<StoreOp> parts,
                             TileElements &elements) {
  for (StoreOp other : parts) {
    if (other->getBlock() != store->getBlock())
      return {Miss::StoredApart,
              "another part of its tile is stored under another condition"};
    if (other != store && !elements.areApart(other.getTile(), store.getTile()))
      return {Miss::OtherTransfer, "its tile has another transfer"};
  }
  return {};
}

Obstacle LoopTransfers::explainStore(StoreOp store, ArrayRef<StoreOp> parts) {
  Obstacle reason = explainPlace(store);
  if (reason.empty())
    reason = explainBuffer(store);
  if (reason.empty() && parts.size() > 1)
    reason = explainParts(store, parts, getElements());
  if (!reason.empty())
    return reason;
  Value tile = store.getTile(), buffer = getRootBuffer(tile);
  if (isAccessedOutside(buffer))
    return {Miss::AccessedOutside, "its tile is accessed outside of the loop"};
  SmallVector<Operation *> writes, reads;
  SmallVector<Operation *> accesses = *getAccesses(buffer);
  for (Operation *op : accesses) {
    if (auto other = dyn_cast<StoreOp>(op);
        other && llvm::is_contained(parts, other))
      continue;
    if (isa<TransferOpInterface>(op))
      return {Miss::OtherTransfer, "its tile has another transfer"};
    bool isWrite = false;
    forEachWritten(op, [&](Value) { isWrite = true; });
    bool isBefore = precedes(op, store);
    if (isWrite && !isBefore &&
        !llvm::all_of(getAccessed(op, buffer), [&](Value view) {
          return getElements().areApart(view, tile);
        }))
      return {Miss::WrittenAfterStore, "its tile is written by " +
                                           quoteName(op) +
                                           " after it is stored"};
    if (!isWrite)
      reads.push_back(op);
    else if (isBefore)
      writes.push_back(op);
  }
  SmallVector<Value> views;
  for (Operation *read : reads) {
    // After the condition of the store there may be no new tile to read.
    if (!store->getParentRegion()->isAncestor(read->getParentRegion()))
      return {Miss::ReadWithoutWrite, "its tile is read by " + quoteName(read) +
                                          " where it may not be written"};
    for (Operation *write : writes)
      if (!precedes(write, read))
        return {Miss::ReadBeforeWrite, "its tile is read by " +
                                           quoteName(read) +
                                           " before it is written"};
    for (Value view : getAccessed(read, buffer))
      if (llvm::none_of(parts, [&](StoreOp part) {
            return isPartOf(view, part.getTile());
          }))
        views.push_back(view);
  }
  if (!coversTile(kernel, *loop.getBody(), store, writes, views))
    return {Miss::NotCovered,
            std::string("it isn't visible that each iteration writes the whole "
                        "tile") +
                (views.empty() ? "" : ", and all that is read of its buffer")};
  return {};
}

Obstacle LoopTransfers::explainInPlaceStore(StoreOp store,
                                            ArrayRef<LoadOp> parts) {
  Obstacle reason = explainPlace(store);
  if (!reason.empty())
    return reason;
  if (store.getScope() != LoadOp(parts.front()).getScope())
    return {Miss::InPlaceScope, "its scope isn't that of the load"};
  if (!isLoaded(store, parts))
    return {Miss::InPlacePart, "it stores more than what is loaded"};
  return {};
}
