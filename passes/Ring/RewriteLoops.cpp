//===- RewriteLoops.cpp - rewrite a loop with rings -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop starts its loads ahead, waits for them right before their first use,
// and releases their slot right after the last use. It submits stores without
// waiting for them. docs/Rings.md has the IR before and after.
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"
#include "RingRewriter.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace carousel;

/// The engine moves the bytes by itself: threads neither read nor write them.
static bool isAsynchronous(TransferOpInterface transfer) {
  EngineKind kind = transfer.getEngineAttr().getKind();
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

static Value addConstant(OpBuilder &builder, Location loc, Value value,
                         int64_t constant) {
  if (constant == 0)
    return value;
  return builder.createOrFold<arith::AddIOp>(
      loc, value, arith::ConstantIndexOp::create(builder, loc, constant));
}

//===----------------------------------------------------------------------===//
// Starting transfers
//===----------------------------------------------------------------------===//

/// Repeats what `block` computes for the loads and under which conditions they
/// stand, and starts them.
void RingRewriter::emitLoads(const LoadRingPlan &loads, Block &block,
                             RingCreateOp ring, Value use, IRMapping &mapping) {
  auto hasLoad = [&](Operation *op) {
    return llvm::any_of(loads.loads,
                        [&](LoadOp load) { return op->isAncestor(load); });
  };
  for (Operation &op : block) {
    if (auto load = dyn_cast<LoadOp>(op); load && hasLoad(&op)) {
      Location loc = load.getLoc();
      Value buffer = getRootBuffer(load.getTile());
      unsigned index =
          llvm::find(loads.buffers, buffer) - loads.buffers.begin();
      Value slot =
          RingTileOp::create(rewriter, loc, buffer.getType(), ring, use, index);
      // The part of the slot that is the tile.
      IRMapping inner(mapping);
      inner.map(buffer, slot);
      SmallVector<Operation *> views = getViews(load.getTile());
      for (Operation *view : views)
        rewriter.clone(*view, inner);
      SmallVector<Value> offsets;
      for (Value offset : load.getOffsets())
        offsets.push_back(mapping.lookupOrDefault(offset));
      Value map = load.getMap();
      RingLoadOp::create(
          rewriter, loc, mapping.lookupOrDefault(load.getGlobal()), offsets,
          inner.lookup(load.getTile()), load.getFillAttr(),
          load.getReduceAttr(), load.getScopeAttr(), load.getInBoundsAttr(),
          load.getByThreadsAttr(), load.getSwizzleAttr(), load.getCacheAttr(),
          load.getEngineAttr(), map ? mapping.lookupOrDefault(map) : map,
          loads.overtakesStores ? rewriter.getUnitAttr() : nullptr);
    } else if (loads.slice.contains(&op)) {
      rewriter.clone(op, mapping);
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasLoad(&op)) {
      bool hasElse = branch.elseBlock() &&
                     llvm::any_of(*branch.elseBlock(), [&](Operation &inner) {
                       return hasLoad(&inner);
                     });
      auto copy = scf::IfOp::create(
          rewriter, op.getLoc(), mapping.lookupOrDefault(branch.getCondition()),
          hasElse);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(copy.thenBlock());
      emitLoads(loads, *branch.thenBlock(), ring, use, mapping);
      if (hasElse) {
        rewriter.setInsertionPointToStart(copy.elseBlock());
        emitLoads(loads, *branch.elseBlock(), ring, use, mapping);
      }
    }
  }
}

void RingRewriter::emitProduce(const LoadRingPlan &loads, scf::ForOp loop,
                               RingCreateOp ring, Value use, IRMapping mapping,
                               int64_t ahead) {
  OpBuilder::InsertionGuard guard(rewriter);
  auto produce =
      RingProduceOp::create(rewriter, loop.getLoc(), ring, use, IntegerAttr());
  if (ahead != 0)
    produce.setAhead(ahead);
  rewriter.createBlock(&produce.getBody());
  emitLoads(loads, *loop.getBody(), ring, use, mapping);
}

void RingRewriter::emitSubmit(StoreOp store, Value tile) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = store.getLoc();
  auto submit = RingSubmitOp::create(rewriter, loc, store.getScope());
  rewriter.createBlock(&submit.getBody());
  RingStoreOp::create(
      rewriter, loc, tile, store.getGlobal(), store.getOffsets(),
      store.getReduceAttr(), store.getExclusiveAttr(), store.getScopeAttr(),
      store.getInBoundsAttr(), store.getByThreadsAttr(), store.getSwizzleAttr(),
      store.getCacheAttr(), store.getEngineAttr(), store.getMap());
}

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
// Loads
//===----------------------------------------------------------------------===//

