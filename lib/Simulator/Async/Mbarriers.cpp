//===- Mbarriers.cpp - barriers in shared memory --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table and when the use of a barrier is wrong, then arrivals, expected
// bytes and bytes that land, then waits: the phase that each names, and what
// the thread knows when it is over.
//
//===----------------------------------------------------------------------===//

#include "Mbarriers.h"

#include "Ordering.h"
#include "TransferLog.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>

namespace carousel::sim {

WaitDescription Mbarrier::describe(const Thread &waiter) const {
  WaitDescription description;
  description.what = "mbarrier " + context.describeName(address) +
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
      description.providers.push_back(context.describeSite(who) +
                                      ", which arrived in phase " +
                                      llvm::utostr(phase - 1));
  }
  if (!arrivers.empty())
    description.providers.push_back("the last arrival was of " +
                                    context.describeSite(arrivers.back()));
  if (transactions > 0 && hasExpecter)
    description.providers.push_back("the bytes were last expected by " +
                                    context.describeSite(expecter));
  for (const AsyncOperation *operation : operations.getActive())
    if (operation->barrier == this)
      description.providers.push_back(operation->name.str() +
                                      " in flight, issued by " +
                                      context.describeSite(operation->issuer));
  return description;
}

using llvm::Twine;

static constexpr uint64_t kPattern = 0x6d62617272696572;

//===----------------------------------------------------------------------===//
// Is its use allowed?
//===----------------------------------------------------------------------===//

Mbarrier *MbarrierTable::use(const void *address, User user, const View &view,
                             Epoch self, Actor actor) {
  auto it = barriers.find(address);
  if (it == barriers.end() || it->second->life == Mbarrier::Life::Never) {
    context.report(FindingKind::UseBeforeInit, std::move(actor),
                   "expected an initialised mbarrier, got memory without one",
                   address, rules::kMbarrierBytes);
    return nullptr;
  }
  Mbarrier &barrier = *it->second;
  if (barrier.life == Mbarrier::Life::Ended) {
    context.report(FindingKind::UseAfterInval, std::move(actor),
                   "expected a live mbarrier, got one that was invalidated",
                   address, rules::kMbarrierBytes, barrier.initialiser.actor());
    return nullptr;
  }
  checkPattern(barrier, actor);

  // Every clock covers the zero time, which means that there was no fence.
  bool isFenced = barrier.fenceEpoch && view.order.covers(barrier.fenceEpoch);
  bool isOwn = self && barrier.initEpoch.isSameAgent(self);
  bool isOrdered = isOwn || view.order.covers(barrier.initEpoch);
  bool isVisible =
      isFenced ||
      (user == User::Local
           ? isOrdered
           : isOrdered && view.fencedShared.covers(barrier.initEpoch));
  if (!isVisible)
    context.report(
        FindingKind::InitNotVisible, std::move(actor),
        user == User::Local
            ? Twine("expected a barrier between mbarrier.init and its use "
                    "by another thread, "
                    "found no order between them")
            : Twine("expected fence.mbarrier_init or fence.proxy by the "
                    "initialising thread, "
                    "then a barrier, before ") +
                  (user == User::Engine ? "a transfer signals the mbarrier"
                                        : "another CTA uses the mbarrier") +
                  ", found neither on the way",
        address, rules::kMbarrierBytes, barrier.initialiser.actor());
  return &barrier;
}

Mbarrier *MbarrierTable::use(void *address) {
  Thread &thread = context.grid.current();
  auto it = barriers.find(address);
  bool isLocal = it == barriers.end() || it->second->cta == thread.cta;
  return use(address, isLocal ? User::Local : User::Remote, thread.view,
             thread.epoch(), whoIs(thread).actor());
}

Mbarrier *MbarrierTable::useByEngine(void *address, Actor actor) {
  // The issuing thread's own init needs a fence, too, because the engine isn't
  // the thread.
  Thread &thread = context.grid.current();
  return use(address, User::Engine, thread.view, thread.epoch(),
             std::move(actor));
}

Mbarrier *MbarrierTable::useOwn(void *address, const char *what) {
  Mbarrier *barrier = use(address);
  if (!barrier || barrier->cta == context.grid.current().cta)
    return barrier;
  context.report(FindingKind::InvalidOperand, context.here().actor(),
                 Twine("expected ") + what +
                     " a barrier of the own CTA, got one of " +
                     context.grid.describeCTA(barrier->cta),
                 address, rules::kMbarrierBytes);
  return nullptr;
}

