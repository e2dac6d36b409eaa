//===- ResidentCTAs.cpp - resident CTAs and their threads -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that come and go, addresses in a cluster, and states of threads. An
// operation takes the first gap of its engine that is long enough.
//
//===----------------------------------------------------------------------===//

#include "ResidentCTAs.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace carousel::sim {

uint64_t EngineTime::pass(uint64_t from, uint64_t bytes) {
  uint64_t duration = bytes / kEngineBytesPerCycle;
  if (duration == 0)
    return from;
  // New intervals mostly come last.
  size_t at = busy.size();
  while (at > 0 && busy[at - 1].second > from)
    --at;
  for (; at < busy.size() && busy[at].first < from + duration; ++at)
    from = std::max(from, busy[at].second);
  uint64_t end = from + duration;
  bool joinsBefore = at > 0 && busy[at - 1].second == from;
  bool joinsAfter = at < busy.size() && busy[at].first == end;
  if (joinsBefore && joinsAfter) {
    busy[at - 1].second = busy[at].second;
    busy.erase(busy.begin() + long(at));
  } else if (joinsBefore) {
    busy[at - 1].second = end;
  } else if (joinsAfter) {
    busy[at].first = from;
  } else {
    busy.insert(busy.begin() + long(at), {from, end});
  }
  // Gaps in the far past are rarely needed.
  constexpr size_t kMostGaps = 64;
  if (busy.size() > kMostGaps)
    busy.erase(busy.begin());
  return end;
}

void GroupQueue::commit() {
  groups.back().stamp = stamp++;
  groups.emplace_back();
}

void GroupQueue::prune() {
  uint32_t waited = std::max(readWaited, completeWaited);
  while (groups.size() > 1 && first <= waited) {
    Group &group = groups.front();
    if (group.readsLeft != 0 || group.writesLeft != 0)
      return;
    readCycles = std::max(readCycles, group.readCycles);
    writeCycles = std::max(writeCycles, group.writeCycles);
    dropped = group;
    groups.pop_front();
    ++first;
  }
}

bool GroupQueue::isDone(uint32_t target, bool read) const {
  for (size_t i = 0; i < groups.size() && first + i <= target; ++i)
    if (groups[i].readsLeft != 0 || (!read && groups[i].writesLeft != 0))
      return false;
  return true;
}

WaitDescription ThreadState::describe(const Thread &) const {
  WaitDescription description;
  if (!waitingOn)
    return description;
  description.what =
      waitingOn->isBulk ? "bulk group wait" : "cp.async group wait";
  if (waitRead)
    description.what += " (read)";
  uint32_t left = 0;
  for (size_t i = 0;
       i < waitingOn->groups.size() && waitingOn->first + i <= waitTarget; ++i)
    left += waitRead ? waitingOn->groups[i].readsLeft
                     : waitingOn->groups[i].writesLeft;
  description.missing = llvm::utostr(left) + " operations in flight";
  return description;
}

using llvm::Twine;

static uint64_t getRankKey(uint32_t cluster, uint32_t rank) {
  return uint64_t(cluster) << 32 | rank;
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

void ResidentCTAs::start(uint32_t cta, uint32_t cluster, uint32_t rankInCluster,
                         char *shared, uint64_t bytes) {
  AsyncCTA &state = at(cta);
  state.cluster = cluster;
  state.rank = rankInCluster;
  state.shared = shared;
  state.bytes = bytes;
  ctaOfRank[getRankKey(cluster, rankInCluster)] = cta;
}

void ResidentCTAs::exit(AsyncCTA &cta) {
  for (ThreadState *thread : cta.threads) {
    thread->exited = true;
    releaseState(*thread);
  }
  ctaOfRank.erase(getRankKey(cta.cluster, cta.rank));
}

AsyncCTA &ResidentCTAs::at(uint32_t cta) {
  std::unique_ptr<AsyncCTA> &state = ctas[cta];
  if (!state) {
    state = std::make_unique<AsyncCTA>();
    state->nextAgent = uint32_t(
        context.grid.getShape(context.grid.getLaunchOf(cta)).block.count());
  }
  return *state;
}

AsyncCTA *ResidentCTAs::find(uint32_t cta) {
  auto it = ctas.find(cta);
  return it == ctas.end() ? nullptr : it->second.get();
}

AsyncCTA *ResidentCTAs::findRank(uint32_t cluster, uint32_t rank) {
  auto it = ctaOfRank.find(getRankKey(cluster, rank));
  return it == ctaOfRank.end() ? nullptr : &at(it->second);
}

AsyncCTA *ResidentCTAs::findShared(const void *address, uint32_t *cta) {
  const RegionInfo *region = context.memory.find(address);
  if (!region || region->space != Space::Shared)
    return nullptr;
  if (cta)
    *cta = region->cta;
  return find(region->cta);
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

char *ResidentCTAs::toRank(const void *shared, uint32_t rank) {
  AsyncCTA *own = findShared(shared);
  AsyncCTA *other = own ? findRank(own->cluster, rank) : nullptr;
  if (!other)
    return nullptr;
  return other->shared + (static_cast<const char *>(shared) - own->shared);
}

void *ResidentCTAs::mapShared(const void *shared, uint32_t rank) {
  if (char *address = toRank(shared, rank))
    return address;
  context.report(
      FindingKind::InvalidOperand, context.here().actor(),
      "expected the rank of a CTA of the cluster that hasn't exited, got " +
          Twine(rank),
      shared, 1);
  return nullptr;
}

uint32_t ResidentCTAs::rankOf(const void *shared) {
  AsyncCTA *cta = findShared(shared);
  return cta ? cta->rank : 0;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

ThreadState &ResidentCTAs::stateOf(Thread &thread) {
  if (ThreadState *known = findState(thread))
    return *known;
  ThreadState *state;
  if (freeStates.empty()) {
    state = &statePool.emplace_back();
  } else {
    state = freeStates.back();
    freeStates.pop_back();
  }
  state->cta = thread.cta;
  state->thread = thread.index;
  thread.asyncState = state;
  at(thread.cta).threads.push_back(state);
  return *state;
}

void ResidentCTAs::releaseState(ThreadState &state) {
  if (!state.exited || state.references != 0)
    return;
  // Construct in place again: the address is that of a Waitable.
  state.~ThreadState();
  new (&state) ThreadState();
  freeStates.push_back(&state);
}

} // namespace carousel::sim
