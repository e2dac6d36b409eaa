//===- TensorMapCache.cpp - maps that a thread encoded of late ------------===//
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

namespace {
bool isSame(const TensorMapSource &left, const TensorMapSource &right) {
  // Entries beyond the rank are zero on both sides.
  return left.address == right.address && left.rank == right.rank &&
         left.extents == right.extents && left.strides == right.strides;
}
} // namespace

size_t TensorMapCache::getSlot(uint64_t formatId,
                               const TensorMapSource &source) {
  // Requests mostly differ in the address and the format; a product with an odd
  // number spreads their low bits over the high ones.
  uint64_t hash = formatId;
  auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  mix(source.address);
  for (uint32_t dim = 0; dim < source.rank; ++dim)
    mix(uint64_t(source.extents[dim]));
  for (uint32_t dim = 0; dim + 1 < source.rank; ++dim)
    mix(uint64_t(source.strides[dim]));
  return hash % kSlots;
}

const TensorMap *TensorMapCache::lookup(uint64_t formatId,
                                        const TensorMapSource &source) const {
  const Slot &slot = slots[getSlot(formatId, source)];
  return slot.formatId == formatId && isSame(slot.source, source) ? &slot.map
                                                                  : nullptr;
}

void TensorMapCache::store(uint64_t formatId, const TensorMapSource &source,
                           const TensorMap &map) {
  slots[getSlot(formatId, source)] = {formatId, source, map};
}

} // namespace carousel::runtime
