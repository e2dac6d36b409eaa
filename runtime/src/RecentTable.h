//===- RecentTable.h - what was stored of late, without memory -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative table of fixed size: neither lookups nor stores take
// memory. Whatever their hashes, the kWays keys that were stored last are
// there, so that work which comes again and again with no more keys than that
// finds all of them; up to kSets * kWays keys are there if they spread.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_RECENTTABLE_H
#define CAROUSEL_RUNTIME_SRC_RECENTTABLE_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace carousel::runtime {

/// Adds a value to a hash, so that each bit of it moves the high ones.
inline uint64_t mixHash(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

/// Key: comparable, with `uint64_t getHash() const`.
template <typename Key, typename Value> class RecentTable {
public:
  static constexpr unsigned kSetBits = 3; ///< the high ones of a hash
  static constexpr size_t kSets = size_t(1) << kSetBits;
  static constexpr size_t kWays = 8;

  /// The value stored last for this key, or null. Valid until the next store.
  const Value *lookup(const Key &key) const {
    uint64_t tag = getTag(key);
    const Set &set = sets[getSet(tag)];
    size_t way = set.find(tag, key);
    return way < kWays ? &set.entries[way].value : nullptr;
  }

  /// In the place of the key's value, or of the set's oldest key.
  void store(const Key &key, const Value &value) {
    uint64_t tag = getTag(key);
    Set &set = sets[getSet(tag)];
    size_t way = set.find(tag, key);
    if (way == kWays) {
      way = set.oldest;
      set.oldest = (set.oldest + 1) % kWays;
    }
    set.tags[way] = tag;
    set.entries[way] = {key, value};
  }

private:
  struct Entry {
    Key key;
    Value value;
  };
  struct Set {
    std::array<uint64_t, kWays> tags = {}; ///< 0: empty
    size_t oldest = 0;
    std::array<Entry, kWays> entries;

    /// kWays if it isn't there.
    size_t find(uint64_t tag, const Key &key) const {
      size_t way = 0;
      while (way < kWays && !(tags[way] == tag && entries[way].key == key))
        ++way;
      return way;
    }
  };

  /// Never 0.
  static uint64_t getTag(const Key &key) { return key.getHash() | 1; }
  static size_t getSet(uint64_t tag) { return tag >> (64 - kSetBits); }

  std::array<Set, kSets> sets;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_RECENTTABLE_H
