//===- ProductTilesTest.cpp - tests of tiles and their times --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ProductTiles.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ProductTilesTest : public ::testing::Test {
protected:
  ProductTilesTest() {
    context.loadDialect<CarouselDialect>();
    work.rows = 128;
    work.columns = 256;
    work.depth = 64;
  }

  ExprAttr number(int64_t value) {
    return ExprAttr::get(&context, ExprKind::Constant, value, 0, {}, {});
  }

  /// Nanoseconds of a launch of m x n x k with the tile.
  int64_t predict(const ProductTile &tile, int64_t m, int64_t n, int64_t k,
                  int64_t batches = 1, int64_t pitchOfRows = 0,
                  int64_t pitchOfColumns = 0, int64_t elementsOfColumns = 0) {
    ProductLaunch launch;
    if (elementsOfColumns != 0)
      launch.elementsOfColumns = number(elementsOfColumns);
    if (pitchOfRows != 0)
      launch.pitchOfRows = number(pitchOfRows);
    if (pitchOfColumns != 0)
      launch.pitchOfColumns = number(pitchOfColumns);
    launch.rows = number(m);
    launch.columns = number(n);
    launch.iterations = number(llvm::divideCeil(k, work.depth));
    if (batches != 1)
      launch.batches = number(batches);
    return evaluate(makeCost(work, tile, launch, chip));
  }

  int64_t evaluate(ExprAttr expr) {
    if (expr.getKind() == ExprKind::Constant)
      return expr.getValue();
    if (expr.getKind() == ExprKind::SMs)
      return chip.sms;
    int64_t lhs = evaluate(expr.getLhs()), rhs = evaluate(expr.getRhs());
    switch (expr.getKind()) {
    case ExprKind::Add:
      return lhs + rhs;
    case ExprKind::Sub:
      return lhs - rhs;
    case ExprKind::Mul:
      return lhs * rhs;
    case ExprKind::FloorDiv:
      return lhs / rhs;
    case ExprKind::CeilDiv:
      return llvm::divideCeil(lhs, rhs);
    case ExprKind::Max:
      return std::max(lhs, rhs);
    case ExprKind::Min:
      return std::min(lhs, rhs);
    case ExprKind::Mod:
      return lhs % rhs;
    default:
      ADD_FAILURE() << "unexpected kind";
      return 0;
    }
  }

  /// The rows and columns of the fastest tile.
  std::pair<int64_t, int64_t> choose(int64_t m, int64_t n, int64_t k,
                                     int64_t batches = 1) {
    std::vector<ProductTile> tiles = planProductTiles(work, chip);
    auto least = std::min_element(
        tiles.begin(), tiles.end(),
        [&](const ProductTile &a, const ProductTile &b) {
          return predict(a, m, n, k, batches) < predict(b, m, n, k, batches);
        });
    return {least->rows, least->columns};
  }

  MLIRContext context;
  ProductWork work;
  ChipModel chip = ChipModel::getDefault();
};

using Tile = std::pair<int64_t, int64_t>;

TEST_F(ProductTilesTest, TwoSlotsWaitForMemory) {
  // Two results of the largest tile leave two slots, which take 1140 ns an
  // iteration on an H200, and 630 with three.
  EXPECT_EQ(choose(12608, 3072, 768), Tile(128, 256));
  work.resultBits = work.storedBits = 32;
  EXPECT_EQ(choose(12608, 3072, 768), Tile(128, 192));
  ProductTile tile = planProductTiles(work, chip).front();
  EXPECT_NEAR(double(tile.step) / 1e6, 1.1, 0.2);
}

TEST_F(ProductTilesTest, BatchesReadNoMoreThanThereIs) {
  // With few rows, the time is that of the matrices' bytes.
  ProductTile tile = planProductTiles(work, chip).front();
  int64_t n = 4096, k = 4096, matrices = 2;
  auto getBytes = [&](int64_t read) { return double(read * n * k) * 2; };
  int64_t all = predict(tile, 8, n, k, 16),
          shared = predict(tile, 8, n, k, 16, 0, 0, matrices * n * k);
  EXPECT_GT(all, getBytes(16) / chip.bytesPerNs);
  EXPECT_LT(shared, all);
  EXPECT_GT(shared, getBytes(matrices) / chip.bytesPerNs);
  // More than is read doesn't count.
  EXPECT_EQ(predict(tile, 8, n, k, 16, 0, 0, 32 * n * k), all);
}

TEST_F(ProductTilesTest, TheAuthorsTileComesFirst) {
  work.rows = 256;
  work.columns = 128;
  std::vector<ProductTile> tiles = planProductTiles(work, chip);
  ASSERT_EQ(tiles.size(), 7u);
  EXPECT_EQ(Tile(tiles[0].rows, tiles[0].columns), Tile(256, 128));
  EXPECT_EQ(Tile(tiles[1].rows, tiles[1].columns), Tile(128, 256));
}

