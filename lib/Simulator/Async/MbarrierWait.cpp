//===- MbarrierWait.cpp - waits for phases --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test_wait, try_wait and the blocking wait, and the phase that a parity means.
// A parity names the current phase or the one before it. A thread means the
// phase after its last one, or its last one again. If the barrier is further
// on, and the thread has seen nothing that says so, it has missed a phase.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

bool AsyncMachine::Impl::evaluate(Mbarrier &barrier, PhaseName name,
                                  Thread &thread) {
  std::vector<int64_t> &waited = barrier.lastWaited;
  if (thread.index >= waited.size())
    waited.resize(
        std::max<size_t>(grid.getShape().block.count(), thread.index + 1), -1);
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
      report(FindingKind::MissedPhase, whoIs(thread).actor(),
             "expected the state of the current phase or the one before, got "
             "phase " +
                 Twine(named) + " while the barrier is in phase " +
                 Twine(current),
             barrier.address, rules::kMbarrierBytes);
      return true;
    }
  }
  if (named > meant) {
    // Phase named-1 is complete. Does the thread know, or was it only slow?
    if (!thread.view.order.covers(barrier.completer[(named - 1) & 1]))
      report(FindingKind::MissedPhase, whoIs(thread).actor(),
             "expected a wait for phase " + Twine(meant) +
                 " while it is the current one or the one before, found the "
                 "barrier in phase " +
                 Twine(current) + ", where the parity means phase " +
                 Twine(named),
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

void AsyncMachine::Impl::finishWait(Mbarrier &barrier, Thread &thread,
                                    MemSemantics semantics, MemScope scope) {
  thread.cycles =
      std::max(thread.cycles, barrier.completedCycles) + kBarrierCycles;
  bool isRelaxed = semantics == MemSemantics::Relaxed;
  auto take = [&](const View &released, MemScope near) {
    if (isRelaxed)
      stateOf(thread).getToAcquire()[getIndex(near)].join(released);
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
  if (barrier.completedShort)
    noteSighting(thread, barrier.address, barrier.completedShort, acquired);
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
  noteSighting(thread, barrier.address + 1, std::move(publication), acquired);
}

bool AsyncMachine::mbarrierTestWait(void *address, PhaseName phase,
                                    MemSemantics semantics, MemScope scope) {
  Impl &machine = *impl;
  Mbarrier *barrier = machine.useOwnBarrier(address, "a wait on");
  if (!barrier)
    return true;
  Thread &thread = machine.grid.current();
  if (machine.evaluate(*barrier, phase, thread)) {
    machine.finishWait(*barrier, thread, semantics, scope);
    return true;
  }
  thread.cycles += kBarrierCycles;
  machine.grid.yield();
  return false;
}

bool AsyncMachine::mbarrierTryWait(void *address, PhaseName phase,
                                   MemSemantics semantics, MemScope scope) {
  Impl &machine = *impl;
  Mbarrier *barrier = machine.useOwnBarrier(address, "a wait on");
  if (!barrier)
    return true;
  Thread &thread = machine.grid.current();
  if (machine.evaluate(*barrier, phase, thread)) {
    machine.finishWait(*barrier, thread, semantics, scope);
    return true;
  }
  // Sometimes it gives up at once, otherwise when nothing more can happen.
  ThreadState &state = machine.stateOf(thread);
  bool mayGiveUp = state.timeoutProgress != machine.progress;
  if (mayGiveUp && machine.schedule.pick(Decision::TryWait, 2) == 1) {
    state.timeoutProgress = machine.progress;
    state.futileTimeouts = 0;
    thread.cycles += kBarrierCycles;
    machine.grid.yield();
    return false;
  }
  ++barrier->waiters;
  state.timedOut = false;
  machine.tryWaiters.push_back({&state, barrier});
  bool done = false;
  while (!done && !state.timedOut) {
    machine.grid.wait(*barrier);
    done = barrier->life != Mbarrier::Life::Live ||
           machine.evaluate(*barrier, phase, thread);
  }
  --barrier->waiters;
  for (Impl::TryWaiter &waiter : machine.tryWaiters) {
    if (waiter.state != &state)
      continue;
    waiter = machine.tryWaiters.back();
    machine.tryWaiters.pop_back();
    break;
  }
  state.timedOut = false;
  if (done)
    machine.finishWait(*barrier, thread, semantics, scope);
  return done;
}

void AsyncMachine::mbarrierWait(void *address, PhaseName phase,
                                MemSemantics semantics, MemScope scope) {
  Impl &machine = *impl;
  Mbarrier *barrier = machine.useOwnBarrier(address, "a wait on");
  if (!barrier)
    return;
  Thread &thread = machine.grid.current();
  if (!machine.evaluate(*barrier, phase, thread)) {
    ++barrier->waiters;
    do
      machine.grid.wait(*barrier);
    while (barrier->life == Mbarrier::Life::Live &&
           !machine.evaluate(*barrier, phase, thread));
    --barrier->waiters;
  }
  machine.finishWait(*barrier, thread, semantics, scope);
}

//===----------------------------------------------------------------------===//
// The description of a deadlock
//===----------------------------------------------------------------------===//

WaitDescription Mbarrier::describe(const Thread &waiter) const {
  WaitDescription description;
  description.what = "mbarrier " + machine.describeName(address) +
                     ", in phase " + llvm::utostr(phase) + " (parity " +
                     llvm::utostr(phase & 1) + ")";
  if (pending != 0)
    description.missing =
        llvm::utostr(pending) + " of " + llvm::utostr(expected) + " arrivals";
  if (transactions != 0) {
    if (!description.missing.empty())
      description.missing += " and ";
    description.missing += transactions > 0
                               ? llvm::utostr(uint64_t(transactions)) + " bytes"
                               : "the expectation of " +
                                     llvm::utostr(uint64_t(-transactions)) +
                                     " bytes that have landed";
  }
  constexpr size_t kShown = 4;
  for (const Who &who : lastArrivers) {
    if (description.providers.size() == kShown)
      break;
    auto hasArrived = [&](const Who &other) {
      return other.cta == who.cta && other.thread == who.thread;
    };
    if (llvm::none_of(arrivers, hasArrived))
      description.providers.push_back(machine.describeSite(who) +
                                      ", which arrived in phase " +
                                      llvm::utostr(phase - 1));
  }
  if (!arrivers.empty())
    description.providers.push_back("the last arrival was of " +
                                    machine.describeSite(arrivers.back()));
  if (transactions > 0 && hasExpecter)
    description.providers.push_back("the bytes were last expected by " +
                                    machine.describeSite(expecter));
  for (const Operation *operation : machine.active)
    if (operation->barrier == this)
      description.providers.push_back(operation->name.str() +
                                      " in flight, issued by " +
                                      machine.describeSite(operation->issuer));
  return description;
}

} // namespace carousel::sim
