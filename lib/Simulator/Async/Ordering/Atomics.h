//===- Atomics.h - release and acquire in memory ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds what atomics have released at each address, and gives it to the threads
// that acquire it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_ATOMICS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_ATOMICS_H

#include "../ResidentCTAs.h"

namespace carousel::sim {

/// What the atomics on an address have released: to all threads, and, by a
/// fence or an atomic of a narrower scope, to those of their CTA, cluster or
/// GPU.
struct AtomicRelease {
  View system;
  llvm::SmallDenseMap<uint32_t, View, 1> byCTA, byCluster, byGPU;
  bool hasReleases = false;
  llvm::IntrusiveRefCntPtr<Publication> publication;
};

/// A write of an atomic or a release, as it is observed.
struct AtomicWrite {
  Epoch epoch;
  Site site = 0;
  uint32_t cta = 0, cluster = 0, gpu = 0;
  bool isSystem = false;    // the scope of the write; otherwise its GPU
  bool isClustered = false; // the cluster has several CTAs
  /// All that the writer knew, and what it released; null for nothing.
  const View *known = nullptr;
  std::array<const View *, kNumScopes> released = {};
  uint64_t cycles = 0;

  void release(const View &view) {
    for (unsigned scope = 0; scope < kNumScopes; ++scope)
      if (isSystem || scope != getIndex(MemScope::System))
        released[scope] = &view;
  }
};

/// Threads that wait until a word changes.
struct WordWaitable : Waitable {
  /// The time of the last write.
  uint64_t cycles = 0;
};

class Atomics {
public:
  Atomics(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  /// Acquires for an atomic load (or the load of a read-modify-write) of gpu or
  /// system scope, or remembers it for a later acquire fence. Call it after the
  /// load. The caller calls Memory::access.
  void read(const void *address, bool acquire, bool isSystem = false);
  /// Releases for an atomic store of gpu or system scope, with what an earlier
  /// fence released. Call it at the store. A read-modify-write continues the
  /// release sequence of the value that it read. Wakes threads that watch the
  /// address.
  void write(const void *address, bool release, bool isReadModifyWrite,
             bool isSystem = false);
  /// The same for the write of an engine.
  void publish(const void *address, const AtomicWrite &write, bool continues);

  /// Writes to the address wake `waitable` from now on.
  void watch(const void *address, WordWaitable &waitable) {
    watched[address] = &waitable;
  }
  /// Forgets what was in the CTA's memory and what only its threads may
  /// acquire; after the CTA has given its rank back.
  void ctaExit(uint32_t cta, const AsyncCTA &state);

private:
  bool isClustered(const Thread &thread) const {
    return context.grid.getShape(thread.launch).cluster.count() > 1;
  }
  void propagateReleases(const AsyncCTA &cta);

  AsyncContext &context;
  ResidentCTAs &ctas;
  llvm::DenseMap<const void *, std::unique_ptr<AtomicRelease>> places;
  llvm::DenseMap<const void *, WordWaitable *> watched;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_ATOMICS_H
