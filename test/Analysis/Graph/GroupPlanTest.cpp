//===- GroupPlanTest.cpp - tests of GroupPlan.h ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

constexpr int64_t kAny = kUnknownExtent;

/// x - max(x) by rows, and the sum of that.
GraphBuilder makeRows(int64_t rows, int64_t columns) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, columns});
  graph.op("max", GraphOpKind::Reduction, "mn", "n", {rows, columns});
  graph.read(x, "mn");
  unsigned max = graph.tensor({rows});
  graph.write(max, "m");
  graph.op("sub", GraphOpKind::Elementwise, "mn", "", {rows, columns});
  graph.read(x, "mn");
  graph.read(max, "m");
  unsigned d = graph.tensor({rows, columns});
  graph.write(d, "mn");
  graph.problem.tensors[d].escapes = true;
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {rows, columns});
  graph.read(d, "mn");
  unsigned sum = graph.tensor({rows});
  graph.write(sum, "m");
  graph.problem.tensors[sum].escapes = true;
  return graph;
}

TEST(GroupPlanTest, ReductionsOfRowsAreOneKernel) {
  GraphBuilder graph = makeRows(kAny, kAny);
  EXPECT_EQ(graph.plan(), "group 0: row {max, sub, sum}\n");
  EXPECT_EQ(graph.schedule(),
            "row, ? by the grid, ? at once in vectors of 262144\n");
  EXPECT_EQ(makeRows(4, 1000).schedule(),
            "row, 4 by the grid, 1000 at once in vectors of 1024\n");
}

TEST(GroupPlanTest, FewLongRowsAreSeveralKernels) {
  EXPECT_EQ(makeRows(2, 1 << 20).plan(),
            "group 0: row {max}\n"
            "group 1: row {sub, sum}\n"
            "max to sub, 8 bytes: only 2 programs would compute all of it\n");
  // Short rows don't need more.
  EXPECT_EQ(makeRows(2, 1000).plan(), "group 0: row {max, sub, sum}\n");
}

TEST(GroupPlanTest, RowsAndColumnsAreTwoKernels) {
  GraphBuilder graph;
  unsigned x = graph.tensor({kAny, 768});
  for (auto [name, reduced, kept] :
       {std::tuple("rows", "n", "m"), std::tuple("columns", "m", "n")}) {
    graph.op(name, GraphOpKind::Reduction, "mn", reduced, {kAny, 768});
    graph.read(x, "mn");
    unsigned y = graph.tensor({kAny});
    graph.write(y, kept);
    graph.problem.tensors[y].escapes = true;
  }
  EXPECT_EQ(graph.plan(), "group 0: row {rows}\ngroup 1: column {columns}\n");
  EXPECT_EQ(graph.schedule(),
            "row, ? by the grid, 768 at once in vectors of 1024\n"
            "column, ? by a loop in vectors of 128, 768 by the grid in vectors "
            "of 32\n");
}

TEST(GroupPlanTest, ElementwiseOpsFollowProducts) {
  GraphBuilder graph;
  unsigned a = graph.tensor({kAny, 768}, 2), b = graph.tensor({768, 3072}, 2);
  graph.op("product", GraphOpKind::Contraction, "mnk", "k", {kAny, 3072, 768});
  graph.read(a, "mk");
  graph.read(b, "kn");
  unsigned c = graph.tensor({kAny, 3072});
  graph.write(c, "mn");
  unsigned d = graph.map("gelu", c, "mn", {kAny, 3072});
  graph.problem.tensors[d].escapes = true;
  // A reduction of the result needs all of its tiles.
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {kAny, 3072});
  graph.read(d, "mn");
  unsigned e = graph.tensor({kAny});
  graph.write(e, "m");
  graph.problem.tensors[e].escapes = true;
  EXPECT_EQ(graph.plan(),
            "group 0: contraction {product, gelu}\n"
            "group 1: row {sum}\n"
            "gelu to sum, 50331648 bytes: 'product' keeps a dimension that "
            "another op reduces\n");
  EXPECT_EQ(graph.schedule(),
            "contraction, ? by the grid in vectors of 128, 3072 by the grid in "
            "vectors of 128, 768 by a loop in vectors of 64\n"
            "row, ? by the grid, 3072 at once in vectors of 4096\n");
}

