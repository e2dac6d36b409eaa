//===- Mbarrier.cpp - phases, arrivals and transaction bytes --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations on barriers and the errors in their use, except for waits
// (MbarrierWait.cpp). The eight bytes of a live barrier hold a pattern and
// count as unwritten. So ordinary reads of them are findings, and so is the
// next use after an ordinary write.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

static constexpr uint64_t kPattern = 0x6d62617272696572;

//===----------------------------------------------------------------------===//
// Is its use allowed?
//===----------------------------------------------------------------------===//

Mbarrier *AsyncMachine::Impl::useBarrier(const void *address, Use use,
                                         const View &view, Epoch self,
                                         Actor actor) {
  auto it = barriers.find(address);
  if (it == barriers.end() || it->second->life == Mbarrier::Life::Never) {
    report(FindingKind::UseBeforeInit, std::move(actor),
           "expected an initialised mbarrier, got memory without one", address,
           rules::kMbarrierBytes);
    return nullptr;
  }
  Mbarrier &barrier = *it->second;
  if (barrier.life == Mbarrier::Life::Ended) {
    report(FindingKind::UseAfterInval, std::move(actor),
           "expected a live mbarrier, got one that was invalidated", address,
           rules::kMbarrierBytes, barrier.initialiser.actor());
    return nullptr;
  }
  checkPattern(barrier, actor);

  // Every clock covers the zero time, which means that there was no fence.
  bool isFenced = barrier.fenceEpoch && view.order.covers(barrier.fenceEpoch);
  bool isOwn = self && barrier.initEpoch.isSameAgent(self);
  bool isOrdered = isOwn || view.order.covers(barrier.initEpoch);
  bool isVisible =
      isFenced ||
      (use == Use::Local
           ? isOrdered
           : isOrdered && view.fencedShared.covers(barrier.initEpoch));
  if (!isVisible)
    report(FindingKind::InitNotVisible, std::move(actor),
           use == Use::Local
               ? Twine("expected a barrier between mbarrier.init and its use "
                       "by another thread, "
                       "found no order between them")
               : Twine("expected fence.mbarrier_init or fence.proxy by the "
                       "initialising thread, "
                       "then a barrier, before ") +
                     (use == Use::Engine ? "a transfer signals the mbarrier"
                                         : "another CTA uses the mbarrier") +
                     ", found neither on the way",
           address, rules::kMbarrierBytes, barrier.initialiser.actor());
  return &barrier;
}

Mbarrier *AsyncMachine::Impl::useBarrier(void *address) {
  Thread &thread = grid.current();
  auto it = barriers.find(address);
  bool isLocal = it == barriers.end() || it->second->cta == thread.cta;
  return useBarrier(address, isLocal ? Use::Local : Use::Remote, thread.view,
                    thread.epoch(), whoIs(thread).actor());
}

Mbarrier *AsyncMachine::Impl::useOwnBarrier(void *address, const char *use) {
  Mbarrier *barrier = useBarrier(address);
  if (!barrier || barrier->cta == grid.current().cta)
    return barrier;
  report(FindingKind::InvalidOperand, here().actor(),
         Twine("expected ") + use + " a barrier of the own CTA, got one of " +
             grid.describeCTA(barrier->cta),
         address, rules::kMbarrierBytes);
  return nullptr;
}

void AsyncMachine::Impl::checkPattern(Mbarrier &barrier, const Actor &actor) {
  if (std::memcmp(barrier.address, &kPattern, sizeof(kPattern)) == 0)
    return;
  report(
      FindingKind::UseBeforeInit, actor,
      "expected an initialised mbarrier, got one whose memory was overwritten",
      barrier.address, rules::kMbarrierBytes, barrier.initialiser.actor());
  std::memcpy(barrier.address, &kPattern, sizeof(kPattern));
}

//===----------------------------------------------------------------------===//
// Initialisation and invalidation
//===----------------------------------------------------------------------===//