/// The first `prefetch` uses, or as many as there are iterations.
void RingRewriter::emitPrologue(const LoopPlan &loopPlan,
                                const LoadRingPlan &loads, RingCreateOp ring,
                                Value variable) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loopPlan.start);
  Operation *before = loopPlan.start->getPrevNode();
  TransferScope scope = loopPlan.request.getScope();
  if (loads.overtakesStores)
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Complete, 0, scope);
  else if (!loads.inPlaceStores.empty() && loads.prefetch != 0 &&
           loads.release != SlotRelease::EmptyBarrier)
    // Of a former execution of the loop: the slots that come first.
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Read,
                             loads.stages - loads.prefetch, scope);
  if (loads.overtakesStores || !loads.usedOutside.empty())
    RingSyncOp::create(rewriter, loc, scope);
  if (loads.prefetch == 0)
    return;
  Value end = LoopBounds(rewriter, loop, loads.prefetch).createPrologueEnd();
  Value first = RunningIndices::read(rewriter, loc, variable);
  auto prologue = scf::ForOp::create(
      rewriter, loc, loop.getLowerBound(), end, loop.getStep(), first,
      /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  rewriter.setInsertionPointToStart(prologue.getBody());
  Value use = prologue.getRegionIterArg(0);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), prologue.getInductionVar());
  emitProduce(loads, loop, ring, use, mapping, loads.prefetch);
  scf::YieldOp::create(rewriter, loc, addConstant(rewriter, loc, use, 1));
  Operation *begin =
      before ? before->getNextNode() : &loopPlan.start->getBlock()->front();
  prologues.try_emplace(loopPlan.start, begin);
}

/// At the start of an iteration: the loads of the one `prefetch` later.
void RingRewriter::startAhead(const LoopPlan &loopPlan,
                              const LoadRingPlan &loads, RingCreateOp ring,
                              Value use) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  Value variable = loop.getInductionVar(), ahead = variable;
  if (loads.prefetch != 0) {
    OpBuilder::InsertPoint start = rewriter.saveInsertionPoint();
    rewriter.setInsertionPoint(loop);
    LoopBounds bounds(rewriter, loop, loads.prefetch);
    Value end = bounds.createSteadyEnd();
    rewriter.restoreInsertionPoint(start);
    auto branch =
        scf::IfOp::create(rewriter, loc, bounds.createIsBefore(variable, end),
                          /*withElseRegion=*/false);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    ahead = bounds.createAhead(variable);
    guards.emplace_back(branch, loads.prefetch);
  }
  // Stores that empty the slots are issued by the thread that fills them.
  if (!loads.inPlaceStores.empty() &&
      loads.release != SlotRelease::EmptyBarrier)
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Read,
                             loads.stages - loads.prefetch - 1,
                             loopPlan.request.getScope());
  IRMapping mapping;
  mapping.map(variable, ahead);
  emitProduce(loads, loop, ring,
              addConstant(rewriter, loc, use, loads.prefetch), mapping,
              loads.prefetch);
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

