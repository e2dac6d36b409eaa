//===- Async.cpp - start and end of CTAs and threads ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs and threads that start and end, the checks when they end, and shared
// parts of the units: findings, names, and addresses in a cluster.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

AsyncTrace::~AsyncTrace() = default;

AsyncMachine::AsyncMachine(Memory &memory, Grid &grid, Schedule &schedule,
                           FindingLog &log, AsyncRules rules, AsyncTrace *trace)
    : impl(std::make_unique<Impl>(memory, grid, schedule, log, rules, trace)) {}

AsyncMachine::~AsyncMachine() = default;

void AsyncMachine::setSiteNames(std::function<std::string(Site)> names) {
  impl->siteNames = std::move(names);
}

const AsyncFigures &AsyncMachine::getFigures() const { return impl->figures; }

//===----------------------------------------------------------------------===//
// Shared parts of the units
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::report(FindingKind kind, Actor actor,
                                const Twine &message, const void *address,
                                uint64_t size, std::optional<Actor> other) {
  Finding finding;
  finding.kind = kind;
  finding.message = message.str();
  finding.actor = std::move(actor);
  finding.other = std::move(other);
  if (address)
    memory.describe(address, size, finding);
  log.report(std::move(finding));
}

void AsyncMachine::Impl::trap() { grid.abort(); }

std::string AsyncMachine::Impl::describeSite(const Who &who) const {
  std::string text =
      grid.describeCTA(who.cta) + " thread " + llvm::utostr(who.thread);
  if (siteNames)
    if (std::string site = siteNames(who.site); !site.empty())
      text += " at " + site;
  return text;
}

std::string AsyncMachine::Impl::describeName(const void *address) const {
  Finding finding;
  memory.describe(address, rules::kMbarrierBytes, finding);
  std::string name = finding.buffer.empty() ? "barrier" : finding.buffer;
  if (finding.slot)
    name += "[" + llvm::utostr(*finding.slot) + "]";
  return name;
}

ThreadState &AsyncMachine::Impl::stateOf(Thread &thread) {
  if (thread.asyncState)
    return *static_cast<ThreadState *>(thread.asyncState);
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
  ctaOf(thread.cta).threads.push_back(state);
  return *state;
}

void AsyncMachine::Impl::releaseState(ThreadState &state) {
  if (!state.exited || state.references != 0)
    return;
  // Construct in place again: the address is that of a Waitable.
  state.~ThreadState();
  new (&state) ThreadState();
  freeStates.push_back(&state);
}

AsyncCTA &AsyncMachine::Impl::ctaOf(uint32_t cta) {
  std::unique_ptr<AsyncCTA> &state = ctas[cta];
  if (!state) {
    state = std::make_unique<AsyncCTA>();
    state->nextAgent =
        uint32_t(grid.getShape(grid.getLaunchOf(cta)).block.count());
  }
  return *state;
}

AsyncCTA *AsyncMachine::Impl::findShared(const void *address, uint32_t *cta) {
  const RegionInfo *region = memory.find(address);
  if (!region || region->space != Space::Shared)
    return nullptr;
  if (cta)
    *cta = region->cta;
  auto it = ctas.find(region->cta);
  return it == ctas.end() ? nullptr : it->second.get();
}

char *AsyncMachine::Impl::toRank(const void *shared, uint32_t rank) {
  AsyncCTA *own = findShared(shared);
  if (!own)
    return nullptr;
  auto it = ctaOfRank.find(uint64_t(own->cluster) << 32 | rank);
  if (it == ctaOfRank.end())
    return nullptr;
  return ctaOf(it->second).shared +
         (static_cast<const char *>(shared) - own->shared);
}

//===----------------------------------------------------------------------===//
// Threads and CTAs
//===----------------------------------------------------------------------===//

void AsyncMachine::ctaStart(uint32_t cta, uint32_t cluster,
                            uint32_t rankInCluster, char *shared,
                            uint64_t bytes) {
  AsyncCTA &state = impl->ctaOf(cta);
  state.cluster = cluster;
  state.rank = rankInCluster;
  state.shared = shared;
  state.bytes = bytes;
  impl->ctaOfRank[uint64_t(cluster) << 32 | rankInCluster] = cta;
}

