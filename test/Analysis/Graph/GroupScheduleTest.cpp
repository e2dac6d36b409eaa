//===- GroupScheduleTest.cpp - tests of GroupSchedule.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// And of GroupDivision.h.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

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
  // A dimension that isn't next to them in one of the tensors has the vectors'
  // elements.
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
            "vectors of 64, 8 by a loop, divided into parts of 8 iterations or "
            "more, 64 by a loop in vectors of 32, 2 at once in vectors of 2: "
            "2\n");
}

/// Rows of positions and, inside of them, of few batches.
TEST(GroupScheduleTest, LongRowsAreTiled) {
  GraphBuilder graph;
  unsigned x = graph.tensor({8, 1024, 768});
  unsigned w = graph.tensor({768, 768});
  graph.op("product", GraphOpKind::Contraction, "sbnk", "k",
           {1024, 8, 768, 768});
  graph.read(x, "bsk");
  graph.read(w, "nk");
  unsigned y = graph.tensor({1024, 8, 768});
  graph.write(y, "sbn");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(),
            "contraction, 1024 by the grid in vectors of 128, 8 by the grid, "
            "768 by the grid in vectors of 128, 768 by a loop in vectors of "
            "32\n");
}

/// y = f(scan(x)), along the loop `scanned` of "mn".
GraphBuilder makeScan(int64_t rows, int64_t columns, char scanned) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, columns});
  graph.op("scan", GraphOpKind::Scan, "mn", "", {rows, columns})
      .loops[scanned == 'n']
      .isScanned = true;
  graph.read(x, "mn");
  unsigned s = graph.tensor({rows, columns});
  graph.write(s, "mn");
  unsigned y = graph.map("f", s, "mn", {rows, columns});
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupScheduleTest, LoopsGoAlongScans) {
  EXPECT_EQ(makeScan(512, 10000, 'n').schedule(),
            "row, 512 by the grid, 10000 by a loop in vectors of 4096\n");
  EXPECT_EQ(makeScan(1 << 20, 7, 'n').schedule(),
            "row, 1048576 by the grid in vectors of 512, 7 by a loop in "
            "vectors of 8\n");
  EXPECT_EQ(makeScan(512, 1, 'n').schedule(),
            "row, 512 by the grid, 1 by a loop in vectors of 2\n");
  EXPECT_EQ(makeScan(512, 10000, 'm').schedule(),
            "column, 512 by a loop in vectors of 128, 10000 by the grid in "
            "vectors of 32\n");
  EXPECT_EQ(makeScan(512, 10000, 'n').divide(), "none\n");
}

TEST(GroupScheduleTest, ScansOfTwoDimensionsAreTwoKernels) {
  GraphBuilder graph = makeScan(512, 512, 'n');
  unsigned y = graph.problem.tensors.size() - 1;
  graph.op("columns", GraphOpKind::Scan, "mn", "", {512, 512})
      .loops[0]
      .isScanned = true;
  graph.read(y, "mn");
  graph.write(graph.tensor({512, 512}), "mn");
  EXPECT_EQ(graph.schedule(),
            "row, 512 by the grid, 512 by a loop in vectors of 512\n"
            "column, 512 by a loop in vectors of 128, 512 by the grid in "
            "vectors of 32\n");
}

TEST(GroupScheduleTest, SumsOfScansAreAnotherKernel) {
  GraphBuilder graph = makeScan(512, 512, 'n');
  unsigned y = graph.problem.tensors.size() - 1;
  graph.op("sum", GraphOpKind::Reduction, "mn", "n", {512, 512});
  graph.read(y, "mn");
  graph.write(graph.tensor({512}), "m");
  EXPECT_EQ(llvm::StringRef(graph.schedule()).count("\n"), 2u);
}