void AsyncMachine::mbarrierInit(void *address, uint32_t count) {
  Impl &machine = *impl;
  ++machine.progress;
  Thread &thread = machine.grid.current();
  Actor actor = machine.here().actor();
  if (count < 1 || count > rules::kMaxArrivals)
    machine.report(FindingKind::CountOutOfRange, actor,
                   "expected a count of 1 to 1048575 arrivals, got " +
                       Twine(count),
                   address, rules::kMbarrierBytes);
  if (reinterpret_cast<uint64_t>(address) % rules::kMbarrierAlignment != 0) {
    machine.report(FindingKind::InvalidOperand, actor,
                   "expected a barrier aligned to 8 bytes, got one at " +
                       Twine(reinterpret_cast<uint64_t>(address) % 8) +
                       " bytes past that",
                   address, rules::kMbarrierBytes);
    machine.trap();
  }
  const RegionInfo *region = machine.memory.find(address);
  Access access;
  access.kind = AccessKind::Write;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  if (!machine.memory.access(address, rules::kMbarrierBytes, access).inBounds)
    return;
  if (region->space != Space::Shared || region->cta != thread.cta) {
    machine.report(FindingKind::InvalidOperand, actor,
                   "expected a barrier in the CTA's own shared memory", address,
                   rules::kMbarrierBytes);
    return;
  }

  Mbarrier *&entry = machine.barriers[address];
  if (!entry) {
    if (machine.freeBarriers.empty()) {
      entry = &machine.barrierPool.emplace_back(machine);
    } else {
      entry = machine.freeBarriers.back();
      machine.freeBarriers.pop_back();
    }
    machine.ctaOf(thread.cta).barriers.push_back(entry);
  }
  Mbarrier &barrier = *entry;
  if (barrier.life == Mbarrier::Life::Live)
    machine.report(FindingKind::LiveInit, actor,
                   "expected mbarrier.inval before another mbarrier.init, got "
                   "a live barrier",
                   address, rules::kMbarrierBytes, barrier.initialiser.actor());
  barrier.address = static_cast<char *>(address);
  barrier.cta = thread.cta;
  barrier.life = Mbarrier::Life::Live;
  barrier.expected = barrier.pending = std::max(count, 1u);
  barrier.transactions = 0;
  barrier.phase = 0;
  barrier.gathered = barrier.completed = View();
  barrier.gatheredRemote = nullptr;
  barrier.completedRemote = nullptr;
  barrier.gatheredShort = nullptr;
  barrier.completedShort = nullptr;
  barrier.gatheredCycles = barrier.completedCycles = thread.cycles;
  barrier.completer[0] = barrier.completer[1] = Epoch();
  barrier.initialiser = Impl::whoIs(thread);
  barrier.initEpoch = thread.epoch();
  barrier.fenceEpoch = Epoch();
  barrier.transferPhases = barrier.observedPhases = 0;
  barrier.lastWaited.clear();
  barrier.gatheredEpochs.clear();
  barrier.arrivers.clear();
  barrier.lastArrivers.clear();
  barrier.hasExpecter = false;
  std::memcpy(address, &kPattern, sizeof(kPattern));
  machine.memory.setWritten(address, rules::kMbarrierBytes, false);
  machine.stateOf(thread).unfencedInits.push_back(&barrier);
  thread.tick();
}

void AsyncMachine::mbarrierInval(void *address) {
  Impl &machine = *impl;
  ++machine.progress;
  Mbarrier *barrier = machine.useOwnBarrier(address, "mbarrier.inval of");
  if (!barrier)
    return;
  Thread &thread = machine.grid.current();
  if (barrier->bytesInFlight != 0 || barrier->operationsInFlight != 0 ||
      barrier->waiters != 0 ||
      barrier->transferPhases > barrier->observedPhases)
    machine.report(FindingKind::InFlight, machine.here().actor(),
                   "expected no transfer, arrive or wait to be outstanding at "
                   "mbarrier.inval, "
                   "found " +
                       Twine(barrier->bytesInFlight) + " bytes in flight, " +
                       Twine(barrier->waiters) + " waiting threads and phase " +
                       Twine(barrier->phase) + ", of which " +
                       Twine(barrier->observedPhases) + " were waited for",
                   address, rules::kMbarrierBytes);
  if (barrier->transactions != 0)
    machine.report(
        barrier->transactions > 0 ? FindingKind::MissingBytes
                                  : FindingKind::ExcessBytes,
        machine.here().actor(),
        "expected no transaction bytes to be left at mbarrier.inval, found " +
            Twine(barrier->transactions) + " pending",
        address, rules::kMbarrierBytes,
        barrier->hasExpecter ? std::optional(barrier->expecter.actor())
                             : std::nullopt);
  barrier->life = Mbarrier::Life::Ended;
  Access access;
  access.kind = AccessKind::Write;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  machine.memory.access(address, rules::kMbarrierBytes, access);
  machine.memory.setWritten(address, rules::kMbarrierBytes, false);
}

