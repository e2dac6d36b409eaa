//===- TensorMapRules.h - tensor maps of a launch ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of carousel/Support/TensorMapChecks.h, for the runtime's formats.
// Finding the first one that a map breaks and describing it are two functions,
// because a launch that chooses between variants needs no description and must
// not allocate memory. Each thread has its own table of encoded maps, so that a
// launch whose maps are in it takes no lock and allocates no memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPRULES_H
#define CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPRULES_H

#include "Support/LRUCache.h"

#include "carousel/Runtime/TensorMap.h"
#include "carousel/Support/TensorMapChecks.h"

#include <optional>

namespace carousel::runtime {

using TensorMapViolation = rules::BrokenTensorMapRule;

/// The first rule that doesn't hold, in the order of the driver's page. Takes
/// no memory.
std::optional<TensorMapViolation> findViolation(const TensorMapFormat &format,
                                                const TensorMapSource &source);

/// A source that keeps the rules as the driver wants it: strides of dimensions
/// with one element, which no rule is about, become legal too.
TensorMapSource makeStridesLegal(const TensorMapFormat &format,
                                 const TensorMapSource &source);

/// "expected global strides at multiples of 16 bytes, got 1000 in dimension 0".
std::string describe(const TensorMapViolation &violation,
                     const TensorMapFormat &format);

/// The oldest device that has such maps, as 10 * major + minor.
int getLeastCapability(const TensorMapFormat &format);

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

#endif // CAROUSEL_RUNTIME_SRC_BIND_TENSORMAPRULES_H