/// The sum of `states` scans of each channel.
GraphBuilder makeStates(int64_t batch, int64_t channels, int64_t states) {
  GraphBuilder graph;
  unsigned x = graph.tensor({batch, 4096, channels});
  graph
      .op("scan", GraphOpKind::Scan, "btds", "",
          {batch, 4096, channels, states})
      .loops[1]
      .isScanned = true;
  graph.read(x, "btd");
  unsigned h = graph.tensor({batch, 4096, channels, states});
  graph.write(h, "btds");
  graph.op("sum", GraphOpKind::Reduction, "btds", "s",
           {batch, 4096, channels, states});
  graph.read(h, "btds");
  unsigned y = graph.tensor({batch, 4096, channels});
  graph.write(y, "btd");
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupScheduleTest, SumsOfWhatScansHaveBesideAreInTheirKernel) {
  EXPECT_EQ(makeStates(8, 2048, 16).schedule(),
            "column, 8 by the grid, 4096 by a loop in vectors of 4, 2048 by "
            "the grid in vectors of 128, 16 at once in vectors of 16\n");
  // Few channels are divided among more programs.
  EXPECT_EQ(makeStates(1, 768, 10).schedule(),
            "column, 1 by the grid, 4096 by a loop in vectors of 32, 768 by "
            "the grid in vectors of 8, 10 at once in vectors of 16\n");
  // Lanes would share longer lines of few states.
  EXPECT_EQ(makeStates(1, 768, 4).schedule(),
            "column, 1 by the grid, 4096 by a loop in vectors of 8, 768 by "
            "the grid in vectors of 8, 4 at once in vectors of 4\n");
  EXPECT_EQ(makeStates(8, 2048, 16).divide(), "none\n");
  // Vectors have no room for all.
  EXPECT_EQ(llvm::StringRef(makeStates(8, 2048, 65).schedule()).count("\n"),
            2u);
}

TEST(GroupScheduleTest, VectorsOfScansHaveFourDimensions) {
  // The columns and what is scanned are two of them.
  GraphBuilder graph;
  unsigned x = graph.tensor({4, 2, 9, 2, 33, 4});
  graph.op("scan", GraphOpKind::Scan, "pqtrds", "", {4, 2, 9, 2, 33, 4})
      .loops[2]
      .isScanned = true;
  graph.read(x, "pqtrds");
  unsigned h = graph.tensor({4, 2, 9, 2, 33, 4});
  graph.write(h, "pqtrds");
  graph.op("sum", GraphOpKind::Reduction, "pqtrds", "prs", {4, 2, 9, 2, 33, 4});
  graph.read(h, "pqtrds");
  unsigned y = graph.tensor({2, 9, 33});
  graph.write(y, "qtd");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(llvm::StringRef(graph.schedule()).count("\n"), 2u);
}

