//===- Atomics.cpp - release and acquire in memory ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each address of an atomic has released, for those who acquire it, and
// the semaphores that order the CTAs of a grid.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

void AsyncMachine::atomicRead(const void *address, bool acquire) {
  auto it = impl->atomics.find(address);
  if (it == impl->atomics.end())
    return;
  Thread &thread = impl->grid.current();
  const AtomicRelease &released = *it->second;
  View *known = &thread.view;
  if (!acquire) {
    ThreadState &state = impl->stateOf(thread);
    state.hasToAcquire = true;
    known = &state.toAcquire;
  }
  known->order.join(released.view.order);
  known->fencedShared.join(released.view.fencedShared);
  // A fence for global memory counts in the CTA that reads; in the strict
  // reading it is the writer's that counts.
  if (impl->rules.strictFences || released.cta == thread.cta)
    known->fencedGlobal.join(released.view.fencedGlobal);
}

void AsyncMachine::Impl::publish(const void *address, const View *released,
                                 uint32_t cta, bool continues,
                                 uint64_t cycles) {
  ++progress;
  auto it = atomics.find(address);
  if (it != atomics.end() || released) {
    std::unique_ptr<AtomicRelease> &entry =
        it != atomics.end() ? it->second : atomics[address];
    bool isFirst = !continues || !entry;
    if (!entry) {
      entry = std::make_unique<AtomicRelease>();
      if (AsyncCTA *owner = findShared(address))
        owner->atomics.push_back(address);
    }
    if (isFirst)
      *entry = AtomicRelease{View(), cta};
    if (released) {
      entry->view.join(*released);
      if (entry->cta != cta)
        entry->cta = AtomicRelease::kSeveralCTAs;
    }
  }
  if (auto waiting = semaphores.find(address); waiting != semaphores.end()) {
    waiting->second->cycles = cycles;
    grid.wake(*waiting->second);
  }
}

void AsyncMachine::atomicWrite(const void *address, bool release,
                               bool isReadModifyWrite) {
  Thread &thread = impl->grid.current();
  const View *released = nullptr;
  if (release) {
    released = &impl->release(thread);
  } else if (thread.asyncState) {
    auto &state = *static_cast<ThreadState *>(thread.asyncState);
    if (state.hasReleased)
      released = &state.released;
  }
  impl->publish(address, released, thread.cta, isReadModifyWrite,
                thread.cycles);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

static bool accessSemaphore(AsyncMachine::Impl &machine, const int32_t *address,
                            bool isStore) {
  Thread &thread = machine.grid.current();
  if (reinterpret_cast<uint64_t>(address) % sizeof(int32_t) != 0)
    machine.invalid("grid semaphore", "expected a semaphore aligned to 4 bytes",
                    address, sizeof(int32_t));
  Access access;
  access.kind = AccessKind::Atomic;
  access.isAtomicStore = isStore;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  return machine.memory.access(address, sizeof(int32_t), access).inBounds;
}

void AsyncMachine::gridSerialWait(int32_t *address, int32_t turn) {
  Impl &machine = *impl;
  if (!accessSemaphore(machine, address, /*isStore=*/false))
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
  // What was issued before the turn began isn't announced, of the own groups
  // those that were committed: whoever reads it all the same has a race.
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
  if (!accessSemaphore(machine, address, /*isStore=*/true))
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

WaitPicture Semaphore::describe(const Thread &waiter) const {
  WaitPicture picture;
  auto *state = static_cast<const ThreadState *>(waiter.asyncState);
  picture.what = "grid semaphore " + machine->describeName(address) +
                 ", turn " +
                 llvm::itostr(state ? int32_t(state->waitTarget) : 0);
  picture.missing = "its value is " + llvm::itostr(*address);
  if (hasRelease)
    picture.providers.push_back("it was last released by " +
                                machine->describeSite(lastRelease));
  return picture;
}

} // namespace carousel::sim
