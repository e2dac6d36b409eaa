//===- LRUCache.h - a least-recently-used cache of fixed size ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative cache. Lookups and stores allocate no memory. In each set,
// a store replaces the key that was used least recently. So the last kWays keys
// are found whatever their hashes are, and up to kSets * kWays keys if their
// hashes spread.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_LRUCACHE_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_LRUCACHE_H

#include <algorithm>
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
template <typename Key, typename Value> class LRUCache {
public:
  static constexpr unsigned kSetBits = 3; ///< the high ones of a hash
  static constexpr size_t kSets = size_t(1) << kSetBits;
  static constexpr size_t kWays = 8;

  /// The value stored last for this key, or null. Valid until the next store.
  const Value *lookup(const Key &key) {
    uint64_t tag = getTag(key);
    Set &set = sets[getSet(tag)];
    size_t way = set.find(tag, key);
    if (way == kWays)
      return nullptr;
    set.touch(way);
    return &set.entries[way].value;
  }

  /// Replaces the key's value, or else the set's least recently used key.
  void store(const Key &key, const Value &value) {
    uint64_t tag = getTag(key);
    Set &set = sets[getSet(tag)];
    size_t way = set.find(tag, key);
    if (way == kWays)
      way = set.findOldest();
    set.touch(way);
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
    std::array<uint64_t, kWays> uses = {}; ///< when each way was used last
    uint64_t numUses = 0;
    std::array<Entry, kWays> entries;

    /// kWays if it isn't there.
    size_t find(uint64_t tag, const Key &key) const {
      size_t way = 0;
      while (way < kWays && !(tags[way] == tag && entries[way].key == key))
        ++way;
      return way;
    }

    void touch(size_t way) { uses[way] = ++numUses; }

    size_t findOldest() const {
      return size_t(std::min_element(uses.begin(), uses.end()) - uses.begin());
    }
  };

  /// Never 0.
  static uint64_t getTag(const Key &key) { return key.getHash() | 1; }
  static size_t getSet(uint64_t tag) { return tag >> (64 - kSetBits); }

  std::array<Set, kSets> sets;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_LRUCACHE_H
