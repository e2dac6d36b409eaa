//===- OnlineReductionTest.cpp - tests of OnlineReduction.h ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// How the exponentials of a softmax change with the row's maximum, and what
/// is done with their sum.
struct Softmax {
  ChangeKind ofMaximum = ChangeKind::Scale;
  bool dividesBefore = true;
  int64_t heads = 32, queries = 4096, keys = kAny, depth = 128, columns = 128;
  int64_t workOfKeys = 0; ///< for an element of the keys
};

/// softmax(q k^T) v, in 16 bits.
GraphBuilder makeAttention(const Softmax &softmax = {}) {
  auto [ofMaximum, dividesBefore, h, m, n, d, e, workOfKeys] = softmax;
  GraphBuilder graph;
  unsigned q = graph.tensor({h, m, d}, 2), k = graph.tensor({h, n, d}, 2),
           v = graph.tensor({h, n, e}, 2);
  if (workOfKeys != 0) {
    graph.op("norm", GraphOpKind::Elementwise, "hnd", "", {h, n, d}).work =
        workOfKeys;
    graph.read(k, "hnd");
    k = graph.tensor({h, n, d}, 2);
    graph.write(k, "hnd");
  }
  graph.op("scores", GraphOpKind::Contraction, "hmnd", "d", {h, m, n, d});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(q, "hmd");
  graph.read(k, "hnd");
  unsigned s = graph.tensor({h, m, n});
  graph.write(s, "hmn");

  graph.op("max", GraphOpKind::Reduction, "hmn", "n", {h, m, n});
  graph.problem.ops.back().combiner = GraphCombiner::Maximum;
  graph.read(s, "hmn");
  unsigned max = graph.tensor({h, m});
  graph.write(max, "hm");

  graph.op("exp", GraphOpKind::Elementwise, "hmn", "", {h, m, n}).work = 9;
  graph.read(s, "hmn");
  graph.read(max, "hm");
  graph.problem.ops.back().reads.back().replaced = {ofMaximum, {}, "math.cos"};
  graph.problem.ops.back().reads.back().replaced.difference.minuends = {0};
  unsigned p = graph.tensor({h, m, n}, dividesBefore ? 4 : 2);
  graph.write(p, "hmn");

  graph.op("sum", GraphOpKind::Reduction, "hmn", "n", {h, m, n});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(p, "hmn");
  graph.problem.ops.back().reads.back().scaled = {ChangeKind::Scale};
  unsigned sum = graph.tensor({h, m});
  graph.write(sum, "hm");

  unsigned w = p;
  if (dividesBefore) {
    graph.op("divide", GraphOpKind::Elementwise, "hmn", "", {h, m, n});
    graph.read(p, "hmn");
    graph.problem.ops.back().reads.back().scaled = {ChangeKind::Scale};
    graph.read(sum, "hm");
    graph.problem.ops.back().reads.back().scaled = {ChangeKind::Scale};
    w = graph.tensor({h, m, n}, 2);
    graph.write(w, "hmn");
  }
  graph.op("values", GraphOpKind::Contraction, "hmen", "n", {h, m, e, n});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(w, "hmn");
  graph.problem.ops.back().reads.back().scaled = {ChangeKind::Scale};
  graph.read(v, "hne");
  unsigned y = graph.tensor({h, m, e});
  graph.write(y, "hme");
  if (!dividesBefore) {
    graph.op("divide", GraphOpKind::Elementwise, "hme", "", {h, m, e});
    graph.read(y, "hme");
    graph.read(sum, "hm");
    y = graph.tensor({h, m, e});
    graph.write(y, "hme");
  }
  graph.problem.tensors[y].escapes = true;
  return graph;
}

TEST(OnlineReductionTest, SoftmaxBetweenProductsIsOneKernel) {
  EXPECT_EQ(makeAttention().plan(),
            "group 0: stream {scores, max, exp, sum, divide, values}\n");
  EXPECT_EQ(makeAttention().schedule(),
            "stream, 32 by the grid, 4096 by the grid in vectors of 128, 128 "
            "at once in vectors of 128, 128 at once in vectors of 128, ? by a "
            "loop in vectors of 128\n");
}

