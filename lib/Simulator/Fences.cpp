//===- Fences.cpp - fences of threads and proxies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release fence keeps what the thread knows for relaxed operations after it;
// an acquire fence takes what relaxed operations before it have seen. A proxy
// fence moves what is known into what the async proxy may rely on: all of it,
// or in the strict reading what the thread did itself.
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

void AsyncMachine::fenceThread(MemSemantics semantics, MemScope) {
  Thread &thread = impl->grid.current();
  bool acquires =
      semantics != MemSemantics::Release && semantics != MemSemantics::Relaxed;
  bool releases =
      semantics != MemSemantics::Acquire && semantics != MemSemantics::Relaxed;
  if (acquires && thread.asyncState) {
    auto &state = *static_cast<ThreadState *>(thread.asyncState);
    if (state.hasToAcquire) {
      impl->acquire(thread, state.toAcquire);
      state.toAcquire = View();
      state.hasToAcquire = false;
    }
  }
  if (!releases)
    return;
  ThreadState &state = impl->stateOf(thread);
  state.releasedTime = thread.time;
  state.released = impl->release(thread);
  state.hasReleased = true;
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
    // Its own cp.async copies that it has waited for are its own writes.
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
  // An agent of its own: what a relaxed arrive carries of this fence is the
  // inits, nothing else.
  Epoch epoch(thread.cta, state.initAgent, ++state.initTime);
  for (Mbarrier *barrier : state.unfencedInits)
    if (barrier->initEpoch.isSameAgent(thread.epoch()) && !barrier->fenceEpoch)
      barrier->fenceEpoch = epoch;
  state.unfencedInits.clear();
  thread.view.order.observe(epoch);
  state.released.order.observe(epoch);
  state.hasReleased = true;
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
  if (release || !state || !state->hasReleased) {
    impl->grid.clusterArrive(release);
    return;
  }
  // A release of what was known at the fence, at the time of the fence.
  std::swap(thread.view, state->released);
  uint32_t time = std::exchange(thread.time, state->releasedTime);
  impl->grid.clusterArrive(true);
  thread.time = time;
  std::swap(thread.view, state->released);
}

} // namespace carousel::sim
