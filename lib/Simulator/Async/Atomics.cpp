//===- Atomics.cpp - release and acquire in memory ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views that atomics have released at each address, for threads that
// acquire them. Also the semaphores that order the CTAs of a grid, and the
// tickets that number them.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

//===----------------------------------------------------------------------===//
// Release and acquire
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::noteSighting(Thread &thread, const void *place,
                                      PublicationRef publication,
                                      std::optional<MemScope> acquired) {
  // Polls observe one publication repeatedly.
  Sightings &sightings = thread.view.sightings;
  if (sightings.endsWith(publication.get()) ||
      thread.view.order.covers(publication->writer))
    return;
  Sighting sighting;
  sighting.place = place;
  sighting.publication = std::move(publication);
  sighting.reader = thread.epoch();
  sighting.site = thread.site;
  sighting.cluster = thread.cluster;
  sighting.isRelaxed = !acquired;
  sighting.acquired = acquired;
  sightings.add(std::move(sighting));
}

void AsyncMachine::atomicRead(const void *address, bool acquire) {
  auto it = impl->atomics.find(address);
  if (it == impl->atomics.end())
    return;
  Thread &thread = impl->grid.current();
  const AtomicRelease &place = *it->second;
  if (place.hasReleases) {
    auto take = [&](const View &released, MemScope scope) {
      View &known = acquire
                        ? thread.view
                        : impl->stateOf(thread).getToAcquire()[getIndex(scope)];
      known.order.join(released.order);
      known.fencedShared.join(released.fencedShared);
      known.sightings.join(released.sightings);
      // A fence for global memory counts in the CTA that reads. In the strict
      // reading the writer's fence counts.
      if (impl->rules.strictFences || scope == MemScope::CTA)
        known.fencedGlobal.join(released.fencedGlobal);
    };
    take(place.device, MemScope::GPU);
    if (auto own = place.byCTA.find(thread.cta); own != place.byCTA.end())
      take(own->second, MemScope::CTA);
    if (auto own = place.byCluster.find(thread.cluster);
        own != place.byCluster.end())
      take(own->second, MemScope::Cluster);
  }
  if (!acquire && place.publication)
    impl->noteSighting(thread, address, place.publication, std::nullopt);
}

/// The publication, as its only owner.
static Publication &own(llvm::IntrusiveRefCntPtr<Publication> &publication) {
  if (!publication)
    publication = llvm::makeIntrusiveRefCnt<Publication>();
  else if (publication->UseCount() > 1)
    publication = llvm::makeIntrusiveRefCnt<Publication>(*publication);
  return *publication;
}

