//===- MachineCollectiveCalls.cpp - values of several threads ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp by which threads give each other values, with
// the same conventions.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace carousel::sim;

namespace {
struct ShuffleResult {
  uint64_t value, valid;
};
enum ShuffleMode { Xor, Down, Up, Index, Rotate };
} // namespace

/// The lane whose value a lane gets. Values outside 0..width-1 mean none.
static int64_t getSourceLane(ShuffleMode mode, int64_t lane, int64_t offset,
                             int64_t width) {
  switch (mode) {
  case Xor:
    return lane ^ offset;
  case Down:
    return lane + offset;
  case Up:
    return lane - offset;
  case Index:
    return offset;
  case Rotate:
    return (lane + offset) % width;
  }
  return lane;
}

extern "C" {

static ShuffleResult carousel_sim_shuffle(uint64_t value, int32_t offset,
                                          int32_t width, int32_t mode,
                                          uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  uint32_t lane = machine.grid.current().lane();
  // gpu.rotate defines the result of lanes beyond its width.
  if (mode == Rotate && lane >= uint32_t(width)) {
    ShuffleResult none = {0, 0};
    poison(&none.value, sizeof(none.value));
    return none;
  }
  if (width < 1 || width > 32 || lane >= uint32_t(width)) {
    machine.report(FindingKind::InvalidOperand,
                   "expected a shuffle's width to be at most 32 and above the "
                   "lane, got width " +
                       std::to_string(width) + " in lane " +
                       std::to_string(lane));
    return {value, 0};
  }
  TracedCall call(machine, CallKind::Waits, "shuffle");
  // The lanes below the width take part. A width of 32 means all lanes that the
  // warp has.
  uint32_t mask = width == 32 ? 0 : (1u << width) - 1;
  std::array<uint64_t, 32> values =
      machine.grid.exchange("shuffle", mask, value);
  int64_t source = getSourceLane(ShuffleMode(mode), lane, offset, width);
  if (source < 0 || source >= width)
    return {value, 0};
  return {values[source], 1};
}
/// A lane of -1 is the first one. All lanes of the warp take part.
static uint64_t carousel_sim_broadcast(uint64_t value, int32_t lane,
                                       uint32_t site) {
  constexpr llvm::StringLiteral kKind = "subgroup_broadcast";
  Machine &machine = Machine::current();
  machine.enter(site);
  std::array<uint64_t, 32> values = machine.grid.exchange(kKind, 0, value);
  if (lane == -1)
    return values[0];
  std::array<uint64_t, 32> lanes =
      machine.grid.exchange(kKind, 0, uint64_t(uint32_t(lane)) + 1);
  for (uint64_t other : lanes)
    if (other != 0 && other != uint64_t(uint32_t(lane)) + 1) {
      machine.report(FindingKind::InvalidOperand,
                     "expected one lane for all of a warp's broadcast, got " +
                         std::to_string(lane) + " and " +
                         std::to_string(int32_t(other - 1)));
      break;
    }
  if (uint32_t(lane) < 32 && lanes[lane] != 0)
    return values[lane];
  machine.report(FindingKind::InvalidOperand,
                 "expected the lane of a broadcast to be one that the warp "
                 "has, got " +
                     std::to_string(lane));
  return value;
}
static void carousel_sim_gather(uint64_t value, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "all_reduce");
  // No thread gathers again before all have read, so one buffer per CTA
  // suffices.
  std::vector<uint64_t> &gathered = machine.getGathered();
  machine.grid.gather("all_reduce", 0, machine.grid.getShape().block.count(),
                      value, [&](llvm::ArrayRef<uint64_t> values) {
                        gathered.assign(values.begin(), values.end());
                      });
}
static uint64_t carousel_sim_gathered(uint32_t thread, uint32_t) {
  return Machine::current().getGathered()[thread];
}
/// The thread reads what these two collect before another one runs.
static void carousel_sim_cluster_gather(uint64_t value, uint32_t count,
                                        uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "cluster gather");
  machine.collected = machine.async.gathers.gather(value, count);
}
static void carousel_sim_collect_lanes(uint64_t value, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "subgroup_reduce");
  std::array<uint64_t, 32> values =
      machine.grid.exchange("subgroup_reduce", 0, value);
  machine.collected.assign(values.begin(), values.end());
}
static uint64_t carousel_sim_collected(uint32_t number, uint32_t) {
  return Machine::current().collected[number];
}
static uint64_t carousel_sim_num_threads(uint32_t) {
  return Machine::current().grid.getShape().block.count();
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineCollectiveSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_shuffle),
      CAROUSEL_SYMBOL(carousel_sim_broadcast),
      CAROUSEL_SYMBOL(carousel_sim_gather),
      CAROUSEL_SYMBOL(carousel_sim_gathered),
      CAROUSEL_SYMBOL(carousel_sim_cluster_gather),
      CAROUSEL_SYMBOL(carousel_sim_collect_lanes),
      CAROUSEL_SYMBOL(carousel_sim_collected),
      CAROUSEL_SYMBOL(carousel_sim_num_threads),
  };
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
