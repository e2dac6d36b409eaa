//===- GroupWaits.cpp - waits of a thread for its groups ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, takes the groups' time, and makes their accesses known to the thread.
//
//===----------------------------------------------------------------------===//

#include "GroupWaits.h"

#include <algorithm>

namespace carousel::sim {

uint32_t GroupWaits::wait(GroupQueue &queue, bool read, uint32_t pending,
                          bool includesOpen) {
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  uint32_t committed = queue.open() - 1;
  uint32_t target =
      includesOpen ? queue.open() : committed - std::min(pending, committed);
  if (!queue.isDone(target, read)) {
    state.waitingOn = &queue;
    state.waitTarget = target;
    state.waitRead = read;
    do
      context.grid.wait(state);
    while (!queue.isDone(target, read));
    state.waitingOn = nullptr;
  }
  uint64_t cycles = read ? queue.readCycles : queue.writeCycles;
  for (size_t i = 0; i < queue.groups.size() && queue.first + i <= target; ++i)
    cycles = std::max(cycles, read ? queue.groups[i].readCycles
                                   : queue.groups[i].writeCycles);
  thread.cycles = std::max(thread.cycles, cycles);
  if (target == 0)
    return 0;
  uint32_t stamp = includesOpen ? queue.stamp : queue.stampOf(target);
  if (queue.readAgent != 0) {
    thread.view.order.observe(Epoch(thread.cta, queue.readAgent, stamp));
    if (!read)
      thread.view.order.observe(Epoch(thread.cta, queue.writeAgent, stamp));
  }
  uint32_t waited = includesOpen ? committed : target;
  queue.readWaited = std::max(queue.readWaited, waited);
  queue.coveredStamp = std::max(queue.coveredStamp, stamp);
  queue.waitedStamp = std::max(queue.waitedStamp, stamp);
  if (!read)
    queue.completeWaited = std::max(queue.completeWaited, waited);
  if (includesOpen)
    ++queue.stamp;
  queue.prune();
  return target;
}

} // namespace carousel::sim
