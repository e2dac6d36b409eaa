//===- Fences.cpp - fences of threads and proxies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release fence keeps the thread's view for later relaxed operations. An
// acquire fence takes the views that earlier relaxed operations observed. Both
// need scopes that contain the thread of the other side. A proxy fence adds
// what is known to what the async proxy may rely on: everything, or in the
// strict reading only the thread's own accesses.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

namespace carousel::sim {

const View &AsyncMachine::Impl::release(Thread &thread) {
  thread.tick();
  return thread.view;
}

void AsyncMachine::Impl::acquire(Thread &thread, const View &view) {
  thread.view.join(view);
}

void AsyncMachine::fenceThread(MemSemantics semantics, MemScope scope) {
  Thread &thread = impl->grid.current();
  bool acquires =
      semantics != MemSemantics::Release && semantics != MemSemantics::Relaxed;
  bool releases =
      semantics != MemSemantics::Acquire && semantics != MemSemantics::Relaxed;
  unsigned widest = getIndex(scope);
  if (acquires && thread.asyncState) {
    auto &state = *static_cast<ThreadState *>(thread.asyncState);
    for (unsigned near = 0; state.toAcquire && near <= widest; ++near) {
      View &seen = (*state.toAcquire)[near];
      impl->acquire(thread, seen);
      seen = View();
    }
    thread.view.sightings.noteAcquire(thread.epoch(), scope);
  }
  if (!releases)
    return;
  ThreadState &state = impl->stateOf(thread);
  if (scope != MemScope::CTA)
    state.releasedTime = thread.time;
  if (!state.released)
    state.released = std::make_unique<ScopedViews>();
  const View &view = impl->release(thread);
  for (unsigned near = 0; near <= widest; ++near)
    (*state.released)[near] = view;
}

void AsyncMachine::fenceProxy(ProxyKind proxy) {
  if (proxy == ProxyKind::Alias)
    return;
  Thread &thread = impl->grid.current();
  Epoch epoch = thread.epoch();
  thread.tick();
  auto fence = [&](Clock &fenced) {
    if (!impl->rules.strictFences) {
      fenced.join(thread.view.order);
      return;
    }
    fenced.observe(epoch);
    // The thread's own cp.async copies, once it has waited for them, are its
    // own writes.
    if (auto *state = static_cast<ThreadState *>(thread.asyncState)) {
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

void AsyncMachine::fenceMbarrierInit() {
  Thread &thread = impl->grid.current();
  ThreadState &state = impl->stateOf(thread);
  if (state.initAgent == 0)
    state.initAgent = impl->ctaOf(thread.cta).nextAgent++;
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

void AsyncMachine::fenceSyncRestrict(MemSemantics semantics) {
  fenceThread(semantics, MemScope::Cluster);
}

void AsyncMachine::fenceProxySyncRestrict(MemSemantics semantics) {
  fenceThread(semantics, MemScope::Cluster);
  fenceProxy(ProxyKind::AsyncSharedCluster);
}

void AsyncMachine::clusterArrive(bool release) {
  Thread &thread = impl->grid.current();
  auto *state = static_cast<ThreadState *>(thread.asyncState);
  ++impl->progress;
  if (release || !state || !state->released) {
    impl->grid.clusterArrive(release);
    return;
  }
  // Releases what was known at the fence, with the fence's time.
  View &released = (*state->released)[getIndex(MemScope::Cluster)];
  std::swap(thread.view, released);
  uint32_t time = std::exchange(thread.time, state->releasedTime);
  impl->grid.clusterArrive(true);
  thread.time = time;
  std::swap(thread.view, released);
}

} // namespace carousel::sim
