//===- WarpAccesses.cpp - accesses of shared memory by warps --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WarpAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "WarpAccesses.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using namespace carousel::sim;

void WarpAccesses::add(const Accessor &accessor, uint32_t op,
                       uint64_t iteration, std::optional<uint64_t> address,
                       uint64_t bytes) {
  constexpr uint32_t kLanes = rules::kWarpSize;
  uint32_t number = accessor.thread / kLanes, lane = accessor.thread % kLanes;
  std::vector<Warp> &warps = waiting[accessor.cta];
  if (number >= warps.size())
    warps.resize(number + 1);
  Warp &warp = warps[number];
  std::vector<Execution> &executions = warp[{op, iteration}];
  auto own = llvm::find_if(executions, [&](const Execution &execution) {
    return !(execution.arrived & 1u << lane);
  });
  if (own == executions.end())
    own = executions.emplace(own);
  own->arrived |= 1u << lane;
  own->bytes = bytes;
  if (address)
    own->lanes.push_back({lane, int64_t(*address)});

  // Counting at once keeps few executions in memory.
  uint32_t lanes = std::min(kLanes, accessor.threads - number * kLanes);
  if (own->arrived != ~0u >> (kLanes - lanes))
    return;
  count(op, *own);
  executions.erase(own);
  if (executions.empty())
    warp.erase({op, iteration});
}

void WarpAccesses::count(uint32_t op, const Execution &execution) {
  if (execution.lanes.empty())
    return;
  if (op >= counts.size())
    counts.resize(op + 1);
  Wavefronts wavefronts = countWavefronts(execution.lanes, execution.bytes);
  ++counts[op].executions;
  counts[op].wavefronts += wavefronts.needed;
  counts[op].least += wavefronts.least;
}

void WarpAccesses::count(const Warp &warp) {
  for (const auto &[key, executions] : warp)
    for (const Execution &execution : executions)
      count(key.first, execution);
}

void WarpAccesses::ctaExit(uint32_t cta) {
  auto it = waiting.find(cta);
  if (it == waiting.end())
    return;
  for (const Warp &warp : it->second)
    count(warp);
  waiting.erase(it);
}

void WarpAccesses::finish() {
  for (const auto &[cta, warps] : waiting)
    for (const Warp &warp : warps)
      count(warp);
  waiting.clear();
}