void MbarrierTable::checkPattern(Mbarrier &barrier, const Actor &actor) {
  if (std::memcmp(barrier.address, &kPattern, sizeof(kPattern)) == 0)
    return;
  context.report(
      FindingKind::UseBeforeInit, actor,
      "expected an initialised mbarrier, got one whose memory was overwritten",
      barrier.address, rules::kMbarrierBytes, barrier.initialiser.actor());
  std::memcpy(barrier.address, &kPattern, sizeof(kPattern));
}

//===----------------------------------------------------------------------===//
// Initialisation and invalidation
//===----------------------------------------------------------------------===//

void MbarrierTable::init(void *address, uint32_t count) {
  ++context.progress;
  Thread &thread = context.grid.current();
  Actor actor = context.here().actor();
  if (count < 1 || count > rules::kMaxArrivals)
    context.report(FindingKind::CountOutOfRange, actor,
                   "expected a count of 1 to 1048575 arrivals, got " +
                       Twine(count),
                   address, rules::kMbarrierBytes);
  if (reinterpret_cast<uint64_t>(address) % rules::kMbarrierAlignment != 0) {
    context.report(FindingKind::InvalidOperand, actor,
                   "expected a barrier aligned to 8 bytes, got one at " +
                       Twine(reinterpret_cast<uint64_t>(address) % 8) +
                       " bytes past that",
                   address, rules::kMbarrierBytes);
    context.trap();
  }
  const RegionInfo *region = context.memory.find(address);
  if (!context.memory
           .access(address, rules::kMbarrierBytes,
                   context.makeAccess(AccessKind::Write))
           .inBounds)
    return;
  if (region->space != Space::Shared || region->cta != thread.cta) {
    context.report(FindingKind::InvalidOperand, actor,
                   "expected a barrier in the CTA's own shared memory", address,
                   rules::kMbarrierBytes);
    return;
  }

  Mbarrier *&entry = barriers[address];
  if (!entry) {
    if (freeBarriers.empty()) {
      entry = &pool.emplace_back(context, operations);
    } else {
      entry = freeBarriers.back();
      freeBarriers.pop_back();
    }
    ctas.at(thread.cta).barriers.push_back(entry);
  }
  Mbarrier &barrier = *entry;
  if (barrier.life == Mbarrier::Life::Live)
    context.report(FindingKind::LiveInit, actor,
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
  barrier.initialiser = whoIs(thread);
  barrier.initEpoch = thread.epoch();
  barrier.fenceEpoch = Epoch();
  barrier.transferPhases = barrier.observedPhases = 0;
  barrier.lastWaited.clear();
  barrier.gatheredEpochs.clear();
  barrier.arrivers.clear();
  barrier.lastArrivers.clear();
  barrier.hasExpecter = false;
  std::memcpy(address, &kPattern, sizeof(kPattern));
  context.memory.setWritten(address, rules::kMbarrierBytes, false);
  ctas.stateOf(thread).unfencedInits.push_back(&barrier);
  thread.tick();
}

void MbarrierTable::inval(void *address) {
  ++context.progress;
  Mbarrier *barrier = useOwn(address, "mbarrier.inval of");
  if (!barrier)
    return;
  if (barrier->bytesInFlight != 0 || barrier->operationsInFlight != 0 ||
      barrier->waiters != 0 ||
      barrier->transferPhases > barrier->observedPhases)
    context.report(FindingKind::InFlight, context.here().actor(),
                   "expected no transfer, arrive or wait to be outstanding at "
                   "mbarrier.inval, "
                   "found " +
                       Twine(barrier->bytesInFlight) + " bytes in flight, " +
                       Twine(barrier->waiters) + " waiting threads and phase " +
                       Twine(barrier->phase) + ", of which " +
                       Twine(barrier->observedPhases) + " were waited for",
                   address, rules::kMbarrierBytes);
  if (barrier->transactions != 0)
    context.report(
        barrier->transactions > 0 ? FindingKind::MissingBytes
                                  : FindingKind::ExcessBytes,
        context.here().actor(),
        "expected no transaction bytes to be left at mbarrier.inval, found " +
            Twine(barrier->transactions) + " pending",
        address, rules::kMbarrierBytes, barrier->getExpecter());
  barrier->life = Mbarrier::Life::Ended;
  context.memory.access(address, rules::kMbarrierBytes,
                        context.makeAccess(AccessKind::Write));
  context.memory.setWritten(address, rules::kMbarrierBytes, false);
}

void MbarrierTable::free(Mbarrier &barrier) {
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
// Leftovers
//===----------------------------------------------------------------------===//

void MbarrierTable::checkExit(const Mbarrier &barrier) {
  const Who &who = barrier.getOwner();
  auto found = [&](FindingKind kind, const Twine &message) {
    context.report(kind, who.actor(), message, barrier.address,
                   rules::kMbarrierBytes);
  };
  if (barrier.bytesInFlight != 0)
    return found(FindingKind::InFlight,
                 "expected all transfers that signal a barrier to land before "
                 "the CTA exits, found " +
                     Twine(barrier.bytesInFlight) + " bytes in flight");
  if (barrier.transactions > 0)
    return found(FindingKind::MissingBytes,
                 "expected no transaction bytes to be pending when the CTA "
                 "exits, found " +
                     Twine(barrier.transactions) +
                     " that nothing in flight brings");
  if (barrier.transactions < 0)
    return found(FindingKind::ExcessBytes,
                 "expected no transferred bytes beyond the expected ones when "
                 "the CTA exits, found " +
                     Twine(-barrier.transactions));
  // No thread has seen these bytes land, so their arrival is not guaranteed.
  if (barrier.transferPhases > barrier.observedPhases)
    found(FindingKind::InFlight,
          "expected a wait for each phase that counts transferred bytes before "
          "the CTA exits, found "
          "none for phase " +
              Twine(barrier.transferPhases - 1));
}

void MbarrierTable::checkExit(const AsyncCTA &cta) {
  for (Mbarrier *barrier : cta.barriers)
    if (barrier->life == Mbarrier::Life::Live)
      checkExit(*barrier);
}

void MbarrierTable::free(const AsyncCTA &cta) {
  for (Mbarrier *barrier : cta.barriers)
    free(*barrier);
}

void MbarrierTable::reportMissingBytes() {
  // A phase whose missing bytes no operation brings explains the deadlock.
  for (Mbarrier &barrier : pool) {
    if (barrier.life != Mbarrier::Life::Live || barrier.pending != 0 ||
        barrier.bytesInFlight != 0 || barrier.transactions <= 0)
      continue;
    context.report(
        FindingKind::MissingBytes, barrier.getOwner().actor(),
        "expected the bytes that a phase waits for to be transferred, found " +
            Twine(barrier.transactions) + " missing in phase " +
            Twine(barrier.phase) + " and nothing in flight",
        barrier.address, rules::kMbarrierBytes);
  }
}

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

void CopyArrives::arrive(void *address, bool noIncrement) {
  ++context.progress;
  Mbarrier *barrier = barriers.useOwn(address, "a cp.async arrive on");
  if (!barrier)
    return;
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  thread.cycles += kBarrierCycles;
  if (!noIncrement && barrier->pending++ >= rules::kMaxArrivals)
    context.report(FindingKind::CountOutOfRange, context.here().actor(),
                   "expected at most 1048575 pending arrivals, got one more",
                   address, rules::kMbarrierBytes);
  GroupQueue &copies = state.copies;
  Epoch epoch;
  if (copies.writeAgent != 0) {
    epoch = Epoch(thread.cta, copies.writeAgent, copies.stamp);
    copies.coveredStamp = copies.stamp++;
  }
  ++barrier->operationsInFlight;
  state.arrives.push_back({barrier, copies.open(), epoch, whoIs(thread)});
  fire(state);
}

void CopyArrives::fire(ThreadState &state) {
  uint32_t unfinished = state.copies.first;
  for (const Group &group : state.copies.groups) {
    if (group.writesLeft != 0)
      break;
    ++unfinished;
  }
  uint64_t cycles = state.copies.writeCycles;
  for (const Group &group : state.copies.groups)
    cycles = std::max(cycles, group.writeCycles);
  // Arrives are in the order of their groups. The first one may complete
  // phases, but doesn't call back here.
  while (!state.arrives.empty() && state.arrives.front().group < unfinished) {
    DeferredArrive next = state.arrives.front();
    state.arrives.erase(state.arrives.begin());
    --next.barrier->operationsInFlight;
    if (next.barrier->life != Mbarrier::Life::Live)
      continue;
    View view;
    if (next.copies) {
      // The reads complete with the writes. A later copy may then overwrite the
      // source.
      view.order.observe(next.copies);
      view.order.observe(
          Epoch(state.cta, state.copies.readAgent, next.copies.time()));
    }
    arrivals.arrive(*next.barrier, 1, &view, next.copies, cycles, next.who,
                    /*noComplete=*/false);
  }
}

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
  // The releases of the arrivals, for threads that don't acquire them.
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

bool MbarrierWaits::tryWait(void *address, PhaseName phase,
                            MemSemantics semantics, MemScope scope,
                            bool mayWait) {
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
  bool mayGiveUp = mayWait && state.timeoutProgress != context.progress;
  bool givesUp = mayGiveUp && context.schedule.pick(Decision::TryWait, 2) == 1;
  if (givesUp) {
    state.timeoutProgress = context.progress;
    state.futileTimeouts = 0;
  }
  if (givesUp || !mayWait) {
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
