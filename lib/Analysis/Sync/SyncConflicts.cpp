//===- SyncConflicts.cpp - steps that order two accesses ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of SyncFlow.h that knows the memory model (docs/MemoryModel.md).
// Each pair of accesses needs these steps:
//
// - A generic access before one of other threads: a barrier.
// - A generic write before one of an engine: a fence by the writers, then a
//   barrier. After a wait for the write, a fence by the thread that issues.
// - An engine's access before one of the same issuer: the issuer waits for its
//   stores.
// - An engine's access before one of another thread: its issuer waits, then a
//   barrier.
//
// A transfer of a warp or warpgroup is ordered with its own threads. It is
// ordered with others if the kernel has a barrier of more threads, and by that
// barrier: the issuer waits before it.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

using namespace mlir;
using namespace carousel;

static TransferScope getScope(BarrierScope scope) {
  return scope == BarrierScope::Warp        ? TransferScope::Warp
         : scope == BarrierScope::Warpgroup ? TransferScope::Warpgroup
                                            : TransferScope::CTA;
}

//===----------------------------------------------------------------------===//
// Accesses in conflict
//===----------------------------------------------------------------------===//

/// Whether the two boxes are known to have no common element. Both are of one
/// scope, or of two scopes, which may differ in values that aren't the same in
/// all threads.
static bool areApart(SyncPositions &positions, const AccessBox &lhs,
                     const AccessBox &rhs, bool byOthers) {
  if (!lhs.isKnown() || !rhs.isKnown() || lhs.memref != rhs.memref ||
      (byOthers && !positions.getUniformValues().contains(lhs.memref)))
    return false;
  // Boxes that different transfers compute in their own way aren't compared.
  unsigned dims = cast<MemRefType>(lhs.memref.getType()).getRank();
  if (lhs.transfer && lhs.transfer == rhs.transfer && !byOthers)
    dims = lhs.first.size();
  for (unsigned dim = 0; dim < dims; ++dim) {
    IndexPosition from = lhs.first[dim], to = rhs.first[dim];
    if (byOthers) {
      from = positions.getUniform(from);
      to = positions.getUniform(to);
    }
    IndexInterval distance = positions.subtract(to, from);
    if (distance.lo >= lhs.extents[dim] || distance.hi <= -rhs.extents[dim])
      return true;
  }
  return false;
}

/// Whether a load that runs ahead may overtake the store: the planner of rings
/// has compared it with the stores of its loop. Stores of an earlier execution
/// of the loop are ordered before its first loads.
static bool isOvertaken(Operation *from, Operation *toOp, const Access &to) {
  auto produce = dyn_cast<RingProduceOp>(toOp);
  auto load = dyn_cast_or_null<RingLoadOp>(to.box.transfer);
  if (!produce || !load || !load.getIndependent() || !produce.getAhead() ||
      !isa<RingSubmitOp>(from))
    return false;
  auto loop = produce->getParentOfType<scf::ForOp>();
  return loop && loop->isProperAncestor(from);
}

bool SyncFlow::needsOrder(const PendingAccess &from, Operation *toOp,
                          const Access &to, bool byOthers) const {
  const Access &access = *from.access;
  if (!isWrite(access.kind) && !isWrite(to.kind))
    return false;
  if (!access.buffer.mayBe(from.slot, to.buffer) ||
      (access.isForeign && to.isForeign && !to.isPermission))
    return false;
  if (access.reduction && access.reduction == to.reduction)
    return false;
  if (!byOthers && isOvertaken(from.op, toOp, to))
    return false;
  // Turns release their accesses to later turns, and only this kernel writes.
  if (access.isOfTurns && !kernel.accesses.isWrittenInTurns(to.buffer))
    return false;
  if (to.isOfTurns && (!toOp->getParentOp()->isAncestor(from.op) ||
                       !kernel.accesses.isWrittenInTurns(access.buffer)))
    return false;
  if (to.isRefill && from.isReleased && !isAsync(access.kind))
    return false;
  return llvm::any_of(from.getBoxes(), [&](const AccessBox &box) {
    return !areApart(positions, box, to.box, byOthers);
  });
}

/// The smallest barrier between two accesses, at least one of them by a
/// transfer: that of the transfer's scope.
static BarrierScope getNeededBarrier(const Access &from, const Access &to) {
  if (to.isForeign || from.isTransfer == to.isTransfer)
    return std::max(getBarrierScope(from.scope), getBarrierScope(to.scope));
  return getBarrierScope(from.isTransfer ? from.scope : to.scope);
}