TEST(OnlineReductionTest, SumsOverBatchesHaveTilesOfOneBatch) {
  constexpr int64_t b = 8, m = 1024, n = 2048, d = 64;
  GraphBuilder graph;
  unsigned q = graph.tensor({b, m, d}, 2), k = graph.tensor({b, n, d}, 2);
  graph.op("scores", GraphOpKind::Contraction, "bmnd", "d", {b, m, n, d});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(q, "bmd");
  graph.read(k, "bnd");
  unsigned s = graph.tensor({b, m, n});
  graph.write(s, "bmn");
  graph.op("exp", GraphOpKind::Elementwise, "bmn", "", {b, m, n}).work = 9;
  graph.read(s, "bmn");
  unsigned p = graph.tensor({b, m, n});
  graph.write(p, "bmn");
  graph.op("sum", GraphOpKind::Reduction, "bmn", "b", {b, m, n});
  graph.problem.ops.back().combiner = GraphCombiner::Sum;
  graph.read(p, "bmn");
  unsigned bias = graph.tensor({m, n});
  graph.write(bias, "mn");
  graph.problem.tensors[bias].escapes = true;
  EXPECT_EQ(graph.plan(), "group 0: stream {scores, exp, sum}\n");
  EXPECT_EQ(graph.schedule(),
            "stream, 1024 by the grid in vectors of 128, 2048 by the grid in "
            "vectors of 128, 8 by a loop, 64 at once in vectors of 64\n");
}

TEST(OnlineReductionTest, FactorsOfTilesAreComputedAgainWhereThatPays) {
  Softmax softmax;
  softmax.keys = 4096;
  softmax.workOfKeys = 6;
  softmax.queries = 128;
  EXPECT_EQ(makeAttention(softmax).plan(),
            "group 0: stream {norm, scores, max, exp, sum, divide, values}\n");
  softmax.queries = 4096;
  GraphBuilder graph = makeAttention(softmax);
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_EQ(plan.groups.size(), 2u);
  ASSERT_EQ(plan.boundaries.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(plan.boundaries.front().reason)
                  .starts_with("32 programs would each compute 'norm' again: "))
      << plan.boundaries.front().reason;
}

TEST(OnlineReductionTest, GatheredFactorsOfTilesTakeLong) {
  Softmax softmax;
  softmax.keys = 1024;
  softmax.queries = 128;
  softmax.workOfKeys = 8;
  GraphBuilder graph = makeAttention(softmax);
  EXPECT_EQ(planGroups(graph.problem).groups.size(), 1u);
  // Elements at computed places have instructions of their own.
  graph.problem.ops.front().reads.front().isGather = true;
  EXPECT_EQ(planGroups(graph.problem).groups.size(), 2u);
  // But not where a table names whole rows.
  graph.problem.ops.front().reads.front().table = 0;
  EXPECT_EQ(planGroups(graph.problem).groups.size(), 1u);
}

TEST(OnlineReductionTest, WhatComesAfterJoins) {
  Softmax softmax;
  softmax.dividesBefore = false;
  EXPECT_EQ(makeAttention(softmax).plan(),
            "group 0: stream {scores, max, exp, sum, values, divide}\n");
}

TEST(OnlineReductionTest, RowsAreCorrectedOrMultipliedAtTheEnd) {
  GraphBuilder graph = makeAttention();
  GroupPlan plan = planGroups(graph.problem);
  const OnlineReduction &stream = *plan.groups.front().shape.stream;
  // The maximum is tensor 4, and the sum is tensor 6.
  EXPECT_EQ(stream.findReference(4)->kind, ChangeKind::Shift);
  EXPECT_EQ(stream.findReference(6)->kind, ChangeKind::Scale);
  EXPECT_EQ(stream.findReference(5), nullptr);
  EXPECT_EQ(stream.roles.front(), OnlineRole::Inner);
  EXPECT_EQ(stream.roles.back(), OnlineRole::Sum);
}

