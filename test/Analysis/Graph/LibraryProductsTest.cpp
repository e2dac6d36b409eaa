//===- LibraryProductsTest.cpp - tests of LibraryProducts.h ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/LibraryProducts.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// Tensors 0 and 1 are the factors and 2 is the product, of an op with these
/// loops; "bmk" is an access along them.
GraphProblem makeProduct(const std::string &loops,
                         std::initializer_list<int64_t> extents,
                         const std::string &lhs, const std::string &rhs,
                         const std::string &product) {
  GraphProblem problem;
  GraphOp op;
  op.name = "product";
  op.kind = GraphOpKind::Contraction;
  op.unit = ProductUnit::RoundingCores;
  for (auto [loop, extent] : llvm::zip_equal(loops, extents))
    op.loops.push_back({extent, product.find(loop) == std::string::npos});
  for (const std::string &dims : {lhs, rhs, product}) {
    GraphTensor tensor;
    GraphAccess access;
    access.tensor = problem.tensors.size();
    for (char dim : dims) {
      access.loops.push_back(loops.find(dim));
      tensor.extents.push_back(op.loops[loops.find(dim)].extent);
    }
    problem.tensors.push_back(tensor);
    (access.tensor == 2 ? op.writes : op.reads).push_back(access);
  }
  problem.addOp(op);
  return problem;
}

/// "batches; m; n; k; calls", or why there is none.
std::string find(const std::string &loops,
                 std::initializer_list<int64_t> extents, const std::string &lhs,
                 const std::string &rhs, const std::string &product) {
  std::string text;
  GraphProblem problem = makeProduct(loops, extents, lhs, rhs, product);
  std::optional<LibraryProduct> found =
      findLibraryProduct(problem, problem.ops[0], text);
  if (!found)
    return text;
  auto add = [&](const LibraryProduct::Run &run) {
    for (unsigned loop : run)
      text += loops[loop];
  };
  for (const LibraryProduct::Run &batch : found->batches) {
    add(batch);
    text += ' ';
  }
  for (const LibraryProduct::Run &run : {found->m, found->n, found->k}) {
    text += "; ";
    add(run);
  }
  return text + "; " + std::to_string(found->calls);
}

TEST(LibraryProducts, Matrices) {
  EXPECT_EQ(find("mnk", {8, 8, 8}, "mk", "kn", "mn"), "; m; n; k; 1");
  EXPECT_EQ(find("mnk", {8, 8, 8}, "km", "nk", "nm"), "; m; n; k; 1");
  // Dimensions that are adjacent in all tensors are one.
  EXPECT_EQ(find("bsnhd", {8, 8, 8, 4, 2}, "bshd", "hdn", "bsn"),
            "; bs; n; hd; 1");
}

TEST(LibraryProducts, Batches) {
  EXPECT_EQ(find("bmnk", {4, 8, 8, 8}, "bmk", "bkn", "bmn"), "b ; m; n; k; 1");
  EXPECT_EQ(find("bhmnk", {4, 3, 8, 8, 8}, "bhmk", "bhkn", "bhmn"),
            "bh ; m; n; k; 1");
  // Heads between rows: as many calls as the shorter one has.
  EXPECT_EQ(find("bhmnk", {4, 3, 8, 8, 8}, "bmhk", "bnhk", "bhmn"),
            "b h ; m; n; k; 3");
  // A factor without the batch, in which elements are not neighbours along m.
  EXPECT_EQ(find("bmnk", {4, 8, 8, 8}, "bkm", "kn", "bmn"), "b ; m; n; k; 1");
  // The larger rows are the matrix's, and the others a batch.
  EXPECT_EQ(find("amnk", {4, 8, 8, 8}, "kam", "kn", "man"), "a ; m; n; k; 1");
}

