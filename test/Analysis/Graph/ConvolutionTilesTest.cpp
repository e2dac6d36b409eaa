//===- ConvolutionTilesTest.cpp - tests of ConvolutionTiles.h -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/ConvolutionTiles.h"
#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Analysis/Graph/GroupSchedule.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

std::string plan(std::initializer_list<int64_t> pixels, int64_t channels,
                 unsigned first = 0, int64_t groups = 1) {
  ConvolutionExtents extents;
  extents.pixels = pixels;
  extents.channels = channels;
  extents.groups = groups;
  extents.first = first;
  ConvolutionTiles tiles =
      planConvolutionTiles(extents, ChipModel::getDefault());
  std::string text;
  for (int64_t tile : tiles.pixels)
    text += std::to_string(tile) + " ";
  return text + "by " + std::to_string(tiles.channels);
}

/// The pixels that programs compute, for each that exists.
double countWaste(std::initializer_list<int64_t> pixels, int64_t channels) {
  ConvolutionExtents extents;
  extents.pixels = pixels;
  extents.channels = channels;
  ConvolutionTiles tiles =
      planConvolutionTiles(extents, ChipModel::getDefault());
  double computed = 1, exist = 1;
  for (auto [extent, tile] : llvm::zip_equal(pixels, tiles.pixels)) {
    computed *= double((extent + tile - 1) / tile * tile);
    exist *= double(extent);
  }
  return computed / exist;
}

TEST(ConvolutionTilesTest, BoxesFillExtentsThatArePowersOfTwo) {
  EXPECT_EQ(plan({64, 64, 64}, 128), "1 2 64 by 128");
}

TEST(ConvolutionTilesTest, BoxesOfSeveralImagesFillOddOnes) {
  EXPECT_EQ(plan({256, 14, 14}, 256), "32 2 2 by 128");
  EXPECT_EQ(countWaste({256, 14, 14}, 256), 1.0);
  EXPECT_EQ(countWaste({128, 7, 7}, 512), 1.0);
}

TEST(ConvolutionTilesTest, VectorsBeginWhereTheyMay) {
  EXPECT_EQ(plan({256, 14, 14}, 256, /*first=*/1), "1 8 16 by 128");
}

TEST(ConvolutionTilesTest, BoxesWithoutDimensionsAreOnePixel) {
  EXPECT_EQ(plan({256}, 64, /*first=*/1), "1 by 64");
  EXPECT_EQ(plan({256, 14}, 64, /*first=*/2), "1 1 by 64");
}

TEST(ConvolutionTilesTest, GroupsHaveProgramsOfTheirOwn) {
  EXPECT_EQ(plan({32, 28, 28}, 64), "4 4 4 by 64");
  EXPECT_EQ(plan({32, 28, 28}, 64, /*first=*/0, /*groups=*/8), "8 4 4 by 64");
}

TEST(ConvolutionTilesTest, FewProgramsAreSmall) {
  EXPECT_EQ(plan({1, 7, 7}, 512), "1 4 8 by 64");
}

TEST(ConvolutionTilesTest, FewerSMsHaveLargerTiles) {
  ConvolutionExtents extents;
  extents.pixels = {8, 14, 14};
  extents.channels = 128;
  ChipModel chip = ChipModel::getDefault();
  auto count = [&] {
    int64_t pixels = 1;
    for (int64_t tile : planConvolutionTiles(extents, chip).pixels)
      pixels *= tile;
    return pixels;
  };
  int64_t before = count();
  chip.sms /= 2;
  EXPECT_GT(count(), before);
}

TEST(ConvolutionTilesTest, NarrowResultsHaveNarrowTiles) {
  EXPECT_EQ(plan({64, 64, 64}, 5), "1 2 64 by 16");
  EXPECT_EQ(plan({64, 64, 64}, 1), "1 2 64 by 16");
}

TEST(ConvolutionTilesTest, ExtentsOfNothingOrUnknown) {
  EXPECT_EQ(plan({0, 14, 14}, 64), plan({1, 14, 14}, 64));
  EXPECT_EQ(plan({kUnknownExtent, 14, 14}, 128), plan({64, 14, 14}, 128));
}

TEST(ConvolutionTilesTest, BoxesHaveAtMostThreeDimensions) {
  ConvolutionExtents extents;
  extents.pixels = {2, 2, 2, 2, 16};
  extents.channels = 64;
  EXPECT_LE(llvm::count_if(
                planConvolutionTiles(extents, ChipModel::getDefault()).pixels,
                [](int64_t tile) { return tile != 1; }),
            3);
}

static std::vector<int64_t> planSummed(std::vector<int64_t> pixels,
                                       int64_t most = 64) {
  ConvolutionExtents extents;
  extents.pixels.assign(pixels.begin(), pixels.end());
  extents.isWindow.assign(pixels.size(), true);
  extents.isWindow.front() = false; // images
  llvm::SmallVector<int64_t> box = planWgrad(extents, most);
  return {box.begin(), box.end()};
}

using Box = std::vector<int64_t>;

TEST(WgradTest, BoxesEndWhereWindowsDo) {
  EXPECT_EQ(planSummed({32, 56, 56}), (Box{1, 8, 8}));
  EXPECT_EQ(planSummed({32, 14, 14}), (Box{16, 2, 2}));
  EXPECT_EQ(planSummed({64, 7, 7}), (Box{64, 1, 1}));
}

TEST(WgradTest, ImagesMayEndAnywhere) {
  EXPECT_EQ(planSummed({30, 15, 15}, 32), (Box{32, 1, 1}));
}

TEST(WgradTest, FewImagesAreMasked) {
  EXPECT_EQ(planSummed({1, 15, 15}), (Box{1, 4, 16}));
}

