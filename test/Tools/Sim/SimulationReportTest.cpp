//===- SimulationReportTest.cpp - the text of results ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding of counts, and ends of runs that no small kernel brings about.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-sim/SimulationReport.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::simtool;

TEST(SimulationReport, Counts) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1000), "1.0 k");
  EXPECT_EQ(formatCount(1234567), "1.2 M");
  EXPECT_EQ(formatCount(999949), "999.9 k");
  EXPECT_EQ(formatCount(999950), "1.0 M");
  EXPECT_EQ(formatCount(UINT64_MAX), "18446744.1 T");
}

static SimulationReport makeReport() {
  SimulationReport report;
  report.kernel = "k";
  report.schedules = 4;
  report.steps = 1234567;
  report.seconds = 0.84;
  report.shown.policy = "late-landing";
  report.shown.seed = 17;
  report.shown.index = 2;
  return report;
}

TEST(SimulationReport, Clean) {
  SimulationReport report = makeReport();
  report.passed = true;
  EXPECT_EQ(formatText(report),
            "carousel-sim: k: 4 schedules clean, 1.2 M steps in 0.8 s\n");
}

TEST(SimulationReport, AbortedWithoutFinding) {
  SimulationReport report = makeReport();
  report.shown.failed = true;
  report.shown.result.status = sim::RunStatus::Aborted;
  EXPECT_EQ(formatText(report),
            "carousel-sim: k: the run was aborted in schedule 3 of 4, 1.2 M "
            "steps in 0.8 s; replay with --policy late-landing --seed 17\n");
}

TEST(SimulationReport, BankConflicts) {
  SimulationReport report = makeReport();
  report.bankConflicts = true;
  report.shown.failed = true;
  report.shown.hasExcess = true;
  report.shown.result.sharedAccesses = {{"k.mlir:1:2", "load", 1, 7, 7, 7},
                                        {"", "ldmatrix", 16, 10, 50, 40}};
  EXPECT_EQ(formatText(report),
            "shared memory  op                  accesses  wavefronts   least  "
            "excess\n"
            "k.mlir:1:2     load, 1 byte               7           7       7  "
            "     0\n"
            "unknown        ldmatrix, 16 bytes        10          50      40  "
            "    10\n"
            "total                                    17          57      47  "
            "    10\n"
            "carousel-sim: k: 10 excess wavefronts in schedule 3 of 4, 1.2 M "
            "steps in 0.8 s; replay with --policy late-landing --seed 17\n");
}

TEST(SimulationReport, ReplayOfARecord) {
  SimulationReport report = makeReport();
  report.shown.failed = true;
  report.shown.verdict.missing.set(unsigned(sim::FindingKind::Deadlock));
  report.replay = "run.txt";
  EXPECT_EQ(formatText(report),
            "carousel-sim: k: no deadlock in schedule 3 of 4, 1.2 M steps in "
            "0.8 s; replay with --replay run.txt\n");
}
