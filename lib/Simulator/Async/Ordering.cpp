//===- Ordering.cpp - what orders the accesses of threads -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Releases and acquires, with observations from which findings explain what is
// missing. A wait for a signal with a timeout ends without an answer when no
// other agent can act, or when the schedule says that its time is over. The
// first thread of a CTA draws its ticket or gives its value, and the others
// must agree.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"

#include "Mbarriers.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <utility>

namespace carousel::sim {

void noteObservation(Thread &thread, const void *place,
                     PublicationRef publication,
                     std::optional<MemScope> acquired) {
  // Polls observe one publication repeatedly.
  Observations &observations = thread.view.observations;
  if (observations.endsWith(publication.get()) ||
      thread.view.order.covers(publication->writer))
    return;
  Observation observation;
  observation.place = place;
  observation.publication = std::move(publication);
  observation.reader = thread.epoch();
  observation.site = thread.site;
  observation.cluster = thread.cluster;
  observation.gpu = thread.gpu;
  observation.isRelaxed = !acquired;
  observation.acquired = acquired;
  observations.add(std::move(observation));
}

void Atomics::read(const void *address, bool acquire, bool isSystem) {
  auto it = places.find(address);
  if (it == places.end())
    return;
  Thread &thread = context.grid.current();
  const AtomicRelease &place = *it->second;
  if (place.hasReleases) {
    auto take = [&](const View &released, MemScope scope) {
      View &known = acquire
                        ? thread.view
                        : ctas.stateOf(thread).getToAcquire()[getIndex(scope)];
      known.order.join(released.order);
      known.fencedShared.join(released.fencedShared);
      known.fencedAlias.join(released.fencedAlias);
      known.observations.join(released.observations);
      // A fence for global memory counts in the CTA that reads. In the strict
      // reading the writer's fence counts.
      if (context.rules.strictFences || scope == MemScope::CTA)
        known.fencedGlobal.join(released.fencedGlobal);
    };
    if (isSystem)
      take(place.system, MemScope::System);
    if (auto own = place.byGPU.find(thread.gpu); own != place.byGPU.end())
      take(own->second, MemScope::GPU);
    if (auto own = place.byCTA.find(thread.cta); own != place.byCTA.end())
      take(own->second, MemScope::CTA);
    if (auto own = place.byCluster.find(thread.cluster);
        own != place.byCluster.end())
      take(own->second, MemScope::Cluster);
  }
  if (!acquire && place.publication)
    noteObservation(thread, address, place.publication, std::nullopt);
}

/// The publication, as its only owner.
static Publication &own(llvm::IntrusiveRefCntPtr<Publication> &publication) {
  if (!publication)
    publication = llvm::makeIntrusiveRefCnt<Publication>();
  else if (publication->UseCount() > 1)
    publication = llvm::makeIntrusiveRefCnt<Publication>(*publication);
  return *publication;
}

void Atomics::publish(const void *address, const AtomicWrite &write,
                      bool continues) {
  ++context.progress;
  std::unique_ptr<AtomicRelease> &entry = places[address];
  if (!entry) {
    entry = std::make_unique<AtomicRelease>();
    if (AsyncCTA *owner = ctas.findShared(address))
      owner->atomics.push_back(address);
  } else if (!continues) {
    *entry = AtomicRelease();
  }
  AtomicRelease &place = *entry;
  Publication &publication = own(place.publication);
  publication.known.join(write.known->order);
  publication.writer = write.epoch;
  publication.site = write.site;
  publication.cluster = write.cluster;
  publication.gpu = write.gpu;
  for (unsigned scope = 0; scope < kNumScopes; ++scope) {
    const View *released = write.released[scope];
    if (!released || (scope == getIndex(MemScope::System) && !write.isSystem))
      continue;
    AsyncCTA *cta = ctas.find(write.cta);
    place.hasReleases = true;
    publication.released[scope].join(released->order);
    if (scope == getIndex(MemScope::System)) {
      place.system.join(*released);
    } else if (scope == getIndex(MemScope::GPU)) {
      place.byGPU[write.gpu].join(*released);
    } else if (scope == getIndex(MemScope::CTA)) {
      auto [own, isNew] = place.byCTA.try_emplace(write.cta);
      own->second.join(*released);
      if (isNew && cta)
        cta->releases.push_back(address);
    } else if (write.isClustered) {
      auto [own, isNew] = place.byCluster.try_emplace(write.cluster);
      own->second.join(*released);
      if (isNew && cta)
        cta->clusterReleases.push_back(address);
    }
  }
  if (auto waiting = watched.find(address); waiting != watched.end()) {
    waiting->second->cycles = write.cycles;
    context.grid.wake(*waiting->second);
  }
}

void Atomics::write(const void *address, bool release, bool isReadModifyWrite,
                    bool isSystem) {
  Thread &thread = context.grid.current();
  AtomicWrite write;
  write.epoch = thread.epoch();
  write.site = thread.site;
  write.cta = thread.cta;
  write.cluster = thread.cluster;
  write.gpu = thread.gpu;
  write.isSystem = isSystem;
  write.isClustered = isClustered(thread);
  write.cycles = thread.cycles;
  write.known = &carousel::sim::release(thread);
  if (release) {
    write.release(thread.view);
  } else if (ThreadState *state = findState(thread); state && state->released) {
    for (unsigned scope = 0; scope < kNumScopes; ++scope)
      write.released[scope] = &(*state->released)[scope];
  }
  publish(address, write, isReadModifyWrite);
}

//===----------------------------------------------------------------------===//
// CTAs that exit
//===----------------------------------------------------------------------===//

/// Keeps the releases of a cluster as long as one of its CTAs is resident.
void Atomics::propagateReleases(const AsyncCTA &cta) {
  if (cta.clusterReleases.empty())
    return;
  constexpr uint32_t kMostRanks = 16;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (AsyncCTA *other = ctas.findRank(cta.cluster, rank)) {
      llvm::append_range(other->clusterReleases, cta.clusterReleases);
      return;
    }
  for (const void *address : cta.clusterReleases)
    if (auto place = places.find(address); place != places.end())
      place->second->byCluster.erase(cta.cluster);
}

void Atomics::ctaExit(uint32_t cta, const AsyncCTA &state) {
  for (const void *address : state.atomics)
    places.erase(address);
  for (const void *address : state.releases)
    if (auto place = places.find(address); place != places.end())
      place->second->byCTA.erase(cta);
  propagateReleases(state);
}

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

static constexpr char kCounter[] = "counter";

int64_t Signals::Counter::read() const {
  int64_t wide = 0;
  int32_t narrow = 0;
  if (bytes == sizeof(wide)) {
    std::memcpy(&wide, address, bytes);
    return wide;
  }
  std::memcpy(&narrow, address, sizeof(narrow));
  return narrow;
}

void Signals::Counter::write(int64_t value) const {
  // The host is little-endian.
  std::memcpy(address, &value, bytes);
}

/// The difference is a signed number of the counter's width.
static bool hasReached(Signals::Counter counter, int64_t value) {
  uint64_t ahead = uint64_t(counter.read()) - uint64_t(value);
  return counter.bytes == sizeof(int64_t) ? int64_t(ahead) >= 0
                                          : int32_t(ahead) >= 0;
}

Signals::Watched &Signals::watch(Counter counter) {
  std::unique_ptr<Watched> &entry = counters[counter.address];
  if (!entry) {
    entry = std::make_unique<Watched>(context, counter);
    atomics.watch(counter.address, *entry);
  }
  return *entry;
}

void Signals::release(Counter counter, int64_t value, bool add, bool release) {
  Thread &thread = context.grid.current();
  if (!context.accessWord(kCounter, counter.address, counter.bytes,
                          add ? AtomicForm::Reduce : AtomicForm::Store,
                          /*isSystem=*/true))
    return;
  counter.write(add ? int64_t(uint64_t(counter.read()) + uint64_t(value))
                    : value);
  thread.cycles += kBarrierCycles;
  watch(counter).last = whoIs(thread);
  atomics.write(counter.address, release, /*isReadModifyWrite=*/add,
                /*isSystem=*/true);
}

/// If a GPU stops, no other time is over, so that such a run shows what comes
/// of the stop alone.
bool Signals::expires() {
  if (context.grid.hasStop() || context.schedule.pick(Decision::Expire, 2) == 0)
    return false;
  ++expired;
  return true;
}

bool Signals::wait(Counter counter, int64_t value,
                   std::optional<uint64_t> timeout, bool acquire) {
  if (!context.accessWord(kCounter, counter.address, counter.bytes,
                          AtomicForm::Load, /*isSystem=*/true))
    return true;
  Thread &thread = context.grid.current();
  Watched &watched = watch(counter);
  uint64_t since = thread.cycles;
  watched.waits[&thread] = {value, since};
  bool reached = true;
  if (timeout && !hasReached(counter, value) && expires()) {
    reached = false;
    thread.cycles += std::min(*timeout, UINT64_MAX / 2 - since);
  }
  while (reached && !hasReached(counter, value)) {
    if (timeout)
      reached = context.grid.waitFor(
          watched, *timeout - std::min(*timeout, thread.cycles - since));
    else
      context.grid.wait(watched);
  }
  watched.waits.erase(&thread);
  if (reached)
    thread.cycles = std::max(thread.cycles, watched.cycles);
  thread.cycles += kBarrierCycles;
  if (reached)
    atomics.read(counter.address, acquire, /*isSystem=*/true);
  return reached;
}

WaitDescription Signals::Watched::describe(const Thread &waiter) const {
  WaitDescription description;
  description.what = "signal " + context.describeName(counter.address);
  if (auto wait = waits.find(&waiter); wait != waits.end())
    description.what += " at least " + llvm::itostr(wait->second.value) +
                        " since cycle " + llvm::utostr(wait->second.since);
  description.missing = "its value is " + llvm::itostr(counter.read());
  description.providers.push_back(last ? "a signal, the last of which was by " +
                                             context.describeSite(*last)
                                       : "a signal, of which there was none");
  return description;
}

using llvm::Twine;

static constexpr char kSemaphore[] = "grid semaphore";

void GridSemaphores::wait(int32_t *address, int32_t turn) {
  if (!context.accessWord(kSemaphore, address, AtomicForm::Load))
    return;
  Thread &thread = context.grid.current();
  std::unique_ptr<Semaphore> &entry = semaphores[address];
  if (!entry) {
    entry = std::make_unique<Semaphore>(context, address);
    atomics.watch(address, *entry);
  }
  Semaphore &semaphore = *entry;
  ThreadState &state = ctas.stateOf(thread);
  state.waitTarget = uint32_t(turn);
  while (*static_cast<volatile int32_t *>(address) != turn)
    context.grid.wait(semaphore);
  thread.cycles = std::max(thread.cycles, semaphore.cycles) + kBarrierCycles;
  state.turn = address;
  state.turnBegin = thread.view.order;
  state.turnGroup = state.bulk.open();
  atomics.read(address, /*acquire=*/true);
}

void GridSemaphores::checkRelease(Thread &thread, const int32_t *semaphore) {
  // Operations from before the turn aren't released; of the thread's own groups
  // only the committed ones are. Reading their results is a race.
  ThreadState &state = ctas.stateOf(thread);
  auto isBeforeTurn = [&](const GlobalWrite &write) {
    if (state.turn != semaphore)
      return false;
    return write.thread == thread.index ? write.group < state.turnGroup
                                        : state.turnBegin.covers(write.issue);
  };
  for (const GlobalWrite &write : ctas.at(thread.cta).globalWrites) {
    bool isKnown =
        write.thread == thread.index || thread.view.order.covers(write.issue);
    if (!isKnown || thread.view.order.covers(write.write) ||
        isBeforeTurn(write))
      continue;
    context.report(
        FindingKind::ReleaseInFlight,
        context.here().actor("grid.serial_release"),
        "expected bulk writes to be complete, and the releasing thread to "
        "know, before a "
        "semaphore is released, found a group of thread " +
            Twine(write.thread) + " that no complete wait covers",
        semaphore, sizeof(int32_t), write.issuer.actor());
    return;
  }
}

void GridSemaphores::release(int32_t *address, int32_t turn) {
  Thread &thread = context.grid.current();
  checkRelease(thread, address);
  ctas.stateOf(thread).turn = nullptr;
  if (!context.accessWord(kSemaphore, address, AtomicForm::Store))
    return;
  *static_cast<volatile int32_t *>(address) = turn;
  thread.cycles += kBarrierCycles;
  if (auto it = semaphores.find(address); it != semaphores.end())
    it->second->lastRelease = whoIs(thread);
  atomics.write(address, /*release=*/true, /*isReadModifyWrite=*/false);
}

WaitDescription
GridSemaphores::Semaphore::describe(const Thread &waiter) const {
  WaitDescription description;
  const ThreadState *state = findState(waiter);
  description.what = "grid semaphore " + context.describeName(address) +
                     ", turn " +
                     llvm::itostr(state ? int32_t(state->waitTarget) : 0);
  description.missing = "its value is " + llvm::itostr(*address);
  if (lastRelease)
    description.providers.push_back("it was last released by " +
                                    context.describeSite(*lastRelease));
  return description;
}

namespace {
struct Draw {
  int32_t *counter;
  int64_t total;
  Who who;
  int64_t number = 0;
};

} // namespace

static Draw &getDraw(uint64_t value) {
  return *reinterpret_cast<Draw *>(value);
}

void GridTickets::checkDraws(llvm::ArrayRef<uint64_t> draws) {
  const Draw &first = getDraw(draws.front());
  auto found = [&](const Twine &message, const Draw &other) {
    std::optional<Actor> theirs;
    if (&other != &first)
      theirs = other.who.actor("grid.ticket");
    context.report(FindingKind::InvalidOperand, first.who.actor("grid.ticket"),
                   message, first.counter, sizeof(int32_t), theirs);
  };
  if (first.total < 1 || first.total > INT32_MAX)
    found("expected 1 to 2^31 - 1 tickets, got " + Twine(first.total), first);
  for (uint64_t value : draws) {
    const Draw &draw = getDraw(value);
    if (draw.total == first.total && draw.counter == first.counter)
      continue;
    return found("expected the threads of a CTA to draw from one counter with "
                 "one number of tickets in all, found " +
                     Twine(first.total) + " in thread " +
                     Twine(first.who.thread) + " and " + Twine(draw.total) +
                     " in thread " + Twine(draw.who.thread),
                 draw);
  }
}

int64_t GridTickets::draw(int32_t *counter, int64_t total, bool ordersMemory) {
  Draw draw{counter, total, context.here()};
  auto threads = uint32_t(context.grid.getShape().block.count());
  context.grid.gather(
      "grid.ticket", 0, threads, reinterpret_cast<uint64_t>(&draw),
      [&](llvm::ArrayRef<uint64_t> draws) {
        checkDraws(draws);
        const Draw &first = getDraw(draws.front());
        if (!context.accessWord("counter", first.counter,
                                AtomicForm::ReadModifyWrite))
          return;
        int32_t number = *first.counter;
        if (number < 0 || number >= first.total)
          context.report(FindingKind::InvalidOperand,
                         first.who.actor("grid.ticket"),
                         "expected a counter from 0 to below the number of "
                         "tickets, " +
                             Twine(first.total) + ", found " + Twine(number),
                         first.counter, sizeof(int32_t));
        *first.counter = number + 1 == first.total ? 0 : number + 1;
        // The thread that draws releases and acquires for all.
        Thread &drawer = context.grid.current();
        auto forOthers = [&](llvm::function_ref<void(Thread &)> act) {
          for (uint32_t index = 0; ordersMemory && index < threads; ++index)
            if (index != drawer.index)
              act(*context.grid.lookup(drawer.cta, index));
        };
        forOthers([&](Thread &other) { acquire(drawer, release(other)); });
        atomics.read(first.counter, ordersMemory);
        atomics.write(first.counter, ordersMemory,
                      /*isReadModifyWrite=*/true);
        forOthers([&](Thread &other) { acquire(other, drawer.view); });
        for (uint64_t value : draws)
          getDraw(value).number = number;
      });
  if (context.log.isFull())
    context.grid.abort();
  return draw.number;
}

static constexpr char kGather[] = "cluster.gather";

std::vector<uint64_t> ClusterGathers::gather(uint64_t value, uint32_t count) {
  Thread &thread = context.grid.current();
  const GridShape &shape = context.grid.getShape();
  // C214, with the cluster of this launch.
  if (shape.cluster.count() != count)
    context.invalid(kGather,
                    "expected a value for each CTA of the cluster, got " +
                        Twine(count) + " values and " +
                        Twine(shape.cluster.count()) + " CTAs");
  std::pair<uint32_t, uint32_t> key(thread.cluster,
                                    ctas.stateOf(thread).gathers++);
  std::unique_ptr<Round> &entry = rounds[key];
  if (!entry)
    entry = std::make_unique<Round>(context, count);
  Round &round = *entry;
  std::optional<Who> &giver = round.givers[thread.rankInCluster];
  if (!giver) {
    giver = context.here();
    round.values[thread.rankInCluster] = value;
    round.cycles = std::max(round.cycles, thread.cycles);
    ++context.progress;
    if (--round.missing == 0)
      context.grid.wake(round);
  } else if (round.values[thread.rankInCluster] != value) {
    context.report(FindingKind::InvalidOperand, context.here().actor(kGather),
                   "expected one value in all threads of a CTA, found two",
                   nullptr, 0, giver->actor(kGather));
    if (context.log.isFull())
      context.grid.abort();
  }
  while (round.missing != 0)
    context.grid.wait(round);
  thread.cycles = std::max(thread.cycles, round.cycles) + kBarrierCycles;
  std::vector<uint64_t> values = round.values;
  if (++round.takers == count * shape.block.count())
    rounds.erase(key);
  return values;
}

WaitDescription ClusterGathers::Round::describe(const Thread &) const {
  WaitDescription description;
  description.what = "cluster gather";
  std::string ranks;
  for (auto [rank, giver] : llvm::enumerate(givers))
    if (giver)
      description.providers.push_back(context.describeSite(*giver) +
                                      " gave the value of rank " +
                                      std::to_string(rank));
    else
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  description.missing = "the values of the CTAs with ranks " + ranks;
  return description;
}

} // namespace carousel::sim