/// Whether one thread, which issues engines' copies for a scope, issues both
/// accesses, if the same threads make them.
static bool haveSameIssuer(const PendingAccess &from, const Access &to) {
  auto isByIssuer = [](const Access &access) {
    return isAsync(access.kind) || access.isByIssuer;
  };
  return isByIssuer(*from.access) && isByIssuer(to) &&
         from.access->scope == to.scope && !from.isFromOutside;
}

static bool needsFence(const PendingAccess &from, const Access &to) {
  return from.access->kind == AccessKind::GenericWrite &&
         (isAsync(to.kind) || to.isByAsyncProxy);
}

static bool isOrdered(const PendingAccess &from, const Access &to,
                      BarrierScope needed) {
  // One thread makes both.
  if (from.access->isByIssuer && to.isByIssuer && haveSameIssuer(from, to))
    return true;
  if (isAsync(from.access->kind))
    return from.isWaitedFor &&
           (haveSameIssuer(from, to) ||
            std::max(from.barrierSinceDone, from.seen) >= needed);
  if (needsFence(from, to))
    return from.isFenced &&
           (haveSameIssuer(from, to) || from.access->isAcquired ||
            from.barrierSinceDone >= needed);
  return std::max(from.barrier, from.seen) >= needed;
}

/// Whether a barrier already separates other threads from the engine's access,
/// although the access may continue after this barrier.
static bool isOutlasting(const PendingAccess &from, BarrierScope needed) {
  return isAsync(from.access->kind) && from.barrierBeforeDone > needed;
}

void SyncFlow::check(Operation *op, const Access &access,
                     const SyncState &state) {
  if (!looksForConflicts())
    return;
  for (const PendingAccess &from : state.getPending()) {
    BarrierScope needed = getNeededBarrier(*from.access, access);
    if (needed < BarrierScope::CTA &&
        needsOrder(from, op, access, /*byOthers=*/true)) {
      if (isOutlasting(from, needed))
        resolve(op, from, access, from.barrierBeforeDone, /*byOthers=*/true);
      if (from.missed > needed)
        conflict.emplace();
    }
    // The kernel itself orders accesses that threads make. Two of them are in
    // conflict if the flow ignores this order.
    bool isOfThreads =
        access.isPermission || (!from.access->isTransfer && !access.isTransfer);
    if (!needsOrder(from, op, access, /*byOthers=*/isOfThreads))
      continue;
    if (isOfThreads && from.missed != BarrierScope::None)
      conflict.emplace();
    if (!isOfThreads && !isOrdered(from, access, needed))
      resolve(op, from, access, needed, /*byOthers=*/false);
  }
}

//===----------------------------------------------------------------------===//
// Steps that resolve a conflict
//===----------------------------------------------------------------------===//

SyncStep SyncFlow::getBarrierPlace(unsigned number) const {
  SyncStep place;
  if (number >= kernel.ops.size()) {
    const SyncStep &planned = steps[number - kernel.ops.size()];
    place.before = planned.before;
    place.atEndOf = planned.atEndOf;
    return place;
  }
  place.before = kernel.ops[number];
  return place;
}

const SyncState *SyncFlow::findBefore(Operation *anchor) const {
  for (const auto &[op, before] : around)
    if (op == anchor)
      return &before;
  return nullptr;
}

