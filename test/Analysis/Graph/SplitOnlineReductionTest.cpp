//===- SplitOnlineReductionTest.cpp - tests of SplitOnlineReduction.h -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "carousel/Analysis/Graph/SplitOnlineReduction.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

struct Logits {
  int64_t rows = 4096, columns = 32000, depth = 4096;
  ChangeKind ofMaximum = ChangeKind::Scale;
};

/// The largest logit of each row, and the sum of exponentials.
GraphBuilder makeLogits(const Logits &logits = {}) {
  auto [m, n, k, ofMaximum] = logits;
  GraphBuilder graph;
  unsigned x = graph.tensor({m, k}, 2), w = graph.tensor({n, k}, 2);
  graph.op("logits", GraphOpKind::Contraction, "mnk", "k", {m, n, k});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(x, "mk");
  graph.read(w, "nk");
  unsigned z = graph.tensor({m, n});
  graph.write(z, "mn");

  graph.op("max", GraphOpKind::Reduction, "mn", "n", {m, n});
  graph.problem.ops.back().combiner = GraphCombiner::Maximum;
  graph.read(z, "mn");
  unsigned max = graph.tensor({m});
  graph.write(max, "m");

  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {m, n}).work = 9;
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(z, "mn");
  graph.read(max, "m");
  graph.problem.ops.back().reads.back().replaced = {ofMaximum, {}, "math.cos"};
  graph.problem.ops.back().reads.back().replaced.difference.minuends = {0};
  unsigned sum = graph.tensor({m});
  graph.write(sum, "m");
  graph.problem.tensors[max].escapes = true;
  graph.problem.tensors[sum].escapes = true;
  return graph;
}

/// "COLUMNS of OPS ops", or the refusal.
std::string divide(const GraphProblem &problem, bool hasLibraries = false,
                   int64_t least = 1 << 24) {
  std::vector<OnlineRefusal> refusals;
  std::vector<SplitOnlineReduction> streams =
      findSplitOnlineReductions(problem, least, hasLibraries, refusals);
  std::string text;
  for (const SplitOnlineReduction &stream : streams)
    text += std::to_string(stream.columns) + " of " +
            std::to_string(stream.group.ops.size()) + " ops\n";
  for (const OnlineRefusal &refusal : refusals)
    text += refusal.reason + "\n";
  return text;
}

TEST(SplitOnlineReductionTest, TilesAreAsWideAsColumnsAllow) {
  EXPECT_EQ(divide(makeLogits().problem), "256 of 3 ops\n");
  Logits logits;
  logits.columns = 320 * 64;
  EXPECT_EQ(divide(makeLogits(logits).problem), "256 of 3 ops\n");
  logits.columns = 321 * 64;
  EXPECT_EQ(divide(makeLogits(logits).problem), "64 of 3 ops\n");
  logits.rows = kUnknownExtent;
  EXPECT_EQ(divide(makeLogits(logits).problem), "64 of 3 ops\n");
  logits.columns = 50257;
  EXPECT_EQ(divide(makeLogits(logits).problem), "256 of 3 ops\n");
  logits.columns = 257;
  EXPECT_EQ(divide(makeLogits(logits).problem, false, 1), "256 of 3 ops\n");
  logits.columns = 255;
  EXPECT_EQ(divide(makeLogits(logits).problem, false, 1), "");
  logits.columns = kUnknownExtent;
  EXPECT_EQ(divide(makeLogits(logits).problem),
            "the columns are of unknown extent\n");
}

TEST(SplitOnlineReductionTest, SmallProductsStay) {
  Logits logits;
  logits.rows = 16;
  EXPECT_EQ(divide(makeLogits(logits).problem), "");
  EXPECT_EQ(divide(makeLogits(logits).problem, false, 1), "256 of 3 ops\n");
}

TEST(SplitOnlineReductionTest, OneKernelHasShallowProducts) {
  Logits logits;
  logits.depth = 256;
  EXPECT_EQ(divide(makeLogits(logits).problem), "");
}

TEST(SplitOnlineReductionTest, WhatOthersReadIsInMemory) {
  GraphBuilder graph = makeLogits();
  graph.problem.tensors[2].escapes = true;
  EXPECT_EQ(divide(graph.problem), "");
}

TEST(SplitOnlineReductionTest, WhatHasNoCorrectionStays) {
  Logits logits;
  logits.ofMaximum = ChangeKind::Unknown;
  EXPECT_EQ(divide(makeLogits(logits).problem), "");
}

TEST(SplitOnlineReductionTest, ALibraryMayBeFaster) {
  GraphBuilder graph = makeLogits();
  EXPECT_EQ(divide(graph.problem, /*hasLibraries=*/true), "256 of 3 ops\n");
  graph.problem.chip.kernelReduced = graph.problem.chip.libraryHalf / 2;
  EXPECT_EQ(divide(graph.problem, true).substr(0, 39),
            "a library that writes all elements take");
  EXPECT_EQ(divide(graph.problem), "256 of 3 ops\n");
}

TEST(OneTileTest, AProductOfFewColumnsHasTheirReductions) {
  Logits logits;
  logits.columns = 128;
  logits.rows = 65536;
  logits.depth = 1024;
  // The kernel corrects nothing, so that operations may be any.
  logits.ofMaximum = ChangeKind::Unknown;
  GraphBuilder graph = makeLogits(logits);
  EXPECT_EQ(graph.plan(), "group 0: contraction {logits, max, sum}\n");
  EXPECT_EQ(graph.schedule(),
            "contraction, 65536 by the grid in vectors of 128, 1024 by a loop "
            "in vectors of 64, 128 at once in vectors of 128\n");
  // The elements may leave, too.
  graph.problem.tensors[2].escapes = true;
  EXPECT_EQ(graph.plan(), "group 0: contraction {logits, max, sum}\n");
}

TEST(OneTileTest, OtherColumnsAreInMemory) {
  for (int64_t columns : {8, 96, 512}) {
    Logits logits;
    logits.columns = columns;
    logits.rows = 65536;
    logits.ofMaximum = ChangeKind::Unknown;
    EXPECT_EQ(planGroups(makeLogits(logits).problem).groups.size(), 2u)
        << columns;
  }
}

TEST(OneTileTest, NoPathLeadsBackIntoTheKernel) {
  // The sum also reads a row that a reshape of the maximum computes.
  Logits logits;
  logits.columns = 128;
  logits.rows = 65536;
  GraphBuilder graph = makeLogits(logits);
  GraphOp sum = graph.problem.ops.back();
  graph.problem.ops.pop_back();
  graph.op("reshape", GraphOpKind::Host, "m", "", {65536});
  graph.read(3, "m");
  unsigned row = graph.tensor({65536});
  graph.write(row, "m");
  sum.reads.push_back(sum.reads.back());
  sum.reads.back().tensor = row;
  graph.problem.ops.push_back(sum);
  for (const PlannedGroup &planned : planGroups(graph.problem).groups)
    EXPECT_LE(planned.group.ops.size(), 2u);
}

TEST(OneTileTest, RowsAreNeeded) {
  // Programs of one row would read all of the factor.
  Logits logits;
  logits.rows = 1;
  logits.columns = 128;
  logits.depth = 1 << 20;
  EXPECT_EQ(planGroups(makeLogits(logits).problem).groups.size(), 2u);
}

} // namespace
