//===- Signals.cpp - signals between GPUs ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of counters, and waits for them. A wait with a timeout ends without
// an answer when no other agent can act, or when the schedule says that its
// time is over.
//
//===----------------------------------------------------------------------===//

#include "Signals.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace carousel::sim {

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

} // namespace carousel::sim
