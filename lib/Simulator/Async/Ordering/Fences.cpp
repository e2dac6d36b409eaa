//===- Fences.cpp - fences of threads and proxies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each fence adds to the views of its thread.
//
//===----------------------------------------------------------------------===//

#include "Fences.h"

#include "../Mbarriers/Mbarrier.h"
#include "ThreadOrder.h"

#include <utility>

namespace carousel::sim {

void Fences::fenceThread(MemSemantics semantics, MemScope scope) {
  Thread &thread = context.grid.current();
  bool acquires =
      semantics != MemSemantics::Release && semantics != MemSemantics::Relaxed;
  bool releases =
      semantics != MemSemantics::Acquire && semantics != MemSemantics::Relaxed;
  unsigned widest = getIndex(scope);
  if (ThreadState *known = findState(thread); acquires && known) {
    ThreadState &state = *known;
    for (unsigned near = 0; state.toAcquire && near <= widest; ++near) {
      View &seen = (*state.toAcquire)[near];
      acquire(thread, seen);
      seen = View();
    }
    thread.view.observations.noteAcquire(thread.epoch(), scope);
  }
  if (!releases)
    return;
  ThreadState &state = ctas.stateOf(thread);
  if (scope != MemScope::CTA)
    state.releasedTime = thread.time;
  if (!state.released)
    state.released = std::make_unique<ScopedViews>();
  const View &view = release(thread);
  for (unsigned near = 0; near <= widest; ++near)
    (*state.released)[near] = view;
}

void Fences::fenceProxy(ProxyKind proxy) {
  Thread &thread = context.grid.current();
  if (proxy == ProxyKind::Alias) {
    thread.tick();
    thread.view.fencedAlias.join(thread.view.order);
    return;
  }
  Epoch epoch = thread.epoch();
  thread.tick();
  auto fence = [&](Clock &fenced) {
    if (!context.rules.strictFences) {
      fenced.join(thread.view.order);
      return;
    }
    fenced.observe(epoch);
    // The thread's own cp.async copies, once it has waited for them, are its
    // own writes.
    if (auto *state = findState(thread)) {
      const GroupQueue &copies = state->copies;
      if (copies.writeAgent != 0) {
        fenced.observe(
            Epoch(thread.cta, copies.writeAgent, copies.waitedStamp));
        fenced.observe(Epoch(thread.cta, copies.readAgent, copies.waitedStamp));
      }
    }
  };
  if (proxy != ProxyKind::AsyncGlobal)
    fence(thread.view.fencedShared);
  if (proxy == ProxyKind::Async || proxy == ProxyKind::AsyncGlobal)
    fence(thread.view.fencedGlobal);
}

void Fences::fenceMbarrierInit() {
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  if (state.initAgent == 0)
    state.initAgent = ctas.at(thread.cta).nextAgent++;
  // Uses an agent of its own, because a relaxed arrive carries only the inits
  // of this fence.
  Epoch epoch(thread.cta, state.initAgent, ++state.initTime);
  for (Mbarrier *barrier : state.unfencedInits)
    if (barrier->initEpoch.isSameAgent(thread.epoch()) && !barrier->fenceEpoch)
      barrier->fenceEpoch = epoch;
  state.unfencedInits.clear();
  thread.view.order.observe(epoch);
  if (!state.released)
    state.released = std::make_unique<ScopedViews>();
  for (MemScope scope : {MemScope::CTA, MemScope::Cluster})
    (*state.released)[getIndex(scope)].order.observe(epoch);
}

void Fences::fenceSyncRestrict(MemSemantics semantics) {
  fenceThread(semantics, MemScope::Cluster);
}

void Fences::fenceProxySyncRestrict(MemSemantics semantics) {
  fenceThread(semantics, MemScope::Cluster);
  fenceProxy(ProxyKind::AsyncSharedCluster);
}

void Fences::clusterArrive(bool release) {
  Thread &thread = context.grid.current();
  auto *state = findState(thread);
  ++context.progress;
  if (release || !state || !state->released) {
    context.grid.clusterArrive(release);
    return;
  }
  // Releases what was known at the fence, with the fence's time.
  View &released = (*state->released)[getIndex(MemScope::Cluster)];
  std::swap(thread.view, released);
  uint32_t time = std::exchange(thread.time, state->releasedTime);
  context.grid.clusterArrive(true);
  thread.time = time;
  std::swap(thread.view, released);
}

} // namespace carousel::sim