/// y = f(the first elements of g(x) in their order), along the loop `n`.
GraphBuilder makeSort(int64_t rows, int64_t columns, int64_t first) {
  GraphBuilder graph;
  unsigned x = graph.tensor({rows, columns});
  unsigned key = graph.map("g", x, "mn", {rows, columns});
  graph.op("sort", GraphOpKind::Sort, "mpn", "n", {rows, first, columns})
      .places = 1;
  graph.read(key, "mn");
  unsigned s = graph.tensor({rows, first});
  graph.write(s, "mp");
  unsigned y = graph.map("f", s, "mp", {rows, first});
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(GroupScheduleTest, ProgramsSortWholeLines) {
  EXPECT_EQ(makeSort(512, 1000, 1000).schedule(),
            "row, 512 by the grid, 1000 at once in vectors of 1000, 1000 at "
            "once in vectors of 1000\n");
  // Several short lines are one program's.
  std::string many = makeSort(1 << 20, 60, 4).schedule();
  EXPECT_TRUE(
      llvm::StringRef(many).contains("1048576 by the grid in vectors of 64"))
      << many;
}

TEST(GroupScheduleTest, SortsOfSortsAreTwoKernels) {
  GraphBuilder graph = makeSort(512, 512, 512);
  unsigned y = graph.problem.tensors.size() - 1;
  graph.op("again", GraphOpKind::Sort, "mpn", "n", {512, 512, 512}).places = 1;
  graph.read(y, "mn");
  graph.write(graph.tensor({512, 512}), "mp");
  EXPECT_EQ(llvm::StringRef(graph.schedule()).count("\n"), 2u);
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

TEST(GroupScheduleTest, RowsAtComputedNumbersAreTakenOneByOne) {
  auto schedule = [](int64_t columns, bool isGather) {
    GraphBuilder graph;
    unsigned number = graph.tensor({2048}), x = graph.tensor({4096, columns}),
             y = graph.tensor({2048, columns});
    graph.op("rows", GraphOpKind::Elementwise, "mn", "", {2048, columns});
    graph.read(number, "m");
    graph.read(isGather ? x : y, isGather ? "??" : "mn");
    graph.problem.ops.back().reads.back().isGather = isGather;
    unsigned z = graph.tensor({2048, columns});
    graph.write(z, "mn");
    graph.problem.tensors[z].escapes = true;
    return graph.schedule();
  };
  EXPECT_EQ(schedule(4096, true),
            "elementwise, 2048 by the grid, 4096 by the grid in vectors of "
            "4096\n");
  EXPECT_EQ(schedule(4096, false),
            "elementwise, 2048 by the grid in vectors of 8, 4096 by the grid "
            "in vectors of 512\n");
  // Short rows would leave most threads without one.
  EXPECT_EQ(schedule(64, true),
            "elementwise, 2048 by the grid in vectors of 64, 64 by the grid in "
            "vectors of 64\n");
}

TEST(GroupScheduleTest, SumsOfFewRowsHaveManyColumns) {
  // Two rows of each token: a program has 1024 columns.
  auto schedule = [](int64_t tokens, int64_t rows, int64_t columns) {
    GraphBuilder graph;
    unsigned x = graph.tensor({tokens, rows, columns});
    graph.op("sum", GraphOpKind::Reduction, "tcd", "c",
             {tokens, rows, columns});
    graph.read(x, "tcd");
    unsigned y = graph.tensor({tokens, columns});
    graph.write(y, "td");
    graph.problem.tensors[y].escapes = true;
    return graph.schedule();
  };
  EXPECT_EQ(schedule(1024, 2, 1024),
            "column, 1024 by the grid, 2 by a loop in vectors of 2, 1024 by "
            "the grid in vectors of 1024\n");
  // There are as many programs as fill the device.
  EXPECT_EQ(schedule(64, 2, 1024),
            "column, 64 by the grid, 2 by a loop in vectors of 2, 1024 by the "
            "grid in vectors of 128\n");
  EXPECT_EQ(schedule(1024, 64, 1024),
            "column, 1024 by the grid, 64 by a loop in vectors of 64, 1024 by "
            "the grid in vectors of 32\n");
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

TEST(GroupScheduleTest, ShortRowsAreOfSeveralDimensions) {
  // The weights of a convolution, whose windows are read from behind.
  GraphBuilder graph;
  unsigned x = graph.tensor({512, 512, 3, 3}, 2);
  graph.op("flip", GraphOpKind::Elementwise, "oiyx", "", {512, 512, 3, 3});
  graph.read(x, "iox*");
  unsigned y = graph.tensor({512, 512, 3, 3}, 2);
  graph.write(y, "oiyx");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(),
            "elementwise, 512 by the grid, 512 by the grid in vectors of 256, "
            "3 by the grid in vectors of 4, 3 by the grid in vectors of 4\n");
}

TEST(GroupScheduleTest, FewElementsAreOneOfAVectorsDimensions) {
  // The weights of convolutions whose groups are merged.
  GraphBuilder graph;
  unsigned x = graph.tensor({16, 2, 31, 2}, 2);
  unsigned isOwn = graph.tensor({2, 2}, 1);
  graph.op("merge", GraphOpKind::Elementwise, "gicof", "", {16, 2, 31, 2, 2});
  graph.read(x, "gicf");
  graph.read(isOwn, "io");
  unsigned y = graph.tensor({16, 2, 31, 2, 2}, 2);
  graph.write(y, "gicof");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(),
            "elementwise, 16 by the grid, 2 by the grid in vectors of 2, 31 by "
            "the grid in vectors of 32, 2 by the grid in vectors of 2, 2 at "
            "once in vectors of 2\n");
}

TEST(GroupScheduleTest, LoopsGoAlongOneElementAtATime) {
  // The reduced tensor leaves the kernel, too.
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

TEST(GroupScheduleTest, ProgramsHaveSeveralShortRows) {
  // A sum for each of some masks of a row.
  auto schedule = [](int64_t rows, int64_t masks, int64_t columns) {
    GraphBuilder graph;
    unsigned x = graph.tensor({rows, columns}), y = graph.tensor({rows, masks});
    graph.op("sum", GraphOpKind::Reduction, "rmc", "c", {rows, masks, columns});
    graph.read(x, "rc");
    graph.write(y, "rm");
    graph.problem.tensors[y].escapes = true;
    return graph.schedule();
  };
  EXPECT_EQ(schedule(8192, 64, 64),
            "row, 8192 by the grid, 64 at once in vectors of 64, 64 by the "
            "grid in vectors of 32\n");
  EXPECT_EQ(schedule(kUnknownExtent, 1, 31),
            "row, ? by the grid in vectors of 64, 31 at once in vectors of 32, "
            "1 by the grid\n");
  EXPECT_EQ(schedule(5000, 1, 31),
            "row, 5000 by the grid in vectors of 4, 31 at once in vectors of "
            "32, 1 by the grid\n");
  // Long rows, and few of them.
  EXPECT_EQ(schedule(65536, 1, 257),
            "row, 65536 by the grid, 257 at once in vectors of 512, 1 by the "
            "grid\n");
  EXPECT_EQ(schedule(2000, 1, 64),
            "row, 2000 by the grid, 64 at once in vectors of 64, 1 by the "
            "grid\n");
}

TEST(GroupScheduleTest, RowsOfMoreDimensionsThanVectorsHaveAreLoops) {
  GraphBuilder graph;
  unsigned x = graph.tensor({16, 2, 8, 2, 8, 2});
  unsigned w = graph.tensor({8, 2, 2, 2, 8});
  graph.op("sum", GraphOpKind::Reduction, "gabcde", "abcde",
           {16, 2, 8, 2, 8, 2});
  graph.read(x, "gabcde");
  graph.read(w, "baced");
  unsigned y = graph.tensor({16});
  graph.write(y, "g");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(),
            "row, 16 by the grid, 2 by a loop, 8 by a loop, 2 by a loop, 8 by "
            "a loop, 2 by a loop in vectors of 2\n");
}

TEST(GroupScheduleTest, ColumnsTakeRowsOfTwoDimensions) {
  GraphBuilder graph;
  unsigned x = graph.tensor({56, 2, 64}), w = graph.tensor({2, 56, 64});
  graph.op("sum", GraphOpKind::Reduction, "cab", "ab", {64, 56, 2});
  graph.read(x, "abc");
  graph.read(w, "bac");
  unsigned y = graph.tensor({64});
  graph.write(y, "c");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.schedule(),
            "column, 56 by a loop in vectors of 64, 2 by a loop in vectors of "
            "2, 64 by the grid in vectors of 32\n");
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
  // Parts of larger ones keep a device busy for long.
  EXPECT_EQ(multiply(512, 512, 65536),
            "contraction, 512 by the grid in vectors of 128, 512 by the grid "
            "in vectors of 128, 65536 by a loop in vectors of 64, divided into "
            "parts of 512 or more: 8\n");
  EXPECT_EQ(multiply(4096, 4096, 4096), "none\n");
  EXPECT_EQ(multiply(128, 256, 512), "none\n");
  // A second kernel has to be worth it.
  EXPECT_EQ(multiply(kAny, 256, 1024), "none\n");
  EXPECT_EQ(multiply(kAny, 256, 4096),
            "contraction, ? by the grid in vectors of 128, 256 by the grid in "
            "vectors of 128, 4096 by a loop in vectors of 64, divided into "
            "parts of 512 or more\n");
}

