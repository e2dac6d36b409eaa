//===- AsyncMachine.cpp - the asynchronous units of a run -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs and threads that come and go, what must be over when they go, the checks
// of setmaxnreg, and the engine as the grid's background.
//
//===----------------------------------------------------------------------===//

#include "AsyncMachine.h"

#include "carousel/Support/HardwareLimits.h"

#include <algorithm>
#include <utility>

namespace carousel::sim {

using llvm::Twine;

void MaxRegisters::set(bool increase, uint32_t registers) {
  if (registers < rules::kMinRegisters || registers > rules::kMaxRegisters ||
      registers % rules::kRegisterStep != 0)
    context.report(FindingKind::InvalidOperand, context.here().actor(),
                   "expected 24 to 256 registers in steps of 8, got " +
                       Twine(registers));
  // All threads of a warpgroup arrive at the same one.
  constexpr auto kThreads = uint32_t(rules::kWarpgroupSize);
  auto threads = uint32_t(context.grid.getShape().block.count());
  uint32_t first = context.grid.current().index / kThreads * kThreads;
  uint64_t own = uint64_t(increase) << 32 | registers;
  context.grid.gather(
      "set_max_registers", first, std::min(kThreads, threads - first), own,
      [&](llvm::ArrayRef<uint64_t> values) {
        for (uint64_t value : values)
          if (value != own)
            return context.report(FindingKind::BarrierDivergence,
                                  context.here().actor(),
                                  "expected all threads of a warpgroup at one "
                                  "set_max_registers, found " +
                                      Twine(registers) + " and " +
                                      Twine(uint32_t(value)) + " registers");
        auto &groups = requests[context.grid.current().cta];
        uint32_t number = first / kThreads;
        groups.resize(std::max<size_t>(groups.size(), number + 1));
        Requests &group = groups[number];
        if (registers > group.most) {
          group.most = registers;
          group.who = context.here();
        }
        group.least =
            group.least == 0 ? registers : std::min(group.least, registers);
      });
}

void MaxRegisters::ctaExit(uint32_t cta) {
  auto found = requests.find(cta);
  if (found == requests.end())
    return;
  // A request that isn't met although all other warpgroups have as few
  // registers as they ever ask for is never met.
  uint64_t total = 0;
  // Among equals, the warpgroup that asks for the most is to blame.
  auto getRank = [](const Requests &group) {
    return std::pair(group.most - group.least, group.most);
  };
  const Requests *largest = nullptr;
  for (const Requests &group : found->second) {
    total += group.least;
    if (!largest || getRank(group) > getRank(*largest))
      largest = &group;
  }
  total = (total - largest->least + largest->most) *
          uint64_t(rules::kWarpgroupSize);
  if (total > uint64_t(rules::kRegistersPerBlock))
    context.report(
        FindingKind::InvalidOperand, largest->who.actor("set_max_registers"),
        "expected at most " + Twine(rules::kRegistersPerBlock) +
            " registers for the warpgroups of a CTA, got " + Twine(total));
  requests.erase(found);
}

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
