//===- Schedules.h - runs many schedules in parallel ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs numbered tasks on several threads. Which task ends the search doesn't
// depend on the timing of the threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SCHEDULES_H
#define CAROUSEL_TOOLS_SIM_SCHEDULES_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace carousel::simtool {

/// Calls `run` with 0, 1... `count` - 1, on up to `jobs` threads at once, until
/// it returns true. The least number for which it did: all lower ones were run
/// to their end, higher ones may have been.
std::optional<uint64_t> findFirst(uint64_t count, unsigned jobs,
                                  llvm::function_ref<bool(uint64_t)> run);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SCHEDULES_H