/// f(x v) * (x w) of factors of `bytes`, where x is computed if wanted.
GraphBuilder makeGate(int64_t bytes, bool computesX = false,
                      bool sharesX = true) {
  GraphBuilder graph;
  unsigned x = graph.tensor({1024, 768}, bytes);
  if (computesX) {
    graph.op("cast", GraphOpKind::Elementwise, "mk", "", {1024, 768});
    graph.read(x, "mk");
    graph.write(x = graph.tensor({1024, 768}, bytes), "mk");
  }
  unsigned results[2];
  for (unsigned number : {0, 1}) {
    unsigned own =
        number == 0 || sharesX ? x : graph.tensor({1024, 768}, bytes);
    unsigned w = graph.tensor({768, 512}, bytes);
    graph.op(number == 0 ? "first" : "second", GraphOpKind::Contraction, "mnk",
             "k", {1024, 512, 768});
    graph.read(own, "mk");
    graph.read(w, "kn");
    graph.write(results[number] = graph.tensor({1024, 512}), "mn");
  }
  graph.op("gate", GraphOpKind::Elementwise, "mn", "", {1024, 512});
  graph.read(results[0], "mn");
  graph.read(results[1], "mn");
  unsigned y = graph.tensor({1024, 512}, bytes);
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupPlanTest, ProductsOfOneFactorMeet) {
  EXPECT_EQ(makeGate(2).plan(), "group 0: contraction {first, second, gate}\n");
  EXPECT_EQ(makeGate(2).schedule(),
            "contraction, 1024 by the grid in vectors of 128, 512 by the grid "
            "in vectors of 128, 768 by a loop in vectors of 64\n");
  EXPECT_EQ(makeGate(4).plan(),
            "group 0: contraction {second}\n"
            "group 1: contraction {first, gate}\n"
            "second to gate, 2097152 bytes: threads would have the sums of "
            "'first' and 'second', whose factors have more than 2 bytes: 4\n");
  EXPECT_EQ(makeGate(2, /*computesX=*/false, /*sharesX=*/false).plan(),
            "group 0: contraction {second}\n"
            "group 1: contraction {first, gate}\n"
            "second to gate, 2097152 bytes: 'first' lacks a dimension that "
            "another op reduces\n");
}

TEST(GroupPlanTest, ProductsThatDoNotMeetStayApart) {
  // Both have both factors.
  GraphBuilder graph;
  unsigned x = graph.tensor({1024, 768}, 2), w = graph.tensor({768, 512}, 2);
  for (const char *name : {"first", "second"}) {
    graph.op(name, GraphOpKind::Contraction, "mnk", "k", {1024, 512, 768});
    graph.read(x, "mk");
    graph.read(w, "kn");
    unsigned y = graph.tensor({1024, 512});
    graph.write(y, "mn");
    graph.problem.tensors[y].escapes = true;
  }
  EXPECT_EQ(graph.plan(), "group 0: contraction {first}\n"
                          "group 1: contraction {second}\n");
}

TEST(GroupPlanTest, ProductsThatMeetComputeNoFactor) {
  // Each of them reads what the cast writes.
  EXPECT_EQ(makeGate(2, /*computesX=*/true).plan(),
            "group 0: elementwise {cast}\n"
            "group 1: contraction {first, second, gate}\n"
            "cast to first, 1572864 bytes: threads would have the sums of "
            "'first' and 'second', and compute a factor beside them\n"
            "cast to second, 1572864 bytes: threads would have the sums of "
            "'first' and 'second', and compute a factor beside them\n");
}