/// Inserts the ring's ops at the start of the loop's body, after `previous`,
/// the last op of the previous ring, if there is one. Returns the last op
/// inserted.
Operation *RingRewriter::rewriteLoads(const LoopPlan &loopPlan,
                                      const LoadRingPlan &loads,
                                      Operation *previous) {
  scf::ForOp loop = loopPlan.loop;
  RingCreateOp ring = rings.lookup(&loads);
  Location loc = loop.getLoc();
  Block *body = loop.getBody();
  bool isUnified = loopPlan.mode == PipelineMode::Unified;
  Value variable = indices.create(getEntry(), loc);
  if (isUnified)
    emitPrologue(loopPlan, loads, ring, variable);

  // The ops of the body that access the slot.
  Operation *first = nullptr, *last = nullptr;
  for (Value buffer : loads.buffers) {
    SmallVector<Operation *> accesses = *getAccesses(buffer);
    for (Operation *access : accesses) {
      Operation *op = body->findAncestorOpInBlock(*access);
      if (!op || llvm::is_contained(loads.loads, access))
        continue;
      if (!first || op->isBeforeInBlock(first))
        first = op;
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
  }
  if (previous)
    rewriter.setInsertionPointAfter(previous);
  else
    rewriter.setInsertionPointToStart(body);
  Value use = RunningIndices::read(rewriter, loc, variable);
  if (isUnified)
    startAhead(loopPlan, loads, ring, use);
  SmallVector<Value> tiles;
  for (auto [index, buffer] : llvm::enumerate(loads.buffers))
    tiles.push_back(
        RingTileOp::create(rewriter, loc, buffer.getType(), ring, use, index));
  for (LoadOp load : loads.loads)
    rewriter.eraseOp(load);
  for (auto [buffer, tile] : llvm::zip_equal(loads.buffers, tiles))
    redirect(buffer, loop, tile);

  if (first)
    rewriter.setInsertionPoint(first);
  else
    rewriter.setInsertionPoint(body->getTerminator());
  RingWaitOp::create(rewriter, loc, ring, use);
  if (last && last != body->getTerminator())
    rewriter.setInsertionPointAfter(last);
  else
    rewriter.setInsertionPoint(body->getTerminator());
  // Where the stores go is known after `last`, which may be one of them.
  OpBuilder::InsertPoint end = rewriter.saveInsertionPoint();
  rewriteInPlaceStores(loopPlan, loads, ring, use);
  rewriter.restoreInsertionPoint(end);
  bool isReleased = llvm::any_of(ring->getUsers(), [&](Operation *op) {
    return isa<RingReleaseOp>(op) && loop->isProperAncestor(op);
  });
  if (!isReleased) {
    if (!loads.inPlaceStores.empty() &&
        loads.release == SlotRelease::EmptyBarrier)
      RingWaitStoresOp::create(rewriter, loc, GroupWait::Read, 0,
                               loopPlan.request.getScope());
    RingReleaseOp::create(rewriter, loc, ring, use);
  }
  for (StoreOp store : loads.inPlaceStores)
    rewriter.eraseOp(store);
  rewriter.setInsertionPoint(body->getTerminator());
  RunningIndices::write(rewriter, loc, variable,
                        addConstant(rewriter, loc, use, 1));
  if (!loads.usedOutside.empty())
    redirectOutside(loads, ring, variable);
  return tiles.back().getDefiningOp();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores of parts of one buffer share the slot. The first one's wait and
/// barrier free the next slot.
void RingRewriter::rewriteStore(const LoopPlan &loopPlan,
                                const StoreRingPlan &storePlan) {
  scf::ForOp loop = loopPlan.loop;
  StoreOp first = storePlan.store;
  Location loc = first.getLoc();
  TransferScope scope = first.getScope();
  RingCreateOp ring = createRing(loc, scope, SlotRelease::EmptyBarrier,
                                 storePlan.stages, storePlan.buffer);
  Value variable = indices.create(getEntry(), loc);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value use = RunningIndices::read(rewriter, loc, variable);
  Value tile = RingTileOp::create(rewriter, loc, storePlan.buffer.getType(),
                                  ring, use, 0);
  redirect(storePlan.buffer, loop, tile);
  rewriter.setInsertionPoint(first);
  // The barrier also frees the next slot, because its store has read it.
  RingWaitStoresOp::create(rewriter, loc, GroupWait::Read, storePlan.stages - 2,
                           scope);
  SmallVector<StoreOp> stores = {first};
  stores.append(storePlan.others);
  for (StoreOp store : stores) {
    rewriter.setInsertionPoint(store);
    RingSyncOp::create(rewriter, store.getLoc(), scope);
    emitSubmit(store, store.getTile());
  }
  RunningIndices::write(rewriter, loc, variable,
                        addConstant(rewriter, loc, use, 1));
  for (StoreOp store : stores)
    rewriter.eraseOp(store);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Puts what `branch` holds in its place.
static void unguard(IRRewriter &rewriter, scf::IfOp branch) {
  rewriter.eraseOp(branch.thenYield());
  rewriter.inlineBlockBefore(branch.thenBlock(), branch);
  rewriter.eraseOp(branch);
}

/// Splits the loop where the loads that run farthest ahead end. The first part
/// needs no condition for these loads, and the second part has none of them.
void RingRewriter::peelEpilogue(const LoopPlan &loopPlan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp steady = loopPlan.loop;
  int64_t farthest = loopPlan.getPrefetch();
  Location loc = steady.getLoc();
  Value step = steady.getStep();
  rewriter.setInsertionPoint(steady);
  // Where the steady loop stops, found without a division.
  Value next = indices.create(getEntry(), loc, step.getType());
  RunningIndices::write(rewriter, loc, next, steady.getLowerBound());
  Value end = LoopBounds(rewriter, steady, farthest).createSteadyEnd();

  IRMapping mapping;
  rewriter.setInsertionPointAfter(steady);
  Value start = RunningIndices::read(rewriter, loc, next);
  auto epilogue = cast<scf::ForOp>(rewriter.clone(*steady, mapping));
  rewriter.modifyOpInPlace(steady, [&] { steady.setUpperBound(end); });
  rewriter.replaceUsesWithIf(
      steady.getResults(), epilogue.getResults(),
      [&](OpOperand &use) { return use.getOwner() != epilogue; });
  rewriter.modifyOpInPlace(epilogue, [&] {
    epilogue.setLowerBound(start);
    epilogue.getInitArgsMutable().assign(steady.getResults());
  });
  rewriter.setInsertionPoint(steady.getBody()->getTerminator());
  Value following =
      arith::AddIOp::create(rewriter, loc, steady.getInductionVar(), step);
  RunningIndices::write(rewriter, loc, next, following);
  for (auto [branch, prefetch] : guards) {
    if (prefetch == farthest)
      rewriter.eraseOp(mapping.lookup(branch.getOperation()));
    unguard(rewriter, branch);
  }
}

void RingRewriter::rewriteLoop(const LoopPlan &loopPlan) {
  // Stores first: what they become is then accesses to be waited for.
  for (const StoreRingPlan &store : loopPlan.stores)
    rewriteStore(loopPlan, store);
  Operation *start = nullptr;
  for (const LoadRingPlan &loads : loopPlan.rings)
    start = rewriteLoads(loopPlan, loads, start);
  scf::ForOp loop = loopPlan.loop;
  loop->removeAttr(CarouselDialect::kPipeline);
  if (loopPlan.hasPeeledEpilogue)
    peelEpilogue(loopPlan);
  guards.clear();
}
