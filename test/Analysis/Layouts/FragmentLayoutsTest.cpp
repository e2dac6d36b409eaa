//===- FragmentLayoutsTest.cpp - tests of FragmentLayouts.h ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of lanes are those of the PTX ISA's figures: Matrix Fragments
// for mma.m16n8k8, m16n8k16 and m16n8k32.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/FragmentLayouts.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

using Coordinates = llvm::SmallVector<uint32_t>;

TEST(FragmentLayoutsTest, PiecesOfSixteenBits) {
  FragmentLayouts layouts = makeFragmentLayouts({4, 3, 4}, 16, {5, 0});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t group = lane / 4, own = lane % 4;
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(layouts.a.apply({i, lane, 0, 0}),
                (Coordinates{group + 8 * (i / 2 % 2),
                             own * 2 + i % 2 + 8 * (i / 4)}));
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(layouts.b.apply({i, lane, 0, 0}),
                (Coordinates{own * 2 + i % 2 + 8 * (i / 2), group}));
      EXPECT_EQ(layouts.c.apply({i, lane, 0, 0}),
                (Coordinates{group + 8 * (i / 2), own * 2 + i % 2}));
    }
  }
}

TEST(FragmentLayoutsTest, PiecesOfOtherElements) {
  FragmentLayouts bytes = makeFragmentLayouts({4, 3, 5}, 8, {5, 0});
  FragmentLayouts words = makeFragmentLayouts({4, 3, 3}, 32, {5, 0});
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t group = lane / 4, own = lane % 4;
    for (uint32_t i = 0; i < 16; ++i)
      EXPECT_EQ(bytes.a.apply({i, lane, 0, 0}),
                (Coordinates{group + 8 * (i / 4 % 2),
                             own * 4 + i % 4 + 16 * (i / 8)}));
    for (uint32_t i = 0; i < 8; ++i)
      EXPECT_EQ(bytes.b.apply({i, lane, 0, 0}),
                (Coordinates{own * 4 + i % 4 + 16 * (i / 4), group}));
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(words.a.apply({i, lane, 0, 0}),
                (Coordinates{group + 8 * (i % 2), own + 4 * (i / 2)}));
    for (uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(words.b.apply({i, lane, 0, 0}),
                (Coordinates{own + 4 * i, group}));
  }
}

TEST(FragmentLayoutsTest, WarpsShareSquares) {
  // 128 x 128 x 64 in four warps: 64 x 64 each.
  FragmentLayouts layouts = makeFragmentLayouts({7, 7, 6}, 16, {5, 2});
  for (const LinearLayout *layout : {&layouts.a, &layouts.b, &layouts.c}) {
    EXPECT_TRUE(layout->isSurjective());
    EXPECT_EQ(layout->getNumBits(Place::Warp), 2u);
    EXPECT_EQ(layout->getNumBits(Place::Register), 7u);
  }
  EXPECT_EQ(layouts.c.apply({0, 0, 1, 0}), (Coordinates{64, 0}));
  EXPECT_EQ(layouts.c.apply({0, 0, 2, 0}), (Coordinates{0, 64}));
  // Warps beside each other have the same rows of A.
  EXPECT_EQ(layouts.a.getFreeBits(Place::Warp), 0b10u);
  EXPECT_EQ(layouts.b.getFreeBits(Place::Warp), 0b01u);
}

TEST(FragmentLayoutsTest, WarpsThatAreLeftOver) {
  FragmentLayouts layouts = makeFragmentLayouts({4, 3, 4}, 16, {5, 3});
  EXPECT_TRUE(layouts.c.isSurjective());
  EXPECT_EQ(layouts.c.getFreeBits(Place::Warp), 0b111u);
  EXPECT_EQ(layouts.a.getFreeBits(Place::Warp), 0b111u);
}