void AsyncMachine::threadExit(Thread &thread) {
  ++impl->progress;
  if (!thread.asyncState)
    return;
  impl->exitGroups(thread, *static_cast<ThreadState *>(thread.asyncState));
  // Operations in flight know the state, but the thread's memory may soon be
  // another thread's.
  thread.asyncState = nullptr;
}

bool AsyncMachine::Impl::usesShared(const Operation &operation,
                                    const AsyncCTA &cta) const {
  auto isIn = [&](const void *address) {
    return address >= cta.shared && address < cta.shared + cta.bytes;
  };
  return (!operation.readDone && isIn(operation.source)) ||
         isIn(operation.destination) ||
         (operation.barrier && operation.barrier->address >= cta.shared &&
          operation.barrier->address < cta.shared + cta.bytes);
}

void AsyncMachine::Impl::checkExit(const Mbarrier &barrier) {
  const Who &who = barrier.hasExpecter ? barrier.expecter : barrier.initialiser;
  auto found = [&](FindingKind kind, const Twine &message) {
    report(kind, who.actor(), message, barrier.address, rules::kMbarrierBytes);
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

/// Keeps the releases of a cluster as long as one of its CTAs is resident.
void AsyncMachine::Impl::handOnReleases(const AsyncCTA &cta) {
  if (cta.clusterReleases.empty())
    return;
  constexpr uint32_t kMostRanks = 16;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (auto it = ctaOfRank.find(uint64_t(cta.cluster) << 32 | rank);
        it != ctaOfRank.end()) {
      llvm::append_range(ctaOf(it->second).clusterReleases,
                         cta.clusterReleases);
      return;
    }
  for (const void *address : cta.clusterReleases)
    if (auto place = atomics.find(address); place != atomics.end())
      place->second->byCluster.erase(cta.cluster);
}

void AsyncMachine::ctaExit(uint32_t cta) {
  Impl &machine = *impl;
  ++machine.progress;
  auto it = machine.ctas.find(cta);
  if (it == machine.ctas.end())
    return;
  AsyncCTA &state = *it->second;
  for (Mbarrier *barrier : state.barriers)
    if (barrier->life == Mbarrier::Life::Live)
      machine.checkExit(*barrier);
  for (size_t which = machine.active.size(); which-- > 0;) {
    Operation &operation = *machine.active[which];
    if (!machine.usesShared(operation, state))
      continue;
    bool isSource = operation.source >= state.shared &&
                    operation.source < state.shared + state.bytes;
    bool isOwnGroup = operation.queue && operation.issuer.cta == cta;
    // The exit of a thread already reports groups that it didn't wait for.
    if (!isOwnGroup && !operation.barrier)
      machine.report(
          FindingKind::InFlight, operation.issuer.actor(operation.name),
          "expected no operation in flight on the shared memory of a CTA that "
          "exits",
          isSource ? operation.source : operation.destination, operation.bytes);
    if (operation.barrier && operation.barrier->cta != cta)
      machine.report(
          FindingKind::InFlight, operation.issuer.actor(operation.name),
          "expected the source of a copy to be read before its CTA exits",
          operation.source, operation.bytes);
    machine.expel(uint32_t(which));
  }
  for (Mbarrier *barrier : state.barriers)
    machine.freeBarrier(*barrier);
  for (ThreadState *thread : state.threads) {
    thread->exited = true;
    machine.releaseState(*thread);
  }
  for (const void *address : state.atomics)
    machine.atomics.erase(address);
  for (const void *address : state.releases)
    if (auto place = machine.atomics.find(address);
        place != machine.atomics.end())
      place->second->byCTA.erase(cta);
  llvm::SmallVector<const void *> stale;
  for (auto &entry : machine.descriptors)
    if (entry.first >= state.shared && entry.first < state.shared + state.bytes)
      stale.push_back(entry.first);
  for (const void *address : stale)
    machine.descriptors.erase(address);
  machine.ctaOfRank.erase(uint64_t(state.cluster) << 32 | state.rank);
  machine.handOnReleases(state);
  machine.ctas.erase(cta);
}

void AsyncMachine::gridEnd(RunEnd end) {
  Impl &machine = *impl;
  if (end != RunEnd::Deadlock)
    return;
  // A phase whose missing bytes no operation brings explains the deadlock.
  for (Mbarrier &barrier : machine.barrierPool) {
    if (barrier.life != Mbarrier::Life::Live || barrier.pending != 0 ||
        barrier.bytesInFlight != 0 || barrier.transactions <= 0)
      continue;
    const Who &who =
        barrier.hasExpecter ? barrier.expecter : barrier.initialiser;
    machine.report(
        FindingKind::MissingBytes, who.actor(),
        "expected the bytes that a phase waits for to be transferred, found " +
            Twine(barrier.transactions) + " missing in phase " +
            Twine(barrier.phase) + " and nothing in flight",
        barrier.address, rules::kMbarrierBytes);
  }
}

std::vector<std::string> AsyncMachine::describeOutstanding() const {
  std::vector<std::string> lines;
  for (const Operation *operation : impl->active) {
    std::string line = operation->name.str() + " of " +
                       llvm::utostr(operation->bytes) + " bytes, issued by " +
                       impl->describeSite(operation->issuer);
    if (operation->barrier)
      line += ", signals " + impl->describeName(operation->barrier->address);
    lines.push_back(std::move(line));
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// Background
//===----------------------------------------------------------------------===//

uint32_t AsyncMachine::ready() const {
  if (!impl->active.empty())
    return uint32_t(impl->active.size());
  // With nothing in flight, only a try_wait can still time out. One that has
  // done so repeatedly, with no other event in between, waits forever, which
  // shows a deadlock.
  constexpr uint32_t kFutileTimeouts = 64;
  for (const Impl::TryWaiter &waiter : impl->tryWaiters)
    if (!waiter.state->timedOut &&
        (waiter.state->futileTimeouts < kFutileTimeouts ||
         waiter.state->timeoutProgress != impl->progress))
      return 1;
  return 0;
}

bool AsyncMachine::isIdle(uint32_t launch) const {
  return launch >= impl->launchWork.size() ||
         impl->launchWork[launch].active == 0;
}

uint64_t AsyncMachine::getLastCycles(uint32_t launch) const {
  return launch < impl->launchWork.size() ? impl->launchWork[launch].lastCycles
                                          : 0;
}

void AsyncMachine::run(uint32_t which, Schedule &schedule) {
  if (!impl->active.empty()) {
    ++impl->progress;
    impl->act(which, schedule);
    return;
  }
  for (Impl::TryWaiter &waiter : impl->tryWaiters) {
    ThreadState &state = *waiter.state;
    if (state.timedOut)
      continue;
    if (state.timeoutProgress != impl->progress)
      state.futileTimeouts = 0;
    ++state.futileTimeouts;
    state.timeoutProgress = impl->progress;
    state.timedOut = true;
    impl->grid.wake(*waiter.barrier);
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

void *AsyncMachine::mapShared(const void *shared, uint32_t rank) {
  if (char *address = impl->toRank(shared, rank))
    return address;
  impl->report(
      FindingKind::InvalidOperand, impl->here().actor(),
      "expected the rank of a CTA of the cluster that hasn't exited, got " +
          Twine(rank),
      shared, 1);
  return nullptr;
}

uint32_t AsyncMachine::rankOf(const void *shared) {
  AsyncCTA *cta = impl->findShared(shared);
  return cta ? cta->rank : 0;
}

void AsyncMachine::setMaxRegisters(bool increase, uint32_t registers) {
  if (registers < rules::kMinRegisters || registers > rules::kMaxRegisters ||
      registers % rules::kRegisterStep != 0)
    impl->report(FindingKind::InvalidOperand, impl->here().actor(),
                 "expected 24 to 256 registers in steps of 8, got " +
                     Twine(registers));
  // All threads of a warpgroup arrive at the same one.
  constexpr auto kThreads = uint32_t(rules::kWarpgroupSize);
  auto threads = uint32_t(impl->grid.getShape().block.count());
  uint32_t first = impl->grid.current().index / kThreads * kThreads;
  uint64_t own = uint64_t(increase) << 32 | registers;
  impl->grid.gather(
      "set_max_registers", first, std::min(kThreads, threads - first), own,
      [&](llvm::ArrayRef<uint64_t> values) {
        for (uint64_t value : values)
          if (value != own)
            return impl->report(FindingKind::BarrierDivergence,
                                impl->here().actor(),
                                "expected all threads of a warpgroup at one "
                                "set_max_registers, found " +
                                    Twine(registers) + " and " +
                                    Twine(uint32_t(value)) + " registers");
      });
}

} // namespace carousel::sim
