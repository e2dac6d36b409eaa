//===- LoopTransfers.cpp - conditions for a transfer in a ring ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopTransfers.h. Everything that can't be followed is an obstacle.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"

#include "../../Sync/SyncAccesses.h"

#include "carousel/Analysis/Values/CallAccesses.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Order in the loop
//===----------------------------------------------------------------------===//

/// Whether `first`, an op of the loop, ends before `second` starts if both are
/// executed in one iteration.
bool LoopTransfers::precedes(Operation *first, Operation *second) {
  for (Operation *outer = second; outer != loop; outer = outer->getParentOp()) {
    Operation *other = outer->getBlock()->findAncestorOpInBlock(*first);
    if (other && other != outer)
      return other->isBeforeInBlock(outer);
  }
  return false;
}

Obstacle LoopTransfers::explainPlace(Operation *transfer) {
  for (Operation *outer = transfer->getParentOp(); outer != loop;
       outer = outer->getParentOp())
    if (!isa<scf::IfOp>(outer))
      return {Miss::InnerRegion, "it stands in an inner " + quoteName(outer)};
  return {};
}

//===----------------------------------------------------------------------===//
// Sources of loads
//===----------------------------------------------------------------------===//

bool carousel::touchesNoMemory(Operation *op) {
  // Ops in regions declare their own effects.
  return isa<BarrierWarpOp, FenceThreadOp, SerializeOp>(op) || isExchange(op) ||
         isReport(op);
}

bool carousel::takesOverFromCTAs(Operation *op) {
  if (isa<WaitSignalOp>(op))
    return true;
  auto fence = dyn_cast<FenceThreadOp>(op);
  return fence && fence.getScope() != MemScope::CTA &&
         fence.getSemantics() != MemSemantics::Release;
}

void carousel::forEachWritten(Operation *op, function_ref<void(Value)> visit) {
  if (touchesNoMemory(op) || isMemoryEffectFree(op))
    return;
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    for (const CallAccess &access : getCallAccesses(call))
      if (access.isWrite)
        visit(access.memref);
    return;
  }
  // Their effects on all memory stand for the order that they establish.
  if (isa<SignalOp, WaitSignalOp>(op)) {
    visit(op->getOperand(0));
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    // The ops inside declare their own effects.
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      visit(nullptr);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      visit(effect.getValue());
}

/// Whether `memref` is visibly in memory that no peer accesses.
static bool isOfThisGPU(Value memref) {
  Value root = getRootBuffer(memref);
  return isa<BlockArgument>(root) && !isSharedWithPeers(root);
}

bool LoopTransfers::isNeverWritten(Value memref) {
  if (!isGlobalMemRef(getRootBuffer(memref).getType()))
    return false;
  bool written = false;
  kernel.walk([&](Operation *op) {
    if (op == kernel)
      return;
    forEachWritten(op, [&](Value target) {
      written |= !target || mayOverlap(target, memref);
    });
  });
  return !written;
}

/// Whether `value` is the same in all iterations: it is defined outside the
/// loop, or computed from such values only.
bool LoopTransfers::isInvariant(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (loop.isDefinedOutsideOfLoop(values[i]))
      continue;
    Operation *op = values[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        involvesOtherThreads(op))
      return false;
    values.insert_range(op->getOperands());
  }
  return true;
}

