//===- SimulationReport.h - carousel-sim's results --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data on a whole program run, and on the schedule shown: the one that
// ended the search, or the first.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SIMULATIONREPORT_H
#define CAROUSEL_TOOLS_SIM_SIMULATIONREPORT_H

#include "../support/Tensors/OutputReport.h"
#include "Expectations.h"

#include "carousel/Simulator/Simulator.h"

namespace carousel::simtool {

/// One schedule.
struct Outcome {
  uint64_t index = 0;
  std::string policy; ///< empty: a replay
  uint64_t seed = 0;
  sim::RunResult result;
  std::vector<tools::ComparisonReport> comparisons;
  Expectations::Verdict verdict;
  /// Bank conflicts cost more than they may.
  bool hasExcess = false;
  bool failed = false;
  /// It ends the search: it failed, couldn't be run, or has what was sought.
  bool ends = false;
};

struct SimulationReport {
  std::string input, kernel;
  std::vector<std::string> policies;
  uint64_t firstSeed = 0;
  /// How many were asked for, over all policies, and how many were run.
  uint64_t schedules = 0, schedulesRun = 0;
  Expectations expectations;
  bool passed = false;
  bool bankConflicts = false; ///< they were counted
  Outcome shown;
  std::vector<tools::OutputReport> outputs;
  /// The steps of all schedules that were run.
  uint64_t steps = 0;
  double seconds = 0;
  std::string replay; ///< the file of the record that was replayed
};

/// "999", "12.3 k", "1.2 M".
std::string formatCount(uint64_t count);

/// Lines of text, each with its line feed; the last one sums up.
std::string formatText(const SimulationReport &report);
/// One JSON document.
std::string formatJSON(const SimulationReport &report);

/// All kinds of findings.
std::string listFindingsText();
std::string listFindingsJSON();

struct KernelListing {
  std::string module, name;
  struct Argument {
    std::string name, type, access;
  };
  std::vector<Argument> arguments;
  std::string launch; ///< empty: it has none
};
std::string formatText(llvm::ArrayRef<KernelListing> kernels);
std::string formatJSON(llvm::ArrayRef<KernelListing> kernels);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMULATIONREPORT_H
