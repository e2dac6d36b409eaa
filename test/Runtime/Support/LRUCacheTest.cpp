//===- LRUCacheTest.cpp - replacement in a full cache ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/LRUCache.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;

namespace {
/// With a hash of the test's choice.
struct Key {
  uint64_t number = 0, hash = 0;

  bool operator==(const Key &other) const { return number == other.number; }
  uint64_t getHash() const { return hash; }
};
using Cache = LRUCache<Key, int>;

TEST(LRUCacheTest, TheLastOfAnyHashStay) {
  for (uint64_t hash : {uint64_t(0), uint64_t(5), ~uint64_t(0)}) {
    Cache cache;
    EXPECT_EQ(cache.lookup({1, hash}), nullptr);
    for (uint64_t i = 0; i < 3 * Cache::kWays; ++i) {
      cache.store({i, hash}, int(i));
      for (uint64_t j = 0; j <= i; ++j) { // the oldest first
        const int *found = cache.lookup({j, hash});
        ASSERT_EQ(found != nullptr, j + Cache::kWays > i) << i << " " << j;
        if (found) {
          EXPECT_EQ(*found, int(j));
        }
      }
    }
  }
}

TEST(LRUCacheTest, AStoreTakesThePlaceOfItsKeyOnly) {
  Cache cache;
  for (uint64_t i = 0; i < Cache::kWays; ++i)
    cache.store({i, 3}, int(i));
  for (int again = 0; again < 3; ++again)
    cache.store({4, 3}, 40 + again);
  for (uint64_t i = 0; i < Cache::kWays; ++i) {
    ASSERT_NE(cache.lookup({i, 3}), nullptr) << i;
    EXPECT_EQ(*cache.lookup({i, 3}), i == 4 ? 42 : int(i));
  }
}

/// A lookup is a use: keys that are looked up between stores stay.
TEST(LRUCacheTest, LookupsKeepTheirKeys) {
  Cache cache;
  for (uint64_t i = 0; i < 3 * Cache::kWays; ++i) {
    cache.store({i, 9}, int(i));
    ASSERT_NE(cache.lookup({0, 9}), nullptr) << i;
  }
  EXPECT_EQ(*cache.lookup({0, 9}), 0);
  EXPECT_EQ(cache.lookup({1, 9}), nullptr);
  for (uint64_t i = 3 * Cache::kWays - (Cache::kWays - 1); i < 3 * Cache::kWays;
       ++i)
    EXPECT_NE(cache.lookup({i, 9}), nullptr) << i;
}

TEST(LRUCacheTest, HoldsAllThatSpread) {
  Cache cache;
  constexpr uint64_t kAll = Cache::kSets * Cache::kWays;
  auto makeKey = [](uint64_t i) { return Key{i, i << (64 - Cache::kSetBits)}; };
  for (uint64_t i = 0; i < kAll; ++i)
    cache.store(makeKey(i), int(i));
  for (uint64_t i = 0; i < kAll; ++i)
    ASSERT_NE(cache.lookup(makeKey(i)), nullptr) << i;
}

/// Numbers in a row, and addresses at multiples of a power of two.
TEST(LRUCacheTest, MixedHashesSpread) {
  for (unsigned shift : {0u, 4u, 7u, 12u, 21u, 30u, 50u}) {
    std::array<unsigned, Cache::kSets> counts = {};
    for (uint64_t i = 0; i < 1024; ++i)
      ++counts[mixHash(7, i << shift) >> (64 - Cache::kSetBits)];
    for (unsigned count : counts) {
      EXPECT_GT(count, 64u) << shift; // 128 each, if even
      EXPECT_LT(count, 256u) << shift;
    }
  }
}
} // namespace
