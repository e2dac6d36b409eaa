//===- NamedBarriers.cpp - barriers of the threads that share rings -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release by a barrier is left to another barrier where one is next to it,
// and the barriers of roles and warpgroups get named barriers. C162 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "NamedBarriers.h"

#include "../Sync/SyncPositions.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

bool carousel::isByOneThread(TransferOpInterface op) {
  EngineKind kind = op.getEngineAttr().getKind();
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

/// Whether the threads of a scope meet at `op`.
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

/// Whether the threads, after they have met, still know all that the ring's
/// producers need to know once `op` is behind them.
static bool isHarmless(Operation *op, const PlannedRing &planned,
                       const RingBarrierPlan &plan) {
  if (isMemoryEffectFree(op) || isa<RingReleaseOp>(op))
    return true;
  // Who is late would find its phase gone by.
  if (auto wait = dyn_cast<RingWaitOp>(op))
    return wait.getRing() != planned.ring.getRing();
  if (auto produce = dyn_cast<RingProduceOp>(op))
    return produce.getRing() != planned.ring.getRing();
  // What the issuing thread did since, it knows when it fills the slot, and its
  // warp meets it before it helps.
  bool leaderProduces = planned.producers == plan.getThreads(op) &&
                        !planned.cpAsyncArrives && !planned.storesArrive &&
                        !planned.meetsWhenFilled && !planned.groups;
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
/// accesses: the slots are filled, and stored from, in pieces of one size by
/// the same threads, and there are no other accesses.
static bool hasOwnPieces(const PlannedRing &planned,
                         const RingBarrierPlan &plan) {
  int64_t width = 0;
  auto isOwn = [&](OpOperand &use) {
    auto op = dyn_cast<TransferOpInterface>(use.getOwner());
    if (!op || use.get() != op.getTile() || isByOneThread(op))
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

/// Whether a release by a barrier needs none of its own. Either each thread
/// hands its pieces to itself; or all threads met after the last access to the
/// slot and nothing has happened since that the producers don't know of; or
/// they meet again before the ring is produced into, and only a produce relies
/// on a release.
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
  // From the last to the first: a release may rely on a later one that stays,
  // and not on an earlier one that may go.
  SmallVector<RingReleaseOp> releases;
  kernel.walk([&](RingReleaseOp release) {
    if (plan.lookup(release.getRing()).ring.getRelease() !=
        SlotRelease::EmptyBarrier)
      releases.push_back(release);
  });
  for (RingReleaseOp release : llvm::reverse(releases))
    if (isMerged(release, plan))
      plan.mergedReleases.insert(release);
  // Where barriers that stay hand back every slot, no barrier has to.
  for (PlannedRing &planned : plan.rings) {
    if (!planned.hasEmpty || !(planned.producers == planned.consumers))
      continue;
    planned.hasEmpty =
        !llvm::all_of(planned.ring.getRing().getUsers(), [&](Operation *user) {
          auto release = dyn_cast<RingReleaseOp>(user);
          return !release || isMerged(release, plan);
        });
  }
}

/// Whether the threads that fill a use meet behind it before one of them waits
/// for that use: they wait for uses in order, and for earlier ones only.
static bool isMetBeforeWait(RingProduceOp produce, const RingBarrierPlan &plan,
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

void carousel::findMetProduces(gpu::GPUFuncOp kernel, RingBarrierPlan &plan) {
  std::optional<SyncPositions> positions;
  kernel.walk([&](RingProduceOp produce) {
    const PlannedRing &planned = plan.lookup(produce.getRing());
    if (!(planned.producers == planned.consumers) ||
        (!planned.storesArrive && !planned.meetsWhenFilled))
      return;
    // Slots that no barrier hands back: what keeps a phase from going by while
    // a thread still waits for it is that the warp's threads come together
    // before one of them arrives for the next.
    if (planned.hasFull && hasOwnPieces(planned, plan))
      return;
    if (!positions)
      positions.emplace(kernel);
    if (isMetBeforeWait(produce, plan, *positions))
      plan.metProduces.insert(produce);
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
    // What one thread draws the others hear of in a barrier.
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