TEST(OnlineReductionTest, AnOperationWithoutCorrectionIsNamed) {
  Softmax softmax;
  softmax.ofMaximum = ChangeKind::Unknown;
  GroupPlan plan = planGroups(makeAttention(softmax).problem);
  EXPECT_GT(plan.groups.size(), 1u);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  EXPECT_EQ(plan.missedOnlineReductions.front().reason,
            "'math.cos' in 'exp' has no correction where a result of earlier "
            "tiles changes");
  // Also where one tile has all columns, so that the scores are a group with
  // what reduces them.
  softmax.keys = 256;
  plan = planGroups(makeAttention(softmax).problem);
  EXPECT_EQ(plan.missedOnlineReductions.size(), 1u);
}

TEST(OnlineReductionTest, SumsAreNotShifted) {
  Softmax softmax;
  softmax.ofMaximum = ChangeKind::Shift;
  GroupPlan plan = planGroups(makeAttention(softmax).problem);
  EXPECT_GT(plan.groups.size(), 1u);
  EXPECT_EQ(plan.missedOnlineReductions.size(), 1u);
}

TEST(OnlineReductionTest, ProgramsHaveAllOfTheDepth) {
  Softmax softmax;
  softmax.depth = 512;
  GroupPlan plan = planGroups(makeAttention(softmax).problem);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  EXPECT_EQ(plan.missedOnlineReductions.front().reason,
            "a program would have all of a dimension of 512, more than 256");
}

TEST(OnlineReductionTest, ProgramsHaveRegistersForAllSums) {
  // More values of the same weights: five products of 128 columns.
  auto [ofMaximum, dividesBefore, h, m, n, d, e, workOfKeys] = Softmax();
  GraphBuilder graph = makeAttention();
  unsigned w = graph.problem.ops.back().reads.front().tensor;
  for (unsigned more = 0; more != 4; ++more) {
    graph.op("values", GraphOpKind::Contraction, "hmen", "n", {h, m, e, n});
    graph.problem.ops.back().combiner = GraphCombiner::Sum;
    graph.read(w, "hmn");
    graph.problem.ops.back().reads.back().scaled = {ChangeKind::Scale};
    graph.read(graph.tensor({h, n, e}, 2), "hne");
    unsigned y = graph.tensor({h, m, e});
    graph.write(y, "hme");
    graph.problem.tensors[y].escapes = true;
  }
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_GT(plan.groups.size(), 1u);
  EXPECT_TRUE(llvm::any_of(plan.missedOnlineReductions, [](const auto &missed) {
    return llvm::StringRef(missed.reason).ends_with("columns, more than 512");
  }));
}

TEST(OnlineReductionTest, FewProgramsAreSeveralKernels) {
  Softmax softmax;
  softmax.heads = 1;
  softmax.queries = 128;
  softmax.keys = 1 << 20;
  softmax.dividesBefore = false;
  GroupPlan plan = planGroups(makeAttention(softmax).problem);
  EXPECT_GT(plan.groups.size(), 1u);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  EXPECT_NE(plan.missedOnlineReductions.front().reason.find(
                "us with 1 programs, of each of which 15 parts divide the "
                "stream, and several kernels"),
            std::string::npos)
      << plan.missedOnlineReductions.front().reason;
  softmax.heads = 256;
  plan = planGroups(makeAttention(softmax).problem);
  EXPECT_EQ(plan.groups.size(), 1u);
}

/// The parts of the online reduction's programs, or what the division needs to
/// count them; "whole" without one.
std::string countParts(const Softmax &softmax) {
  GraphBuilder graph = makeAttention(softmax);
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_EQ(plan.groups.size(), 1u);
  const PlannedGroup &planned = plan.groups.front();
  std::optional<GroupSchedule> divided = divideSchedule(
      graph.problem, planned.group, planned.shape,
      scheduleGroup(graph.problem, planned.group, planned.shape));
  if (!divided)
    return "whole";
  if (std::optional<int64_t> parts = getStaticParts(*divided))
    return std::to_string(*parts);
  return "parts of " + std::to_string(divided->division->leastLength) +
         ", at most " + std::to_string(divided->division->mostParts);
}

