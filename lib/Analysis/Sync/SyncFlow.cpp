//===- SyncFlow.cpp - pending accesses through a kernel -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the state, whose operations are all monotone: a join is at most as
// ordered as either side. SyncRegions.cpp follows control flow, and
// SyncConflicts.cpp finds conflicts and the steps that resolve them.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

/// More groups than any wait leaves pending.
static constexpr unsigned kManyGroups = 255;
/// The number of separate boxes. The last one covers all others.
static constexpr unsigned kMostBoxes = 4;

bool PendingAccess::operator==(const PendingAccess &other) const {
  return order == other.order && slot == other.slot &&
         isFromOutside == other.isFromOutside && isFenced == other.isFenced &&
         isReleased == other.isReleased && isWaitedFor == other.isWaitedFor &&
         barrier == other.barrier &&
         barrierSinceDone == other.barrierSinceDone &&
         barrierBeforeDone == other.barrierBeforeDone && seen == other.seen &&
         missed == other.missed && groups == other.groups &&
         barriers == other.barriers &&
         (boxes == other.boxes || *boxes == *other.boxes);
}

bool SyncState::operator==(const SyncState &other) const {
  return isInRole == other.isInRole &&
         llvm::equal(pending, other.pending,
                     [](const Pending &lhs, const Pending &rhs) {
                       return lhs == rhs || *lhs == *rhs;
                     });
}

/// Less than, equal to or greater than 0.
static int compareKeys(const PendingAccess &lhs, const PendingAccess &rhs) {
  if (lhs.order != rhs.order) // mostly
    return lhs.order < rhs.order ? -1 : 1;
  auto getRest = [](const PendingAccess &pending) {
    const IndexPosition &use = pending.slot.use;
    return std::tie(use.terms, use.rest.lo, use.rest.hi, pending.isFromOutside);
  };
  auto mine = getRest(lhs), theirs = getRest(rhs);
  return mine == theirs ? 0 : mine < theirs ? -1 : 1;
}

