//===- GroupPlanTest.cpp - tests of GroupPlan.h ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Analysis/Graph/GroupSchedule.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// Builds graphs whose loops have names: "mn" is an access along loops 0 and 1
/// of an op with the loops "mn".
class GraphBuilder {
public:
  unsigned tensor(std::initializer_list<int64_t> extents, int64_t bytes = 4) {
    GraphTensor tensor;
    tensor.extents = extents;
    tensor.elementBytes = bytes;
    problem.tensors.push_back(tensor);
    return problem.tensors.size() - 1;
  }

  /// An op with these loops, of which `reduced` are reductions.
  GraphOp &op(const std::string &name, GraphOpKind kind,
              const std::string &loops, const std::string &reduced,
              std::initializer_list<int64_t> extents) {
    names = loops;
    GraphOp op;
    op.name = name;
    op.kind = kind;
    for (auto [loop, extent] : llvm::zip_equal(loops, extents))
      op.loops.push_back({extent, reduced.find(loop) != std::string::npos});
    problem.ops.push_back(op);
    return problem.ops.back();
  }

  GraphAccess access(unsigned tensor, const std::string &dims) {
    GraphAccess access;
    access.tensor = tensor;
    for (char dim : dims) {
      size_t loop = names.find(dim);
      access.loops.push_back(loop == std::string::npos
                                 ? std::nullopt
                                 : std::optional<unsigned>(loop));
    }
    return access;
  }
  void read(unsigned tensor, const std::string &dims) {
    problem.ops.back().reads.push_back(access(tensor, dims));
  }
  void write(unsigned tensor, const std::string &dims) {
    problem.ops.back().writes.push_back(access(tensor, dims));
  }

  /// y = f(x), along `loops` for both.
  unsigned map(const std::string &name, unsigned x, const std::string &loops,
               std::initializer_list<int64_t> extents) {
    op(name, GraphOpKind::Elementwise, loops, "", extents);
    read(x, loops);
    unsigned y = tensor(extents);
    write(y, loops);
    return y;
  }

  std::string plan() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, problem, planGroups(problem));
    return text;
  }

  std::string schedule() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const PlannedGroup &planned : planGroups(problem).groups) {
      print(os, scheduleGroup(problem, planned.group, planned.shape));
      os << '\n';
    }
    return text;
  }

  /// The divided schedules, or "none".
  std::string divide() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const PlannedGroup &planned : planGroups(problem).groups) {
      std::optional<GroupSchedule> divided =
          divideSchedule(problem, planned.group, planned.shape,
                         scheduleGroup(problem, planned.group, planned.shape));
      if (!divided) {
        os << "none\n";
        continue;
      }
      print(os, *divided);
      if (std::optional<int64_t> parts = getStaticParts(*divided))
        os << ": " << *parts;
      os << '\n';
    }
    return text;
  }

  GraphProblem problem;

private:
  std::string names;
};

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