/// Images by rows of pixels, of which each needs three: y[n, i, f] = x[n,
/// stride
/// * i + k - 1, c] * w[k, c, f], and what follows.
struct Rows {
  explicit Rows(int64_t stride, bool addsImage = false) {
    auto tensor = [&](std::initializer_list<int64_t> extents) {
      GraphTensor made;
      made.extents = extents;
      problem.tensors.push_back(made);
      return unsigned(problem.tensors.size() - 1);
    };
    int64_t pixels = 32 / stride;
    unsigned x = tensor({64, 32, 64}), w = tensor({3, 64, 64});
    unsigned y = tensor({64, pixels, 64}), z = tensor({64, pixels, 64});
    GraphOp conv;
    conv.name = "conv";
    conv.kind = GraphOpKind::Convolution;
    conv.loops = {{64}, {pixels}, {64}, {3, true}, {64, true}};
    GraphAccess image{x, {0u, std::nullopt, 4u}};
    image.windows.push_back({1, 1u, 3u, stride, 1, 1});
    conv.reads = {image, {w, {3u, 4u, 2u}}};
    conv.writes = {{y, {0u, 1u, 2u}}};
    GraphOp relu;
    relu.name = "relu";
    relu.loops = {{64}, {pixels}, {64}};
    relu.reads = {{y, {0u, 1u, 2u}}};
    if (addsImage)
      relu.reads.push_back({x, {0u, 1u, 2u}});
    relu.writes = {{z, {0u, 1u, 2u}}};
    problem.tensors[z].escapes = true;
    problem.addOp(conv);
    problem.addOp(relu);
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

  GraphProblem problem;
};

TEST(ConvolutionScheduleTest, ElementwiseOpsFollow) {
  EXPECT_EQ(Rows(1).schedule(),
            "contraction, 64 by the grid, 32 by the grid in vectors of 32, 64 "
            "by the grid in vectors of 64, 64 by a loop in vectors of 32, 3 by "
            "a loop\n");
}

TEST(ConvolutionScheduleTest, ImagesReadInStepsAreReadSoOnly) {
  EXPECT_EQ(planGroups(Rows(1, /*addsImage=*/true).problem).groups.size(), 1u);
  EXPECT_EQ(planGroups(Rows(2, /*addsImage=*/true).problem).groups.size(), 2u);
}

TEST(ConvolutionScheduleTest, StridesTakeDimensionsOfMemory) {
  Rows rows(2);
  const GraphAccess &image = rows.problem.ops[0].reads[0];
  EXPECT_EQ(countMemoryDims(image, 2), 2); // the remainder is beside channels
  GraphAccess planes = image;
  planes.loops = {0u, std::nullopt, 1u, 4u};
  EXPECT_EQ(countMemoryDims(planes, 4), 5);
  EXPECT_EQ(countMemoryDims(planes, 1), 1);
  EXPECT_FALSE(isInBox(planes, 0)); // five dimensions
  EXPECT_TRUE(isInBox(planes, 1));
}

/// Gradients of depthwise weights, each of one element of the kernel: y[n, c] =
/// the sum along i, j of x[n, s i + a, s j + b, c] g[n, i, j, c].
struct Sums {
  Sums(unsigned count, int64_t stride = 1, bool hasOwnImages = false) {
    auto tensor = [&](std::initializer_list<int64_t> extents) {
      problem.tensors.push_back({extents});
      return unsigned(problem.tensors.size() - 1);
    };
    unsigned g = tensor({32, 56, 56, 128});
    unsigned x = tensor({32, 56 * stride, 56 * stride, 128});
    for (unsigned number = 0; number < count; ++number) {
      if (hasOwnImages && number != 0)
        x = tensor({32, 56 * stride, 56 * stride, 128});
      unsigned y = tensor({32, 128});
      problem.tensors[y].escapes = true;
      GraphOp sum;
      sum.name = "sum";
      sum.kind = GraphOpKind::Stencil;
      sum.combiner = GraphCombiner::Sum;
      sum.loops = {{32}, {56, true}, {56, true}, {128}};
      GraphAccess image{x, {0u, std::nullopt, std::nullopt, 3u}};
      int64_t low = 1 - int64_t(number % 3);
      image.windows.push_back({1, 1u, std::nullopt, stride, 1, low});
      image.windows.push_back({2, 2u, std::nullopt, stride, 1, 1});
      sum.reads = {image, {g, {0u, 1u, 2u, 3u}}};
      sum.writes = {{y, {0u, 3u}}};
      problem.addOp(sum);
    }
  }

  std::vector<size_t> countOps() const {
    std::vector<size_t> counts;
    for (const PlannedGroup &planned : planGroups(problem).groups)
      counts.push_back(planned.group.ops.size());
    return counts;
  }

  GraphProblem problem;
};

TEST(ConvolutionScheduleTest, SumsAlongTheSamePixelsAreOneKernel) {
  EXPECT_EQ(Sums(3).countOps(), std::vector<size_t>{3});
  EXPECT_EQ(Sums(9, /*stride=*/2).countOps(), std::vector<size_t>{9});
  // Threads have no registers for more.
  EXPECT_EQ(Sums(10).countOps(), (std::vector<size_t>{9, 1}));
  EXPECT_EQ(Sums(2, 1, /*hasOwnImages=*/true).countOps(),
            (std::vector<size_t>{1, 1}));
  Sums sums(3);
  PlannedGroup planned = planGroups(sums.problem).groups.front();
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, scheduleGroup(sums.problem, planned.group, planned.shape));
  EXPECT_EQ(text,
            "column, 32 by the grid, 128 by the grid in vectors of 32, 56 "
            "by a loop in vectors of 8, 56 by a loop in vectors of 8");
}

} // namespace
