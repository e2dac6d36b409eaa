//===- SyncState.cpp - pending accesses -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncState.h. All operations are monotone: a join is at most as ordered as
// either side.
//
//===----------------------------------------------------------------------===//

#include "SyncState.h"

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
