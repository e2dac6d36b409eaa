//===- RewriteAccesses.cpp - accesses to tiles of rings -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop with rings accesses slots where it has accessed buffers: between a
// wait right before the first access and a release right after the last one.
//
//===----------------------------------------------------------------------===//

#include "RingRewriter.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Views that are made outside of the loop are made again in it.
void RingRewriter::redirect(Value buffer, scf::ForOp loop, Value tile) {
  // Views that the loop doesn't use may be after it, with their operands.
  auto isUsedInLoop = [&](Operation *view) {
    SmallVector<Operation *> views = {view};
    while (!views.empty())
      for (Operation *user : views.pop_back_val()->getUsers()) {
        if (loop->isProperAncestor(user))
          return true;
        if (isa<ViewLikeOpInterface>(user))
          views.push_back(user);
      }
    return false;
  };
  SmallVector<std::pair<Value, Value>> pairs = {{buffer, tile}};
  OpBuilder::InsertionGuard guard(rewriter);
  while (!pairs.empty()) {
    std::pair<Value, Value> pair = pairs.pop_back_val();
    Value from = pair.first, to = pair.second;
    for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
      Operation *user = use.getOwner();
      if (loop->isProperAncestor(user)) {
        rewriter.modifyOpInPlace(user, [&] { use.set(to); });
      } else if (isa<ViewLikeOpInterface>(user) && isUsedInLoop(user)) {
        rewriter.setInsertionPointAfterValue(to);
        IRMapping mapping;
        mapping.map(from, to);
        Operation *view = rewriter.clone(*user, mapping);
        pairs.emplace_back(user->getResult(0), view->getResult(0));
      }
    }
  }
}

/// Accesses outside of the loop find what the last use left: the slot before
/// the next one's.
void RingRewriter::redirectOutside(const LoadRingPlan &loads, RingCreateOp ring,
                                   Value variable) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [index, buffer] : llvm::enumerate(loads.buffers)) {
    // Another loop that loads the buffer has a ring of its own for it.
    if (!loads.usedOutside.contains(buffer))
      continue;
    SmallVector<OpOperand *> uses;
    SmallVector<Value> views = {buffer};
    while (!views.empty())
      for (OpOperand &use : views.pop_back_val().getUses()) {
        if (isa<ViewLikeOpInterface>(use.getOwner()))
          views.push_back(use.getOwner()->getResult(0));
        else
          uses.push_back(&use);
      }
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      if (isa<memref::DimOp, memref::DeallocOp>(user))
        continue;
      Location loc = user->getLoc();
      rewriter.setInsertionPoint(user);
      Value last = addConstant(rewriter, loc,
                               RunningIndices::read(rewriter, loc, variable),
                               loads.stages - 1);
      Value tile = RingTileOp::create(rewriter, loc, buffer.getType(), ring,
                                      last, index);
      IRMapping mapping;
      mapping.map(buffer, tile);
      SmallVector<Operation *> views = getViews(use->get());
      for (Operation *view : views)
        rewriter.clone(*view, mapping);
      Value replacement = mapping.lookup(use->get());
      rewriter.modifyOpInPlace(user, [&] { use->set(replacement); });
    }
  }
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The engine moves the bytes by itself: threads neither read nor write them.
static bool isAsynchronous(TransferOpInterface transfer) {
  EngineKind kind = transfer.getEngineAttr().getKind();
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

/// Stores from the ring's own tiles: the threads meet, then the engine reads.
void RingRewriter::rewriteInPlaceStores(const LoopPlan &loopPlan,
                                        const LoadRingPlan &loads,
                                        RingCreateOp ring, Value use) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp loop = loopPlan.loop;
  for (StoreOp store : loads.inPlaceStores) {
    rewriter.setInsertionPoint(store);
    Location loc = store.getLoc();
    RingSyncOp::create(rewriter, loc, store.getScope());
    // The barrier is the last that other threads do with the slot.
    bool isLast = store == loads.inPlaceStores.back() &&
                  store->getBlock() == loop.getBody() && isAsynchronous(store);
    if (isLast && loads.release != SlotRelease::EmptyBarrier)
      for (Operation *op = store->getNextNode(); op; op = op->getNextNode())
        op->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (isa<MemRefType>(operand.getType()) &&
                getRootBuffer(operand) == getRootBuffer(store.getTile()))
              isLast = false;
        });
    else
      isLast = false;
    // With other tiles in the slot, the end of the iteration is simpler.
    if (isLast && loads.buffers.size() == 1)
      RingReleaseOp::create(rewriter, loc, ring, use);
    emitSubmit(store, store.getTile());
  }
}

