//===- LinearLayoutTest.cpp - tests of LinearLayout.h ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of places and places of elements, and what conversions move. Each
// conversion is compared with the two layouts at all places.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/LinearLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace carousel;

namespace {

using Bases = std::vector<std::vector<uint32_t>>;

LinearLayout makeLayout(llvm::ArrayRef<unsigned> extentBits,
                        const Bases &registers, const Bases &lanes,
                        const Bases &warps = {}, const Bases &ctas = {}) {
  LinearLayout layout(extentBits);
  for (const auto &[place, bases] : {std::pair(Place::Register, registers),
                                     {Place::Lane, lanes},
                                     {Place::Warp, warps},
                                     {Place::CTA, ctas}})
    for (const std::vector<uint32_t> &basis : bases)
      layout.addBasis(place, basis);
  return layout;
}

/// Calls `visit` with each place of a layout.
template <typename Visit>
void forEachPlace(const LinearLayout &layout, Visit visit) {
  unsigned bits = layout.getNumBits();
  for (uint32_t all = 0; all < 1u << bits; ++all) {
    PlaceNumbers place;
    uint32_t rest = all;
    for (unsigned i = 0; i < kPlaces; ++i) {
      unsigned own = layout.getNumBits(static_cast<Place>(i));
      place[i] = rest & ((1u << own) - 1);
      rest >>= own;
    }
    visit(place);
  }
}

void expectConversion(const LinearLayout &from, const LinearLayout &to,
                      Movement movement) {
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  ASSERT_TRUE(conversion);
  EXPECT_EQ(conversion->getMovement(), movement);
  forEachPlace(to, [&](const PlaceNumbers &place) {
    EXPECT_EQ(from.apply(conversion->apply(place)), to.apply(place));
  });
}

// 8 x 256: 4 consecutive elements in a thread, lanes along a row.
LinearLayout makeRows() {
  return makeLayout({3, 8}, {{0, 1}, {0, 2}, {0, 128}, {4, 0}},
                    {{0, 4}, {0, 8}, {0, 16}, {0, 32}, {0, 64}},
                    {{1, 0}, {2, 0}});
}

TEST(LinearLayoutTest, ElementsOfPlaces) {
  LinearLayout rows = makeRows();
  EXPECT_EQ(rows.apply({0, 0, 0, 0}), (llvm::SmallVector<uint32_t>{0, 0}));
  EXPECT_EQ(rows.apply({3, 5, 2, 0}), (llvm::SmallVector<uint32_t>{2, 23}));
  EXPECT_EQ(rows.apply({15, 31, 3, 0}), (llvm::SmallVector<uint32_t>{7, 255}));
  std::set<std::pair<uint32_t, uint32_t>> elements;
  forEachPlace(rows, [&](const PlaceNumbers &place) {
    llvm::SmallVector<uint32_t> at = rows.apply(place);
    elements.insert({at[0], at[1]});
    EXPECT_EQ(*rows.find(at), place);
  });
  EXPECT_EQ(elements.size(), 8u * 256u);
  EXPECT_TRUE(rows.isSurjective());
}

TEST(LinearLayoutTest, Text) {
  std::string text;
  llvm::raw_string_ostream os(text);
  makeLayout({1, 2}, {{0, 1}, {0, 2}}, {{1, 0}, {0, 0}}).print(os);
  EXPECT_EQ(text, "register = [[0, 1], [0, 2]], lane = [[1, 0], [0, 0]]");
}

TEST(LinearLayoutTest, PlacesWithTheSameElement) {
  LinearLayout copies = makeLayout({2}, {{1}}, {{2}, {0}}, {{0}});
  EXPECT_TRUE(copies.isSurjective());
  EXPECT_EQ(copies.getFreeBits(Place::Register), 0u);
  EXPECT_EQ(copies.getFreeBits(Place::Lane), 2u);
  EXPECT_EQ(copies.getFreeBits(Place::Warp), 1u);
  EXPECT_EQ(*copies.find({3}), (PlaceNumbers{1, 1, 0, 0}));
}

TEST(LinearLayoutTest, ElementsThatAreNowhere) {
  LinearLayout half = makeLayout({2}, {{1}}, {});
  EXPECT_FALSE(half.isSurjective());
  EXPECT_FALSE(half.find({2}));
  EXPECT_FALSE(Conversion::plan(half, makeLayout({2}, {{1}, {2}}, {})));
}

TEST(LinearLayoutTest, ConsecutiveElements) {
  EXPECT_EQ(makeRows().getContiguous(1), 4u);
  EXPECT_EQ(makeRows().getContiguous(0), 1u);
  // Lanes take every other pair.
  EXPECT_EQ(makeLayout({4}, {{1}, {4}}, {{2}, {8}}).getContiguous(0), 2u);
  // A lane's base isn't a multiple of the registers' run.
  EXPECT_EQ(makeLayout({3}, {{1}, {2}}, {{6}}).getContiguous(0), 2u);
  // All elements of a column.
  EXPECT_EQ(makeLayout({2, 1}, {{1, 0}, {2, 0}}, {{0, 1}}).getContiguous(0),
            4u);
}

TEST(LinearLayoutTest, Conversions) {
  LinearLayout rows = makeRows();
  expectConversion(rows, rows, Movement::None);
  // The registers in another order.
  expectConversion(rows,
                   makeLayout({3, 8}, {{4, 0}, {0, 1}, {0, 2}, {0, 128}},
                              {{0, 4}, {0, 8}, {0, 16}, {0, 32}, {0, 64}},
                              {{1, 0}, {2, 0}}),
                   Movement::Registers);
  // Two bits of registers and lanes change places.
  expectConversion(rows,
                   makeLayout({3, 8}, {{0, 1}, {0, 4}, {0, 128}, {4, 0}},
                              {{0, 2}, {0, 8}, {0, 16}, {0, 32}, {0, 64}},
                              {{1, 0}, {2, 0}}),
                   Movement::Lanes);
  // Warps change places.
  expectConversion(rows,
                   makeLayout({3, 8}, {{0, 1}, {0, 2}, {0, 128}, {4, 0}},
                              {{0, 4}, {0, 8}, {0, 16}, {0, 32}, {0, 64}},
                              {{2, 0}, {1, 0}}),
                   Movement::Warps);
  expectConversion(makeLayout({1, 1}, {{0, 1}}, {}, {}, {{1, 0}}),
                   makeLayout({1, 1}, {{1, 0}}, {}, {}, {{0, 1}}),
                   Movement::CTAs);
}

/// A warp takes elements that all warps have from itself.
TEST(LinearLayoutTest, CopiesAreTakenFromNearby) {
  LinearLayout copies = makeLayout({2}, {{1}, {2}}, {{0}}, {{0}});
  expectConversion(copies, makeLayout({2}, {{1}}, {{0}}, {{2}}),
                   Movement::Registers);
  expectConversion(copies, makeLayout({2}, {{1}}, {{2}}, {{0}}),
                   Movement::Registers);
  // The other way round, each warp lacks half of the elements.
  expectConversion(makeLayout({2}, {{1}}, {{0}}, {{2}}), copies,
                   Movement::Warps);
}

TEST(LinearLayoutTest, RandomConversions) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    // Permutations of bits, sheared by exclusive ors.
    auto make = [&] {
      std::vector<uint32_t> bases;
      for (unsigned bit = 0; bit < 8; ++bit)
        bases.push_back(1u << bit);
      std::shuffle(bases.begin(), bases.end(), random);
      for (unsigned i = 0; i < 4; ++i) {
        unsigned a = random() % 8, b = random() % 8;
        if (a != b)
          bases[a] ^= bases[b];
      }
      LinearLayout layout({3, 5});
      for (unsigned bit = 0; bit < 8; ++bit)
        layout.addBasis(bit < 3   ? Place::Register
                        : bit < 6 ? Place::Lane
                                  : Place::Warp,
                        {bases[bit] >> 5, bases[bit] & 31});
      return layout;
    };
    LinearLayout from = make(), to = make();
    ASSERT_TRUE(from.isSurjective());
    std::optional<Conversion> conversion = Conversion::plan(from, to);
    ASSERT_TRUE(conversion);
    forEachPlace(to, [&](const PlaceNumbers &place) {
      ASSERT_EQ(from.apply(conversion->apply(place)), to.apply(place));
    });
    EXPECT_EQ(conversion->getMovement() == Movement::None, from == to);
  }
}

} // namespace