/// x w^T, of weights with these bytes that `work` instructions are for.
GraphBuilder makeWeights(int64_t bytes, int64_t work) {
  GraphBuilder graph;
  unsigned x = graph.tensor({1024, 768}, 2),
           w = graph.tensor({512, 768}, bytes);
  graph.op("weights", GraphOpKind::Elementwise, "nk", "", {512, 768}).work =
      work;
  graph.read(w, "nk");
  graph.write(w = graph.tensor({512, 768}, 2), "nk");
  graph.op("product", GraphOpKind::Contraction, "mnk", "k", {1024, 512, 768});
  graph.read(x, "mk");
  graph.read(w, "nk");
  unsigned y = graph.tensor({1024, 512});
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupPlanTest, WeightsOfFewBitsAreWorthMoreWork) {
  EXPECT_EQ(makeWeights(1, 12).plan(),
            "group 0: contraction {weights, product}\n");
  EXPECT_EQ(makeWeights(2, 4).plan(),
            "group 0: contraction {weights, product}\n");
  EXPECT_EQ(makeWeights(2, 12).plan(),
            "group 0: elementwise {weights}\n"
            "group 1: contraction {product}\n"
            "weights to product, 786432 bytes: each tile of the product would "
            "compute 'weights' again\n");
  EXPECT_EQ(makeWeights(1, 40).plan(),
            "group 0: elementwise {weights}\n"
            "group 1: contraction {product}\n"
            "weights to product, 786432 bytes: each tile of the product would "
            "compute 'weights' again\n");
}

/// x w^T of weights in bytes: each has two of k, of groups with a scale.
GraphBuilder makePairs(int64_t rows, int64_t bytes) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, 8, bytes, 2}, 2);
  unsigned q = graph.tensor({512, 8, bytes}, 1);
  unsigned scale = graph.tensor({512, 8}, 2);
  graph.op("weights", GraphOpKind::Elementwise, "ngbt", "", {512, 8, bytes, 2});
  graph.problem.ops.back().loops.back().usesIndex = true;
  graph.read(q, "ngb");
  graph.read(scale, "ng");
  unsigned w = graph.tensor({512, 8, bytes, 2}, 2);
  graph.write(w, "ngbt");
  graph.op("product", GraphOpKind::Contraction, "mngbt", "gbt",
           {rows, 512, 8, bytes, 2});
  graph.read(x, "mgbt");
  graph.read(w, "ngbt");
  unsigned y = graph.tensor({rows, 512});
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupScheduleTest, FewElementsAreInVectors) {
  EXPECT_EQ(makePairs(1024, 64).schedule(),
            "contraction, 1024 by the grid in vectors of 128, 512 by the grid "
            "in vectors of 128, 8 by a loop, 64 by a loop in vectors of 32, 2 "
            "at once in vectors of 2\n");
  // What isn't next to them in one of the tensors has the vectors' elements.
  GraphBuilder apart = makePairs(1024, 64);
  apart.problem.tensors[0].gaps = {false, false, true, false};
  EXPECT_EQ(apart.schedule(),
            "contraction, 1024 by the grid in vectors of 128, 512 by the grid "
            "in vectors of 128, 8 by a loop, 64 by a loop, 2 by a loop in "
            "vectors of 16\n");
}

TEST(GroupDivisionTest, OneLoopOfSeveralDimensions) {
  EXPECT_EQ(makePairs(16, 64).divide(),
            "contraction, 16 by the grid in vectors of 16, 512 by the grid in "
            "vectors of 64, 8 by a loop, divided into parts of 4 or more, 64 "
            "by a loop in vectors of 32, 2 at once in vectors of 2: 2\n");
}

