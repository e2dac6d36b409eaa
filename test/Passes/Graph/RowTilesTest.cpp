//===- RowTilesTest.cpp - how many tiles rows may need --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Grouped/RowTiles.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace carousel;

/// The most tiles that some counts with a sum of \p count need: all but one
/// number have a row more than full tiles, as far as rows reach.
static int64_t findMost(int64_t count, int64_t numbers, int64_t rows) {
  int64_t most = 0;
  for (int64_t used = 1; used <= std::min(count, numbers); ++used)
    most = std::max(most, used + (count - used) / rows);
  return most;
}

TEST(RowTilesTest, HasRoomForTheLastTileOfEachNumber) {
  for (int64_t count : {1, 2, 15, 16, 17, 127, 128, 129, 300, 1100, 16384})
    for (int64_t numbers : {2, 3, 8, 64, 256}) {
      RowTiles tiles = chooseRowTiles(count, numbers);
      int64_t most = findMost(count, numbers, tiles.rows);
      EXPECT_EQ(tiles.tiles, most) << count << " rows, " << numbers;
    }
}

TEST(RowTilesTest, HasRowsOfInstructions) {
  for (int64_t count : {1, 40, 100, 1000, 100000})
    for (int64_t numbers : {2, 7, 64}) {
      int64_t rows = chooseRowTiles(count, numbers).rows;
      EXPECT_TRUE(llvm::isPowerOf2_64(rows));
      EXPECT_GE(rows, 16);
      EXPECT_LE(rows, 128);
    }
  EXPECT_EQ(chooseRowTiles(16, 64).rows, 16);
  EXPECT_EQ(chooseRowTiles(8192, 8).rows, 128);
}