TEST(OnlineReductionTest, PartsDivideStreamsOfFewPrograms) {
  Softmax softmax;
  softmax.heads = 8;
  softmax.queries = 16;
  softmax.keys = 8192;
  EXPECT_EQ(countParts(softmax), "16");
  // A part has four tiles at least.
  softmax.keys = 2048 + 1;
  EXPECT_EQ(countParts(softmax), "5");
  softmax.keys = 512;
  EXPECT_EQ(countParts(softmax), "whole");
  // Few rows have the same parts in any batch.
  softmax.keys = 1 << 20;
  softmax.queries = 64;
  for (int64_t heads : {int64_t(1), int64_t(8), int64_t(66), kAny}) {
    softmax.heads = heads;
    EXPECT_EQ(countParts(softmax), "31");
  }
  // One program reads what all parts leave.
  softmax.heads = 4;
  softmax.queries = 128;
  EXPECT_EQ(countParts(softmax), "15");
  // Programs enough.
  softmax.heads = 67;
  EXPECT_EQ(countParts(softmax), "whole");
  softmax.heads = 66;
  EXPECT_EQ(countParts(softmax), "2");
}

TEST(OnlineReductionTest, LaunchesCountPartsOfUnknownExtents) {
  Softmax softmax;
  softmax.heads = 8;
  softmax.queries = 16;
  softmax.keys = kAny;
  EXPECT_EQ(countParts(softmax), "parts of 512, at most 16");
  softmax.queries = 128;
  softmax.heads = 32;
  EXPECT_EQ(countParts(softmax), "parts of 512, at most 15");
  // At most three parts aren't worth another kernel.
  softmax.heads = 34;
  EXPECT_EQ(countParts(softmax), "whole");
}

TEST(OnlineReductionTest, ScoresThatOthersReadAreInMemory) {
  GraphBuilder graph = makeAttention();
  graph.problem.tensors[3].escapes = true;
  GroupPlan plan = planGroups(graph.problem);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  EXPECT_EQ(plan.missedOnlineReductions.front().reason,
            "the result of 'scores' would be in memory");
}

TEST(OnlineReductionTest, RowsOfOtherElementsAreRefused) {
  // exp reads a tensor of which the maximum knows nothing.
  GraphBuilder graph = makeAttention();
  unsigned other = graph.tensor({32, 4096, kAny});
  graph.problem.ops[2].reads.front().tensor = other;
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_GT(plan.groups.size(), 1u);
}

/// Whether (x * w) * v is one pass, where another op computes x * w, too.
bool isOnePass(int64_t columns, bool isCopy) {
  constexpr int64_t kRows = 200704, kDepth = 256;
  GraphBuilder graph;
  unsigned x = graph.tensor({kRows, kDepth}, 2), inner = 0;
  unsigned w = graph.tensor({kDepth, columns}, 2);
  unsigned v = graph.tensor({columns, kDepth}, 2);
  auto multiply = [&](const char *name, const char *loops, const char *reduced,
                      std::initializer_list<int64_t> extents) {
    graph.op(name, GraphOpKind::Contraction, loops, reduced, extents);
    graph.problem.ops.back().combiner = GraphCombiner::Sum;
  };
  for (const char *name : {"first", "again"}) {
    multiply(name, "mck", "k", {kRows, columns, kDepth});
    graph.read(x, "mk");
    graph.read(w, "kc");
    inner = graph.tensor({kRows, columns}, 2);
    graph.write(inner, "mc");
  }
  graph.problem.tensors[graph.problem.ops[0].writes[0].tensor].escapes = true;
  if (isCopy)
    graph.problem.ops[1].copyOf = 0;
  multiply("sum", "mjc", "c", {kRows, kDepth, columns});
  graph.read(inner, "mc");
  graph.read(v, "cj");
  unsigned y = graph.tensor({kRows, kDepth}, 2);
  graph.write(y, "mj");
  graph.problem.tensors[y].escapes = true;
  return llvm::StringRef(graph.plan()).contains("stream {again, sum}");
}

// Several kernels would read the product that others compute, unless it is much
// larger than its factors: then no kernel keeps it.
TEST(OnlineReductionTest, CopiesAreComparedWithWhatOthersCompute) {
  EXPECT_TRUE(isOnePass(1024, /*isCopy=*/false));
  EXPECT_FALSE(isOnePass(1024, /*isCopy=*/true));
  EXPECT_TRUE(isOnePass(8192, /*isCopy=*/true));
}

