//===- MaxRegisters.cpp - register counts of warpgroups -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of setmaxnreg.
//
//===----------------------------------------------------------------------===//

#include "MaxRegisters.h"

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

} // namespace carousel::sim
