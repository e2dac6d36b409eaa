//===- RecentTableTest.cpp - what was stored of late ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecentTable.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;

namespace {
/// With a hash of the test's choice.
struct Key {
  uint64_t number = 0, hash = 0;

  bool operator==(const Key &other) const { return number == other.number; }
  uint64_t getHash() const { return hash; }
};
using Table = RecentTable<Key, int>;

TEST(RecentTableTest, TheLastOfAnyHashStay) {
  for (uint64_t hash : {uint64_t(0), uint64_t(5), ~uint64_t(0)}) {
    Table table;
    EXPECT_EQ(table.lookup({1, hash}), nullptr);
    for (uint64_t i = 0; i < 3 * Table::kWays; ++i) {
      table.store({i, hash}, int(i));
      for (uint64_t j = 0; j <= i; ++j) {
        const int *found = table.lookup({j, hash});
        ASSERT_EQ(found != nullptr, j + Table::kWays > i) << i << " " << j;
        if (found) {
          EXPECT_EQ(*found, int(j));
        }
      }
    }
  }
}

TEST(RecentTableTest, AStoreTakesThePlaceOfItsKeyOnly) {
  Table table;
  for (uint64_t i = 0; i < Table::kWays; ++i)
    table.store({i, 3}, int(i));
  for (int again = 0; again < 3; ++again)
    table.store({4, 3}, 40 + again);
  for (uint64_t i = 0; i < Table::kWays; ++i) {
    ASSERT_NE(table.lookup({i, 3}), nullptr) << i;
    EXPECT_EQ(*table.lookup({i, 3}), i == 4 ? 42 : int(i));
  }
}

TEST(RecentTableTest, HoldsAllThatSpread) {
  Table table;
  constexpr uint64_t kAll = Table::kSets * Table::kWays;
  auto makeKey = [](uint64_t i) { return Key{i, i << (64 - Table::kSetBits)}; };
  for (uint64_t i = 0; i < kAll; ++i)
    table.store(makeKey(i), int(i));
  for (uint64_t i = 0; i < kAll; ++i)
    ASSERT_NE(table.lookup(makeKey(i)), nullptr) << i;
}

/// Numbers in a row, and addresses at multiples of a power of two.
TEST(RecentTableTest, MixedHashesSpread) {
  for (unsigned shift : {0u, 4u, 7u, 12u, 21u, 30u, 50u}) {
    std::array<unsigned, Table::kSets> counts = {};
    for (uint64_t i = 0; i < 1024; ++i)
      ++counts[mixHash(7, i << shift) >> (64 - Table::kSetBits)];
    for (unsigned count : counts) {
      EXPECT_GT(count, 64u) << shift; // 128 each, if even
      EXPECT_LT(count, 256u) << shift;
    }
  }
}
} // namespace