/// Erases the loads, and the reads of tiles that only loads have needed.
void RingRewriter::eraseLoads(const LoopPlan &loopPlan) {
  llvm::SetVector<Operation *> slices;
  for (const LoadRingPlan &loads : loopPlan.rings) {
    if (!loads.operandTiles.empty())
      slices.insert_range(loads.slice);
    for (LoadOp load : loads.loads) {
      // Another op may get its address.
      prologues.erase(load);
      rewriter.eraseOp(load);
    }
  }
  SmallVector<Operation *> inOrder;
  scf::ForOp(loopPlan.loop).walk([&](Operation *op) {
    if (slices.contains(op))
      inOrder.push_back(op);
  });
  for (Operation *op : llvm::reverse(inOrder))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

/// The first op of the loop's body that holds a store to what the ring loads
/// from, or null.
static Operation *findFirstStore(const LoopPlan &loopPlan,
                                 ArrayRef<Value> sources) {
  scf::ForOp loop = loopPlan.loop;
  for (Operation &op : *loop.getBody()) {
    auto result = op.walk([&](TransferOpInterface transfer) {
      bool isStored =
          !transfer.isLoad() && llvm::any_of(sources, [&](Value source) {
            return mayOverlap(source, transfer.getGlobal());
          });
      return isStored ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return &op;
  }
  return nullptr;
}

/// Replaces the buffers by the ring's tiles, between the wait for the current
/// use and its release.
void RingRewriter::rewriteAccesses(const LoopPlan &loopPlan,
                                   const LoadRingPlan &loads) {
  scf::ForOp loop = loopPlan.loop;
  RingCreateOp ring = rings.lookup(&loads);
  Location loc = loop.getLoc();
  Block *body = loop.getBody();
  const CurrentUse &now = current[&loads];
  // The ops of the body that access the slot.
  Operation *first = nullptr, *last = nullptr;
  for (Value buffer : loads.buffers) {
    SmallVector<Operation *> accesses = *getAccesses(buffer);
    for (Operation *access : accesses) {
      Operation *op = body->findAncestorOpInBlock(*access);
      if (!op)
        continue;
      if (!first || op->isBeforeInBlock(first))
        first = op;
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
  }
  // The iteration may store to the box that it has loaded.
  if (loads.overtakesStores && (first || loads.leads == 0))
    if (Operation *store = findFirstStore(loopPlan, now.sources);
        store && (!first || store->isBeforeInBlock(first)))
      first = store;
  for (auto [buffer, tile] : llvm::zip_equal(loads.buffers, now.tiles))
    redirect(buffer, loop, tile);

  // Without accesses, the loads that read from the tiles have waited for them.
  if (first)
    rewriter.setInsertionPoint(first);
  else
    rewriter.setInsertionPoint(body->getTerminator());
  if (first || loads.leads == 0 || loopPlan.mode != PipelineMode::Unified)
    RingWaitOp::create(rewriter, loc, ring, now.use);
  if (last && last != body->getTerminator())
    rewriter.setInsertionPointAfter(last);
  else
    rewriter.setInsertionPoint(body->getTerminator());
  // Where the stores go is known after `last`, which may be one of them.
  OpBuilder::InsertPoint end = rewriter.saveInsertionPoint();
  rewriteInPlaceStores(loopPlan, loads, ring, now.use);
  rewriter.restoreInsertionPoint(end);
  bool isReleased = llvm::any_of(ring->getUsers(), [&](Operation *op) {
    return isa<RingReleaseOp>(op) && loop->isProperAncestor(op);
  });
  if (!isReleased) {
    if (!loads.inPlaceStores.empty() &&
        loads.release == SlotRelease::EmptyBarrier)
      RingWaitStoresOp::create(rewriter, loc, GroupWait::Read, 0,
                               loopPlan.request.getScope());
    RingReleaseOp::create(rewriter, loc, ring, now.use);
  }
  for (StoreOp store : loads.inPlaceStores)
    rewriter.eraseOp(store);
  rewriter.setInsertionPoint(body->getTerminator());
  RunningIndices::write(rewriter, loc, now.variable,
                        addConstant(rewriter, loc, now.use, 1));
  if (!loads.usedOutside.empty())
    redirectOutside(loads, ring, now.variable);
}
