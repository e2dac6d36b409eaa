//===- GroupTimesTest.cpp - tests of GroupTimes.h -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "carousel/Analysis/Graph/GroupTimes.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

GroupTime estimate(const GraphProblem &problem) {
  OpGroup group;
  for (unsigned op = 0; op < problem.ops.size(); ++op)
    group.ops.push_back(op);
  GroupShapeResult result = computeGroupShape(problem, group);
  EXPECT_TRUE(result.shape) << result.refusal;
  GroupSchedule schedule = scheduleGroup(problem, group, *result.shape);
  EXPECT_EQ(schedule.refusal, "");
  return estimateGroupTime(problem, group, *result.shape, schedule);
}

/// x * w^T in 16 bits, where `work` instructions compute each element of the
/// first factor from one of `bytes`.
GroupTime estimateProduct(int64_t m, int64_t n, int64_t k, int64_t work,
                          int64_t bytes = 2) {
  GraphBuilder graph;
  unsigned x = graph.tensor({m, k}, bytes), w = graph.tensor({n, k}, 2);
  unsigned factor = graph.tensor({m, k}, 2), y = graph.tensor({m, n}, 2);
  graph.op("scale", GraphOpKind::Elementwise, "mk", "", {m, k}).work = work;
  graph.read(x, "mk");
  graph.write(factor, "mk");
  graph.op("product", GraphOpKind::Contraction, "mnk", "k", {m, n, k});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(factor, "mk");
  graph.read(w, "nk");
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  return estimate(graph.problem);
}

TEST(GroupTimes, ProductsAreLimitedByTensorCores) {
  GroupTime time = estimateProduct(4096, 4096, 4096, 1, 1);
  EXPECT_EQ(time.bytes, 5 * 4096 * 4096);
  EXPECT_EQ(time.operations, 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(time.limit, "tensor cores");
  EXPECT_GT(time.predicted, time.bound);
  EXPECT_LT(time.predicted, 1.3 * time.bound);
}

TEST(GroupTimes, WhatProgramsComputeAgainCostsAsOften) {
  // Each of 256 tiles of columns computes all of its rows.
  GroupTime cheap = estimateProduct(4096, 32768, 1024, 1, 1);
  GroupTime dear = estimateProduct(4096, 32768, 1024, 16, 1);
  EXPECT_EQ(cheap.bound, dear.bound);
  EXPECT_GT(dear.predicted, cheap.predicted);
  EXPECT_EQ(dear.limit, "instructions, most of 'scale', which 256 programs "
                        "compute again");
}

TEST(GroupTimes, FewProgramsLeaveMultiprocessorsIdle) {
  GroupTime time = estimateProduct(128, 128, 8192, 1);
  EXPECT_EQ(time.limit.substr(0, 2), "1 ");
  EXPECT_GT(time.predicted, 2 * time.bound);
}

/// The gradient of an embedding as a sum over all positions for each word.
TEST(GroupTimes, SumsOverAllPositionsAreLimitedByInstructions) {
  GraphBuilder graph;
  unsigned ids = graph.tensor({4096}, 4), rows = graph.tensor({4096, 512}, 2);
  unsigned sums = graph.tensor({8192, 512});
  graph.op("sum", GraphOpKind::Reduction, "wcp", "p", {8192, 512, 4096}).work =
      3;
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(ids, "p");
  graph.read(rows, "pc");
  graph.write(sums, "wc");
  graph.problem.tensors[sums].escapes = true;
  GroupTime time = estimate(graph.problem);
  EXPECT_EQ(time.operations, 0);
  EXPECT_GT(time.predicted, 100 * time.bound);
  EXPECT_EQ(time.limit.substr(0, 27), "instructions, most of 'sum'");
}

/// One logit of each row, of all of a vocabulary.
TEST(GroupTimes, GatheredElementsAreAllThatIsRead) {
  GraphBuilder graph;
  unsigned logits = graph.tensor({4096, 8192}), ids = graph.tensor({4096});
  unsigned picked = graph.tensor({4096});
  graph.op("pick", GraphOpKind::Elementwise, "r", "", {4096});
  graph.read(ids, "r");
  graph.problem.ops.back().reads.push_back({logits, {0u, std::nullopt}});
  graph.write(picked, "r");
  graph.problem.tensors[picked].escapes = true;
  EXPECT_EQ(estimate(graph.problem).bytes, 3 * 4096 * 4);
}

/// Rows of 1,200 bytes, of which a multiprocessor reads several at a time.
TEST(GroupTimes, ManyProgramsTakeTimeToStart) {
  GraphBuilder graph;
  unsigned x = graph.tensor({1 << 20, 300}), y = graph.tensor({1 << 20});
  graph.op("sum", GraphOpKind::Reduction, "rc", "c", {1 << 20, 300});
  graph.read(x, "rc");
  graph.write(y, "r");
  graph.problem.tensors[y].escapes = true;
  GroupTime time = estimate(graph.problem);
  EXPECT_EQ(time.limit, "1048576 programs of few elements");
  EXPECT_GT(time.predicted, 500);
  EXPECT_LT(time.predicted, 800);
}

} // namespace