/// The same, with factors of so many bytes.
GraphBuilder makeWideAttention(const Softmax &softmax, int64_t bytes = 4) {
  GraphBuilder graph = makeAttention(softmax);
  for (GraphOp &op : graph.problem.ops)
    if (op.isProduct()) {
      op.unit = bytes == 4 ? ProductUnit::RoundingCores : ProductUnit::Threads;
      for (const GraphAccess &read : op.reads)
        graph.problem.tensors[read.tensor].elementBytes = bytes;
    }
  return graph;
}

TEST(OnlineReductionTest, TilesOfMultiplyAddsFitThreadsAndAllChips) {
  struct Case {
    int64_t depth, columns, rows, keys;
  };
  // A block has 8192 sums, 8192 elements of rows, and tiles of at most 98 KiB.
  for (const Case &heads : {Case{128, 128, 64, 32},
                            {64, 64, 128, 32},
                            {64, 128, 64, 32},
                            {256, 256, 32, 16},
                            {256, 16, 32, 32}}) {
    Softmax softmax;
    softmax.depth = heads.depth;
    softmax.columns = heads.columns;
    GraphBuilder graph = makeWideAttention(softmax);
    GroupPlan plan = planGroups(graph.problem);
    ASSERT_EQ(plan.groups.size(), 1u);
    GroupSchedule schedule = scheduleGroup(
        graph.problem, plan.groups.front().group, plan.groups.front().shape);
    for (const ScheduledDim &dim : schedule.dims) {
      if (dim.extent == softmax.queries)
        EXPECT_EQ(dim.tile, heads.rows);
      if (dim.walk == DimWalk::Loop)
        EXPECT_EQ(dim.tile, heads.keys);
    }
    graph.problem.usesTF32 = true;
    EXPECT_EQ(planGroups(graph.problem).groups.size(), 1u);
  }
}

TEST(OnlineReductionTest, TilesOfManyMultiplyAddsAreTooMuch) {
  // Scores are sums of several products.
  struct Case {
    unsigned more;
    const char *bytes;
  };
  for (auto [more, bytes] :
       {Case{1, nullptr}, Case{2, "115712"}, Case{6, "246784"}}) {
    Softmax softmax;
    softmax.depth = softmax.columns = 256;
    auto [ofMaximum, dividesBefore, h, m, n, d, e, workOfKeys] = softmax;
    GraphBuilder graph = makeWideAttention(softmax);
    GraphProblem &problem = graph.problem;
    std::vector<GraphOp> ops = problem.ops;
    problem.ops.resize(1);
    unsigned s = ops.front().writes.front().tensor;
    for (unsigned number = 0; number != more; ++number) {
      unsigned q = graph.tensor({h, m, d}), k = graph.tensor({h, n, d});
      graph.op("scores", GraphOpKind::Contraction, "hmnd", "d", {h, m, n, d});
      problem.ops.back().combiner = GraphCombiner::Sum;
      graph.read(q, "hmd");
      graph.read(k, "hnd");
      unsigned other = graph.tensor({h, m, n}), both = graph.tensor({h, m, n});
      graph.write(other, "hmn");
      graph.op("add", GraphOpKind::Elementwise, "hmn", "", {h, m, n});
      graph.read(s, "hmn");
      graph.read(other, "hmn");
      graph.write(both, "hmn");
      s = both;
    }
    for (GraphOp &op : llvm::drop_begin(ops)) {
      for (GraphAccess &read : op.reads)
        if (read.tensor == ops.front().writes.front().tensor)
          read.tensor = s;
      problem.addOp(op);
    }
    OpGroup all;
    for (unsigned op = 0; op != problem.ops.size(); ++op)
      all.ops.push_back(op);
    GroupShapeResult result = computeGroupShape(problem, all);
    ASSERT_TRUE(result.shape && result.shape->stream);
    GroupSchedule schedule = scheduleGroup(problem, all, *result.shape);
    // A product of scores has two factors of 16 x 256 elements, and the other
    // one has one, beside the weights.
    std::string refusal = bytes ? "tiles of 16 rows and elements would take " +
                                      std::string(bytes) +
                                      " bytes, more than 100352"
                                : "";
    EXPECT_EQ(schedule.refusal, refusal);
    for (const ScheduledDim &dim : schedule.dims)
      EXPECT_TRUE(dim.extent == h || dim.tile >= 16);
    // Some of the products are kernels of their own.
    EXPECT_EQ(planGroups(problem).groups.size() > 1, bytes != nullptr);
  }
}