TEST(LibraryProducts, Refusals) {
  EXPECT_EQ(find("mnkl", {8, 8, 8, 8}, "kml", "kln", "mn"),
            "its sums go along dimensions that aren't next to each other");
  EXPECT_EQ(find("mnkl", {8, 8, 8, 8}, "mkl", "lkn", "mn"),
            "its sums go along dimensions that aren't next to each other");
  EXPECT_EQ(find("bmnk", {8, 8, 8, 8}, "mkb", "bkn", "bmn"),
            "elements of its matrices aren't neighbours");
}

TEST(LibraryProducts, ExtentsOfZeroAndUnknownOnes) {
  EXPECT_EQ(find("bmnk", {0, 0, 0, 0}, "bmk", "bkn", "bmn"), "b ; m; n; k; 1");
  EXPECT_EQ(
      find("bhmnk", {kUnknownExtent, 12, 128, 128, 64}, "bmhk", "bnhk", "bhmn"),
      "b h ; m; n; k; 12");
}

/// "calls, copies of the first and second factor".
std::string pack(const std::string &loops,
                 std::initializer_list<int64_t> extents, const std::string &lhs,
                 const std::string &rhs, const std::string &product) {
  GraphProblem problem = makeProduct(loops, extents, lhs, rhs, product);
  std::string refusal;
  std::optional<LibraryProduct> found =
      findLibraryProduct(problem, problem.ops[0], refusal);
  if (!found)
    return refusal;
  packFactors(problem, problem.ops[0], *found);
  return std::to_string(found->calls) + ", " +
         std::to_string(found->isPacked[0]) +
         std::to_string(found->isPacked[1]);
}

TEST(LibraryProducts, CopiesOfFactorsSaveCalls) {
  // Heads between rows, of both factors and of one of them.
  EXPECT_EQ(
      pack("bhmnk", {kUnknownExtent, 12, 128, 128, 64}, "bmhk", "bnhk", "bhmn"),
      "1, 11");
  EXPECT_EQ(pack("bhmnk", {32, 12, 128, 64, 128}, "bhmk", "bkhn", "bhmn"),
            "1, 01");
  // One call needs no copies, and long rows cost more than calls.
  EXPECT_EQ(pack("bhmnk", {1, 12, 128, 128, 64}, "bmhk", "bnhk", "bhmn"),
            "1, 00");
  EXPECT_EQ(pack("bhmnk", {4, 4, 65536, 65536, 64}, "bmhk", "bnhk", "bhmn"),
            "4, 00");
  // Both matrices have the first dimension's order of batches.
  EXPECT_EQ(
      getPackedLoops(
          makeProduct("bhmnk", {4, 3, 8, 8, 8}, "hmbk", "bnhk", "bhmn").ops[0],
          [] {
            LibraryProduct product;
            product.batches = {{0}, {1}};
            return product;
          }(),
          0),
      (llvm::SmallVector<std::optional<unsigned>>{0u, 1u, 2u, 4u}));
}

ProductTimes estimate(const GraphProblem &problem, const OpGroup &group,
                      FactorKind kind, llvm::ArrayRef<unsigned> absorbed = {}) {
  std::string refusal;
  std::optional<LibraryProduct> product =
      findLibraryProduct(problem, problem.ops[0], refusal);
  EXPECT_TRUE(product) << refusal;
  return estimateProduct(problem, group, 0, *product, kind, absorbed);
}

TEST(LibraryProducts, LargeProductsAreFasterByTheLibrary) {
  GraphProblem problem =
      makeProduct("mnk", {4096, 4096, 4096}, "mk", "kn", "mn");
  OpGroup alone;
  alone.ops = {0};
  for (FactorKind kind : {FactorKind::F32, FactorKind::Half}) {
    ProductTimes times = estimate(problem, alone, kind);
    EXPECT_LT(times.library, times.kernel);
    EXPECT_EQ(times.extraBytes, 0);
  }
}