TEST(GroupPlanTest, NothingIsComputedBeforeWhatItNeeds) {
  // a -> host -> c, and a -> c: a and c can't be one kernel.
  GraphBuilder graph;
  unsigned x = graph.tensor({64, 64});
  unsigned a = graph.map("a", x, "mn", {64, 64});
  graph.op("host", GraphOpKind::Host, "", "", {});
  graph.problem.ops.back().reads.push_back({a, {}});
  unsigned h = graph.tensor({64, 64});
  graph.problem.ops.back().writes.push_back({h, {}});
  graph.op("c", GraphOpKind::Elementwise, "mn", "", {64, 64});
  graph.read(a, "mn");
  graph.read(h, "mn");
  unsigned c = graph.tensor({64, 64});
  graph.write(c, "mn");
  graph.problem.tensors[c].escapes = true;
  EXPECT_EQ(graph.plan(),
            "group 0: elementwise {a}\n"
            "group 1: elementwise {host}\n"
            "group 2: elementwise {c}\n"
            "a to host, 16384 bytes: 'host' isn't part of kernels\n"
            "a to c, 16384 bytes: a third kernel needs results of the one for "
            "the other\n"
            "host to c, 16384 bytes: 'host' isn't part of kernels\n");
}

TEST(GroupPlanTest, TransposesOfOneTensorAreNoLoopOfOneKernel) {
  // x + x^T: elements of f(x) are needed in two orders.
  GraphBuilder graph;
  unsigned x = graph.tensor({64, 64});
  unsigned a = graph.map("a", x, "mn", {64, 64});
  graph.op("add", GraphOpKind::Elementwise, "mn", "", {64, 64});
  graph.read(a, "mn");
  graph.read(a, "nm");
  unsigned y = graph.tensor({64, 64});
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.plan(), "group 0: elementwise {a}\n"
                          "group 1: elementwise {add}\n"
                          "a to add, 16384 bytes: 'a' would go along one "
                          "dimension twice\n"
                          "a to add, 16384 bytes: 'a' would go along one "
                          "dimension twice\n");
}

TEST(GroupPlanTest, KernelsHaveFewTensors) {
  GraphBuilder graph;
  unsigned x = graph.tensor({4096});
  for (int i = 0; i < 70; ++i) {
    unsigned y = graph.map("map", x, "n", {4096});
    graph.problem.tensors[y].escapes = true;
  }
  EXPECT_EQ(planGroups(graph.problem).groups.size(), 2u);
}

TEST(GroupScheduleTest, NeighboursCollapse) {
  // All of 4 x 320 x 64 is one dimension, unless a column tells them apart.
  GraphBuilder graph;
  unsigned x = graph.tensor({4, 320, 64});
  unsigned y = graph.map("a", x, "abc", {4, 320, 64});
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(), "elementwise, 81920 by the grid in vectors of "
                              "4096\n");
  unsigned scale = graph.tensor({320});
  graph.problem.ops.back().reads.push_back(graph.access(scale, "b"));
  EXPECT_EQ(graph.schedule(), "elementwise, 4 by the grid, 320 by the grid in "
                              "vectors of 64, 64 by the grid in vectors of "
                              "64\n");
}

/// A memref has one shape: what one access goes along apart, all do.
TEST(GroupScheduleTest, NeighboursOfOneAccessStayApartInAll) {
  // x[a, b] is one row of 128, and x[c, d] needs the number of c.
  GraphBuilder graph;
  unsigned x = graph.tensor({16, 8}), y = graph.tensor({16, 8, 16, 8});
  graph.op("pairs", GraphOpKind::Elementwise, "abcd", "", {16, 8, 16, 8})
      .loops[2]
      .usesIndex = true;
  graph.read(x, "ab");
  graph.read(x, "cd");
  graph.write(y, "abcd");
  std::string apart = graph.schedule();
  EXPECT_EQ(llvm::StringRef(apart).count(", "), 4u) << apart;
  // Elements at computed indices.
  GraphBuilder gather;
  unsigned t = gather.tensor({16, 8}), z = gather.tensor({16, 8});
  gather.op("table", GraphOpKind::Elementwise, "ab", "", {16, 8});
  gather.read(t, "ab");
  gather.read(t, "??");
  gather.problem.ops.back().reads.back().isGather = true;
  gather.write(z, "ab");
  apart = gather.schedule();
  EXPECT_EQ(llvm::StringRef(apart).count(", "), 2u) << apart;
}

