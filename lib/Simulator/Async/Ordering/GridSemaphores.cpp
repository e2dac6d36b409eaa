//===- GridSemaphores.cpp - turns of the CTAs of a grid -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits for a turn, and what must be complete when it is passed on.
//
//===----------------------------------------------------------------------===//

#include "GridSemaphores.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

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

} // namespace carousel::sim