TEST_F(ProductTilesTest, ClustersHaveTheTileWithTheMostColumns) {
  work.rows = 256;
  work.columns = 128;
  ProductTile last = planProductTiles(work, chip).back();
  EXPECT_EQ(last.ctas, 2);
  EXPECT_EQ(Tile(last.rows, last.columns), Tile(128, 256));
  // With two products, half a tile has as many sums.
  work.products = work.columnTiles = 2;
  last = planProductTiles(work, chip).back();
  EXPECT_EQ(last.ctas, 2);
  EXPECT_EQ(Tile(last.rows, last.columns), Tile(128, 128));
}

TEST_F(ProductTilesTest, ClustersAreForRowsThatSplitSectors) {
  std::vector<ProductTile> tiles = planProductTiles(work, chip);
  const ProductTile &alone = tiles.front(), &clusters = tiles.back();
  ASSERT_EQ(clusters.ctas, 2);
  auto gain = [&](int64_t pitchOfRows, int64_t pitchOfColumns) {
    auto time = [&](const ProductTile &tile) {
      return predict(tile, 4096, 4096, 4096, 1, pitchOfRows, pitchOfColumns);
    };
    return double(time(alone)) / double(time(clusters));
  };
  // The strides aren't known, or all rows begin at whole sectors.
  EXPECT_LT(gain(0, 0), 1);
  EXPECT_LT(gain(8192, 8192), 1);
  EXPECT_LT(gain(8224, 8224), 1);
  // The factor that they share, both, and the other one.
  EXPECT_GT(gain(8192, 8208), 1.1);
  EXPECT_GT(gain(8208, 8208), 1.2);
  EXPECT_LT(gain(8208, 8192), 1.02);
}

TEST_F(ProductTilesTest, FactorsInRegistersTakeTime) {
  int64_t without = planProductTiles(work, chip)[0].step;
  work.rowInstructions = 4;
  int64_t with = planProductTiles(work, chip)[0].step;
  // 128 x 64 elements, by four warps of 32 lanes in each cycle.
  EXPECT_NEAR(with - without, 128 * 64 * 4 / 128 / chip.clockGHz * 1000, 2);
  // Tiles with fewer rows for their columns prepare less of those.
  work.rowInstructions = 0;
  work.columnInstructions = 4;
  EXPECT_GT(planProductTiles(work, chip)[0].step, with);
}

TEST_F(ProductTilesTest, LargeProductsHaveLargeTiles) {
  EXPECT_EQ(choose(4096, 4096, 4096), Tile(128, 256));
  EXPECT_EQ(choose(65536, 1024, 1024), Tile(128, 256));
}

TEST_F(ProductTilesTest, OtherColumnsFillWholeRounds) {
  // 384 tiles take three rounds of 132 SMs, as 288 larger ones do.
  EXPECT_EQ(choose(3072, 3072, 3072), Tile(128, 192));
  work.rowInstructions = 4;
  EXPECT_NE(choose(3072, 3072, 3072), Tile(128, 192)) << "of registers";
}

TEST_F(ProductTilesTest, SmallProductsHaveATileForEachSM) {
  // 128 tiles of 64 x 128, where there would be 32 of 128 x 256.
  EXPECT_EQ(choose(1024, 1024, 1024), Tile(64, 128));
  EXPECT_EQ(choose(512, 4096, 4096), Tile(128, 128));
  EXPECT_EQ(choose(128, 4096, 4096), Tile(64, 64));
  // As many tiles of each batch, so large ones do for several.
  EXPECT_EQ(choose(1024, 1024, 1024, 4), Tile(128, 256));
}

TEST_F(ProductTilesTest, TimesFollowTheChip) {
  // Half the SMs need larger tiles for the same product.
  chip.sms = 33;
  EXPECT_EQ(choose(1024, 1024, 1024), Tile(128, 256));
}

TEST_F(ProductTilesTest, DividingPaysWhereTilesAreFewAndSumsLong) {
  work.rows = work.columns = 128;
  auto isDivided = [&](int64_t m, int64_t n, int64_t k, int64_t parts) {
    int64_t tiles =
        llvm::divideCeil(m, work.rows) * llvm::divideCeil(n, work.columns);
    int64_t divided = evaluate(
        makeDividedCost(work, number(tiles * parts),
                        number(llvm::divideCeil(k, work.depth * parts)), chip));
    for (const ProductTile &tile : planProductTiles(work, chip))
      if (predict(tile, m, n, k) < divided)
        return false;
    return true;
  };
  // Measured on an H100: 16 us divided, 185 with whole tiles of 128 x 128.
  EXPECT_TRUE(isDivided(128, 256, 16384, 16));
  // Measured on an H100: 99 us divided, and 59 with tiles of 128 x 128.
  EXPECT_FALSE(isDivided(1024, 2048, 8192, 2));
  EXPECT_FALSE(isDivided(512, 2048, 8192, 4));
}

