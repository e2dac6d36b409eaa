//===- MbarrierWaits.cpp - waiting for a phase of a barrier ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which phase a wait names, and what the thread knows when it is over.
//
//===----------------------------------------------------------------------===//

#include "MbarrierWaits.h"

#include "../Ordering/ThreadOrder.h"

#include "carousel/Support/HardwareLimits.h"

namespace carousel::sim {

using llvm::Twine;

bool MbarrierWaits::evaluate(Mbarrier &barrier, PhaseName name,
                             Thread &thread) {
  std::vector<int64_t> &waited = barrier.lastWaited;
  if (thread.index >= waited.size())
    waited.resize(std::max<size_t>(context.grid.getShape().block.count(),
                                   thread.index + 1),
                  -1);
  int64_t &last = waited[thread.index];
  auto current = int64_t(barrier.phase);
  int64_t named, meant;
  if (name.isParity) {
    named = (current & 1) == int64_t(name.value) ? current : current - 1;
    meant = (last & 1) == int64_t(name.value) ? last : last + 1;
  } else {
    named = int64_t(name.value >> 20);
    meant = named;
    if (named < current - 1) {
      context.report(
          FindingKind::MissedPhase, whoIs(thread).actor(),
          "expected the state of the current phase or the one before, got "
          "phase " +
              Twine(named) + " while the barrier is in phase " + Twine(current),
          barrier.address, rules::kMbarrierBytes);
      return true;
    }
  }
  if (named > meant) {
    // Phase named-1 is complete. Does the thread know, or was it only slow?
    if (!thread.view.order.covers(barrier.completer[(named - 1) & 1]))
      context.report(
          FindingKind::MissedPhase, whoIs(thread).actor(),
          "expected a wait for phase " + Twine(meant) +
              " while it is the current one or the one before, found the "
              "barrier in phase " +
              Twine(current) + ", where the parity means phase " + Twine(named),
          barrier.address, rules::kMbarrierBytes,
          barrier.lastArrivers.empty()
              ? std::nullopt
              : std::optional(barrier.lastArrivers.back().actor()));
    last = named - 1;
  }
  if (named >= current)
    return false;
  last = std::max(last, named);
  barrier.observedPhases =
      std::max(barrier.observedPhases, uint64_t(named + 1));
  return true;
}

void MbarrierWaits::finish(Mbarrier &barrier, Thread &thread,
                           MemSemantics semantics, MemScope scope) {
  thread.cycles =
      std::max(thread.cycles, barrier.completedCycles) + kBarrierCycles;
  bool isRelaxed = semantics == MemSemantics::Relaxed;
  auto take = [&](const View &released, MemScope near) {
    if (isRelaxed)
      ctas.stateOf(thread).getToAcquire()[getIndex(near)].join(released);
    else
      acquire(thread, released);
  };
  take(barrier.completed, MemScope::CTA);
  const View *remote = barrier.completedRemote.get();
  bool reaches = scope != MemScope::CTA;
  std::optional<MemScope> acquired;
  if (!isRelaxed)
    acquired = scope;
  if (remote && reaches)
    take(*remote, MemScope::Cluster);
  else if (remote && !isRelaxed)
    thread.view.ended.join(remote->ended);
  if (barrier.completedShort)
    noteObservation(thread, barrier.address, barrier.completedShort, acquired);
  if (!isRelaxed && (!remote || reaches))
    return;
  // What the arrivals released, for threads that don't acquire it.
  auto publication = llvm::makeIntrusiveRefCnt<Publication>();
  publication->isArrive = true;
  publication->isRelaxed = false;
  publication->known.join(barrier.completed.order);
  if (remote)
    publication->known.join(remote->order);
  publication->released.fill(publication->known);
  publication->writer = barrier.completer[(barrier.phase - 1) & 1];
  publication->cluster = thread.cluster;
  publication->gpu = thread.gpu;
  noteObservation(thread, barrier.address + 1, std::move(publication),
                  acquired);
}

bool MbarrierWaits::testWait(void *address, PhaseName phase,
                             MemSemantics semantics, MemScope scope) {
  Mbarrier *barrier = barriers.useOwn(address, "a wait on");
  if (!barrier)
    return true;
  Thread &thread = context.grid.current();
  if (evaluate(*barrier, phase, thread)) {
    finish(*barrier, thread, semantics, scope);
    return true;
  }
  thread.cycles += kBarrierCycles;
  context.grid.yield();
  return false;
}

bool MbarrierWaits::tryWait(void *address, PhaseName phase,
                            MemSemantics semantics, MemScope scope) {
  Mbarrier *barrier = barriers.useOwn(address, "a wait on");
  if (!barrier)
    return true;
  Thread &thread = context.grid.current();
  if (evaluate(*barrier, phase, thread)) {
    finish(*barrier, thread, semantics, scope);
    return true;
  }
  // Sometimes it gives up at once, otherwise when nothing more can happen.
  ThreadState &state = ctas.stateOf(thread);
  bool mayGiveUp = state.timeoutProgress != context.progress;
  if (mayGiveUp && context.schedule.pick(Decision::TryWait, 2) == 1) {
    state.timeoutProgress = context.progress;
    state.futileTimeouts = 0;
    thread.cycles += kBarrierCycles;
    context.grid.yield();
    return false;
  }
  ++barrier->waiters;
  state.timedOut = false;
  tryWaiters.push_back({&state, barrier});
  bool done = false;
  while (!done && !state.timedOut) {
    context.grid.wait(*barrier);
    done = barrier->life != Mbarrier::Life::Live ||
           evaluate(*barrier, phase, thread);
  }
  --barrier->waiters;
  for (TryWaiter &waiter : tryWaiters) {
    if (waiter.state != &state)
      continue;
    waiter = tryWaiters.back();
    tryWaiters.pop_back();
    break;
  }
  state.timedOut = false;
  if (done)
    finish(*barrier, thread, semantics, scope);
  return done;
}

void MbarrierWaits::wait(void *address, PhaseName phase, MemSemantics semantics,
                         MemScope scope) {
  Mbarrier *barrier = barriers.useOwn(address, "a wait on");
  if (!barrier)
    return;
  Thread &thread = context.grid.current();
  if (!evaluate(*barrier, phase, thread)) {
    ++barrier->waiters;
    do
      context.grid.wait(*barrier);
    while (barrier->life == Mbarrier::Life::Live &&
           !evaluate(*barrier, phase, thread));
    --barrier->waiters;
  }
  finish(*barrier, thread, semantics, scope);
}

//===----------------------------------------------------------------------===//
// Time-outs of try_wait
//===----------------------------------------------------------------------===//

bool MbarrierWaits::mayTimeOut() const {
  // A try_wait that has timed out repeatedly, with no other event in between,
  // waits forever, which shows a deadlock.
  constexpr uint32_t kFutileTimeouts = 64;
  return llvm::any_of(tryWaiters, [&](const TryWaiter &waiter) {
    const ThreadState &state = *waiter.state;
    return !state.timedOut && (state.futileTimeouts < kFutileTimeouts ||
                               state.timeoutProgress != context.progress);
  });
}

void MbarrierWaits::timeOut() {
  for (TryWaiter &waiter : tryWaiters) {
    ThreadState &state = *waiter.state;
    if (state.timedOut)
      continue;
    if (state.timeoutProgress != context.progress)
      state.futileTimeouts = 0;
    ++state.futileTimeouts;
    state.timeoutProgress = context.progress;
    state.timedOut = true;
    context.grid.wake(*waiter.barrier);
  }
}

} // namespace carousel::sim
