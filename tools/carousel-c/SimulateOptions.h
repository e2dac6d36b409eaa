//===- SimulateOptions.h - options of a simulation --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a caller asks for, checked.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_SIMULATEOPTIONS_H
#define CAROUSEL_TOOLS_C_SIMULATEOPTIONS_H

#include "Result.h"

#include "carousel/Simulator/Simulator.h"

#include <unistd.h>

namespace carousel::capi {

/// The schedules to run, and the options of all of them.
struct Schedules {
  sim::RunOptions run;
  std::vector<std::string> policies;
  uint64_t seed = 0, count = 1; ///< for each policy
  std::string kernel, program, pipeline;
  const carousel_compiler_source *ptx = nullptr; ///< beside the source
  std::optional<std::string> parameters;         ///< the source is PTX
  bool startsInOrder = false, isCoresident = false;
  carousel_schedule_progress progress = nullptr;
  void *progressData = nullptr;
  int process = ::getpid(); ///< that called

  uint64_t getTotal() const {
    return run.replay.empty() ? count * policies.size() : 1;
  }
  carousel_compiler_status checkCancelled() const {
    return run.isCancelled && run.isCancelled() ? failCancelled(process)
                                                : CAROUSEL_COMPILER_OK;
  }
};

carousel_compiler_status
readOptions(const carousel_simulate_source_options *options, Schedules &to);

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_SIMULATEOPTIONS_H
