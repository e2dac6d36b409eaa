//===- SyncState.cpp - accesses that something may have to wait for -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncState.h. All of it is monotone: a join is at most as ordered as
// either side.
//
//===----------------------------------------------------------------------===//

#include "SyncState.h"

using namespace mlir;
using namespace carousel;

/// More groups than anybody leaves pending.
static constexpr unsigned kManyGroups = 255;
/// Boxes that are kept apart; further ones are covered by the last.
static constexpr unsigned kMostBoxes = 4;

bool PendingAccess::operator==(const PendingAccess &other) const {
  return order == other.order && slot == other.slot &&
         isFromOutside == other.isFromOutside && isFenced == other.isFenced &&
         isHandedBack == other.isHandedBack && isDrained == other.isDrained &&
         met == other.met && metSinceDone == other.metSinceDone &&
         metBeforeDone == other.metBeforeDone && seen == other.seen &&
         groups == other.groups && meetings == other.meetings &&
         (boxes == other.boxes || *boxes == *other.boxes);
}

static auto getKey(const PendingAccess &pending) {
  const IndexPosition &use = pending.slot.use;
  return std::tie(pending.order, use.terms, use.rest.lo, use.rest.hi,
                  pending.isFromOutside);
}

static bool comesBefore(const PendingAccess &lhs, const PendingAccess &rhs) {
  return getKey(lhs) < getKey(rhs);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// Whether nothing in the CTA can come before it any more.
bool SyncState::isOver(const PendingAccess &pending) const {
  // Threads of the other role haven't met anybody.
  if (isInRole || pending.isFromOutside)
    return false;
  AccessKind kind = pending.access->kind;
  if (isAsync(kind))
    return pending.isDrained &&
           std::max(pending.metSinceDone, pending.seen) == Meet::CTA;
  if (std::max(pending.met, pending.seen) != Meet::CTA)
    return false;
  return kind == AccessKind::GenericRead || !hasEngines ||
         (pending.isFenced && pending.metSinceDone == Meet::CTA);
}

void SyncState::dropFinished() {
  llvm::erase_if(pending,
                 [&](const PendingAccess &access) { return isOver(access); });
}

void SyncState::restoreOrder() {
  if (llvm::is_sorted(pending, comesBefore) &&
      std::adjacent_find(pending.begin(), pending.end(),
                         [](const auto &lhs, const auto &rhs) {
                           return getKey(lhs) == getKey(rhs);
                         }) == pending.end())
    return;
  auto places = llvm::to_vector(llvm::seq<size_t>(0, pending.size()));
  llvm::sort(places, [&](size_t lhs, size_t rhs) {
    return comesBefore(pending[lhs], pending[rhs]) ||
           (lhs < rhs && !comesBefore(pending[rhs], pending[lhs]));
  });
  std::vector<PendingAccess> joined;
  for (size_t place : places)
    if (!joined.empty() && getKey(joined.back()) == getKey(pending[place]))
      joinInto(joined.back(), pending[place], /*widen=*/false);
    else
      joined.push_back(std::move(pending[place]));
  pending = std::move(joined);
}

void SyncState::access(Operation *op, unsigned order, const Access &access,
                       Meet seen) {
  PendingAccess added;
  added.op = op;
  added.access = &access;
  added.order = order;
  added.slot = access.buffer.slot;
  added.seen = seen;
  added.isDrained = isAsync(access.kind) && seen != Meet::Nobody;
  added.boxes = std::make_shared<PendingAccess::Boxes>(1, access.box);
  if (isOver(added))
    return;
  auto place = llvm::lower_bound(pending, added, comesBefore);
  if (place != pending.end() && getKey(*place) == getKey(added))
    joinInto(*place, added, /*widen=*/false);
  else
    pending.insert(place, std::move(added));
}

void SyncState::fence(bool shared, bool global) {
  for (PendingAccess &access : pending)
    if (access.access->kind == AccessKind::GenericWrite && !access.isFenced &&
        !access.isFromOutside &&
        (access.access->buffer.isShared ? shared : global)) {
      access.isFenced = true;
      access.metSinceDone = Meet::Nobody;
    }
}

void SyncState::drain(GroupWait kind, unsigned left, TransferScope scope) {
  for (PendingAccess &access : pending) {
    AccessKind done = access.access->kind;
    bool covers =
        done == AccessKind::AsyncRead ||
        (done == AccessKind::AsyncWrite && kind == GroupWait::Complete);
    if (!covers || access.isDrained || access.access->scope != scope ||
        access.groups < left || access.isFromOutside)
      continue;
    access.isDrained = true;
    access.metSinceDone = Meet::Nobody;
  }
}

void SyncState::submit(TransferScope scope) {
  // Ages are no part of the keys.
  for (PendingAccess &access : pending)
    if (isAsync(access.access->kind) && access.access->scope == scope)
      access.groups = std::min(access.groups + 1, kManyGroups);
}

void SyncState::meet(Meet meet, unsigned number) {
  for (PendingAccess &access : pending) {
    // Those who meet in a role may have more to do with it than its scope.
    if (access.isFromOutside) {
      access.metBeforeDone = std::max(access.metBeforeDone, meet);
      continue;
    }
    access.met = std::max(access.met, meet);
    if (!access.isFenced && !access.isDrained) {
      access.metBeforeDone = std::max(access.metBeforeDone, meet);
    } else {
      access.metSinceDone = std::max(access.metSinceDone, meet);
      if (meet >= access.metBeforeDone)
        access.metBeforeDone = Meet::Nobody;
    }
    for (unsigned size = 0; size < static_cast<unsigned>(meet); ++size)
      access.meetings[size] = {{number}, access.groups};
  }
  dropFinished();
}

void SyncState::handBack(Value ring, const RingSlot &slot) {
  for (PendingAccess &access : pending)
    access.isHandedBack |=
        access.access->buffer.ring == ring && access.slot.mustBe(slot);
}

void SyncState::reuse(Value ring, const RingSlot &slot) {
  llvm::erase_if(pending, [&](const PendingAccess &access) {
    return access.access->buffer.ring == ring && access.slot.mustBe(slot);
  });
}

void SyncState::enterRole() {
  isInRole = true;
  for (PendingAccess &access : pending)
    access.isFromOutside = true;
  restoreOrder();
}

void SyncState::leaveRole() {
  isInRole = false;
  for (PendingAccess &access : pending) {
    access.isFromOutside = false;
    access.met = access.metSinceDone = access.seen = Meet::Nobody;
    access.meetings = {};
  }
  restoreOrder();
}

//===----------------------------------------------------------------------===//
// Joins and edges
//===----------------------------------------------------------------------===//

static void joinMeetings(LastMeetings &into, const LastMeetings &other) {
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

/// Boxes in terms of the same values grow together; others, those of earlier
/// iterations of an outer loop for one, would cover too much if they did.
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

bool SyncState::joinInto(PendingAccess &into, const PendingAccess &other,
                         bool widen) {
  PendingAccess before = into;
  into.isFromOutside |= other.isFromOutside;
  into.isFenced &= other.isFenced;
  into.isHandedBack &= other.isHandedBack;
  into.isDrained &= other.isDrained;
  into.met = std::min(into.met, other.met);
  into.metSinceDone = std::min(into.metSinceDone, other.metSinceDone);
  into.metBeforeDone = std::max(into.metBeforeDone, other.metBeforeDone);
  into.seen = std::min(into.seen, other.seen);
  into.groups = std::min(into.groups, other.groups);
  for (auto [mine, theirs] : llvm::zip(into.meetings, other.meetings))
    joinMeetings(mine, theirs);
  if (into.boxes != other.boxes) {
    PendingAccess::Boxes boxes = *into.boxes;
    for (const AccessBox &box : other.getBoxes())
      addBox(boxes, box, widen);
    if (boxes != *into.boxes)
      into.boxes = std::make_shared<PendingAccess::Boxes>(std::move(boxes));
  }
  return !(into == before);
}

bool SyncState::join(const SyncState &other, bool widen) {
  bool changed = false;
  std::vector<PendingAccess> added;
  auto mine = pending.begin();
  for (const PendingAccess &theirs : other.pending) {
    while (mine != pending.end() && comesBefore(*mine, theirs))
      ++mine;
    if (mine == pending.end() || comesBefore(theirs, *mine))
      added.push_back(theirs);
    else
      changed |= joinInto(*mine, theirs, widen);
  }
  if (added.empty())
    return changed;
  std::vector<PendingAccess> all;
  all.reserve(pending.size() + added.size());
  std::merge(std::make_move_iterator(pending.begin()),
             std::make_move_iterator(pending.end()),
             std::make_move_iterator(added.begin()),
             std::make_move_iterator(added.end()), std::back_inserter(all),
             comesBefore);
  pending = std::move(all);
  return true;
}

void SyncState::substitute(const PositionMap &slots, const PositionMap &boxes,
                           function_ref<bool(Value)> isGone) {
  // Most accesses have nothing to do with the values of the loop or the branch.
  auto changes = [&](const IndexPosition &position, const PositionMap &map) {
    return llvm::any_of(position.terms, [&](const auto &term) {
      return map.contains(term.first) ||
             (isGone && isGone(positions->getValue(term.first)));
    });
  };
  auto loses = [&](const AccessBox &box) {
    return box.memref && isGone && isGone(box.memref);
  };
  for (PendingAccess &access : pending) {
    RingSlot &slot = access.slot;
    if (changes(slot.use, slots)) {
      slot.use = positions->substitute(slot.use, slots, isGone);
      slot.normalize();
    }
    if (!slot.use.rest.isExact())
      slot.use = IndexPosition::unknown();
    bool isSame = llvm::none_of(access.getBoxes(), [&](const AccessBox &box) {
      return box.isKnown() &&
             (loses(box) || llvm::any_of(box.first, [&](const auto &position) {
                return changes(position, boxes);
              }));
    });
    if (isSame)
      continue;
    PendingAccess::Boxes changed;
    for (AccessBox box : access.getBoxes()) {
      if (loses(box))
        box.forget();
      for (IndexPosition &position : box.first)
        position = positions->substitute(position, boxes, isGone);
      addBox(changed, box, /*widen=*/false);
    }
    access.boxes = std::make_shared<PendingAccess::Boxes>(std::move(changed));
  }
  restoreOrder();
}

unsigned SyncState::countGroupsSince(Operation *op) const {
  std::optional<unsigned> fewest;
  for (const PendingAccess &access : pending)
    if (access.op == op && isAsync(access.access->kind))
      fewest = std::min(fewest.value_or(kManyGroups), access.groups);
  return fewest.value_or(0);
}