void SyncFlow::resolve(Operation *op, const PendingAccess &from,
                       const Access &to, BarrierScope needed, bool byOthers) {
  if (conflict)
    return;
  conflict.emplace();
  if (asked == Asked::Whether)
    return;
  SyncStep step;
  step.from = from.op;
  step.to = op;
  step.buffer = kernel.accesses.describe(
      from.access->buffer.number != 0 ? from.access->buffer : to.buffer);
  step.scope = getScope(needed);
  SyncStep storeWait = step;
  storeWait.kind = SyncStepKind::WaitStores;
  storeWait.scope = from.access->scope;
  storeWait.wait = from.access->kind == AccessKind::AsyncRead
                       ? GroupWait::Read
                       : GroupWait::Complete;
  SyncStep fence = step;
  fence.kind = to.buffer.isShared ? SyncStepKind::FenceShared
                                  : SyncStepKind::FenceGlobal;
  bool waitsForStores = isAsync(from.access->kind) && !from.isWaitedFor;
  bool fences = needsFence(from, to);
  bool isAlone = (haveSameIssuer(from, to) && !byOthers) ||
                 (fences && from.access->isAcquired);

  // An existing barrier serves both. For fences it is the barrier of most
  // threads: the writers may be others than the issuers.
  LastBarriers barriers = from.getBarriers(needed);
  if (fences && from.barrierBeforeDone > needed &&
      !from.getBarriers(from.barrierBeforeDone).numbers.empty())
    barriers = from.getBarriers(from.barrierBeforeDone);
  // A wait that came too late for other threads is repeated.
  bool isTooLate = byOthers && !barriers.numbers.empty();
  waitsForStores |= isTooLate;
  bool hasBarrier =
      (isTooLate || from.barrier >= needed) && !from.isFromOutside;
  if (hasBarrier && (fences || waitsForStores) && !isAlone) {
    for (unsigned number : barriers.numbers) {
      SyncStep &added =
          conflict->steps.emplace_back(waitsForStores ? storeWait : fence);
      SyncStep place = getBarrierPlace(number);
      added.before = place.before;
      added.atEndOf = place.atEndOf;
      added.pending = waitsForStores ? barriers.groups : 0;
    }
    return;
  }

  // Before the access, and before ops that not all threads of the scope enter,
  // or that they enter repeatedly.
  Operation *anchor = op;
  bool isInside = from.isFromOutside;
  for (const auto &[outer, before] : llvm::reverse(around)) {
    if (isa<RingRolesOp>(outer)) {
      if (!std::exchange(isInside, false))
        break;
      anchor = outer;
      continue;
    }
    if (isInside)
      continue;
    bool holdsBoth = outer->isAncestor(from.op);
    // A turn contains nothing that can be done before it.
    if (isa<LoopLikeOpInterface, SerializeOp>(outer) && !holdsBoth) {
      anchor = outer;
      continue;
    }
    if (kernel.isTakenTogether(outer, needed))
      continue;
    if (holdsBoth) {
      conflict->fault = SyncFault{
          SyncFaultKind::Parted, op, from.op, outer, step.scope, step.buffer};
      return;
    }
    anchor = outer;
  }
  step.before = storeWait.before = fence.before = anchor;
  storeWait.pending = from.groups;
  fences &= !from.isFenced;
  // A wait or a fence between this place and the access is too late.
  if (const SyncState *before = findBefore(anchor)) {
    bool isOpen = !before->isDone(*from.access);
    storeWait.pending = before->countGroupsSince(from.op);
    waitsForStores |= isAsync(from.access->kind) && isOpen;
    fences |= needsFence(from, to) && isOpen;
  }
  if (waitsForStores)
    conflict->steps.push_back(storeWait);
  if (fences)
    conflict->steps.push_back(fence);
  if (!isAlone)
    conflict->steps.push_back(step);
}

//===----------------------------------------------------------------------===//
// Released slots, and the end
//===----------------------------------------------------------------------===//

void SyncFlow::checkRelease(RingReleaseOp release, const SyncState &state) {
  if (conflict || !looksForConflicts())
    return;
  Value ring = release.getRing();
  RingSlot slot = kernel.accesses.getSlot(ring, release.getUse());
  for (const PendingAccess &from : state.getPending()) {
    const Buffer &buffer = from.access->buffer;
    if (buffer.ring != ring || !from.slot.mayBe(slot))
      continue;
    SyncStep step;
    step.before = release;
    step.from = from.op;
    step.to = release;
    step.scope = from.access->scope;
    step.kind = SyncStepKind::FenceShared;
    bool isDone = true;
    if (from.access->kind == AccessKind::AsyncRead) {
      // The issuer also releases the slot, so no barrier is needed. It may fill
      // the slot itself, and wait right before that.
      isDone = from.isWaitedFor || !kernel.accesses.hasProducers(ring);
      step.kind = SyncStepKind::WaitStores;
      step.pending = from.groups;
    } else if (from.access->kind == AccessKind::GenericWrite) {
      isDone =
          from.isFenced || !kernel.accesses.isFilledByEngine(ring, buffer.tile);
    }
    if (isDone)
      continue;
    step.buffer = kernel.accesses.describe(buffer);
    conflict = {{step}, std::nullopt};
    return;
  }
}

void SyncFlow::checkEnd(Operation *before, Block *atEndOf,
                        const SyncState &state) {
  if (conflict || !looksForConflicts())
    return;
  for (const PendingAccess &from : state.getPending()) {
    if (from.access->kind != AccessKind::AsyncRead || from.isWaitedFor ||
        from.isFromOutside)
      continue;
    SyncStep step;
    step.kind = SyncStepKind::WaitStores;
    step.before = before;
    step.atEndOf = atEndOf;
    step.pending = from.groups;
    step.scope = from.access->scope;
    step.from = from.op;
    step.buffer = kernel.accesses.describe(from.access->buffer);
    conflict = {{step}, std::nullopt};
    return;
  }
}