TEST(LibraryProducts, ProductsOfTF32AreAsFastByKernels) {
  GraphProblem problem =
      makeProduct("mnk", {4096, 4096, 4096}, "mk", "kn", "mn");
  OpGroup alone;
  alone.ops = {0};
  ProductTimes times = estimate(problem, alone, FactorKind::TF32);
  EXPECT_EQ(times.library, times.kernel);
}

TEST(LibraryProducts, AnotherProductOfTheGroupIsComputedByAKernel) {
  // A gate: the library has one product, and a kernel the other one.
  GraphProblem problem =
      makeProduct("mnk", {4096, 4096, 4096}, "mk", "kn", "mn");
  OpGroup alone, both;
  alone.ops = {0};
  ProductTimes one = estimate(problem, alone, FactorKind::Half);
  for (unsigned tensor : {1, 2})
    problem.tensors.push_back(problem.tensors[tensor]);
  GraphOp other = problem.ops[0];
  other.reads[1].tensor = 3;
  other.writes[0].tensor = 4;
  problem.addOp(other);
  both.ops = {0, 1};
  ProductTimes two = estimate(problem, both, FactorKind::Half);
  EXPECT_GT(two.kernel, 2.1 * one.kernel);
  EXPECT_LT(two.kernel, 2.3 * one.kernel);
  EXPECT_GT(two.library, one.library + 0.9 * one.kernel);
}

TEST(LibraryProducts, WhatTheRestOfTheGroupPassesThroughMemoryCounts) {
  // Depth 8: time is that of memory, which y = f(product) reads once more.
  GraphProblem problem = makeProduct("mnk", {4096, 4096, 8}, "mk", "kn", "mn");
  GraphOp after;
  after.name = "after";
  after.loops = {{4096, false}, {4096, false}};
  after.reads.push_back({2, {0u, 1u}});
  problem.tensors.push_back(problem.tensors[2]);
  problem.tensors[3].escapes = true;
  after.writes.push_back({3, {0u, 1u}});
  problem.addOp(after);
  OpGroup both;
  both.ops = {0, 1};
  ProductTimes times = estimate(problem, both, FactorKind::Half);
  EXPECT_EQ(times.extraBytes, 2 * 4096 * 4096 * 4);
  EXPECT_GT(times.library, times.kernel);
  // The call computes y: no launch, and nothing but y in memory.
  ProductTimes fused = estimate(problem, both, FactorKind::Half, {1});
  EXPECT_EQ(fused.extraBytes, 0);
  EXPECT_LE(fused.library, fused.kernel);
  // The same with a reshape between them, and where another group computes y.
  problem.ops[1].reads[0].tensor = 4;
  GraphOp reshape;
  reshape.kind = GraphOpKind::Host;
  reshape.reads.push_back({2, {}});
  reshape.writes.push_back({4, {}});
  problem.tensors.push_back(problem.tensors[2]);
  problem.addOp(reshape);
  OpGroup alone;
  alone.ops = {0};
  ProductTimes apart = estimate(problem, alone, FactorKind::Half, {2, 1});
  EXPECT_EQ(apart.extraBytes, 0);
  EXPECT_EQ(apart.library, fused.library);
}

TEST(LibraryProducts, TrafficIsWhatCrossesTheBorderOfAGroup) {
  GraphProblem problem = makeProduct("mnk", {64, 32, 16}, "mk", "kn", "mn");
  GraphOp after;
  after.loops = {{64, false}, {32, false}};
  after.reads.push_back({2, {0u, 1u}});
  problem.tensors.push_back(problem.tensors[2]);
  problem.tensors[3].escapes = true;
  after.writes.push_back({3, {0u, 1u}});
  problem.addOp(after);
  auto count = [&](std::initializer_list<unsigned> ops) {
    OpGroup group;
    group.ops = ops;
    return countTraffic(problem, group);
  };
  int64_t factors = 4 * (64 * 16 + 16 * 32), result = 4 * 64 * 32;
  EXPECT_EQ(count({0}), factors + result);
  EXPECT_EQ(count({1}), 2 * result);
  EXPECT_EQ(count({0, 1}), factors + result);
}

