//===- ResidentCTAs.cpp - CTAs and threads, as the units know them --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that come and go, addresses in a cluster, and states of threads.
//
//===----------------------------------------------------------------------===//

#include "ResidentCTAs.h"

namespace carousel::sim {

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