TEST(FragmentLayoutsTest, WarpsShareRowsOrColumns) {
  using Side = WarpBit::Side;
  // 64 x 64: four pieces of 16 rows, and a warp that shares columns, too.
  EXPECT_EQ(shareWarps({6, 6, 4}, 2, WarpOrder::Rows),
            (WarpShare{{Side::Rows, 4}, {Side::Rows, 5}}));
  EXPECT_EQ(shareWarps({6, 6, 4}, 3, WarpOrder::Rows),
            (WarpShare{{Side::Rows, 4}, {Side::Rows, 5}, {Side::Columns, 5}}));
  EXPECT_EQ(shareWarps({6, 6, 4}, 2, WarpOrder::Columns),
            (WarpShare{{Side::Columns, 4}, {Side::Columns, 5}}));
  EXPECT_EQ(shareWarps({6, 6, 4}, 2),
            (WarpShare{{Side::Rows, 5}, {Side::Columns, 5}}));
}

TEST(FragmentLayoutsTest, WarpgroupsShareRowsFirst) {
  using Side = WarpBit::Side;
  WarpShare rows{{Side::Rows, 4}, {Side::Rows, 5}};
  EXPECT_EQ(shareWarpgroups({6, 6, 4}, 2), rows);
  // Two warpgroups have 128 rows each, one after the other.
  WarpShare more = rows;
  more.push_back({Side::Rows, 7});
  EXPECT_EQ(shareWarpgroups({8, 7, 4}, 3), more);
  // Each warpgroup has all of the 64 rows, and half of the columns.
  WarpShare columns = rows;
  columns.push_back({Side::Columns, 7});
  EXPECT_EQ(shareWarpgroups({6, 8, 4}, 3), columns);
  // There are no rows or columns left to share.
  WarpShare copies = rows;
  copies.push_back({});
  EXPECT_EQ(shareWarpgroups({6, 3, 4}, 3), copies);
  EXPECT_EQ(shareWarpgroups({6, 8, 4}, 3, /*sharesColumns=*/false), copies);
  for (const WarpShare &share : {rows, more, columns, copies})
    EXPECT_TRUE(isOfWarpgroups(share));
  EXPECT_FALSE(isOfWarpgroups(shareWarps({8, 7, 4}, 3)));
  EXPECT_FALSE(isOfWarpgroups(WarpShare{{Side::Rows, 4}}));
  // Registers: an instruction's two columns and rows, columns, pieces of 64.
  LinearLayout sums = makeFragmentLayouts({8, 5, 4}, 16, more).c;
  EXPECT_EQ(sums.apply({0b111111, 0, 0, 0}),
            (llvm::SmallVector<uint32_t>{64 + 8, 1 + 8 + 16}));
}

TEST(FragmentLayoutsTest, RowsOfWarpgroups) {
  WarpShare rows = shareWarpgroups({8, 7, 4}, 3);
  EXPECT_TRUE(haveOwnRows(rows, 8));
  // The rows of two warpgroups aren't one after the other.
  EXPECT_FALSE(haveOwnRows(rows, 9));
  EXPECT_FALSE(haveOwnRows(shareWarpgroups({6, 8, 4}, 3), 6));
  EXPECT_FALSE(haveOwnRows(shareWarpgroups({8, 7, 4}, 2), 8));
  LinearLayout sums = makeFragmentLayouts({8, 7, 4}, 16, rows).c;
  EXPECT_EQ(ofWarpgroups(sums).apply({5, 9, 7, 0}),
            (llvm::SmallVector<uint32_t>{128, 0}));
  EXPECT_EQ(inWarpgroup(sums).apply({0, 0, 7, 0}),
            (llvm::SmallVector<uint32_t>{48, 0}));
}

