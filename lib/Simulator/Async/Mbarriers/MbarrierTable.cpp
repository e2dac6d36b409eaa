//===- MbarrierTable.cpp - the barriers of a run --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier.init and mbarrier.inval, and when the use of a barrier is wrong.
//
//===----------------------------------------------------------------------===//

#include "MbarrierTable.h"

#include "carousel/Support/HardwareLimits.h"

#include <cstring>

namespace carousel::sim {

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
// What is left over
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

} // namespace carousel::sim
