//===- TensorMapCache.cpp - a cache of encoded tensor maps ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMapCache.h.
//
//===----------------------------------------------------------------------===//

#include "TensorMapCache.h"

#include <atomic>

namespace carousel::runtime {

TensorMapCache &TensorMapCache::get() {
  static thread_local TensorMapCache cache;
  return cache;
}

uint64_t TensorMapCache::makeFormatId() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool TensorMapCache::Key::operator==(const Key &other) const {
  const TensorMapSource &left = source, &right = other.source;
  // Entries beyond the rank are zero on both sides.
  return formatId == other.formatId && left.address == right.address &&
         left.rank == right.rank && left.extents == right.extents &&
         left.strides == right.strides;
}

uint64_t TensorMapCache::Key::getHash() const {
  uint64_t hash = mixHash(formatId, source.address);
  for (uint32_t dim = 0; dim < source.rank; ++dim)
    hash = mixHash(hash, uint64_t(source.extents[dim]));
  for (uint32_t dim = 0; dim + 1 < source.rank; ++dim)
    hash = mixHash(hash, uint64_t(source.strides[dim]));
  return hash;
}

const TensorMap *TensorMapCache::lookup(uint64_t formatId,
                                        const TensorMapSource &source) {
  return maps.lookup({formatId, source});
}

void TensorMapCache::store(uint64_t formatId, const TensorMapSource &source,
                           const TensorMap &map) {
  maps.store({formatId, source}, map);
}

} // namespace carousel::runtime