/// Whether the loop has a barrier across warps or warpgroups, so that one may
/// load in an iteration what another stored in the previous one.
bool LoopTransfers::ordersUnits() {
  return loop
      .walk([&](Operation *op) {
        auto transfer = dyn_cast<TransferOpInterface>(op);
        bool wide = transfer && transfer.getScope() == TransferScope::CTA;
        return wide || isa<gpu::BarrierOp, FenceThreadOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

RingBoxes &LoopTransfers::getBoxes() {
  if (!boxes)
    boxes = std::make_unique<RingBoxes>(kernel);
  return *boxes;
}

/// Whether no load that runs ahead reads what the store of an iteration before
/// it stores. The same iteration may load a box and store it afterwards.
bool LoopTransfers::areApart(LoadOp load, StoreOp store, Guards *missing) {
  // Facts about one warp's boxes say nothing about those of another warp.
  if (load.getScope() != TransferScope::CTA && ordersUnits())
    return false;
  return haveSameElements(load.getGlobal(), store.getGlobal()) &&
         isInvariant(load.getGlobal()) && isInvariant(store.getGlobal()) &&
         load.getScope() == store.getScope() &&
         getBoxes().areApart(load, store, loop, !precedes(load, store),
                             missing);
}

bool LoopTransfers::areApartInNest(LoadOp load, StoreOp store,
                                   Guards *missing) {
  SmallVector<scf::ForOp> nest = {loop};
  for (Operation *outer = loop->getParentOp(); outer != kernel;
       outer = outer->getParentOp()) {
    if (isa<scf::IfOp>(outer))
      continue;
    auto around = dyn_cast<scf::ForOp>(outer);
    if (!around)
      return false;
    nest.insert(nest.begin(), around);
  }
  return loop->isProperAncestor(store) && explainPlace(store).empty() &&
         haveSameElements(load.getGlobal(), store.getGlobal()) &&
         nest.front().isDefinedOutsideOfLoop(load.getGlobal()) &&
         nest.front().isDefinedOutsideOfLoop(store.getGlobal()) &&
         load.getScope() == TransferScope::CTA &&
         store.getScope() == TransferScope::CTA &&
         getBoxes().areApart(load, store, nest, !precedes(load, store),
                             missing);
}

bool LoopTransfers::findMissingGuards(LoadOp load, bool inNest,
                                      Guards &missing) {
  bool areApartThen = true;
  loop.walk([&](StoreOp store) {
    if (areApartThen && mayOverlap(store.getGlobal(), load.getGlobal()))
      areApartThen = inNest ? areApartInNest(load, store, &missing)
                            : areApart(load, store, &missing);
  });
  return areApartThen;
}

bool LoopTransfers::storesToSourceOf(LoadOp load) {
  bool found = false;
  loop.walk([&](StoreOp store) {
    found |= mayOverlap(store.getGlobal(), load.getGlobal());
  });
  return found;
}

bool LoopTransfers::isConstant(LoadOp load) {
  // Peers only write what is shared with them.
  return isOfThisGPU(load.getGlobal()) && isNeverWritten(load.getGlobal());
}

/// Nothing in the loop may write the source of a load that runs ahead.
Obstacle LoopTransfers::explainSource(LoadOp load) {
  Obstacle reason;
  loop.walk([&](Operation *op) {
    if (isa<SerializeOp, GridSerialWaitOp, GridSerialReleaseOp,
            GridDependencyWaitOp, GridLaunchDependentsOp>(op)) {
      reason = {Miss::OrdersCTAs, "the loop has " + quoteName(op) +
                                      ", which orders CTAs or grids"};
      return WalkResult::interrupt();
    }
    if (isa<WaitSignalOp>(op) && isConstant(load))
      return WalkResult::advance();
    if (takesOverFromCTAs(op)) {
      reason = {Miss::Acquires,
                "the loop has " + quoteName(op) +
                    ", after which it may read what other CTAs have written"};
      return WalkResult::interrupt();
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (mayOverlap(store.getGlobal(), load.getGlobal()) &&
          !areApart(load, store))
        reason = {
            Miss::SourceStored,
            "the loop stores to the same memref, and it isn't visible that "
            "each box is stored after it is loaded, and apart from those of "
            "other iterations"};
    } else {
      forEachWritten(op, [&](Value target) {
        if (!target)
          reason = {Miss::UnknownEffects,
                    "the loop has " + quoteName(op) +
                        ", which may write the memref that is loaded from"};
        else if (mayOverlap(target, load.getGlobal()))
          reason = {Miss::SourceWritten,
                    "the loop writes the memref that is loaded from by " +
                        quoteName(op)};
      });
    }
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

Obstacle LoopTransfers::explainLoad(LoadOp load, ArrayRef<LoadOp> parts,
                                    LoadSlice &slice) {
  Obstacle reason = explainPlace(load);
  if (reason.empty())
    reason = explainBuffer(load);
  if (reason.empty() && load.getReduceAttr())
    reason = {Miss::Reduces, "it reduces into its tile"};
  if (!reason.empty())
    return reason;
  // A slot has the data of its own use only; the buffer has those of all uses.
  for (Operation *view : getViews(load.getTile()))
    for (Value parameter : getViewParameters(view))
      if (!isInvariant(parameter))
        return {Miss::PartVaries,
                "it isn't visible that its tile is the same part of its buffer "
                "in all iterations"};
  reason = explainAccesses(load, parts);
  if (reason.empty())
    reason = explainSource(load);
  return reason.empty() ? explainSlice(load, slice) : reason;
}