TEST(FragmentLayoutsTest, WarpSharesOfLayouts) {
  ProductBits bits{6, 6, 4};
  for (WarpOrder order :
       {WarpOrder::Squares, WarpOrder::Rows, WarpOrder::Columns}) {
    WarpShare share = shareWarps(bits, 3, order);
    EXPECT_EQ(findWarpShare(makeFragmentLayouts(bits, 16, share).c), share);
  }
  // Registers in any order, and warps that have rows in another one.
  LinearLayout turned({5, 5});
  for (auto [m, n] : {std::pair(0u, 16u), {8u, 0u}, {0u, 1u}, {0u, 8u}})
    turned.addBasis(Place::Register, {m, n});
  for (auto [m, n] :
       {std::pair(0u, 2u), {0u, 4u}, {1u, 0u}, {2u, 0u}, {4u, 0u}})
    turned.addBasis(Place::Lane, {m, n});
  turned.addBasis(Place::Warp, {0, 0});
  turned.addBasis(Place::Warp, {16, 0});
  std::optional<WarpShare> share = findWarpShare(turned);
  ASSERT_TRUE(share);
  EXPECT_EQ(*share, (WarpShare{{}, {WarpBit::Side::Rows, 4}}));
  // Two rows of a piece in two warps, and lanes beside each other.
  LinearLayout split({5, 3});
  split.addBasis(Place::Register, {0, 1});
  split.addBasis(Place::Register, {16, 0});
  for (auto [m, n] :
       {std::pair(0u, 2u), {0u, 4u}, {1u, 0u}, {2u, 0u}, {4u, 0u}})
    split.addBasis(Place::Lane, {m, n});
  split.addBasis(Place::Warp, {8, 0});
  EXPECT_FALSE(findWarpShare(split));
  EXPECT_FALSE(findWarpShare(makeCoalescedLayout({6, 6}, 1, {5, 2})));
  EXPECT_FALSE(findWarpShare(makeCoalescedLayout({12}, 1, {5, 2})));
}

TEST(FragmentLayoutsTest, MatrixLoads) {
  FragmentLayouts layouts = makeFragmentLayouts({5, 5, 5}, 16, {5, 1});
  // A (m, k) as it lies in memory, B (k, n) transposed by the instruction.
  std::optional<MatrixLoads> a = findMatrixLoads(layouts.a, 16);
  ASSERT_TRUE(a);
  EXPECT_FALSE(a->transposed);
  EXPECT_EQ(a->matrices, 4u);
  std::optional<MatrixLoads> b = findMatrixLoads(layouts.b, 16);
  ASSERT_TRUE(b);
  EXPECT_TRUE(b->transposed);
  // Lanes 8 to 15 provide the rows of the second matrix: rows 8 to 15 of A.
  EXPECT_EQ(a->rows.apply({0, 7, 0, 0}), (Coordinates{7, 0}));
  EXPECT_EQ(a->rows.apply({0, 8, 0, 0}), (Coordinates{8, 0}));
  EXPECT_EQ(a->rows.apply({0, 16, 0, 0}), (Coordinates{0, 8}));
  EXPECT_EQ(a->rows.apply({1, 0, 0, 0}), (Coordinates{0, 16}));
}

TEST(FragmentLayoutsTest, MatrixLoadsOfBytesAndWords) {
  for (auto [bits, elements] : {std::pair(8u, 16u), std::pair(32u, 4u)}) {
    FragmentLayouts layouts = makeFragmentLayouts({5, 5, 6}, bits, {5, 1});
    std::optional<MatrixLoads> a = findMatrixLoads(layouts.a, bits);
    ASSERT_TRUE(a) << bits;
    EXPECT_FALSE(a->transposed);
    EXPECT_EQ(a->matrices, 4u);
    // The second matrix has rows 8 to 15, the third the next 16 bytes.
    EXPECT_EQ(a->rows.apply({0, 8, 0, 0}), (Coordinates{8, 0}));
    EXPECT_EQ(a->rows.apply({0, 16, 0, 0}), (Coordinates{0, elements}));
    // Bytes would have to be transposed as (k, n), but not as (n, k).
    EXPECT_FALSE(findMatrixLoads(layouts.b, bits));
    EXPECT_TRUE(findMatrixLoads(getTransposed(layouts.b, {1, 0}), bits));
  }
}

TEST(FragmentLayoutsTest, OtherLayoutsHaveNoMatrixLoads) {
  EXPECT_FALSE(findMatrixLoads(makeCoalescedLayout({5, 6}, 3, {5, 1}), 16));
  EXPECT_FALSE(findMatrixLoads(makeCoalescedLayout({10}, 1, {5, 1}), 16));
  // Lanes that are within a matrix's columns, but in another order.
  EXPECT_FALSE(
      findMatrixLoads(makeFragmentLayouts({4, 3, 5}, 8, {5, 0}).a, 16));
  // Elements that no instruction moves.
  EXPECT_FALSE(
      findMatrixLoads(makeFragmentLayouts({4, 3, 5}, 32, {5, 0}).a, 64));
}

} // namespace
