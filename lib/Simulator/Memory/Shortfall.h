//===- Shortfall.h - orders that a fence or scope is missing for -*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that reads what another one's atomic wrote has no order with that
// thread unless fences, semantics and scopes make one. What the two would know
// with them is kept here, goes on with the reader's view, and says what is
// missing when a race is found. It never decides whether there is a race.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_SHORTFALL_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_SHORTFALL_H

#include "Clock.h"

#include "carousel/Simulator/Findings.h"

#include <array>

namespace carousel::sim {

enum class MemScope : uint8_t { CTA, Cluster, GPU, System };

/// The scopes that differ on one device: System counts as GPU.
constexpr unsigned kNumScopes = unsigned(MemScope::GPU) + 1;
inline unsigned getIndex(MemScope scope) {
  return std::min(unsigned(scope), kNumScopes - 1);
}

/// What those who wrote a place of an atomic knew, or who arrived in a phase.
struct Publication : llvm::RefCountedBase<Publication> {
  bool isArrive = false;
  /// All that they knew, and of it what they released at each scope or a wider
  /// one.
  Clock known;
  std::array<Clock, kNumScopes> released;
  /// The last one of them, of an arrive the last one that came short.
  Epoch writer;
  Site site = 0;
  uint32_t cluster = 0;
  bool isRelaxed = true;
};
using PublicationRef = llvm::IntrusiveRefCntPtr<const Publication>;

/// A thread that saw a publication, and the widest scope at which it has
/// acquired since.
struct Sighting : llvm::RefCountedBase<Sighting> {
  const void *place = nullptr;
  PublicationRef publication;
  Epoch reader;
  Site site = 0;
  uint32_t cluster = 0;
  bool isRelaxed = true;
  std::optional<MemScope> acquired;
};

/// The latest sightings that a thread knows of. Cheap to copy; mostly none.
class Sightings {
public:
  /// One for each place; the oldest is dropped where there are many.
  void add(Sighting sighting);
  void join(const Sightings &other);
  /// The reader has executed an acquire fence.
  void noteAcquire(Epoch reader, MemScope scope);
  bool empty() const { return !list; }
  /// True if the last one is of this publication.
  bool endsWith(const Publication *publication) const {
    return list && list->items.back()->publication.get() == publication;
  }

  /// What would have ordered the moment before a thread of the CTA: a line for
  /// each fence, scope or semantics that is missing.
  std::vector<std::string> explain(Epoch earlier, const FindingLog &log) const;

private:
  struct List : llvm::RefCountedBase<List> {
    llvm::SmallVector<llvm::IntrusiveRefCntPtr<const Sighting>, 4> items;
  };
  llvm::IntrusiveRefCntPtr<const List> list;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_SHORTFALL_H