/// The variants of the last group.
static std::vector<GroupSchedule> planLast(const GraphBuilder &graph) {
  GroupPlan plan = planGroups(graph.problem);
  const PlannedGroup &planned = plan.groups.back();
  return planVariants(
      graph.problem, planned.group, planned.shape,
      scheduleGroup(graph.problem, planned.group, planned.shape));
}

/// x * w^T, where w becomes floats of 16 bits in the group.
static std::vector<GroupSchedule>
planFew(int64_t rows, int64_t columns, int64_t bytes, int64_t clusterSize = 8) {
  constexpr int64_t kDepth = 4096;
  GraphBuilder graph;
  graph.problem.clusterSize = clusterSize;
  unsigned x = graph.tensor({rows, kDepth}, 2);
  unsigned narrow = graph.tensor({columns, kDepth}, bytes);
  graph.op("convert", GraphOpKind::Elementwise, "nk", "", {columns, kDepth});
  graph.read(narrow, "nk");
  unsigned w = graph.tensor({columns, kDepth}, 2);
  graph.write(w, "nk");
  graph.op("product", GraphOpKind::Contraction, "mnk", "k",
           {rows, columns, kDepth});
  graph.read(x, "mk");
  graph.read(w, "nk");
  unsigned y = graph.tensor({rows, columns});
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  return planLast(graph);
}

