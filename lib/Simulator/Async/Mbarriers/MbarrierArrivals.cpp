//===- MbarrierArrivals.cpp - what completes the phases of barriers -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrivals, expected bytes and bytes that land.
//
//===----------------------------------------------------------------------===//

#include "MbarrierArrivals.h"

#include "../TransferLog.h"

#include "carousel/Support/HardwareLimits.h"

#include <cstdlib>

namespace carousel::sim {

using llvm::Twine;

void MbarrierArrivals::changeTransactions(Mbarrier &barrier, int64_t bytes,
                                          const Actor &actor) {
  barrier.transactions += bytes;
  if (std::abs(barrier.transactions) > rules::kMaxTransactionBytes)
    context.report(
        FindingKind::CountOutOfRange, actor,
        "expected pending transaction bytes of -1048575 to 1048575, got " +
            Twine(barrier.transactions),
        barrier.address, rules::kMbarrierBytes);
}

void MbarrierArrivals::settle(Mbarrier &barrier, Epoch epoch,
                              const Actor &actor) {
  if (barrier.pending != 0)
    return;
  if (barrier.transactions < 0)
    context.report(
        FindingKind::ExcessBytes, actor,
        "expected the transferred bytes of a phase to be those that it "
        "expects, found " +
            Twine(-barrier.transactions) + " more in phase " +
            Twine(barrier.phase),
        barrier.address, rules::kMbarrierBytes, barrier.getExpecter());
  if (barrier.transactions != 0)
    return;
  if (barrier.bytesInFlight != 0)
    context.report(
        FindingKind::ExcessBytes, actor,
        "expected a phase to complete after all transfers that signal it, "
        "found " +
            Twine(barrier.bytesInFlight) +
            " bytes still in flight at the end of phase " +
            Twine(barrier.phase),
        barrier.address, rules::kMbarrierBytes, barrier.getExpecter());
  barrier.completer[barrier.phase & 1] = epoch;
  if (context.trace)
    context.trace->phaseCompleted(barrier.address, barrier.phase,
                                  barrier.gatheredCycles);
  ++barrier.phase;
  for (Epoch arrival : barrier.gatheredEpochs)
    barrier.gathered.order.observe(arrival);
  barrier.gatheredEpochs.clear();
  barrier.pending = barrier.expected;
  std::swap(barrier.completed, barrier.gathered);
  barrier.gathered = View();
  barrier.completedRemote = std::move(barrier.gatheredRemote);
  barrier.completedShort = std::move(barrier.gatheredShort);
  barrier.completedCycles = barrier.gatheredCycles;
  std::swap(barrier.lastArrivers, barrier.arrivers);
  barrier.arrivers.clear();
  context.grid.wake(barrier);
}

void MbarrierArrivals::arrive(Mbarrier &barrier, uint32_t count,
                              const View *released, Epoch epoch,
                              uint64_t cycles, const Who &who,
                              bool noComplete) {
  if (count > barrier.pending) {
    context.report(FindingKind::ArrivalOverflow, who.actor(),
                   "expected at most the " + Twine(barrier.pending) +
                       " arrivals that phase " + Twine(barrier.phase) +
                       " still waits for, got " + Twine(count),
                   barrier.address, rules::kMbarrierBytes,
                   barrier.arrivers.empty()
                       ? std::nullopt
                       : std::optional(barrier.arrivers.back().actor()));
    count = barrier.pending;
  }
  if (released)
    barrier.gathered.join(*released);
  barrier.gatheredCycles = std::max(barrier.gatheredCycles, cycles);
  barrier.pending -= count;
  constexpr size_t kKnownArrivers = 8;
  bool isAgain = !barrier.arrivers.empty() &&
                 barrier.arrivers.back().cta == who.cta &&
                 barrier.arrivers.back().thread == who.thread;
  if (!isAgain && barrier.arrivers.size() < kKnownArrivers)
    barrier.arrivers.push_back(who);
  else
    barrier.arrivers.back() = who;
  if (noComplete && barrier.pending == 0 && barrier.transactions == 0)
    context.report(
        FindingKind::ArrivalOverflow, who.actor(),
        "expected an arrive with no_complete to leave the phase open, got "
        "the last arrival of "
        "phase " +
            Twine(barrier.phase),
        barrier.address, rules::kMbarrierBytes);
  settle(barrier, epoch, who.actor());
}

void MbarrierArrivals::gather(Mbarrier &barrier, Thread &thread,
                              MemSemantics semantics, MemScope scope) {
  bool isRemote = barrier.cta != thread.cta;
  bool isRelaxed = semantics == MemSemantics::Relaxed;
  // It releases nothing to threads outside the arrive's scope, whatever an
  // earlier fence released.
  bool reaches = !isRemote || scope != MemScope::CTA;
  auto *state = findState(thread);
  ScopedViews *fenced = state ? state->released.get() : nullptr;
  const View *released = nullptr;
  if (reaches && !isRelaxed)
    released = &thread.view;
  else if (reaches && fenced)
    released =
        &(*fenced)[getIndex(isRemote ? MemScope::Cluster : MemScope::CTA)];
  if (released && isRemote) {
    if (!barrier.gatheredRemote)
      barrier.gatheredRemote = std::make_unique<View>();
    barrier.gatheredRemote->join(*released);
    if (!isRelaxed)
      barrier.gatheredRemote->order.observe(thread.epoch());
  } else if (released) {
    barrier.gathered.join(*released);
    // Its own epoch is added when the phase completes, so that until then all
    // arrivals may share parts of one clock.
    if (!isRelaxed)
      barrier.gatheredEpochs.push_back(thread.epoch());
  }
  if (!isRelaxed && reaches)
    return;
  if (!isRelaxed) {
    if (!barrier.gatheredRemote)
      barrier.gatheredRemote = std::make_unique<View>();
    Clock &ended = barrier.gatheredRemote->ended;
    ended.join(thread.view.order);
    ended.join(thread.view.ended);
    ended.observe(thread.epoch());
  }
  if (!barrier.gatheredShort)
    barrier.gatheredShort = llvm::makeIntrusiveRefCnt<Publication>();
  Publication &publication = *barrier.gatheredShort;
  publication.isArrive = true;
  publication.isRelaxed = isRelaxed;
  publication.known.join(thread.view.order);
  publication.known.observe(thread.epoch());
  publication.writer = thread.epoch();
  publication.site = thread.site;
  publication.cluster = thread.cluster;
  publication.gpu = thread.gpu;
  if (!isRelaxed)
    publication.released[getIndex(MemScope::CTA)].join(publication.known);
  else if (fenced)
    for (unsigned near = 0; near <= getIndex(scope); ++near)
      publication.released[near].join((*fenced)[near].order);
}

static uint64_t makeState(const Mbarrier &barrier) {
  return barrier.phase << 20 | barrier.pending;
}

uint32_t MbarrierArrivals::getPendingCount(uint64_t state) {
  return uint32_t(state & ((1u << 20) - 1));
}

bool MbarrierArrivals::checkBytes(void *address, int64_t bytes) {
  if (bytes >= 0 && bytes <= rules::kMaxTransactionBytes)
    return true;
  context.report(FindingKind::CountOutOfRange, context.here().actor(),
                 "expected 0 to 1048575 transaction bytes, got " + Twine(bytes),
                 address, rules::kMbarrierBytes);
  return false;
}

void MbarrierArrivals::expectTx(void *address, int64_t bytes) {
  ++context.progress;
  Mbarrier *barrier = barriers.use(address);
  if (!barrier || !checkBytes(address, bytes))
    return;
  Thread &thread = context.grid.current();
  thread.cycles += kBarrierCycles;
  barrier->expecter = whoIs(thread);
  barrier->hasExpecter = true;
  changeTransactions(*barrier, bytes, context.here().actor());
  settle(*barrier, thread.epoch(), context.here().actor());
}

void MbarrierArrivals::completeTx(void *address, int64_t bytes) {
  ++context.progress;
  Mbarrier *barrier = barriers.use(address);
  if (!barrier || !checkBytes(address, bytes))
    return;
  Thread &thread = context.grid.current();
  thread.cycles += kBarrierCycles;
  barrier->gatheredCycles = std::max(barrier->gatheredCycles, thread.cycles);
  changeTransactions(*barrier, -bytes, context.here().actor());
  settle(*barrier, thread.epoch(), context.here().actor());
}

uint64_t MbarrierArrivals::arrive(void *address, const ArriveOptions &options) {
  ++context.progress;
  Mbarrier *barrier = barriers.use(address);
  if (!barrier)
    return 0;
  Thread &thread = context.grid.current();
  thread.cycles += kBarrierCycles;
  uint64_t state = makeState(*barrier);
  if (options.count < 1 || options.count > rules::kMaxArrivals) {
    context.report(FindingKind::CountOutOfRange, context.here().actor(),
                   "expected a count of 1 to 1048575 arrivals, got " +
                       Twine(options.count),
                   address, rules::kMbarrierBytes);
    return state;
  }
  if (options.expectBytes) {
    if (!checkBytes(address, *options.expectBytes))
      return state;
    barrier->expecter = whoIs(thread);
    barrier->hasExpecter = true;
    changeTransactions(*barrier, *options.expectBytes, context.here().actor());
  }
  if (options.drop) {
    if (options.count > barrier->expected)
      context.report(FindingKind::CountOutOfRange, context.here().actor(),
                     "expected to drop at most the " +
                         Twine(barrier->expected) + " expected arrivals, got " +
                         Twine(options.count),
                     address, rules::kMbarrierBytes);
    barrier->expected -= std::min(options.count, barrier->expected);
  }
  // The thread knows that the phases before the one of its arrival are
  // complete.
  if (barrier->cta == thread.cta && thread.index < barrier->lastWaited.size())
    barrier->lastWaited[thread.index] = std::max(
        barrier->lastWaited[thread.index], int64_t(barrier->phase) - 1);
  gather(*barrier, thread, options.semantics, options.scope);
  arrive(*barrier, options.count, /*released=*/nullptr, thread.epoch(),
         thread.cycles, whoIs(thread), options.noComplete);
  if (options.semantics != MemSemantics::Relaxed)
    thread.tick();
  return state;
}

//===----------------------------------------------------------------------===//
// Operations of engines
//===----------------------------------------------------------------------===//

void MbarrierArrivals::signal(AsyncOperation &operation, void *address) {
  Mbarrier *barrier =
      barriers.useByEngine(address, operation.issuer.actor(operation.name));
  operation.barrier = barrier;
  if (!barrier)
    return;
  barrier->bytesInFlight += operation.bytes;
  ++barrier->operationsInFlight;
}

void MbarrierArrivals::land(AsyncOperation &operation, uint64_t bytes,
                            bool last) {
  Mbarrier &barrier = *operation.barrier;
  barrier.bytesInFlight -= bytes;
  if (last) {
    --barrier.operationsInFlight;
    barrier.gathered.order.observe(operation.writeEpoch);
    barrier.gatheredCycles =
        std::max(barrier.gatheredCycles, operation.landCycles);
  }
  if (barrier.life != Mbarrier::Life::Live || bytes == 0)
    return;
  barrier.transferPhases = barrier.phase + 1;
  changeTransactions(barrier, -int64_t(bytes),
                     operation.issuer.actor(operation.name));
  settle(barrier, operation.writeEpoch, operation.issuer.actor(operation.name));
}

} // namespace carousel::sim