/// The entry `pending` for changes: a copy if another state shares it.
static PendingAccess &
change(llvm::IntrusiveRefCntPtr<const PendingAccess> &pending) {
  if (pending->UseCount() == 1)
    return const_cast<PendingAccess &>(*pending);
  auto copy = llvm::makeIntrusiveRefCnt<PendingAccess>(*pending);
  pending = copy;
  return *copy;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// Whether all later accesses of the CTA are ordered after it.
bool SyncState::isOver(const PendingAccess &pending) const {
  // Threads of the other role haven't executed a barrier with anyone.
  if (isInRole || pending.isFromOutside)
    return false;
  AccessKind kind = pending.access->kind;
  if (isAsync(kind))
    return pending.isWaitedFor && std::max(pending.barrierSinceDone,
                                           pending.seen) == BarrierScope::CTA;
  if (std::max(pending.barrier, pending.seen) != BarrierScope::CTA)
    return false;
  return kind == AccessKind::GenericRead || !hasEngines ||
         (pending.isFenced && pending.barrierSinceDone == BarrierScope::CTA);
}

void SyncState::dropFinished() {
  llvm::erase_if(pending,
                 [&](const Pending &access) { return isOver(*access); });
}

void SyncState::restoreOrder() {
  // Equal entries aren't in order, either.
  if (std::adjacent_find(pending.begin(), pending.end(),
                         [](const Pending &lhs, const Pending &rhs) {
                           return compareKeys(*lhs, *rhs) >= 0;
                         }) == pending.end())
    return;
  auto places = llvm::to_vector(llvm::seq<size_t>(0, pending.size()));
  llvm::sort(places, [&](size_t lhs, size_t rhs) {
    int order = compareKeys(*pending[lhs], *pending[rhs]);
    return order < 0 || (order == 0 && lhs < rhs);
  });
  std::vector<Pending> joined;
  for (size_t place : places)
    if (!joined.empty() && compareKeys(*joined.back(), *pending[place]) == 0)
      joinInto(joined.back(), *pending[place], /*widen=*/false);
    else
      joined.push_back(std::move(pending[place]));
  pending = std::move(joined);
}

void SyncState::access(Operation *op, unsigned order, const Access &access,
                       BarrierScope seen) {
  auto added = llvm::makeIntrusiveRefCnt<PendingAccess>();
  added->op = op;
  added->access = &access;
  added->order = order;
  added->slot = access.buffer.slot;
  added->seen = seen;
  added->isWaitedFor = isAsync(access.kind) && seen != BarrierScope::None;
  added->boxes = std::make_shared<PendingAccess::Boxes>(1, access.box);
  if (isOver(*added))
    return;
  auto place = llvm::lower_bound(
      pending, *added, [](const Pending &lhs, const PendingAccess &rhs) {
        return compareKeys(*lhs, rhs) < 0;
      });
  if (place != pending.end() && compareKeys(**place, *added) == 0)
    joinInto(*place, *added, /*widen=*/false);
  else
    pending.insert(place, std::move(added));
}

void SyncState::fence(bool shared, bool global) {
  for (Pending &access : pending) {
    if (access->access->kind != AccessKind::GenericWrite || access->isFenced ||
        access->isFromOutside ||
        !(access->access->buffer.isShared ? shared : global))
      continue;
    PendingAccess &fenced = change(access);
    fenced.isFenced = true;
    fenced.barrierSinceDone = BarrierScope::None;
  }
}

void SyncState::waitForStores(GroupWait kind, unsigned left,
                              TransferScope scope) {
  for (Pending &access : pending) {
    AccessKind done = access->access->kind;
    bool covers =
        done == AccessKind::AsyncRead ||
        (done == AccessKind::AsyncWrite && kind == GroupWait::Complete);
    if (!covers || access->isWaitedFor || access->access->scope != scope ||
        access->groups < left || access->isFromOutside)
      continue;
    PendingAccess &waited = change(access);
    waited.isWaitedFor = true;
    waited.barrierSinceDone = BarrierScope::None;
  }
}

void SyncState::submit(TransferScope scope) {
  // Ages aren't part of the keys.
  for (Pending &access : pending)
    if (isAsync(access->access->kind) && access->access->scope == scope)
      change(access).groups = std::min(access->groups + 1, kManyGroups);
}

/// The largest barrier since the access, or since its completion if it has one.
static BarrierScope getBarrierSince(const PendingAccess &access) {
  return isAsync(access.access->kind) ? access.barrierSinceDone
                                      : access.barrier;
}

static void passBarrierSince(PendingAccess &access, BarrierScope scope,
                             unsigned number) {
  // Threads in a role's barrier may be more than those of its scope.
  if (access.isFromOutside) {
    access.barrierBeforeDone = std::max(access.barrierBeforeDone, scope);
    return;
  }
  access.barrier = std::max(access.barrier, scope);
  if (!access.isFenced && !access.isWaitedFor) {
    access.barrierBeforeDone = std::max(access.barrierBeforeDone, scope);
  } else {
    access.barrierSinceDone = std::max(access.barrierSinceDone, scope);
    if (scope >= access.barrierBeforeDone)
      access.barrierBeforeDone = BarrierScope::None;
  }
  if (getBarrierSince(access) >= access.missed)
    access.missed = BarrierScope::None;
  for (unsigned size = 0; size < static_cast<unsigned>(scope); ++size)
    access.barriers[size] = {{number}, access.groups};
}

void SyncState::passBarrier(BarrierScope scope, unsigned number) {
  for (Pending &access : pending)
    passBarrierSince(change(access), scope, number);
  dropFinished();
}

void SyncState::miss(BarrierScope scope) {
  for (Pending &access : pending)
    if (getBarrierSince(*access) < scope && access->missed < scope)
      change(access).missed = scope;
}

void SyncState::release(Value ring, const RingSlot &slot,
                        function_ref<bool(const Buffer &)> isOnlyRefilled) {
  llvm::erase_if(pending, [&](Pending &access) {
    const Buffer &buffer = access->access->buffer;
    if (access->isReleased || buffer.ring != ring || !access->slot.mustBe(slot))
      return false;
    if (access->access->kind == AccessKind::GenericRead &&
        isOnlyRefilled(buffer))
      return true;
    change(access).isReleased = true;
    return false;
  });
}

void SyncState::reuse(Value ring, const RingSlot &slot) {
  llvm::erase_if(pending, [&](const Pending &access) {
    return access->access->buffer.ring == ring && access->slot.mustBe(slot);
  });
}

void SyncState::enterRole() {
  isInRole = true;
  for (Pending &access : pending)
    change(access).isFromOutside = true;
  restoreOrder();
}

void SyncState::leaveRole() {
  isInRole = false;
  for (Pending &access : pending) {
    PendingAccess &left = change(access);
    left.isFromOutside = false;
    left.barrier = left.barrierSinceDone = left.seen = BarrierScope::None;
    left.barriers = {};
  }
  restoreOrder();
}

//===----------------------------------------------------------------------===//
// Joins and edges
//===----------------------------------------------------------------------===//

static void joinBarriers(LastBarriers &into, const LastBarriers &other) {
  into.groups = std::min(into.groups, other.groups);
  into.numbers.append(other.numbers);
  llvm::sort(into.numbers);
  into.numbers.erase(llvm::unique(into.numbers), into.numbers.end());
}

static bool haveSameTerms(const AccessBox &lhs, const AccessBox &rhs) {
  return llvm::all_of(llvm::zip_equal(lhs.first, rhs.first), [](auto pair) {
    return std::get<0>(pair).terms == std::get<1>(pair).terms;
  });
}

/// Boxes in terms of the same values grow together. Others, for example of
/// earlier iterations of an outer loop, stay apart, since their hull would
/// cover too much.
void SyncState::addBox(PendingAccess::Boxes &into, const AccessBox &box,
                       bool widen) {
  if (into.empty()) {
    into.push_back(box);
    return;
  }
  AccessBox &any = into.front();
  if (!any.isKnown() || !box.isKnown() || any.memref != box.memref) {
    any.forget();
    into.resize(1);
    return;
  }
  AccessBox *grown = llvm::find_if(
      into, [&](const AccessBox &mine) { return haveSameTerms(mine, box); });
  if (grown == into.end() && into.size() < kMostBoxes) {
    into.push_back(box);
    return;
  }
  if (grown == into.end())
    grown = &into.back();
  for (auto [mine, theirs] : llvm::zip_equal(grown->first, box.first)) {
    IndexPosition covering = positions->hull(mine, theirs);
    if (widen && covering.rest.lo != mine.rest.lo)
      covering.rest.lo = IndexInterval::kLowest;
    if (widen && covering.rest.hi != mine.rest.hi)
      covering.rest.hi = IndexInterval::kHighest;
    mine = covering;
  }
}

bool SyncState::joinInto(Pending &pending, const PendingAccess &other,
                         bool widen) {
  if (pending.get() == &other || *pending == other)
    return false;
  PendingAccess into = *pending;
  into.isFromOutside |= other.isFromOutside;
  into.isFenced &= other.isFenced;
  into.isReleased &= other.isReleased;
  into.isWaitedFor &= other.isWaitedFor;
  into.barrier = std::min(into.barrier, other.barrier);
  into.barrierSinceDone =
      std::min(into.barrierSinceDone, other.barrierSinceDone);
  into.barrierBeforeDone =
      std::max(into.barrierBeforeDone, other.barrierBeforeDone);
  into.seen = std::min(into.seen, other.seen);
  into.missed = std::max(into.missed, other.missed);
  into.groups = std::min(into.groups, other.groups);
  for (auto [mine, theirs] : llvm::zip(into.barriers, other.barriers))
    joinBarriers(mine, theirs);
  if (into.boxes != other.boxes) {
    PendingAccess::Boxes boxes = *into.boxes;
    for (const AccessBox &box : other.getBoxes())
      addBox(boxes, box, widen);
    if (boxes != *into.boxes)
      into.boxes = std::make_shared<PendingAccess::Boxes>(std::move(boxes));
  }
  if (into == *pending)
    return false;
  pending = llvm::makeIntrusiveRefCnt<PendingAccess>(std::move(into));
  return true;
}

bool SyncState::join(const SyncState &other, bool widen) {
  bool changed = false;
  std::vector<Pending> all;
  all.reserve(std::max(pending.size(), other.pending.size()));
  auto mine = pending.begin();
  for (const Pending &theirs : other.pending) {
    while (mine != pending.end() && compareKeys(**mine, *theirs) < 0)
      all.push_back(std::move(*mine++));
    if (mine == pending.end() || compareKeys(**mine, *theirs) > 0) {
      all.push_back(theirs);
      changed = true;
    } else {
      changed |= joinInto(*mine, *theirs, widen);
      all.push_back(std::move(*mine++));
    }
  }
  std::move(mine, pending.end(), std::back_inserter(all));
  pending = std::move(all);
  return changed;
}

void SyncState::substitute(const PositionMap &slots, const PositionMap &boxes,
                           function_ref<bool(Value)> isGone) {
  // Most accesses don't depend on values of the loop or the branch.
  auto changes = [&](const IndexPosition &position, const PositionMap &map) {
    return llvm::any_of(position.terms, [&](const auto &term) {
      return map.contains(term.first) ||
             (isGone && isGone(positions->getValue(term.first)));
    });
  };
  auto loses = [&](const AccessBox &box) {
    return box.memref && isGone && isGone(box.memref);
  };
  bool keysChanged = false;
  for (Pending &access : pending) {
    const IndexPosition &use = access->slot.use;
    bool isUseChanged = changes(use, slots);
    if (isUseChanged || !(use.rest.isExact() || use.isUnknown())) {
      RingSlot &slot = change(access).slot;
      if (isUseChanged) {
        slot.use = positions->substitute(slot.use, slots, isGone);
        slot.normalize();
      }
      if (!slot.use.rest.isExact())
        slot.use = IndexPosition::unknown();
      keysChanged = true;
    }
    bool isSame = llvm::none_of(access->getBoxes(), [&](const AccessBox &box) {
      return box.isKnown() &&
             (loses(box) || llvm::any_of(box.first, [&](const auto &position) {
                return changes(position, boxes);
              }));
    });
    if (isSame)
      continue;
    PendingAccess::Boxes changed;
    for (AccessBox box : access->getBoxes()) {
      if (loses(box))
        box.forget();
      for (IndexPosition &position : box.first)
        position = positions->substitute(position, boxes, isGone);
      addBox(changed, box, /*widen=*/false);
    }
    change(access).boxes =
        std::make_shared<PendingAccess::Boxes>(std::move(changed));
  }
  if (keysChanged)
    restoreOrder();
}

unsigned SyncState::countGroupsSince(Operation *op) const {
  std::optional<unsigned> fewest;
  for (const PendingAccess &access : getPending())
    if (access.op == op && isAsync(access.access->kind))
      fewest = std::min(fewest.value_or(kManyGroups), access.groups);
  return fewest.value_or(0);
}

bool SyncState::isDone(const Access &access) const {
  return llvm::all_of(getPending(), [&](const PendingAccess &pending) {
    return pending.access != &access || pending.isFenced || pending.isWaitedFor;
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The threads that execute `op` together, under any control flow.
static BarrierScope getCollective(Operation *op) {
  return llvm::TypeSwitch<Operation *, BarrierScope>(op)
      .Case([](gpu::BarrierOp) { return BarrierScope::CTA; })
      .Case<SerializeOp, PassTurnOp, GridTicketOp, SignalOp, WaitSignalOp>(
          [](auto) { return BarrierScope::CTA; })
      .Case<RingSyncOp, RingSubmitOp, RingWaitStoresOp>(
          [](auto op) { return getBarrierScope(op.getScope()); })
      .Case<RingProduceOp, RingWaitOp, RingReleaseOp>(
          [](auto op) { return getBarrierScope(getRingScope(op.getRing())); })
      .Case([](BarrierWarpOp barrier) {
        return barrier.getMask() ? BarrierScope::None : BarrierScope::Warp;
      })
      .Default([](Operation *) { return BarrierScope::None; });
}

SyncKernel::SyncKernel(gpu::GPUFuncOp kernel)
    : kernel(kernel), accesses(kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = ops.size();
    ops.push_back(op);
    if (isEvent(op))
      events[op->getBlock()].push_back(op);
    BarrierScope scope = getCollective(op);
    if (scope == BarrierScope::None)
      return;
    for (Operation *outer = op->getParentOp(); outer != kernel;
         outer = outer->getParentOp()) {
      BarrierScope &known = collective[outer];
      known = std::max(known, scope);
    }
  });
}

/// Arithmetic isn't an event, and is most of a kernel.
bool SyncKernel::isEvent(Operation *op) {
  return op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa_and_nonnull<CarouselDialect>(op->getDialect()) ||
         !isMemoryEffectFree(op) || !accesses.get(op).empty();
}

ArrayRef<Operation *> SyncKernel::getEvents(Block &block) const {
  auto known = events.find(&block);
  if (known == events.end())
    return {};
  return known->second;
}

void SyncKernel::addEvent(Operation *op) {
  std::vector<Operation *> &known = events[op->getBlock()];
  auto place =
      llvm::lower_bound(known, op, [&](Operation *lhs, Operation *rhs) {
        return numbers.lookup(lhs) < numbers.lookup(rhs);
      });
  if (place == known.end() || *place != op)
    known.insert(place, op);
}

bool SyncKernel::isTakenTogether(Operation *op, BarrierScope scope) const {
  // An op that requires all threads of the scope has them.
  if (collective.lookup(op) >= scope)
    return true;
  const UniformValues &uniform = const_cast<SyncKernel *>(this)
                                     ->accesses.getPositions()
                                     .getUniformValues();
  auto areUniform = [&](ValueRange values) {
    return llvm::all_of(values,
                        [&](Value value) { return uniform.contains(value); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::IfOp branch) { return areUniform(branch.getCondition()); })
      .Case([&](scf::IndexSwitchOp branch) {
        return areUniform(branch.getArg());
      })
      .Case([](scf::ExecuteRegionOp) { return true; })
      .Case([&](scf::ForOp loop) {
        return areUniform(
            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      })
      .Case([&](affine::AffineForOp loop) {
        return areUniform(llvm::to_vector(loop.getControlOperands()));
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

SyncFlow::SyncFlow(SyncKernel &kernel, ArrayRef<SyncStep> steps,
                   const SyncOmissions &omitted, Asked asked)
    : kernel(kernel), positions(kernel.accesses.getPositions()), steps(steps),
      omitted(omitted), asked(asked) {
  for (auto [index, step] : llvm::enumerate(steps)) {
    if (omitted.steps.contains(index))
      continue;
    void *place = step.before ? static_cast<void *>(step.before)
                              : static_cast<void *>(step.atEndOf);
    stepsAt[place].push_back(index);
    if (step.before)
      kernel.addEvent(step.before);
  }
  for (auto &[place, indices] : stepsAt)
    llvm::sort(indices, [&](unsigned lhs, unsigned rhs) {
      return std::make_pair(steps[lhs].kind, lhs) <
             std::make_pair(steps[rhs].kind, rhs);
    });
  SyncState state(positions, kernel.accesses.hasEngines());
  visitBlock(kernel.kernel.getBody().front(), state);
}

void SyncFlow::applySteps(ArrayRef<unsigned> indices, SyncState &state) {
  for (unsigned index : indices) {
    const SyncStep &step = steps[index];
    switch (step.kind) {
    case SyncStepKind::WaitStores:
      state.waitForStores(step.wait, step.pending, step.scope);
      break;
    case SyncStepKind::FenceShared:
      state.fence(/*shared=*/true, /*global=*/false);
      break;
    case SyncStepKind::FenceGlobal:
      state.fence(/*shared=*/false, /*global=*/true);
      break;
    case SyncStepKind::Sync:
      // Numbered after the kernel's own barriers.
      state.passBarrier(getBarrierScope(step.scope), kernel.ops.size() + index);
      break;
    }
  }
}

void SyncFlow::visitBlock(Block &block, SyncState &state) {
  for (Operation *op : kernel.getEvents(block))
    visit(op, state);
  auto atEnd = stepsAt.find(&block);
  if (atEnd != stepsAt.end())
    applySteps(atEnd->second, state);
  auto roles = dyn_cast<RingRolesOp>(block.getParentOp());
  if (roles && block.getParent() == &roles.getConsumer())
    checkEnd(nullptr, &block, state);
}

void SyncFlow::visit(Operation *op, SyncState &state) {
  if (conflict)
    return;
  auto before = stepsAt.find(op);
  if (before != stepsAt.end())
    applySteps(before->second, state);
  if (omitted.ops.contains(op)) {
    if (auto sync = dyn_cast<RingSyncOp>(op))
      state.miss(getBarrierScope(sync.getScope()));
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, affine::AffineForOp>([&](auto loop) {
        visitFor(cast<LoopLikeOpInterface>(loop.getOperation()), state);
      })
      .Case<scf::IfOp, affine::AffineIfOp, scf::IndexSwitchOp>(
          [&](auto branch) { visitIf(branch, state); })
      .Case([&](scf::ExecuteRegionOp once) {
        if (once.getRegion().hasOneBlock())
          visitIf(once, state);
        else
          visitRegions(once, state);
      })
      .Case([&](scf::WhileOp loop) { visitWhile(loop, state); })
      .Case([&](RingRolesOp roles) { visitRoles(roles, state); })
      .Case([&](SerializeOp turns) { visitTurn(turns, state); })
      .Case<RingProduceOp, RingSubmitOp>([&](auto) { visitEvent(op, state); })
      .Default([&](Operation *) {
        visitEvent(op, state);
        if (op->getNumRegions() > 0)
          visitRegions(op, state);
      });
}

/// Loads are complete when a thread has waited for them, but their operands are
/// read at once. A permission to others is complete when it is given.
static bool staysPending(Operation *op, const Access &access) {
  if (isa<PassTurnOp, SignalOp>(op) || access.isPermission)
    return false;
  if (isa<RingProduceOp>(op))
    return !access.isTransfer;
  return !access.isForeign || isWrite(access.kind);
}

void SyncFlow::visitWait(RingWaitOp wait, SyncState &state) {
  Value ring = wait.getRing();
  unsigned order = kernel.numbers.lookup(wait) * kAccessesPerOp;
  // The slot was released between its last use and this one.
  if (kernel.accesses.isReleased(ring))
    state.reuse(ring, kernel.accesses.getSlot(ring, wait.getUse()));
  if (const Access *phase = kernel.accesses.getPhaseRead(wait))
    state.access(wait, order++, *phase);
  for (const Access &landed : kernel.accesses.getLanded(wait))
    state.access(wait, order++, landed, getBarrierScope(getRingScope(ring)));
}

/// A ticket is drawn before the barrier. A thread that goes by its number,
/// after fences of its own, may rely on an earlier barrier.
void SyncFlow::checkTicket(const SyncState &state) {
  if (conflict || !looksForConflicts())
    return;
  for (const PendingAccess &from : state.getPending())
    if (!from.access->buffer.isShared && !isAsync(from.access->kind) &&
        from.missed != BarrierScope::None) {
      conflict.emplace();
      return;
    }
}

void SyncFlow::visitEvent(Operation *op, SyncState &state) {
  unsigned number = kernel.numbers.lookup(op);
  // All threads get the answer that one has found, by a barrier after it.
  auto wait = dyn_cast<WaitSignalOp>(op);
  BarrierScope seen = BarrierScope::None;
  if (wait && wait.getReached()) {
    seen = BarrierScope::CTA;
    state.passBarrier(seen, number);
  }
  llvm::TypeSwitch<Operation *>(op)
      // All threads get the number that one has drawn.
      .Case(
          [&](gpu::BarrierOp) { state.passBarrier(BarrierScope::CTA, number); })
      .Case([&](GridTicketOp) {
        checkTicket(state);
        state.passBarrier(BarrierScope::CTA, number);
      })
      .Case([&](BarrierWarpOp barrier) {
        if (!barrier.getMask())
          state.passBarrier(BarrierScope::Warp, number);
      })
      .Case([&](RingSyncOp sync) {
        state.passBarrier(getBarrierScope(sync.getScope()), number);
      })
      .Case([&](FenceProxyOp fence) {
        ProxyKind proxy = fence.getProxy();
        state.fence(
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncSharedCTA,
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncGlobal);
      })
      .Case([&](RingWaitStoresOp storeWait) {
        state.waitForStores(storeWait.getKind(), storeWait.getPending(),
                            storeWait.getScope());
      })
      .Case([&](RingWaitOp wait) { visitWait(wait, state); })
      .Case([&](RingReleaseOp release) {
        checkRelease(release, state);
        Value ring = release.getRing();
        state.release(ring, kernel.accesses.getSlot(ring, release.getUse()),
                      [&](const Buffer &buffer) {
                        return kernel.accesses.isOnlyRefilled(buffer);
                      });
      })
      .Case([&](gpu::ReturnOp) { checkEnd(op, nullptr, state); })
      .Default([&](Operation *) {
        ArrayRef<Access> accesses = kernel.accesses.get(op);
        // A wait for a signal orders others' accesses before later ones. What
        // others may access again has been released by an earlier signal.
        if (!wait)
          for (const Access &access : accesses)
            check(op, access, state);
        if (auto submit = dyn_cast<RingSubmitOp>(op))
          state.submit(submit.getScope());
        for (auto [index, access] : llvm::enumerate(accesses))
          if (staysPending(op, access))
            state.access(op, number * kAccessesPerOp + index, access, seen);
      });
}