TEST(LibraryProducts, TimesFollowTheChip) {
  OpGroup alone;
  alone.ops = {0};
  // Limited by memory, by the library's rate, and by SMs that are idle.
  GraphProblem memory = makeProduct("mnk", {4096, 4096, 8}, "mk", "kn", "mn");
  GraphProblem rate = makeProduct("mnk", {4096, 4096, 4096}, "mk", "kn", "mn");
  GraphProblem idle =
      makeProduct("bhmnk", {8, 12, 128, 128, 2048}, "bmhk", "bnhk", "bhmn");
  memory.tensors[2].escapes = true;
  ProductTimes before[] = {estimate(memory, alone, FactorKind::Half),
                           estimate(rate, alone, FactorKind::Half),
                           estimate(idle, alone, FactorKind::Half)};
  memory.chip.bytesPerNs *= 2;
  rate.chip.libraryHalf *= 2;
  idle.chip.sms /= 2;
  EXPECT_LT(estimate(memory, alone, FactorKind::Half).kernel, before[0].kernel);
  EXPECT_LT(estimate(rate, alone, FactorKind::Half).library, before[1].library);
  EXPECT_EQ(estimate(rate, alone, FactorKind::Half).kernel, before[1].kernel);
  EXPECT_LT(estimate(idle, alone, FactorKind::Half).library, before[2].library);
}

TEST(LibraryProducts, CallsThatLeaveTheDeviceIdleCostMore) {
  OpGroup alone;
  alone.ops = {0};
  GraphProblem one =
      makeProduct("bhmnk", {8, 12, 128, 128, 64}, "bhmk", "bhkn", "bhmn");
  GraphProblem many =
      makeProduct("bhmnk", {8, 12, 128, 128, 64}, "bmhk", "bnhk", "bhmn");
  ProductTimes fast = estimate(one, alone, FactorKind::TF32);
  ProductTimes slow = estimate(many, alone, FactorKind::TF32);
  EXPECT_LE(fast.library, fast.kernel);
  EXPECT_GT(slow.library, 5 * fast.library);
  EXPECT_EQ(slow.kernel, fast.kernel);
}

TEST(LibraryProducts, RowsThatArentMultiplesOf16BytesCostMore) {
  OpGroup alone;
  alone.ops = {0};
  auto time = [&](std::vector<int64_t> extents) {
    GraphProblem problem = makeProduct(
        "mnk", {extents[0], extents[1], extents[2]}, "mk", "nk", "mn");
    for (GraphTensor &tensor : problem.tensors)
      tensor.elementBytes = 2;
    return estimate(problem, alone, FactorKind::Half);
  };
  ProductTimes whole = time({4096, 4096, 4096});
  // A kernel's results may have any rows, and a matrix any number of rows.
  ProductTimes words = time({4096, 4098, 4096}), odd = time({4096, 4097, 4096});
  EXPECT_GT(words.library, 2 * whole.library);
  EXPECT_GT(odd.library, 2 * words.library);
  EXPECT_LT(odd.kernel, 1.01 * whole.kernel);
  EXPECT_LT(time({4095, 4096, 4096}).library, 1.01 * whole.library);
  EXPECT_GT(time({4096, 4096, 5}).kernel, time({4096, 4096, 8}).kernel);
  EXPECT_GT(time({4096, 4096, 4097}).library, 4 * whole.library);
}

/// "copied" or "written" for each factor that gets gaps between its rows.
std::string pitch(GraphProblem problem, const OpGroup &group) {
  for (GraphTensor &tensor : problem.tensors)
    tensor.elementBytes = 2;
  FactorPitches pitches =
      planPitches(problem, group, FactorKind::Half, problem.ops[0]);
  std::string text;
  for (unsigned factor : {0, 1})
    text += !pitches.isPitched[factor] ? "-"
            : pitches.isCopied[factor] ? "copied "
                                       : "written ";
  EXPECT_LE(pitches.product + pitches.copies, pitches.unpitched);
  return text;
}

