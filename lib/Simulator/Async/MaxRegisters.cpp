//===- MaxRegisters.cpp - register counts of warpgroups -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check of setmaxnreg.
//
//===----------------------------------------------------------------------===//

#include "MaxRegisters.h"

#include "carousel/Support/HardwareLimits.h"

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
      });
}

} // namespace carousel::sim
