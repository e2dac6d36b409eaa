//===- SharedMemoryBanksTest.cpp - tests of SharedMemoryBanks.h -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Support/SharedMemoryBanks.h"

#include "gtest/gtest.h"

#include <functional>

using namespace carousel;

namespace {

using Counts = std::pair<int64_t, int64_t>;

/// The wavefronts needed and the least, if lanes from `first` to `last` - 1
/// access `bytes` bytes each.
Counts count(int64_t bytes, const std::function<int64_t(int64_t)> &findByte,
             uint32_t first = 0, uint32_t last = 32) {
  std::vector<LaneAddress> lanes;
  for (uint32_t lane = first; lane < last; ++lane)
    lanes.push_back({lane, findByte(lane)});
  Wavefronts wavefronts = countWavefronts(lanes, bytes);
  EXPECT_EQ(wavefronts.getExcess(), wavefronts.needed - wavefronts.least);
  return {wavefronts.needed, wavefronts.least};
}

Counts countStride(int64_t bytes, int64_t stride) {
  return count(bytes, [=](int64_t lane) { return lane * stride; });
}

TEST(SharedMemoryBanksTest, Words) {
  EXPECT_EQ(countStride(4, 4), Counts(1, 1));
  EXPECT_EQ(countStride(4, 8), Counts(2, 1));
  EXPECT_EQ(countStride(4, 64), Counts(16, 1));
  EXPECT_EQ(countStride(4, 128), Counts(32, 1));
  EXPECT_EQ(countStride(4, 132), Counts(1, 1));
  // A permutation, shifted by some words.
  EXPECT_EQ(count(4, [](int64_t lane) { return 12 + (lane * 5 % 32) * 4; }),
            Counts(1, 1));
}

TEST(SharedMemoryBanksTest, LanesShareWords) {
  EXPECT_EQ(countStride(4, 0), Counts(1, 1));
  EXPECT_EQ(countStride(1, 1), Counts(1, 1));
  EXPECT_EQ(countStride(2, 2), Counts(1, 1));
  // Different bytes of one word.
  EXPECT_EQ(count(1, [](int64_t lane) { return lane % 4; }), Counts(1, 1));
  // Two words of one bank, each for half of the lanes.
  EXPECT_EQ(count(4, [](int64_t lane) { return lane % 2 * 128; }),
            Counts(2, 1));
  EXPECT_EQ(countStride(2, 128), Counts(32, 1));
}

TEST(SharedMemoryBanksTest, WideAccessesGoByParts) {
  EXPECT_EQ(countStride(8, 8), Counts(2, 2));
  EXPECT_EQ(countStride(16, 16), Counts(4, 4));
  // In each part, all lanes access one bank, or two of them do.
  EXPECT_EQ(countStride(8, 128), Counts(32, 2));
  EXPECT_EQ(countStride(16, 128), Counts(32, 4));
  EXPECT_EQ(countStride(16, 32), Counts(8, 4));
  EXPECT_EQ(countStride(16, 144), Counts(4, 4));
  EXPECT_EQ(countStride(16, 0), Counts(4, 4));
  // Parts don't meet each other.
  EXPECT_EQ(count(8, [](int64_t lane) { return lane % 16 * 8; }), Counts(2, 2));
}

TEST(SharedMemoryBanksTest, OtherSizesAreSeveralAccesses) {
  EXPECT_EQ(countStride(32, 48), Counts(8, 8));
  EXPECT_EQ(countStride(32, 32), Counts(16, 8));
  // 8 and 4 bytes, three words apart: the last lanes of a half meet the first.
  EXPECT_EQ(countStride(12, 12), Counts(2 * 2 + 1, 2 + 1));
  EXPECT_EQ(countStride(3, 4), Counts(2, 2));
}

TEST(SharedMemoryBanksTest, SomeLanes) {
  auto inColumn = [](int64_t lane) { return lane * 128; };
  EXPECT_EQ(count(4, inColumn, 7, 8), Counts(1, 1));
  EXPECT_EQ(count(4, inColumn, 10, 15), Counts(5, 1));
  // Quarters without lanes need nothing.
  EXPECT_EQ(count(16, inColumn, 0, 8), Counts(8, 1));
  EXPECT_EQ(count(16, inColumn, 6, 10), Counts(4, 2));
  EXPECT_EQ(countWavefronts({}, 4).needed, 0);
  EXPECT_EQ(countWavefronts({}, 4).least, 0);
}

} // namespace