TEST(LibraryProducts, RowsGetGapsWhereThatPays) {
  OpGroup alone, both;
  alone.ops = {0};
  both.ops = {0, 1};
  auto make = [](int64_t m, int64_t n, int64_t k) {
    return makeProduct("mnk", {m, n, k}, "mk", "nk", "mn");
  };
  EXPECT_EQ(pitch(make(4096, 4096, 4097), alone), "copied copied ");
  EXPECT_EQ(pitch(make(4096, 4096, 4096), alone), "--");
  // Copies take longer than the product gains.
  EXPECT_EQ(pitch(make(64, 64, 4097), alone), "--");
  // Only the second factor's rows go along n.
  EXPECT_EQ(
      pitch(makeProduct("mnk", {4096, 4097, 4096}, "mk", "kn", "mn"), alone),
      "-copied ");
  // Matrices whose rows are several dimensions.
  EXPECT_EQ(pitch(makeProduct("mnhk", {4096, 4096, 63, 65}, "mhk", "nhk", "mn"),
                  alone),
            "--");

  // An op of the program writes the first factor.
  GraphProblem written = make(4096, 4096, 4097);
  GraphOp writer;
  writer.loops = {{4096, false}, {4097, false}};
  writer.writes.push_back({0, {0u, 1u}});
  written.addOp(writer);
  EXPECT_EQ(pitch(written, alone), "written copied ");
  // Threads have what the kernel itself computes.
  EXPECT_EQ(pitch(written, both), "--");
  GraphProblem result = written;
  result.tensors[0].escapes = true;
  EXPECT_EQ(pitch(result, alone), "copied copied ");
  GraphProblem viewed = written;
  GraphOp view;
  view.kind = GraphOpKind::Host;
  view.reads.push_back({0, {}});
  viewed.addOp(view);
  EXPECT_EQ(pitch(viewed, alone), "copied copied ");
  // A slice of longer rows.
  GraphProblem slices = make(4096, 4096, 4097);
  slices.tensors[0].rowAlignment = slices.tensors[1].rowAlignment = 16;
  EXPECT_EQ(pitch(slices, alone), "--");
}

TEST(LibraryProducts, KernelsAreSlowerWhereAFactorIsTransposed) {
  OpGroup alone;
  alone.ops = {0};
  GraphProblem plain = makeProduct("mnk", {4096, 4096, 4096}, "mk", "kn", "mn");
  GraphProblem other = makeProduct("mnk", {4096, 4096, 4096}, "mk", "nk", "mn");
  EXPECT_GT(estimate(other, alone, FactorKind::F32).kernel,
            4 * estimate(plain, alone, FactorKind::F32).kernel);
  EXPECT_EQ(estimate(other, alone, FactorKind::F32).library,
            estimate(plain, alone, FactorKind::F32).library);
  EXPECT_EQ(estimate(other, alone, FactorKind::Half).kernel,
            estimate(plain, alone, FactorKind::Half).kernel);
  // A factor of tf32 has to have neighbours along the sums, either of them.
  GraphProblem neither =
      makeProduct("mnk", {4096, 4096, 4096}, "km", "kn", "mn");
  EXPECT_EQ(estimate(other, alone, FactorKind::TF32).kernel,
            estimate(plain, alone, FactorKind::TF32).kernel);
  EXPECT_GT(estimate(neither, alone, FactorKind::TF32).kernel,
            4 * estimate(plain, alone, FactorKind::TF32).kernel);
  EXPECT_EQ(estimate(neither, alone, FactorKind::Half).kernel,
            estimate(plain, alone, FactorKind::Half).kernel);
}

} // namespace
