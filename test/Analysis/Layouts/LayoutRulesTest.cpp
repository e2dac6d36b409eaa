//===- LayoutRulesTest.cpp - tests of LayoutRules.h -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is compared with what it says of coordinates, at all places.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

using Coordinates = llvm::SmallVector<uint32_t>;

/// Calls `visit` with each place of a register, a lane and a warp.
template <typename Visit>
void forEachPlace(const LinearLayout &layout, Visit visit) {
  for (uint32_t reg = 0; reg < 1u << layout.getNumBits(Place::Register); ++reg)
    for (uint32_t lane = 0; lane < 1u << layout.getNumBits(Place::Lane); ++lane)
      for (uint32_t warp = 0; warp < 1u << layout.getNumBits(Place::Warp);
           ++warp)
        visit(PlaceNumbers{reg, lane, warp, 0});
}

const LinearLayout kRows = makeRowLayout({3, 9}, 3, {5, 2});

TEST(LayoutRulesTest, ExtentsAreRoundedUp) {
  EXPECT_EQ(getExtentBits({1, 2, 3, 4, 5, 1000}),
            (llvm::SmallVector<unsigned>{0, 1, 2, 2, 3, 10}));
}

TEST(LayoutRulesTest, ReductionsKeepTheOtherCoordinates) {
  bool dims[] = {false, true};
  ASSERT_TRUE(canReduce(kRows, dims));
  LinearLayout reduced = getReducedLayout(kRows, dims);
  EXPECT_TRUE(reduced.isSurjective());
  // Lanes have parts of a row, so that they have copies of its sum.
  EXPECT_EQ(reduced.getFreeBits(Place::Lane), 0b11111u);
  EXPECT_EQ(reduced.getNumBits(Place::Register), 1u);
  // A basis that goes along both dimensions.
  LinearLayout diagonal({1, 1});
  diagonal.addBasis(Place::Register, {1, 1});
  diagonal.addBasis(Place::Register, {0, 1});
  EXPECT_FALSE(canReduce(diagonal, dims));
}

TEST(LayoutRulesTest, FirstElementsAreInTheNearestPlaces) {
  // 512 columns: four bits of registers less one of rows, lanes, and warps.
  LinearLayout gathered = gatherLowBits(kRows, 1, 6);
  EXPECT_TRUE(gathered.isSurjective());
  for (unsigned bit = 0; bit < 5; ++bit) {
    PlaceNumbers lane = {0, 1u << bit, 0, 0};
    EXPECT_EQ(gathered.apply(lane), (Coordinates{0, 1u << bit}));
  }
  LinearLayout first = getFirstLayout(kRows, 1, 6);
  EXPECT_TRUE(first.isSurjective());
  EXPECT_EQ(first.getExtentBits()[1], 6u);
  EXPECT_EQ(first.getFreeBits(Place::Lane), 0u);
  // Warps have copies, and registers no others.
  EXPECT_EQ(first.getFreeBits(Place::Register), 0u);
  EXPECT_EQ(getFirstLayout(kRows, 1, 9), kRows);
}

TEST(LayoutRulesTest, ScansGoThroughTheBitsOfPlaces) {
  // Runs of eight in a thread, lanes beside each other, and the other register
  // bit behind them.
  auto bits = findScannedBits(kRows, 1);
  ASSERT_TRUE(bits);
  for (auto [number, own] : llvm::enumerate(*bits)) {
    PlaceNumbers place{};
    place[static_cast<size_t>(own.place)] = 1u << own.bit;
    EXPECT_EQ(kRows.apply(place), (Coordinates{0, 1u << number}));
  }
  auto find = [](std::initializer_list<std::pair<Place, uint32_t>> bases) {
    LinearLayout layout({3});
    for (auto [place, basis] : bases)
      layout.addBasis(place, {basis});
    return findScannedBits(layout, 0).has_value();
  };
  EXPECT_TRUE(find({{Place::Lane, 4}, {Place::Warp, 1}, {Place::Warp, 2}}));
  // Bits that change two, that two places have, that none has, of CTAs, and of
  // warps around others or in another order.
  EXPECT_FALSE(find({{Place::Lane, 1}, {Place::Lane, 3}, {Place::Warp, 4}}));
  EXPECT_FALSE(find({{Place::Lane, 1},
                     {Place::Lane, 2},
                     {Place::Warp, 4},
                     {Place::Register, 4}}));
  EXPECT_FALSE(find({{Place::Lane, 1}, {Place::Lane, 2}}));
  EXPECT_FALSE(find({{Place::Lane, 1}, {Place::Lane, 2}, {Place::CTA, 4}}));
  EXPECT_FALSE(find({{Place::Warp, 1}, {Place::Lane, 2}, {Place::Warp, 4}}));
  EXPECT_FALSE(find({{Place::Lane, 1}, {Place::Warp, 4}, {Place::Warp, 2}}));
}

