//===- Ordering.h - what orders the accesses of threads ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes the releases of atomics and signals at each address to the threads
// that acquire them. A release fence keeps what the thread knows for its later
// relaxed operations; an acquire fence takes what its earlier relaxed
// operations have seen; both need scopes that include the other side's thread.
// A proxy fence moves what is known into what the async proxy may rely on: all
// of it, or in the strict reading only the thread's own accesses.
//
// Built on them: counters of system scope in symmetric memory (signal.release,
// signal.wait), turns and tickets of CTAs (grid.serial_wait,
// grid.serial_release, grid.ticket), and cluster.gather, which orders nothing,
// since a thread waits there for values and not for other threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_H

#include "../Grid/Grid.h"
#include "ResidentCTAs.h"

#include <map>

namespace carousel::sim {

/// The view that a release of this thread publishes now. Advances the
/// thread's time.
inline const View &release(Thread &thread) {
  thread.tick();
  return thread.view;
}

inline void acquire(Thread &thread, const View &view) {
  thread.view.join(view);
}

/// Records the part of a publication that the thread hasn't acquired.
void noteObservation(Thread &thread, const void *place,
                     PublicationRef publication,
                     std::optional<MemScope> acquired);

/// The releases of atomics on an address: to all threads, and, by a fence or an
/// atomic of a narrower scope, to those of their CTA, cluster or GPU.
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

enum class ProxyKind : uint8_t {
  Alias,
  Async,
  AsyncGlobal,
  AsyncSharedCTA,
  AsyncSharedCluster
};

class Fences {
public:
  Fences(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  void fenceThread(MemSemantics semantics, MemScope scope);
  void fenceProxy(ProxyKind proxy);
  void fenceMbarrierInit();
  void fenceSyncRestrict(MemSemantics semantics);
  void fenceProxySyncRestrict(MemSemantics semantics);
  /// Does for fences what Grid::clusterArrive does. A relaxed arrive carries
  /// what an earlier fence released.
  void clusterArrive(bool release);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
};

class Signals {
public:
  Signals(AsyncContext &context, Atomics &atomics)
      : context(context), atomics(atomics) {}

  /// A counter of 4 or 8 bytes.
  struct Counter {
    void *address;
    uint64_t bytes;

    int64_t read() const;
    void write(int64_t value) const;
  };

  void release(Counter counter, int64_t value, bool add, bool release);
  /// Returns whether the counter has reached the value. Without a timeout, or
  /// with time left, waits until it has.
  bool wait(Counter counter, int64_t value, std::optional<uint64_t> timeout,
            bool acquire);
  /// How many waits the schedule has let expire.
  uint64_t countExpired() const { return expired; }

private:
  class Watched final : public WordWaitable {
  public:
    Watched(const AsyncContext &context, Counter counter)
        : context(context), counter(counter) {}
    WaitDescription describe(const Thread &waiter) const override;

    struct Wait {
      int64_t value;
      uint64_t since;
    };
    llvm::DenseMap<const Thread *, Wait> waits;
    std::optional<Who> last;

  private:
    const AsyncContext &context;
    Counter counter;
  };

  Watched &watch(Counter counter);
  bool expires();

  AsyncContext &context;
  Atomics &atomics;
  llvm::DenseMap<const void *, std::unique_ptr<Watched>> counters;
  uint64_t expired = 0;
};

class GridSemaphores {
public:
  GridSemaphores(AsyncContext &context, ResidentCTAs &ctas, Atomics &atomics)
      : context(context), ctas(ctas), atomics(atomics) {}

  void wait(int32_t *semaphore, int32_t turn);
  void release(int32_t *semaphore, int32_t turn);

private:
  class Semaphore final : public WordWaitable {
  public:
    Semaphore(const AsyncContext &context, const int32_t *address)
        : context(context), address(address) {}
    WaitDescription describe(const Thread &waiter) const override;
    std::optional<Who> lastRelease;

  private:
    const AsyncContext &context;
    const int32_t *address;
  };

  /// Reports bulk writes that the release would announce too early.
  void checkRelease(Thread &thread, const int32_t *semaphore);

  AsyncContext &context;
  ResidentCTAs &ctas;
  Atomics &atomics;
  llvm::DenseMap<const void *, std::unique_ptr<Semaphore>> semaphores;
};

class GridTickets {
public:
  GridTickets(AsyncContext &context, Atomics &atomics)
      : context(context), atomics(atomics) {}

  /// All threads of the CTA call it. One of them draws for all. With
  /// `ordersMemory`, each of them knows afterwards what all threads of the CTAs
  /// with smaller tickets knew. Otherwise it orders nothing.
  int64_t draw(int32_t *counter, int64_t total, bool ordersMemory);

private:
  /// C189, with the values of this run.
  void checkDraws(llvm::ArrayRef<uint64_t> draws);

  AsyncContext &context;
  Atomics &atomics;
};

class ClusterGathers {
public:
  ClusterGathers(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  /// The values of the CTAs, by rank. The n-th calls of a cluster's threads
  /// belong together.
  std::vector<uint64_t> gather(uint64_t value, uint32_t count);

private:
  struct Round final : Waitable {
    Round(const AsyncContext &context, uint32_t count)
        : context(context), values(count), givers(count), missing(count) {}
    WaitDescription describe(const Thread &waiter) const override;

    const AsyncContext &context;
    std::vector<uint64_t> values;
    std::vector<std::optional<Who>> givers; ///< the first thread of each CTA
    uint32_t missing;                       ///< CTAs without a value
    uint64_t takers = 0;                    ///< threads that have the values
    uint64_t cycles = 0;                    ///< of the last value
  };

  AsyncContext &context;
  ResidentCTAs &ctas;
  /// By cluster and number, until all threads have the values.
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Round>> rounds;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_H
