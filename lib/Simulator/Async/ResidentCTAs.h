//===- ResidentCTAs.h - resident CTAs and their threads ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds resident CTAs by number, by rank in their cluster and by shared
// address, and holds their states: the simulated time of each CTA's engine, and
// what a thread has outside of the grid, its groups, what its fences released,
// what its relaxed reads saw, and its turn at a semaphore. The state of a
// thread outlives it while operations in flight point to it.
//
// A thread learns of its operations in the order of their groups. So all
// operations of a queue share two agents, one for reads and one for writes,
// whose time is the group's number. docs/Simulator.md has the table of cycles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_RESIDENTCTAS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_RESIDENTCTAS_H

#include "AsyncContext.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace carousel::sim {

/// The busy times of a CTA's engine. The host may issue operations out of the
/// order of simulated cycles. An earlier one then takes the free time before
/// later ones.
class EngineTime {
public:
  /// Takes the cycles that the bytes need, without interruption, at `from` or
  /// later. Returns their end.
  uint64_t pass(uint64_t from, uint64_t bytes);

private:
  /// Sorted intervals. Adjacent ones are merged.
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 8> busy;
};

/// One group of a thread: bulk operations, or cp.async copies.
struct Group {
  uint32_t readsLeft = 0, writesLeft = 0;
  uint32_t operations = 0;
  uint64_t readCycles = 0, writeCycles = 0;
  /// The epoch of the last issue, for agents that may know of it.
  Epoch issue;
  Site site = 0;
  /// The time of its operations' epochs.
  uint32_t stamp = 0;
  /// The stamp at the issue of the last operation.
  uint32_t lastIssue = 0;
};

/// Groups of one kind. Group `first + i` is groups[i], and the last one isn't
/// committed. Numbers start at 1, because they are times of agents. The stamp
/// is this time. For cp.async it also advances where an mbarrier arrive divides
/// a group.
struct GroupQueue {
  bool isBulk = true;
  uint32_t stamp = 1;
  /// The stamp that a wait or an arrive covers (cp.async).
  uint32_t coveredStamp = 0;
  /// The stamp up to which the thread itself has waited.
  uint32_t waitedStamp = 0;
  uint32_t readAgent = 0, writeAgent = 0;
  uint32_t first = 1;
  std::deque<Group> groups{1};
  /// The last group that left the queue. Its cycles are those of all groups
  /// that left.
  Group dropped;
  uint64_t readCycles = 0, writeCycles = 0;
  /// The newest groups that the thread has waited for.
  uint32_t readWaited = 0, completeWaited = 0;

  uint32_t open() const { return first + uint32_t(groups.size()) - 1; }
  Group &at(uint32_t number) { return groups[number - first]; }
  /// The time up to which a wait for group `number` makes accesses known.
  uint32_t stampOf(uint32_t number) {
    return number >= first ? at(number).stamp : isBulk ? number : dropped.stamp;
  }
  /// Whether an operation was ever issued. Groups without operations don't
  /// count.
  bool isUsed() const { return readAgent != 0; }

  /// Closes the open group and begins another.
  void commit();
  /// Drops groups that are over and waited for.
  void prune();
  /// Whether no operation of the groups up to `target` is in flight.
  bool isDone(uint32_t target, bool read) const;
};

class Mbarrier;

/// Views by scope, from the narrowest to the widest. The index is that of
/// getIndex.
using ScopedViews = std::array<View, kNumScopes>;

/// A cp.async.mbarrier.arrive whose copies aren't complete.
struct DeferredArrive {
  Mbarrier *barrier;
  uint32_t group;
  Epoch copies;
  Who who;
};

/// A wait of a thread that has issued nothing, and that probably means another
/// thread's group.
struct ForeignWait {
  Who waiter;
  /// The site of the group's last transfer.
  Site issued = 0;
};

class ThreadState final : public Waitable {
public:
  ThreadState() { copies.isBulk = false; }
  WaitDescription describe(const Thread &waiter) const override;

  uint32_t cta = 0, thread = 0;
  /// The thread has ended; its CTA has exited.
  bool hasEnded = false, exited = false;
  /// Operations in flight that point here.
  uint32_t references = 0;

  GroupQueue bulk, copies;
  llvm::SmallVector<DeferredArrive, 2> arrives;
  llvm::SmallVector<ForeignWait, 1> foreignWaits;
  /// The groups that the thread waits for, for descriptions.
  const GroupQueue *waitingOn = nullptr;
  uint32_t waitTarget = 0;
  bool waitRead = false;
  /// The semaphore whose turn the thread has, its view when the turn began, and
  /// its open group.
  const int32_t *turn = nullptr;
  Clock turnBegin;
  uint32_t turnGroup = 0;

  /// The views, by scope, that fences released at this scope or a wider one,
  /// for later relaxed operations. Null before the first fence.
  std::unique_ptr<ScopedViews> released;
  /// By scope, the views that relaxed reads got from threads within the scope,
  /// for a later fence. Null if there are none.
  std::unique_ptr<ScopedViews> toAcquire;
  /// The time of the last fence that released to the cluster.
  uint32_t releasedTime = 0;
  ScopedViews &getToAcquire() {
    if (!toAcquire)
      toAcquire = std::make_unique<ScopedViews>();
    return *toAcquire;
  }
  /// How many gathers of its cluster it has begun.
  uint32_t gathers = 0;
  llvm::SmallVector<Mbarrier *, 4> unfencedInits;
  uint32_t initAgent = 0, initTime = 0;
  /// The number of timed-out try_waits before which nothing had changed.
  uint32_t futileTimeouts = 0;
  uint64_t timeoutProgress = 0;
  bool timedOut = false;
};

/// The state of a thread that has one already, or null.
inline ThreadState *findState(const Thread &thread) {
  return static_cast<ThreadState *>(thread.asyncState);
}

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
