//===- Observations.h - orders that lack a fence or scope -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains races after relaxed atomics. A thread that reads the value of
// another thread's atomic isn't ordered after it, unless fences, semantics and
// scopes establish an order. This records what the reader would know with them,
// as part of its view. When a race is found, it names what is missing. It never
// decides whether there is a race.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_OBSERVATIONS_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_OBSERVATIONS_H

#include "Clock.h"

#include "carousel/Simulator/Findings.h"

#include <array>

namespace carousel::sim {

enum class MemScope : uint8_t { CTA, Cluster, GPU, System };

constexpr unsigned kNumScopes = unsigned(MemScope::System) + 1;
inline unsigned getIndex(MemScope scope) { return unsigned(scope); }

/// What the threads knew that wrote the address of an atomic, or that arrived
/// in a phase.
struct Publication : llvm::RefCountedBase<Publication> {
  bool isArrive = false;
  /// Everything that they knew, and the part that they released at each scope
  /// or a wider one.
  Clock known;
  std::array<Clock, kNumScopes> released;
  /// The last writer. For an arrive, the last one that released too little.
  Epoch writer;
  Site site = 0;
  uint32_t cluster = 0, gpu = 0;
  bool isRelaxed = true;
};
using PublicationRef = llvm::IntrusiveRefCntPtr<const Publication>;

/// A thread that observed a publication, and the widest scope at which it has
/// acquired since.
struct Observation : llvm::RefCountedBase<Observation> {
  const void *place = nullptr;
  PublicationRef publication;
  Epoch reader;
  Site site = 0;
  uint32_t cluster = 0, gpu = 0;
  bool isRelaxed = true;
  std::optional<MemScope> acquired;
};

/// The latest observations that a thread knows of. Cheap to copy, and mostly
/// empty.
class Observations {
public:
  /// Adds a observation. Keeps one for each address, and drops the oldest if
  /// there are many.
  void add(Observation observation);
  void join(const Observations &other);
  /// Records that the reader has executed an acquire fence.
  void noteAcquire(Epoch reader, MemScope scope);
  bool empty() const { return !list; }
  /// Whether the last observation is of this publication.
  bool endsWith(const Publication *publication) const {
    return list && list->items.back()->publication.get() == publication;
  }

  /// What would have ordered `earlier` before a thread of the CTA: one line for
  /// each missing fence, scope or semantics.
  std::vector<std::string> explain(Epoch earlier, const FindingLog &log) const;

private:
  struct List : llvm::RefCountedBase<List> {
    llvm::SmallVector<llvm::IntrusiveRefCntPtr<const Observation>, 4> items;
  };
  llvm::IntrusiveRefCntPtr<const List> list;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_OBSERVATIONS_H
