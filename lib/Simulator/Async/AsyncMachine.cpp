//===- AsyncMachine.cpp - life of the asynchronous units ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs and threads that come and go, what must be over when they go, and the
// engine as the grid's background.
//
//===----------------------------------------------------------------------===//

#include "AsyncMachine.h"

namespace carousel::sim {

AsyncMachine::AsyncMachine(Memory &memory, Grid &grid, Schedule &schedule,
                           FindingLog &log, AsyncRules rules, AsyncTrace *trace)
    : context(memory, grid, schedule, log, rules, trace), transfers(memory),
      operations(context, transfers), ctas(context),
      mbarriers(context, ctas, operations), arrivals(context, mbarriers),
      waits(context, ctas, mbarriers),
      copyArrives(context, ctas, mbarriers, arrivals), atomics(context, ctas),
      fences(context, ctas), semaphores(context, ctas, atomics),
      tickets(context, atomics), registers(context),
      engine(context, ctas, operations, transfers, arrivals, copyArrives,
             atomics),
      operands(context, ctas, arrivals), bulkGroups(context, ctas),
      bulkCopies(issue), values(issue), cpAsync(issue),
      tensorMaps(context, fences), tensorCopies(issue, tensorMaps),
      tiles(context, ctas, transfers) {}

void AsyncMachine::setSiteNames(std::function<std::string(Site)> names) {
  context.siteNames = std::move(names);
}

//===----------------------------------------------------------------------===//
// Threads and CTAs
//===----------------------------------------------------------------------===//

void AsyncMachine::ctaStart(uint32_t cta, uint32_t cluster,
                            uint32_t rankInCluster, char *shared,
                            uint64_t bytes) {
  ctas.start(cta, cluster, rankInCluster, shared, bytes);
}

void AsyncMachine::threadExit(Thread &thread) {
  ++context.progress;
  products.threadExit(thread);
  ThreadState *state = findState(thread);
  if (!state)
    return;
  bulkGroups.threadExit(thread, *state);
  cpAsync.threadExit(thread, *state);
  // Operations in flight know the state, but the thread's memory may soon be
  // another thread's.
  thread.asyncState = nullptr;
}

void AsyncMachine::ctaExit(uint32_t cta) {
  ++context.progress;
  AsyncCTA *state = ctas.find(cta);
  if (!state)
    return;
  mbarriers.checkExit(*state);
  engine.ctaExit(cta, *state);
  products.ctaExit(cta);
  registers.ctaExit(cta);
  mbarriers.free(*state);
  tensorMaps.ctaExit(*state);
  ctas.exit(*state);
  atomics.ctaExit(cta, *state);
  ctas.erase(cta);
}

void AsyncMachine::gridEnd(RunEnd end) {
  if (end == RunEnd::Deadlock)
    mbarriers.reportMissingBytes();
}

std::vector<std::string> AsyncMachine::describeOutstanding() const {
  return operations.describe();
}

//===----------------------------------------------------------------------===//
// Background
//===----------------------------------------------------------------------===//

uint32_t AsyncMachine::ready() const {
  // With nothing in flight, only a try_wait can still time out.
  return operations.empty() ? waits.mayTimeOut() : operations.size();
}

bool AsyncMachine::isIdle(uint32_t launch) const {
  return operations.isIdle(launch);
}

uint64_t AsyncMachine::getLastCycles(uint32_t launch) const {
  return operations.getLastCycles(launch);
}

void AsyncMachine::run(uint32_t which, Schedule &schedule) {
  if (operations.empty())
    return waits.timeOut();
  ++context.progress;
  engine.act(which, schedule);
}

} // namespace carousel::sim