TEST_F(ProductTilesTest, PartsAreForFewTilesAndLongSums) {
  // Results don't depend on the tile unless the author allows it.
  for (const ProductTile &tile : planProductTiles(work, chip))
    EXPECT_EQ(tile.parts, 1);
  work.mostParts = 8;
  auto findParts = [&](int64_t m, int64_t n, int64_t k) {
    int64_t parts = 1;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const ProductTile &tile : planProductTiles(work, chip))
      if (int64_t time = predict(tile, m, n, k); time < least)
        std::tie(least, parts) = std::pair(time, tile.parts);
    return parts;
  };
  EXPECT_EQ(findParts(64, 1024, 16384), 8);
  EXPECT_EQ(findParts(512, 512, 65536), 2);
  EXPECT_EQ(findParts(512, 512, 0), 1);
  EXPECT_EQ(findParts(4096, 4096, 4096), 1);
  EXPECT_EQ(findParts(1024, 1024, 1024), 1);
  // Clusters of four have 120 SMs of 132.
  std::vector<ProductTile> tiles = planProductTiles(work, chip);
  auto four = llvm::find_if(
      tiles, [](const ProductTile &tile) { return tile.parts == 4; });
  ASSERT_NE(four, tiles.end());
  int64_t most = predict(*four, 128 * 30, 128, 65536);
  EXPECT_GT(predict(*four, 128 * 31, 128, 65536), most * 3 / 2);
}

TEST_F(ProductTilesTest, PartsAreNoMoreThanAskedFor) {
  for (int64_t most : {2, 4, 8}) {
    work.mostParts = most;
    int64_t parts = 1;
    for (const ProductTile &tile : planProductTiles(work, chip)) {
      parts = std::max(parts, tile.parts);
      // The sums of other CTAs lie beside at least four slots.
      if (tile.parts != 1)
        EXPECT_LE((tile.rows + tile.columns) * 64 * 2 * 4 +
                      tile.rows * tile.columns * 4,
                  chip.maxSharedPerBlock);
    }
    EXPECT_EQ(parts, most);
  }
  // Tiles with few rows are the author's own.
  work.rows = 16;
  work.columns = 128;
  EXPECT_TRUE(
      llvm::any_of(planProductTiles(work, chip), [](const ProductTile &tile) {
        return tile.rows == 16 && tile.parts == 8;
      }));
}

TEST_F(ProductTilesTest, MemoryBoundsThePrediction) {
  std::vector<ProductTile> tiles = planProductTiles(work, chip);
  // 2 * 16384 * (64 + 16384) bytes are read, and 2 * 64 * 16384 written.
  double bytes = 2.0 * 16384 * (64 + 16384) + 2.0 * 64 * 16384;
  EXPECT_GT(tiles.size(), 1u);
  for (const ProductTile &tile : tiles)
    EXPECT_GE(double(predict(tile, 64, 16384, 16384)), bytes / chip.bytesPerNs);
}

TEST_F(ProductTilesTest, TilesFitRegistersAndSlots) {
  work.products = 2;
  work.columnTiles = 2;
  work.columns = 128;
  std::vector<ProductTile> tiles = planProductTiles(work, chip);
  EXPECT_GT(tiles.size(), 1u);
  for (const ProductTile &tile : tiles)
    EXPECT_LE(tile.rows * tile.columns * work.products, 128 * 256);
  work = ProductWork();
  work.rows = work.columns = work.depth = 64;
  auto findWidest = [&] {
    int64_t columns = 0;
    for (const ProductTile &tile : planProductTiles(work, chip))
      columns = std::max(columns, tile.columns);
    return columns;
  };
  work.stages = 3;
  EXPECT_EQ(findWidest(), 256);
  // Four slots of 128 x 256 don't fit beside the results.
  work.stages = 4;
  EXPECT_EQ(findWidest(), 192);
}

TEST_F(ProductTilesTest, PromotedSumsNeedRegistersTwice) {
  work.isPromoted = true;
  work.factorBits = 8;
  work.rows = work.columns = work.depth = 128;
  bool hasCluster = false;
  for (const ProductTile &tile : planProductTiles(work, chip)) {
    EXPECT_LE(tile.rows * tile.columns, 64 * 128 * tile.warpgroups);
    hasCluster |= tile.ctas == 2;
  }
  EXPECT_TRUE(hasCluster);
}

TEST_F(ProductTilesTest, WarpgroupsHaveRegistersForTheSums) {
  work.columns = 256;
  work.rows = 256;
  EXPECT_EQ(planProductTiles(work, chip)[0].warpgroups, 4);
  EXPECT_EQ(planProductTiles(work, chip)[1].warpgroups, 2);
}

} // namespace