TEST(GroupScheduleTest, ManyReadsHaveSmallVectors) {
  GraphBuilder graph;
  unsigned x = graph.tensor({1 << 20});
  unsigned y = graph.map("a", x, "a", {1 << 20});
  graph.problem.tensors[y].escapes = true;
  GraphOp &op = graph.problem.ops.back();
  op.reads.push_back(graph.access(x, "a"));
  op.reads.push_back(graph.access(graph.tensor({1 << 20}), "a"));
  op.reads.push_back(graph.access(graph.tensor({1}), "a"));
  EXPECT_EQ(graph.schedule(), "elementwise, 1048576 by the grid in vectors of "
                              "4096\n");
  graph.problem.ops.back().reads.push_back(
      graph.access(graph.tensor({1 << 20}), "a"));
  EXPECT_EQ(graph.schedule(), "elementwise, 1048576 by the grid in vectors of "
                              "1024\n");
}

TEST(GroupScheduleTest, TransposesHaveTiles) {
  GraphBuilder graph;
  unsigned x = graph.tensor({kAny, kAny}, 2);
  graph.op("transpose", GraphOpKind::Elementwise, "mn", "", {kAny, kAny});
  graph.read(x, "nm");
  unsigned y = graph.tensor({kAny, kAny}, 2);
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(), "elementwise, ? by the grid in vectors of 128, ? "
                              "by the grid in vectors of 128\n");
}

TEST(GroupScheduleTest, LoopsGoAlongOneElementAtATime) {
  // What is reduced leaves the kernel, too.
  GraphBuilder graph;
  unsigned x = graph.tensor({64, 4});
  unsigned t = graph.map("tanh", x, "mn", {64, 4});
  graph.problem.tensors[t].escapes = true;
  graph.op("last", GraphOpKind::Irregular, "mn", "n", {64, 4});
  graph.read(t, "mn");
  graph.write(graph.tensor({64}), "m");
  graph.problem.tensors.back().escapes = true;
  EXPECT_EQ(graph.schedule(),
            "loops, 64 by the grid in vectors of 64, 4 by a loop\n");
}

TEST(GroupScheduleTest, EmptyDimensionsHaveTiles) {
  GraphBuilder graph;
  unsigned x = graph.tensor({0, 64});
  graph.map("f", x, "ij", {0, 64});
  graph.op("sum", GraphOpKind::Reduction, "ij", "i", {0, 64});
  graph.read(x, "ij");
  graph.write(graph.tensor({64}), "j");
  for (const PlannedGroup &planned : planGroups(graph.problem).groups)
    for (const ScheduledDim &dim :
         scheduleGroup(graph.problem, planned.group, planned.shape).dims)
      EXPECT_GT(dim.tile, 0);
}

TEST(GroupScheduleTest, RowsOfSeveralDimensionsFitACTA) {
  // Channels have weights, so that 10 x 4096 stays two dimensions.
  GraphBuilder graph;
  unsigned x = graph.tensor({128, 10, 64, 64}), w = graph.tensor({10});
  graph.op("sum", GraphOpKind::Reduction, "gcyx", "cyx", {128, 10, 64, 64});
  graph.read(x, "gcyx");
  graph.read(w, "c");
  unsigned y = graph.tensor({128});
  graph.write(y, "g");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(), "row, 128 by the grid, 10 at once in vectors of "
                              "10, 4096 at once in vectors of 4096\n");
  // More than a CTA has registers for: a loop.
  graph.problem.ops.back().loops[1].extent = 320;
  graph.problem.tensors[x].extents[1] = 320;
  EXPECT_EQ(graph.schedule(), "row, 128 by the grid, 320 by a loop, 4096 by a "
                              "loop in vectors of 4096\n");
}