TEST(LayoutRulesTest, BroadcastsReadTheSameCoordinates) {
  LinearLayout row = getBroadcastSource(kRows, {9});
  LinearLayout column = getBroadcastSource(kRows, {3, 0});
  forEachPlace(kRows, [&](const PlaceNumbers &place) {
    Coordinates at = kRows.apply(place);
    // Registers with copies are dropped.
    EXPECT_TRUE(row.findRegister({at[1]}) || place[1] || place[2]);
    PlaceNumbers thread = {0, place[1], place[2], 0};
    EXPECT_EQ(column.apply(thread)[0], kRows.apply(thread)[0]);
    EXPECT_EQ(column.apply(thread)[1], 0u);
  });
}

TEST(LayoutRulesTest, TransposesExchangeCoordinates) {
  LinearLayout transposed = getTransposed(kRows, {1, 0});
  forEachPlace(kRows, [&](const PlaceNumbers &place) {
    Coordinates at = kRows.apply(place);
    EXPECT_EQ(transposed.apply(place), (Coordinates{at[1], at[0]}));
  });
  EXPECT_EQ(getTransposeSource(transposed, {1, 0}), kRows);
}

TEST(LayoutRulesTest, ReshapesKeepTheOrderOfElements) {
  LinearLayout flat = getReshaped(kRows, {12});
  forEachPlace(kRows, [&](const PlaceNumbers &place) {
    Coordinates at = kRows.apply(place);
    EXPECT_EQ(flat.apply(place), (Coordinates{at[0] * 512 + at[1]}));
  });
  EXPECT_EQ(getReshaped(flat, {3, 9}), kRows);
}

TEST(LayoutRulesTest, PartsMustBeInRegisters) {
  // Rows beyond the warps are in registers.
  std::optional<LinearLayout> part = getSliceLayout(kRows, {2, 9});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->getNumBits(Place::Register) + 1,
            kRows.getNumBits(Place::Register));
  EXPECT_EQ(getSliceSource(*part, {3, 9}).getNumBits(), kRows.getNumBits());
  // Single rows would be in single warps.
  EXPECT_FALSE(getSliceLayout(kRows, {0, 9}));
}

TEST(LayoutRulesTest, InterleavedPairsAreNeighbours) {
  LinearLayout both = getInterleaved(kRows);
  forEachPlace(kRows, [&](const PlaceNumbers &place) {
    for (uint32_t side : {0, 1}) {
      PlaceNumbers doubled = {place[0] * 2 + side, place[1], place[2], 0};
      Coordinates at = kRows.apply(place);
      EXPECT_EQ(both.apply(doubled), (Coordinates{at[0], at[1] * 2 + side}));
    }
  });
  EXPECT_EQ(getInterleaveSource(both), kRows);
  // Neighbours in different lanes.
  EXPECT_FALSE(getInterleaveSource(makeCoalescedLayout({6}, 0, {5, 0})));
}

TEST(LayoutRulesTest, RunsComeFirst) {
  LinearLayout transposed =
      getTransposed(makeRowLayout({3, 9}, 3, {5, 0}), {1, 0});
  EXPECT_EQ(transposed.getContiguous(1), 1u);
  LinearLayout ordered = withRunsFirst(transposed, 1);
  EXPECT_EQ(ordered.getContiguous(1), 8u);
  std::optional<Conversion> conversion = Conversion::plan(transposed, ordered);
  ASSERT_TRUE(conversion);
  EXPECT_EQ(conversion->getMovement(), Movement::Registers);
}

} // namespace