TEST(GroupDivisionTest, FewRowsByBytesAreOfClusters) {
  for (int64_t rows : {int64_t(1), int64_t(16), kAny}) {
    std::vector<GroupSchedule> variants = planFew(rows, 512, 1);
    const GroupSchedule &few = variants.front();
    ASSERT_TRUE(few.fewRows);
    EXPECT_TRUE(few.division->isCluster);
    EXPECT_EQ(getStaticParts(few), sums::kFewRowsParts);
    EXPECT_EQ(few.dims[*few.fewRows].tile, sums::kFewRows);
    EXPECT_EQ(variants.size() == 1, rows != kAny);
    EXPECT_EQ(variants.back().fewRows.has_value(), rows != kAny);
  }
  auto hasFew = [](const std::vector<GroupSchedule> &variants) {
    return variants.front().fewRows.has_value();
  };
  EXPECT_FALSE(hasFew(planFew(17, 512, 1)));
  EXPECT_FALSE(hasFew(planFew(16, 32, 1))); // less than a tile's columns
  EXPECT_FALSE(hasFew(planFew(16, 512, 2)));
  EXPECT_FALSE(hasFew(planFew(16, 512, 1, /*clusterSize=*/1)));
}

/// The tiles of a product of square results with sums of 128.
static std::string planTiles(ProductUnit unit, int64_t extent) {
  GraphBuilder graph;
  unsigned x = graph.tensor({extent, 128}), w = graph.tensor({extent, 128});
  graph.op("product", GraphOpKind::Contraction, "mnk", "k",
           {extent, extent, 128});
  graph.problem.ops.back().unit = unit;
  graph.read(x, "mk");
  graph.read(w, "nk");
  unsigned y = graph.tensor({extent, extent});
  graph.write(y, "mn");
  graph.problem.tensors[y].escapes = true;
  GroupSchedule schedule = planLast(graph).back();
  return std::to_string(schedule.dims[0].tile) + " x " +
         std::to_string(schedule.dims[1].tile);
}

TEST(GroupDivisionTest, ProductsOfThreadsFillTheDevice) {
  EXPECT_EQ(planTiles(ProductUnit::Threads, 768), "64 x 64");
  EXPECT_EQ(planTiles(ProductUnit::Threads, 2048), "128 x 128");
  EXPECT_EQ(planTiles(ProductUnit::Threads, 1400), "128 x 64");
  EXPECT_EQ(planTiles(ProductUnit::Threads, 96), "32 x 32");
}

TEST(GroupDivisionTest, ImagesAreDividedAlongTheLongestLoop) {
  // Sums over images and their pixels, of which few vectors are enough.
  GraphBuilder graph;
  unsigned x = graph.tensor({64, 196, 256});
  graph.op("sum", GraphOpKind::Reduction, "ncp", "np", {64, 256, 196});
  graph.read(x, "npc");
  graph.read(graph.tensor({64, 256, 196}, 2), "ncp");
  unsigned y = graph.tensor({256});
  graph.write(y, "c");
  graph.problem.tensors[y].escapes = true;
  EXPECT_EQ(graph.divide(),
            "column, 64 by a loop, divided into parts of 2 or more, 196 by a "
            "loop in vectors of 128, 256 by the grid in vectors of 32: 32\n");
}

TEST(GroupDivisionTest, WhatEachPartWouldWriteIsNotDivided) {
  // The sum doesn't need y = f(b), which the last part computes.
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
  EXPECT_EQ(graph.divide(), alone);
  // The loop reads z = g(b).
  unsigned z = graph.map("g", b, "m", {8});
  graph.problem.tensors[z].escapes = true;
  graph.op("product", GraphOpKind::Reduction, "mn", "n", {8, 1 << 20});
  graph.read(x, "mn");
  graph.read(z, "m");
  unsigned product = graph.tensor({8});
  graph.write(product, "m");
  graph.problem.tensors[product].escapes = true;
  EXPECT_EQ(graph.divide(), "none\n");
}

} // namespace