/// The sum of `rows` rows.
GraphBuilder makeSum(int64_t rows, int64_t columns) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, columns});
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {rows, columns});
  graph.read(x, "mn");
  unsigned sum = graph.tensor({rows});
  graph.write(sum, "m");
  graph.problem.tensors[sum].escapes = true;
  return graph;
}

TEST(GroupDivisionTest, RowsThatAreFewAndLong) {
  EXPECT_EQ(
      makeSum(1, 1 << 25).divide(),
      "row, 1 by the grid, 33554432 by a loop in vectors of 4096, divided "
      "into parts of 16384 or more: 264\n");
  // As many as the device wants, and no shorter than is worth it.
  EXPECT_EQ(makeSum(10, 1 << 25).divide(),
            "row, 10 by the grid, 33554432 by a loop in vectors of 4096, "
            "divided into parts of 16384 or more: 26\n");
  EXPECT_EQ(makeSum(10, 40000).divide(),
            "row, 10 by the grid, 40000 by a loop in vectors of 4096, divided "
            "into parts of 16384 or more: 3\n");
  EXPECT_EQ(makeSum(10, 16384).divide(), "none\n");
  EXPECT_EQ(makeSum(133, 1 << 25).divide(), "none\n");
  EXPECT_EQ(makeSum(133, kAny).divide(), "none\n");
  EXPECT_EQ(makeSum(kAny, kAny).divide(),
            "row, ? by the grid, ? by a loop in vectors of 4096, divided into "
            "parts of 16384 or more\n");
}

TEST(GroupDivisionTest, RowsThatAreGoneOverTwiceStayWhole) {
  EXPECT_EQ(makeRows(64, 32768).divide(), "none\n");
}

TEST(GroupDivisionTest, Products) {
  auto multiply = [](int64_t rows, int64_t columns, int64_t depth) {
    GraphBuilder graph;
    unsigned a = graph.tensor({rows, depth}, 2);
    unsigned b = graph.tensor({depth, columns}, 2);
    graph.op("product", GraphOpKind::Contraction, "mnk", "k",
             {rows, columns, depth});
    graph.read(a, "mk");
    graph.read(b, "kn");
    unsigned c = graph.tensor({rows, columns});
    graph.write(c, "mn");
    graph.problem.tensors[c].escapes = true;
    return graph.divide();
  };
  // Few tiles are smaller ones, too.
  EXPECT_EQ(multiply(128, 256, 16384),
            "contraction, 128 by the grid in vectors of 64, 256 by the grid in "
            "vectors of 64, 16384 by a loop in vectors of 64, divided into "
            "parts of 512 or more: 16\n");
  EXPECT_EQ(multiply(4096, 4096, 4096), "none\n");
  EXPECT_EQ(multiply(128, 256, 512), "none\n");
  // A second kernel has to be worth it.
  EXPECT_EQ(multiply(kAny, 256, 1024), "none\n");
  EXPECT_EQ(multiply(kAny, 256, 4096),
            "contraction, ? by the grid in vectors of 128, 256 by the grid in "
            "vectors of 128, 4096 by a loop in vectors of 64, divided into "
            "parts of 512 or more\n");
}

TEST(GroupDivisionTest, WhatEachPartWouldWriteIsNotDivided) {
  // y = f(b) has nothing to do with the sum, and stands before the loop.
  GraphBuilder graph;
  unsigned x = graph.tensor({8, 1 << 20}), b = graph.tensor({8});
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {8, 1 << 20});
  graph.read(x, "mn");
  graph.read(b, "m");
  unsigned sum = graph.tensor({8});
  graph.write(sum, "m");
  graph.problem.tensors[sum].escapes = true;
  std::string alone = graph.divide();
  EXPECT_NE(alone, "none\n");
  unsigned y = graph.map("f", b, "m", {8});
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.divide(), "none\n");
}

} // namespace
