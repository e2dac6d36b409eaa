//===- ResidentCTAs.h - CTAs and threads, as the units know them *- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds resident CTAs by number, by rank in their cluster and by shared
// address, and holds the states of their threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_RESIDENTCTAS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_RESIDENTCTAS_H

#include "Engine/EngineTime.h"
#include "ThreadState.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <memory>
#include <vector>

namespace carousel::sim {

/// An agent that operations borrow from their CTA. It is lent again only to an
/// issuer that knows of the last use.
struct AgentSlot {
  uint32_t agent = 0;
  uint32_t time = 0;
  Epoch last; // the last write epoch
};

/// A bulk write to global memory, which a semaphore's release checks.
struct GlobalWrite {
  uint32_t thread;
  uint32_t group;
  Epoch issue, write;
  Who issuer;
};

struct ReductionIssue {
  uint32_t thread;
  Epoch issue;
};

struct AsyncCTA {
  uint32_t cluster = 0, rank = 0;
  char *shared = nullptr;
  uint64_t bytes = 0;
  uint32_t nextAgent = 0;
  std::deque<AgentSlot> freeSlots;
  EngineTime engine, tensorCores;
  std::vector<Mbarrier *> barriers;
  std::vector<ThreadState *> threads;
  std::vector<GlobalWrite> globalWrites;
  /// Addresses in its shared memory that atomics have written, and addresses
  /// with releases by this CTA or its cluster. Those of exited CTAs are
  /// included.
  std::vector<const void *> atomics, releases, clusterReleases;
  llvm::DenseMap<uint64_t, ReductionIssue> reductions;
  /// The agents of tile transfers, by their threads: the first thread << 32 |
  /// the number of threads.
  llvm::DenseMap<uint64_t, AgentSlot> transferAgents;

  bool contains(const void *address) const {
    return address >= shared && address < shared + bytes;
  }
};

class ResidentCTAs {
public:
  explicit ResidentCTAs(AsyncContext &context) : context(context) {}

  /// `shared` is the CTA's one region of shared memory, static and dynamic.
  void start(uint32_t cta, uint32_t cluster, uint32_t rankInCluster,
             char *shared, uint64_t bytes);
  /// Gives back the states of the CTA's threads, and its rank.
  void exit(AsyncCTA &cta);
  /// The CTA is gone; after `exit`.
  void erase(uint32_t cta) { ctas.erase(cta); }

  AsyncCTA &at(uint32_t cta);
  /// Null if it has exited.
  AsyncCTA *find(uint32_t cta);
  /// The CTA of this rank, or null.
  AsyncCTA *findRank(uint32_t cluster, uint32_t rank);
  /// The resident CTA in whose shared memory an address lies, or null.
  AsyncCTA *findShared(const void *address, uint32_t *cta = nullptr);
  /// The same offset in the CTA of this rank in the same cluster; null if there
  /// is none.
  char *toRank(const void *shared, uint32_t rank);

  /// mapa: as toRank. If there is none, reports a finding of the running
  /// thread.
  void *mapShared(const void *shared, uint32_t rank);
  uint32_t rankOf(const void *shared);

  /// The thread's state, made when it is first asked for.
  ThreadState &stateOf(Thread &thread);
  /// Takes the state back once its CTA has exited and nothing points to it.
  void releaseState(ThreadState &state);

private:
  AsyncContext &context;
  llvm::DenseMap<uint32_t, std::unique_ptr<AsyncCTA>> ctas;
  /// cluster << 32 | rank.
  llvm::DenseMap<uint64_t, uint32_t> ctaOfRank;
  std::deque<ThreadState> statePool;
  std::vector<ThreadState *> freeStates;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_RESIDENTCTAS_H
