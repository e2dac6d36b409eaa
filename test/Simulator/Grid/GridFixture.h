//===- GridFixture.h - a grid, its schedule and its findings ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that tests of the grid share: a run of one entry under one policy and
// seed.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_SIMULATOR_GRID_GRIDFIXTURE_H
#define CAROUSEL_TEST_SIMULATOR_GRID_GRIDFIXTURE_H

#include "../../../lib/Simulator/Grid/Grid.h"

#include "gtest/gtest.h"

#include <functional>

namespace carousel::sim {

struct GridRun {
  explicit GridRun(GridShape shape, Policy policy = Policy::Random,
                   uint64_t seed = 1)
      : schedule(createSchedule(policy, seed)),
        grid(shape, *schedule, log, [](Site site) {
          return site ? "k.mlir:" + std::to_string(site) : "";
        }) {}

  RunEnd run(llvm::function_ref<void(Thread &)> entry) {
    return grid.run(entry);
  }
  /// How many different findings of a kind there are.
  unsigned count(FindingKind kind) const {
    unsigned result = 0;
    for (const Finding &finding : log.getFindings())
      result += finding.kind == kind;
    return result;
  }
  /// All text of the findings of a kind.
  std::string text(FindingKind kind) const {
    std::string result;
    for (const Finding &finding : log.getFindings()) {
      if (finding.kind != kind)
        continue;
      result += finding.message + "\n";
      for (const std::string &note : finding.notes)
        result += note + "\n";
    }
    return result;
  }

  FindingLog log;
  std::unique_ptr<Schedule> schedule;
  Grid grid;
};

inline GridShape makeShape(uint32_t ctas, uint32_t threads) {
  GridShape shape;
  shape.grid = {ctas, 1, 1};
  shape.block = {threads, 1, 1};
  shape.stepLimit = 1u << 22;
  shape.isCoresident = true;
  return shape;
}

inline std::vector<Policy> getPolicies() {
  std::vector<Policy> policies;
  for (unsigned policy = 0; policy < kNumPolicies; ++policy)
    policies.push_back(Policy(policy));
  return policies;
}

} // namespace carousel::sim

#endif // CAROUSEL_TEST_SIMULATOR_GRID_GRIDFIXTURE_H
