//===- NamedBarriers.cpp - barriers of the threads that share rings -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges a release by a barrier with an adjacent barrier, and assigns named
// barriers to the barriers of roles and warpgroups. C162 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "NamedBarriers.h"

#include "../../Sync/SyncPositions.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

bool carousel::isByOneThread(TransferOpInterface op) {
  EngineKind kind = op.getEngineAttr().getKind();
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

/// Whether `op` is a barrier of the threads of a scope.
static bool isThreadBarrier(Operation *op, TransferScope scope,
                            const RingBarrierPlan &plan) {
  if (isa<gpu::BarrierOp>(op))
    return true; // C163: not in a role
  if (auto barrier = dyn_cast<BarrierWarpOp>(op))
    return scope == TransferScope::Warp && !barrier.getMask();
  TransferScope other;
  if (auto sync = dyn_cast<RingSyncOp>(op))
    other = sync.getScope();
  else if (auto release = dyn_cast<RingReleaseOp>(op)) {
    if (plan.mergedReleases.contains(op) ||
        plan.lookup(release.getRing()).ring.getRelease() ==
            SlotRelease::EmptyBarrier)
      return false;
    other = plan.lookup(release.getRing()).ring.getScope();
  } else {
    return false;
  }
  return other == scope || other == TransferScope::CTA;
}

/// Whether the barrier of the threads still covers what the ring's producers
/// need to know, although `op` follows it.
static bool isHarmless(Operation *op, const PlannedRing &planned,
                       const RingBarrierPlan &plan) {
  if (isMemoryEffectFree(op) || isa<RingReleaseOp>(op))
    return true;
  // A late thread could miss the phase of this wait.
  if (auto wait = dyn_cast<RingWaitOp>(op))
    return wait.getRing() != planned.ring.getRing();
  if (auto produce = dyn_cast<RingProduceOp>(op))
    return produce.getRing() != planned.ring.getRing();
  // The issuing thread knows of its own later accesses when it fills the slot,
  // and a barrier of its warp precedes the help of other threads.
  bool leaderProduces = planned.producers == plan.getThreads(op) &&
                        !planned.cpAsyncArrives && !planned.storesArrive &&
                        !planned.syncsWarpWhenFilled && !planned.groups;
  if (auto storeWait = dyn_cast<RingWaitStoresOp>(op))
    return leaderProduces && storeWait.getScope() == planned.ring.getScope();
  auto submit = dyn_cast<RingSubmitOp>(op);
  if (!submit || !leaderProduces ||
      submit.getScope() != planned.ring.getScope())
    return false;
  WalkResult result = submit.walk([](RingStoreOp store) {
    return isByOneThread(store) ? WalkResult::advance()
                                : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether each thread fills pieces of the ring's slots that no other thread
/// accesses: the same threads fill and store the slots in pieces of one size,
/// and there are no other accesses.
static bool hasOwnPieces(const PlannedRing &planned,
                         const RingBarrierPlan &plan) {
  int64_t width = 0;
  auto isOwn = [&](OpOperand &use) {
    auto op = dyn_cast<TransferOpInterface>(use.getOwner());
    if (!op || use.get() != op.getTile() || isByOneThread(op))
      return false;
    auto shape = plan.shapes.find(op);
    if (shape == plan.shapes.end() || copiesGranules(op, shape->second))
      return false;
    int64_t own = op.getEngineAttr().getWidth();
    if (width == 0)
      width = own;
    if (auto submit = op->getParentOfType<RingSubmitOp>())
      return own == width && submit.getScope() == planned.ring.getScope() &&
             plan.getThreads(submit) == planned.producers;
    auto produce = op->getParentOfType<RingProduceOp>();
    return own == width && produce.getRing() == planned.ring.getRing();
  };
  bool isFilled = false;
  for (Operation *user : planned.ring.getRing().getUsers()) {
    if (auto tile = dyn_cast<RingTileOp>(user);
        tile && !llvm::all_of(tile.getTile().getUses(), isOwn))
      return false;
    auto produce = dyn_cast<RingProduceOp>(user);
    if (!produce)
      continue;
    WalkResult result = produce.walk([&](RingLoadOp load) {
      auto tile = load.getTile().getDefiningOp<RingTileOp>();
      isFilled = true;
      return tile && tile.getRing() == planned.ring.getRing()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
  }
  return isFilled;
}

/// Whether a release by a barrier needs no barrier of its own. There are three
/// cases. Each thread releases its pieces to itself. Or a barrier follows the
/// last access to the slot, and no later op matters to the producers. Or a
/// barrier comes before the ring's next produce, the only op that relies on a
/// release.
static bool isMerged(RingReleaseOp release, const RingBarrierPlan &plan) {
  const PlannedRing &planned = plan.lookup(release.getRing());
  RingCreateOp ring = planned.ring;
  if (hasOwnPieces(planned, plan))
    return true;
  for (Operation *op = release->getPrevNode(); op; op = op->getPrevNode()) {
    if (!isa<RingReleaseOp>(op) && isThreadBarrier(op, ring.getScope(), plan))
      return true;
    if (!isHarmless(op, planned, plan))
      break;
  }
  for (Operation *op = release->getNextNode(); op; op = op->getNextNode()) {
    if (isThreadBarrier(op, ring.getScope(), plan))
      return true;
    WalkResult result = op->walk([&](RingProduceOp produce) {
      return produce.getRing() == ring.getRing() ? WalkResult::interrupt()
                                                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return false;
}

void carousel::mergeReleases(gpu::GPUFuncOp kernel, RingBarrierPlan &plan) {
  // From last to first: a release may rely on a later one that stays, and not
  // on an earlier one that may be removed.
  SmallVector<RingReleaseOp> releases;
  kernel.walk([&](RingReleaseOp release) {
    if (plan.lookup(release.getRing()).ring.getRelease() !=
        SlotRelease::EmptyBarrier)
      releases.push_back(release);
  });
  for (RingReleaseOp release : llvm::reverse(releases))
    if (isMerged(release, plan))
      plan.mergedReleases.insert(release);
  // If the remaining barriers release every slot, no mbarrier has to. They say
  // nothing to other CTAs.
  for (PlannedRing &planned : plan.rings) {
    if (!planned.hasEmpty || planned.ctas != 1 ||
        !(planned.producers == planned.consumers))
      continue;
    planned.hasEmpty =
        !llvm::all_of(planned.ring.getRing().getUsers(), [&](Operation *user) {
          auto release = dyn_cast<RingReleaseOp>(user);
          return !release || isMerged(release, plan);
        });
  }
}

/// Whether a barrier follows the fill of a use before a thread waits for that
/// use. Threads wait for uses in order, and only for earlier ones.
static bool isSynchronizedBeforeWait(RingProduceOp produce,
                                     const RingBarrierPlan &plan,
                                     SyncPositions &positions) {
  TransferScope scope = plan.lookup(produce.getRing()).ring.getScope();
  auto isEarlier = [&](RingWaitOp wait) {
    return positions
               .subtract(positions.get(produce.getUse()),
                         positions.get(wait.getUse()))
               .lo > 0;
  };
  for (Operation *op = produce;; op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next;
         next = next->getNextNode()) {
      if (isThreadBarrier(next, scope, plan))
        return true;
      WalkResult result = next->walk([&](RingWaitOp wait) {
        return wait.getRing() != produce.getRing() ||
                       (wait == next && isEarlier(wait))
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return false;
    }
    if (!isa<scf::IfOp>(op->getParentOp()))
      return false;
  }
}

void carousel::findSynchronizedProduces(gpu::GPUFuncOp kernel,
                                        RingBarrierPlan &plan) {
  std::optional<SyncPositions> positions;
  kernel.walk([&](RingProduceOp produce) {
    const PlannedRing &planned = plan.lookup(produce.getRing());
    if (!(planned.producers == planned.consumers) ||
        (!planned.storesArrive && !planned.syncsWarpWhenFilled))
      return;
    // No barrier releases these slots. A phase can't pass while a thread still
    // waits for it, because the warp's threads reconverge before one of them
    // arrives for the next phase.
    if (planned.hasFull && hasOwnPieces(planned, plan))
      return;
    if (!positions)
      positions.emplace(kernel);
    if (isSynchronizedBeforeWait(produce, plan, *positions))
      plan.synchronizedProduces.insert(produce);
  });
}

/// C162: the barriers of roles and warpgroups are named barriers.
LogicalResult carousel::planNamedBarriers(gpu::GPUFuncOp kernel,
                                          RingBarrierPlan &plan) {
  int64_t next = 1; // 0 is that of gpu.barrier
  auto assign = [&](Operation *op, TransferScope scope) -> LogicalResult {
    ThreadRange range = plan.getThreads(op);
    if (scope == TransferScope::Warp ||
        (scope == TransferScope::CTA && range.count == plan.threads) ||
        plan.getNamedBarriers(range, scope))
      return success();
    NamedBarriers barriers{next, getScopeInstances(range, scope)};
    next += barriers.count;
    if (next > rules::kNamedBarriers)
      return op->emitOpError("expected at most ")
             << rules::kNamedBarriers - 1
             << " named barriers for roles and warpgroups, got " << next - 1;
    plan.namedBarriers.emplace_back(ScopeKey(range, scope), barriers);
    return success();
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto sync = dyn_cast<RingSyncOp>(op))
      return WalkResult(assign(op, sync.getScope()));
    // A barrier tells the other threads what one thread has drawn.
    if (isa<GridTicketOp>(op))
      return WalkResult(assign(op, TransferScope::CTA));
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      RingCreateOp ring = plan.lookup(release.getRing()).ring;
      if (ring.getRelease() != SlotRelease::EmptyBarrier &&
          !plan.mergedReleases.contains(op))
        return WalkResult(assign(op, ring.getScope()));
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