void AsyncMachine::Impl::freeBarrier(Mbarrier &barrier) {
  barriers.erase(barrier.address);
  barrier.life = Mbarrier::Life::Never;
  barrier.gathered = barrier.completed = View();
  barrier.gatheredRemote = nullptr;
  barrier.completedRemote = nullptr;
  barrier.gatheredShort = nullptr;
  barrier.completedShort = nullptr;
  barrier.bytesInFlight = 0;
  barrier.operationsInFlight = 0;
  barrier.waiters = 0;
  freeBarriers.push_back(&barrier);
}

//===----------------------------------------------------------------------===//
// Arrivals and transactions
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::changeTransactions(Mbarrier &barrier, int64_t bytes,
                                            const Actor &actor) {
  barrier.transactions += bytes;
  if (std::abs(barrier.transactions) > rules::kMaxTransactionBytes)
    report(FindingKind::CountOutOfRange, actor,
           "expected pending transaction bytes of -1048575 to 1048575, got " +
               Twine(barrier.transactions),
           barrier.address, rules::kMbarrierBytes);
}

void AsyncMachine::Impl::settle(Mbarrier &barrier, Epoch epoch,
                                const Actor &actor) {
  if (barrier.pending != 0)
    return;
  if (barrier.transactions < 0)
    report(FindingKind::ExcessBytes, actor,
           "expected the transferred bytes of a phase to be those that it "
           "expects, found " +
               Twine(-barrier.transactions) + " more in phase " +
               Twine(barrier.phase),
           barrier.address, rules::kMbarrierBytes,
           barrier.hasExpecter ? std::optional(barrier.expecter.actor())
                               : std::nullopt);
  if (barrier.transactions != 0)
    return;
  if (barrier.bytesInFlight != 0)
    report(FindingKind::ExcessBytes, actor,
           "expected a phase to complete after all transfers that signal it, "
           "found " +
               Twine(barrier.bytesInFlight) +
               " bytes still in flight at the end of phase " +
               Twine(barrier.phase),
           barrier.address, rules::kMbarrierBytes,
           barrier.hasExpecter ? std::optional(barrier.expecter.actor())
                               : std::nullopt);
  barrier.completer[barrier.phase & 1] = epoch;
  if (trace)
    trace->phaseCompleted(barrier.address, barrier.phase,
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
  grid.wake(barrier);
}

void AsyncMachine::Impl::arrive(Mbarrier &barrier, uint32_t count,
                                const View *released, Epoch epoch,
                                uint64_t cycles, const Who &who,
                                bool noComplete) {
  if (count > barrier.pending) {
    report(FindingKind::ArrivalOverflow, who.actor(),
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
    report(FindingKind::ArrivalOverflow, who.actor(),
           "expected an arrive with no_complete to leave the phase open, got "
           "the last arrival of "
           "phase " +
               Twine(barrier.phase),
           barrier.address, rules::kMbarrierBytes);
  settle(barrier, epoch, who.actor());
}

void AsyncMachine::Impl::gather(Mbarrier &barrier, Thread &thread,
                                MemSemantics semantics, MemScope scope) {
  bool isRemote = barrier.cta != thread.cta;
  bool isRelaxed = semantics == MemSemantics::Relaxed;
  // It releases nothing to threads outside the arrive's scope, whatever an
  // earlier fence released.
  bool reaches = !isRemote || scope != MemScope::CTA;
  auto *state = static_cast<ThreadState *>(thread.asyncState);
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
  if (!isRelaxed)
    publication.released[getIndex(MemScope::CTA)].join(publication.known);
  else if (fenced)
    for (unsigned near = 0; near <= getIndex(scope); ++near)
      publication.released[near].join((*fenced)[near].order);
}

static uint64_t makeState(const Mbarrier &barrier) {
  return barrier.phase << 20 | barrier.pending;
}

uint32_t AsyncMachine::mbarrierPendingCount(uint64_t state) {
  return uint32_t(state & ((1u << 20) - 1));
}

static bool checkTransactionBytes(AsyncMachine::Impl &machine, void *address,
                                  int64_t bytes) {
  if (bytes >= 0 && bytes <= rules::kMaxTransactionBytes)
    return true;
  machine.report(FindingKind::CountOutOfRange, machine.here().actor(),
                 "expected 0 to 1048575 transaction bytes, got " + Twine(bytes),
                 address, rules::kMbarrierBytes);
  return false;
}

void AsyncMachine::mbarrierExpectTx(void *address, int64_t bytes) {
  Impl &machine = *impl;
  ++machine.progress;
  Mbarrier *barrier = machine.useBarrier(address);
  if (!barrier || !checkTransactionBytes(machine, address, bytes))
    return;
  Thread &thread = machine.grid.current();
  thread.cycles += kBarrierCycles;
  barrier->expecter = Impl::whoIs(thread);
  barrier->hasExpecter = true;
  machine.changeTransactions(*barrier, bytes, machine.here().actor());
  machine.settle(*barrier, thread.epoch(), machine.here().actor());
}

void AsyncMachine::mbarrierCompleteTx(void *address, int64_t bytes) {
  Impl &machine = *impl;
  ++machine.progress;
  Mbarrier *barrier = machine.useBarrier(address);
  if (!barrier || !checkTransactionBytes(machine, address, bytes))
    return;
  Thread &thread = machine.grid.current();
  thread.cycles += kBarrierCycles;
  barrier->gatheredCycles = std::max(barrier->gatheredCycles, thread.cycles);
  machine.changeTransactions(*barrier, -bytes, machine.here().actor());
  machine.settle(*barrier, thread.epoch(), machine.here().actor());
}

uint64_t AsyncMachine::mbarrierArrive(void *address,
                                      const ArriveOptions &options) {
  Impl &machine = *impl;
  ++machine.progress;
  Mbarrier *barrier = machine.useBarrier(address);
  if (!barrier)
    return 0;
  Thread &thread = machine.grid.current();
  thread.cycles += kBarrierCycles;
  uint64_t state = makeState(*barrier);
  if (options.count < 1 || options.count > rules::kMaxArrivals) {
    machine.report(FindingKind::CountOutOfRange, machine.here().actor(),
                   "expected a count of 1 to 1048575 arrivals, got " +
                       Twine(options.count),
                   address, rules::kMbarrierBytes);
    return state;
  }
  if (options.expectBytes) {
    if (!checkTransactionBytes(machine, address, *options.expectBytes))
      return state;
    barrier->expecter = Impl::whoIs(thread);
    barrier->hasExpecter = true;
    machine.changeTransactions(*barrier, *options.expectBytes,
                               machine.here().actor());
  }
  if (options.drop) {
    if (options.count > barrier->expected)
      machine.report(FindingKind::CountOutOfRange, machine.here().actor(),
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
  machine.gather(*barrier, thread, options.semantics, options.scope);
  machine.arrive(*barrier, options.count, /*released=*/nullptr, thread.epoch(),
                 thread.cycles, Impl::whoIs(thread), options.noComplete);
  if (options.semantics != MemSemantics::Relaxed)
    thread.tick();
  return state;
}

void AsyncMachine::Impl::land(Operation &operation, uint64_t bytes, bool last) {
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
