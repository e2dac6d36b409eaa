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

/// Sums by channels of x * z, where x has the channels first and z last.
TEST(GroupPlanTest, PartsOfSectorsAreOneKernelsOnlyWhereTwoTakeLonger) {
  auto plan = [](int64_t channels, int64_t pixels) {
    GraphBuilder graph;
    unsigned x = graph.tensor({channels, pixels}, 2);
    unsigned z = graph.tensor({pixels, channels}, 2);
    graph.op("mul", GraphOpKind::Elementwise, "cp", "", {channels, pixels});
    graph.read(x, "cp");
    graph.read(z, "pc");
    unsigned product = graph.tensor({channels, pixels}, 2);
    graph.write(product, "cp");
    graph.op("sum", GraphOpKind::Reduction, "cp", "p", {channels, pixels});
    graph.read(product, "cp");
    unsigned y = graph.tensor({channels});
    graph.write(y, "c");
    graph.problem.tensors[y].escapes = true;
    return graph.plan();
  };
  EXPECT_EQ(plan(512, 50176),
            "group 0: elementwise {mul}\n"
            "group 1: row {sum}\n"
            "mul to sum, 51380224 bytes: accesses of parts of sectors take "
            "110.9 us in one kernel, and two take 54.8 us\n");
  // Two launches take longer.
  EXPECT_EQ(plan(512, 392), "group 0: row {mul, sum}\n");
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
GraphBuilder makeWeights(int64_t bytes, int64_t work, int64_t rows = 512) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, 768}, 2),
           w = graph.tensor({512, 768}, bytes);
  graph.op("weights", GraphOpKind::Elementwise, "nk", "", {512, 768}).work =
      work;
  graph.read(w, "nk");
  graph.write(w = graph.tensor({512, 768}, 2), "nk");
  graph.op("product", GraphOpKind::Contraction, "mnk", "k", {rows, 512, 768});
  graph.read(x, "mk");
  graph.read(w, "nk");
  unsigned y = graph.tensor({rows, 512});
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
  // Eight tiles of rows would compute each of the weights.
  EXPECT_EQ(makeWeights(1, 12, 1024).plan(),
            "group 0: contraction {weights, product}\n");
  EXPECT_EQ(makeWeights(2, 1, 1024).plan(),
            "group 0: elementwise {weights}\n"
            "group 1: contraction {product}\n"
            "weights to product, 786432 bytes: each tile of the product would "
            "compute 'weights' again\n");
}

TEST(GroupPlanTest, NothingIsComputedBeforeWhatItNeeds) {
  // a -> host -> c, and a -> c: a and c can't be one kernel.
  GraphBuilder graph;
  unsigned x = graph.tensor({64, 64});
  unsigned a = graph.map("a", x, "mn", {64, 64});
  graph.op("host", GraphOpKind::Host, "", "", {});
  graph.problem.ops.back().reads.push_back({a, {}});
  unsigned h = graph.tensor({64, 64});
  graph.write(h, "");
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

} // namespace