TEST(OnlineReductionTest, MultiplyAddsAreSlowerInOnePassWithFewPrograms) {
  Softmax softmax;
  softmax.keys = 4096;
  GraphBuilder graph = makeWideAttention(softmax);
  EXPECT_EQ(planGroups(graph.problem).groups.size(), 1u);
  graph.problem.chip.kernelStreamF32 = 1;
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_GT(plan.groups.size(), 1u);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  // 4 * 32 * 4096 * 4096 * 128 operations by 10^6 in a microsecond.
  EXPECT_EQ(plan.missedOnlineReductions.front().reason.find(
                "one pass takes 274877.9 us "
                "with 2048 programs, and "
                "several kernels "),
            0u)
      << plan.missedOnlineReductions.front().reason;
}

TEST(OnlineReductionTest, ThreadsMultiplyNoDoubles) {
  GraphBuilder graph = makeWideAttention({}, /*bytes=*/8);
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_GT(plan.groups.size(), 1u);
  ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
  EXPECT_EQ(plan.missedOnlineReductions.front().reason,
            "threads would multiply factors of 8 bytes, and have registers for "
            "those of 4");
}

TEST(OnlineReductionTest, ThreadsExtendNoFactors) {
  // q, k and v are tensors 0 to 2.
  for (unsigned narrow : {0, 1, 2}) {
    GraphBuilder graph = makeWideAttention({});
    graph.problem.tensors[narrow].elementBytes = 2;
    GroupPlan plan = planGroups(graph.problem);
    EXPECT_GT(plan.groups.size(), 1u);
    ASSERT_EQ(plan.missedOnlineReductions.size(), 1u);
    EXPECT_EQ(plan.missedOnlineReductions.front().reason,
              std::string("threads multiply the factors of '") +
                  (narrow == 2 ? "values" : "scores") +
                  "', and have no registers to extend those of 2 bytes");
    // Matrix instructions do.
    graph.problem.usesTF32 = true;
    EXPECT_EQ(planGroups(graph.problem).groups.size(), 1u);
  }
}

TEST(OnlineReductionTest, ThreadsReadFactorsOfTilesAsTheyAre) {
  for (unsigned factor : {0, 1, 2}) {
    const char *loops = factor == 0 ? "hmd" : factor == 1 ? "hnd" : "hne";
    GraphBuilder graph = makeWideAttention({});
    GraphProblem &problem = graph.problem;
    int64_t extent = factor == 0 ? Softmax().queries : Softmax().keys;
    unsigned scaled = graph.map("scale", factor, loops, {32, extent, 128});
    std::vector<GraphOp> ops = std::move(problem.ops);
    std::rotate(ops.begin(), ops.end() - 1, ops.end());
    (factor == 2 ? ops.back() : ops[1]).reads[factor != 0].tensor = scaled;
    problem.ops.clear();
    for (const GraphOp &op : ops)
      problem.addOp(op);
    // A program has its rows of q for all tiles.
    std::string groups =
        factor == 0 ? "group 0: stream {scale, scores, max, exp, sum, divide, "
                      "values}\n"
                    : "group 0: elementwise {scale}\ngroup 1: stream {scores, "
                      "max, exp, sum, divide, values}\n";
    // Where two groups could be one, a line says why they aren't.
    EXPECT_EQ(graph.plan().substr(0, groups.size()), groups);
  }
}

TEST(OnlineReductionTest, StreamsMayBeForbidden) {
  GraphBuilder graph = makeAttention();
  graph.problem.streams = false;
  GroupPlan plan = planGroups(graph.problem);
  EXPECT_GT(plan.groups.size(), 1u);
  EXPECT_TRUE(plan.missedOnlineReductions.empty());
}

} // namespace