void AsyncMachine::Impl::publish(const void *address, const AtomicWrite &write,
                                 bool continues) {
  ++progress;
  std::unique_ptr<AtomicRelease> &entry = atomics[address];
  if (!entry) {
    entry = std::make_unique<AtomicRelease>();
    if (AsyncCTA *owner = findShared(address))
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
  for (unsigned scope = 0; scope < kNumScopes; ++scope) {
    const View *released = write.released[scope];
    if (!released)
      continue;
    auto cta = ctas.find(write.cta);
    place.hasReleases = true;
    publication.released[scope].join(released->order);
    if (scope == getIndex(MemScope::GPU)) {
      place.device.join(*released);
    } else if (scope == getIndex(MemScope::CTA)) {
      auto [own, isNew] = place.byCTA.try_emplace(write.cta);
      own->second.join(*released);
      if (isNew && cta != ctas.end())
        cta->second->releases.push_back(address);
    } else if (write.isClustered) {
      auto [own, isNew] = place.byCluster.try_emplace(write.cluster);
      own->second.join(*released);
      if (isNew && cta != ctas.end())
        cta->second->clusterReleases.push_back(address);
    }
  }
  if (auto waiting = semaphores.find(address); waiting != semaphores.end()) {
    waiting->second->cycles = write.cycles;
    grid.wake(*waiting->second);
  }
}

void AsyncMachine::atomicWrite(const void *address, bool release,
                               bool isReadModifyWrite) {
  Thread &thread = impl->grid.current();
  AtomicWrite write;
  write.epoch = thread.epoch();
  write.site = thread.site;
  write.cta = thread.cta;
  write.cluster = thread.cluster;
  write.isClustered = impl->isClustered(thread);
  write.cycles = thread.cycles;
  write.known = &impl->release(thread);
  if (release) {
    write.release(thread.view);
  } else if (thread.asyncState) {
    auto &state = *static_cast<ThreadState *>(thread.asyncState);
    if (state.released)
      for (unsigned scope = 0; scope < kNumScopes; ++scope)
        write.released[scope] = &(*state.released)[scope];
  }
  impl->publish(address, write, isReadModifyWrite);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

static constexpr char kSemaphore[] = "grid semaphore";

static bool accessWord(AsyncMachine::Impl &machine, const char *what,
                       const int32_t *address, AtomicForm form) {
  Thread &thread = machine.grid.current();
  if (reinterpret_cast<uint64_t>(address) % sizeof(int32_t) != 0)
    machine.invalid(what, Twine("expected a ") + what + " aligned to 4 bytes",
                    address, sizeof(int32_t));
  Access access;
  access.kind = AccessKind::Atomic;
  access.form = form;
  access.elementBytes = sizeof(int32_t);
  access.mayBeUnwritten = form == AtomicForm::Store;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  return machine.memory.access(address, sizeof(int32_t), access).inBounds;
}

void AsyncMachine::gridSerialWait(int32_t *address, int32_t turn) {
  Impl &machine = *impl;
  if (!accessWord(machine, kSemaphore, address, AtomicForm::Load))
    return;
  Thread &thread = machine.grid.current();
  std::unique_ptr<Semaphore> &entry = machine.semaphores[address];
  if (!entry) {
    entry = std::make_unique<Semaphore>();
    entry->machine = &machine;
    entry->address = address;
  }
  Semaphore &semaphore = *entry;
  ThreadState &state = machine.stateOf(thread);
  state.waitTarget = uint32_t(turn);
  while (*static_cast<volatile int32_t *>(address) != turn)
    machine.grid.wait(semaphore);
  thread.cycles = std::max(thread.cycles, semaphore.cycles) + kBarrierCycles;
  state.turn = address;
  state.turnBegin = thread.view.order;
  state.turnGroup = state.bulk.open();
  atomicRead(address, /*acquire=*/true);
}

void AsyncMachine::Impl::checkSemaphore(Thread &thread,
                                        const int32_t *semaphore) {
  // Operations from before the turn aren't released; of the thread's own groups
  // only the committed ones are. Reading their results is a race.
  ThreadState &state = stateOf(thread);
  auto isBeforeTurn = [&](const GlobalWrite &write) {
    if (state.turn != semaphore)
      return false;
    return write.thread == thread.index ? write.group < state.turnGroup
                                        : state.turnBegin.covers(write.issue);
  };
  for (const GlobalWrite &write : ctaOf(thread.cta).globalWrites) {
    bool isKnown =
        write.thread == thread.index || thread.view.order.covers(write.issue);
    if (!isKnown || thread.view.order.covers(write.write) ||
        isBeforeTurn(write))
      continue;
    report(FindingKind::ReleaseInFlight, here().actor("grid.serial_release"),
           "expected bulk writes to be complete, and the releasing thread to "
           "know, before a "
           "semaphore is released, found a group of thread " +
               Twine(write.thread) + " that no complete wait covers",
           semaphore, sizeof(int32_t), write.issuer.actor());
    return;
  }
}

void AsyncMachine::gridSerialRelease(int32_t *address, int32_t turn) {
  Impl &machine = *impl;
  Thread &thread = machine.grid.current();
  machine.checkSemaphore(thread, address);
  machine.stateOf(thread).turn = nullptr;
  if (!accessWord(machine, kSemaphore, address, AtomicForm::Store))
    return;
  *static_cast<volatile int32_t *>(address) = turn;
  thread.cycles += kBarrierCycles;
  if (auto it = machine.semaphores.find(address);
      it != machine.semaphores.end()) {
    it->second->lastRelease = Impl::whoIs(thread);
    it->second->hasRelease = true;
  }
  atomicWrite(address, /*release=*/true, /*isReadModifyWrite=*/false);
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

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

/// C189, with the values of this run.
static void checkDraws(AsyncMachine::Impl &machine,
                       llvm::ArrayRef<uint64_t> draws) {
  const Draw &first = getDraw(draws.front());
  auto found = [&](const Twine &message, const Draw &other) {
    std::optional<Actor> theirs;
    if (&other != &first)
      theirs = other.who.actor("grid.ticket");
    machine.report(FindingKind::InvalidOperand, first.who.actor("grid.ticket"),
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

int64_t AsyncMachine::gridTicket(int32_t *counter, int64_t total) {
  Impl &machine = *impl;
  Draw draw{counter, total, machine.here()};
  auto threads = uint32_t(machine.grid.getShape().block.count());
  machine.grid.gather(
      "grid.ticket", 0, threads, reinterpret_cast<uint64_t>(&draw),
      [&](llvm::ArrayRef<uint64_t> draws) {
        checkDraws(machine, draws);
        const Draw &first = getDraw(draws.front());
        if (!accessWord(machine, "counter", first.counter,
                        AtomicForm::ReadModifyWrite))
          return;
        int32_t number = *first.counter;
        if (number < 0 || number >= first.total)
          machine.report(FindingKind::InvalidOperand,
                         first.who.actor("grid.ticket"),
                         "expected a counter from 0 to below the number of "
                         "tickets, " +
                             Twine(first.total) + ", found " + Twine(number),
                         first.counter, sizeof(int32_t));
        *first.counter = number + 1 == first.total ? 0 : number + 1;
        atomicRead(first.counter, /*acquire=*/false);
        atomicWrite(first.counter, /*release=*/false,
                    /*isReadModifyWrite=*/true);
        for (uint64_t value : draws)
          getDraw(value).number = number;
      });
  if (machine.log.isFull())
    machine.grid.abort();
  return draw.number;
}

WaitDescription Semaphore::describe(const Thread &waiter) const {
  WaitDescription description;
  auto *state = static_cast<const ThreadState *>(waiter.asyncState);
  description.what = "grid semaphore " + machine->describeName(address) +
                     ", turn " +
                     llvm::itostr(state ? int32_t(state->waitTarget) : 0);
  description.missing = "its value is " + llvm::itostr(*address);
  if (hasRelease)
    description.providers.push_back("it was last released by " +
                                    machine->describeSite(lastRelease));
  return description;
}

} // namespace carousel::sim
