//===- TensorMapCache.h - a cache of encoded tensor maps --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has its own table, so that a launch whose maps are in it takes no
// lock and allocates no memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPCACHE_H
#define CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPCACHE_H

#include "Support/LRUCache.h"

#include "carousel/Runtime/TensorMap.h"

namespace carousel::runtime {

class TensorMapCache {
public:
  /// The calling thread's.
  static TensorMapCache &get();

  /// A number for one format on one device, never given twice: the part of a
  /// key that stands for all that isn't in the source.
  static uint64_t makeFormatId();

  /// The map stored for exactly this request, or null. Valid until the next
  /// store.
  const TensorMap *lookup(uint64_t formatId, const TensorMapSource &source);
  void store(uint64_t formatId, const TensorMapSource &source,
             const TensorMap &map);

private:
  struct Key {
    uint64_t formatId = 0;
    TensorMapSource source;

    bool operator==(const Key &other) const;
    uint64_t getHash() const;
  };

  LRUCache<Key, TensorMap> maps;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPCACHE_H
