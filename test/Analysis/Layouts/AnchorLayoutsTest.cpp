//===- AnchorLayoutsTest.cpp - tests of AnchorLayouts.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs, lanes and warps of layouts, also where the vector is smaller than the
// block.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/AnchorLayouts.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

using Coordinates = llvm::SmallVector<uint32_t>;

TEST(AnchorLayoutsTest, RowAcrossTheBlock) {
  // 1 x 4096 bf16 in 8 warps: 16 bytes a thread, twice.
  LinearLayout layout = makeCoalescedLayout({0, 12}, 3, {5, 3});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getNumBits(Place::Register), 4u);
  EXPECT_EQ(layout.getContiguous(1), 8u);
  EXPECT_EQ(layout.apply({1, 0, 0, 0}), (Coordinates{0, 1}));
  EXPECT_EQ(layout.apply({0, 1, 0, 0}), (Coordinates{0, 8}));
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), (Coordinates{0, 256}));
  EXPECT_EQ(layout.apply({8, 0, 0, 0}), (Coordinates{0, 2048}));
}

TEST(AnchorLayoutsTest, LanesGoOnInTheNextRow) {
  // Rows of 64: 8 lanes each.
  LinearLayout layout = makeCoalescedLayout({5, 6}, 3, {5, 2});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.apply({0, 8, 0, 0}), (Coordinates{1, 0}));
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), (Coordinates{4, 0}));
}

TEST(AnchorLayoutsTest, VectorsSmallerThanTheBlock) {
  LinearLayout layout = makeCoalescedLayout({2, 3}, 3, {5, 2});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getNumBits(Place::Register), 3u);
  EXPECT_EQ(layout.getFreeBits(Place::Lane), 0b11100u);
  EXPECT_EQ(layout.getFreeBits(Place::Warp), 0b11u);
  // A run isn't longer than a row.
  EXPECT_EQ(makeCoalescedLayout({2, 1}, 3, {5, 0}).getContiguous(1), 2u);
  EXPECT_TRUE(makeCoalescedLayout({0}, 3, {5, 1}).isSurjective());
}

TEST(AnchorLayoutsTest, ConsecutiveElementsOfWarps) {
  // 4096 bf16 in 4 warps: each has four runs of its lanes, one behind the
  // other.
  LinearLayout layout = makeCoalescedLayout({12}, 3, {5, 2}, /*inWarps=*/true);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.apply({8, 0, 0, 0}), Coordinates{256});
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), Coordinates{1024});
  // Two rows in four warps, and four rows in two.
  LinearLayout shared = makeRowLayout({1, 10}, 3, {5, 2}, /*inWarps=*/true);
  EXPECT_EQ(shared.apply({8, 0, 0, 0}), (Coordinates{0, 256}));
  EXPECT_EQ(shared.apply({0, 0, 1, 0}), (Coordinates{0, 512}));
  EXPECT_EQ(shared.apply({0, 0, 2, 0}), (Coordinates{1, 0}));
  LinearLayout rows = makeCoalescedLayout({2, 9}, 3, {5, 1}, /*inWarps=*/true);
  EXPECT_TRUE(rows.isSurjective());
  EXPECT_EQ(rows.apply({8, 0, 0, 0}), (Coordinates{0, 256}));
  EXPECT_EQ(rows.apply({0, 0, 1, 0}), (Coordinates{1, 0}));
  // A row that lanes fill has no more for a warp.
  EXPECT_EQ(makeCoalescedLayout({8}, 3, {5, 1}, /*inWarps=*/true),
            makeCoalescedLayout({8}, 3, {5, 1}));
}

TEST(AnchorLayoutsTest, RowsOfWarps) {
  // 16 rows of 1024 f32 in 4 warps: 8 pieces of 16 bytes in a lane.
  LinearLayout layout = makeRowLayout({4, 10}, 2, {5, 2});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.apply({4, 0, 0, 0}), (Coordinates{0, 128}));
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), (Coordinates{1, 0}));
  EXPECT_EQ(layout.apply({32, 0, 0, 0}), (Coordinates{4, 0}));
  // To the other layout, elements go to other warps.
  std::optional<Conversion> conversion =
      Conversion::plan(layout, makeCoalescedLayout({4, 10}, 2, {5, 2}));
  ASSERT_TRUE(conversion);
  EXPECT_EQ(conversion->getMovement(), Movement::Warps);
}

TEST(AnchorLayoutsTest, WarpsThatAreLeftOverShareRows) {
  // 2 rows of 1024 bf16 in 8 warps: 4 warps a row.
  LinearLayout layout = makeRowLayout({1, 10}, 3, {5, 3});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), (Coordinates{0, 256}));
  EXPECT_EQ(layout.apply({0, 0, 2, 0}), (Coordinates{0, 512}));
  EXPECT_EQ(layout.apply({0, 0, 4, 0}), (Coordinates{1, 0}));
  // A row of fewer elements than threads leaves warps with copies.
  LinearLayout narrow = makeRowLayout({0, 6}, 3, {5, 2});
  EXPECT_TRUE(narrow.isSurjective());
  EXPECT_EQ(narrow.getFreeBits(Place::Warp), 0b11u);
}

TEST(AnchorLayoutsTest, ThreadsHaveLines) {
  // 4 steps of 128 channels with 16 states, which are summed, by 256 threads.
  LinearLayout layout =
      makeLinesLayout({2, 7, 4}, 0, {false, false, true}, {5, 3});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getNumBits(Place::Register), 5u);
  EXPECT_EQ(layout.apply({1, 0, 0, 0}), (Coordinates{1, 0, 0}));
  EXPECT_EQ(layout.apply({0, 1, 0, 0}), (Coordinates{0, 1, 0}));
  EXPECT_EQ(layout.apply({0, 0, 1, 0}), (Coordinates{0, 32, 0}));
  // The last warp bit is one of states.
  EXPECT_EQ(layout.apply({0, 0, 4, 0}), (Coordinates{0, 0, 1}));
}

} // namespace
