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
  return op == other.op && boxes == other.boxes &&
         isFromOutside == other.isFromOutside && isFenced == other.isFenced &&
         isHandedBack == other.isHandedBack && isDrained == other.isDrained &&
         met == other.met && metSinceDone == other.metSinceDone &&
         metBeforeDone == other.metBeforeDone && seen == other.seen &&
         groups == other.groups && meetings == other.meetings;
}

SyncState::Key SyncState::getKey(unsigned order, const PendingAccess &pending) {
  const Buffer &buffer = pending.access.buffer;
  return {order,
          buffer.number,
          buffer.slot.use.terms,
          buffer.slot.use.rest.lo,
          buffer.slot.use.rest.hi,
          pending.isFromOutside};
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// Whether nothing in the CTA can come before it any more.
bool SyncState::isOver(const PendingAccess &pending) const {
  // Threads of the other role haven't met anybody.
  if (isInRole || pending.isFromOutside)
    return false;
  AccessKind kind = pending.access.kind;
  if (isAsync(kind))
    return pending.isDrained &&
           std::max(pending.metSinceDone, pending.seen) == Meet::CTA;
  if (std::max(pending.met, pending.seen) != Meet::CTA)
    return false;
  return kind == AccessKind::GenericRead || !hasEngines ||
         (pending.isFenced && pending.metSinceDone == Meet::CTA);
}

void SyncState::dropFinished() {
  for (auto entry = pending.begin(); entry != pending.end();)
    entry = isOver(entry->second) ? pending.erase(entry) : std::next(entry);
}

void SyncState::insert(unsigned order, const PendingAccess &added) {
  auto [entry, isNew] = pending.try_emplace(getKey(order, added), added);
  if (!isNew)
    joinInto(entry->second, added, /*widen=*/false);
}

void SyncState::access(Operation *op, unsigned order, const Access &access,
                       Meet seen) {
  PendingAccess added;
  added.op = op;
  added.access = access;
  added.seen = seen;
  added.isDrained = isAsync(access.kind) && seen != Meet::Nobody;
  added.boxes.push_back(access.box);
  if (!isOver(added))
    insert(order, added);
}

void SyncState::fence(bool shared, bool global) {
  for (auto &[key, access] : pending)
    if (access.access.kind == AccessKind::GenericWrite && !access.isFenced &&
        !access.isFromOutside &&
        (access.access.buffer.isShared ? shared : global)) {
      access.isFenced = true;
      access.metSinceDone = Meet::Nobody;
    }
}

void SyncState::drain(GroupWait kind, unsigned left, TransferScope scope) {
  for (auto &[key, access] : pending) {
    AccessKind done = access.access.kind;
    bool covers =
        done == AccessKind::AsyncRead ||
        (done == AccessKind::AsyncWrite && kind == GroupWait::Complete);
    if (!covers || access.isDrained || access.access.scope != scope ||
        access.groups < left || access.isFromOutside)
      continue;
    access.isDrained = true;
    access.metSinceDone = Meet::Nobody;
  }
}

void SyncState::submit(TransferScope scope) {
  // Ages are no part of the keys.
  for (auto &[key, access] : pending)
    if (isAsync(access.access.kind) && access.access.scope == scope)
      access.groups = std::min(access.groups + 1, kManyGroups);
}

void SyncState::meet(Meet meet, unsigned number) {
  for (auto &[key, access] : pending) {
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
  for (auto &[key, access] : pending) {
    const Buffer &used = access.access.buffer;
    access.isHandedBack |= used.ring == ring && used.slot.mustBe(slot);
  }
}

void SyncState::reuse(Value ring, const RingSlot &slot) {
  for (auto entry = pending.begin(); entry != pending.end();) {
    const Buffer &used = entry->second.access.buffer;
    bool isOld = used.ring == ring && used.slot.mustBe(slot);
    entry = isOld ? pending.erase(entry) : std::next(entry);
  }
}

void SyncState::enterRole() {
  isInRole = true;
  std::map<Key, PendingAccess> before;
  before.swap(pending);
  for (auto &[key, access] : before) {
    access.isFromOutside = true;
    insert(std::get<0>(key), access);
  }
}

void SyncState::leaveRole() {
  isInRole = false;
  std::map<Key, PendingAccess> inside;
  inside.swap(pending);
  for (auto &[key, access] : inside) {
    access.isFromOutside = false;
    access.met = access.metSinceDone = access.seen = Meet::Nobody;
    access.meetings = {};
    insert(std::get<0>(key), access);
  }
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
void SyncState::addBox(PendingAccess &into, const AccessBox &box, bool widen) {
  if (into.boxes.empty()) {
    into.boxes.push_back(box);
    return;
  }
  AccessBox &any = into.boxes.front();
  if (!any.isKnown() || !box.isKnown() || any.memref != box.memref) {
    any.forget();
    into.boxes.resize(1);
    return;
  }
  AccessBox *grown = llvm::find_if(into.boxes, [&](const AccessBox &mine) {
    return haveSameTerms(mine, box);
  });
  if (grown == into.boxes.end() && into.boxes.size() < kMostBoxes) {
    into.boxes.push_back(box);
    return;
  }
  if (grown == into.boxes.end())
    grown = &into.boxes.back();
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
  for (const AccessBox &box : other.boxes)
    addBox(into, box, widen);
  return !(into == before);
}

bool SyncState::join(const SyncState &other, bool widen) {
  bool changed = false;
  for (const auto &[key, access] : other.pending) {
    auto [entry, isNew] = pending.try_emplace(key, access);
    changed |= isNew || joinInto(entry->second, access, widen);
  }
  return changed;
}

void SyncState::substitute(const PositionMap &slots, const PositionMap &boxes,
                           function_ref<bool(Value)> isGone) {
  std::map<Key, PendingAccess> before;
  before.swap(pending);
  for (auto &[key, access] : before) {
    RingSlot &slot = access.access.buffer.slot;
    slot.use = positions->substitute(slot.use, slots, isGone);
    slot.normalize();
    if (!slot.use.rest.isExact())
      slot.use = IndexPosition::unknown();
    SmallVector<AccessBox, 1> boxesBefore = std::exchange(access.boxes, {});
    for (AccessBox &box : boxesBefore) {
      if (box.memref && isGone && isGone(box.memref))
        box.forget();
      for (IndexPosition &position : box.first)
        position = positions->substitute(position, boxes, isGone);
      addBox(access, box, /*widen=*/false);
    }
    insert(std::get<0>(key), access);
  }
}

unsigned SyncState::countGroupsSince(Operation *op) const {
  std::optional<unsigned> fewest;
  for (const auto &[key, access] : pending)
    if (access.op == op && isAsync(access.access.kind))
      fewest = std::min(fewest.value_or(kManyGroups), access.groups);
  return fewest.value_or(0);
}
