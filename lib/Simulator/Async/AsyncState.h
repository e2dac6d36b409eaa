//===- AsyncState.h - the state of the asynchronous units -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data structures of AsyncMachine: a barrier, the groups of a thread, an
// operation in flight, a CTA's engine and agents, a descriptor, a semaphore.
// AsyncImpl.h has the functions on them.
//
// Epochs of engines: an operation that signals a barrier borrows an agent of
// its CTA. The agent is lent again only to an issuer that knows of its last
// use. Operations in groups become known in the order of the groups. So all
// those of a thread share two agents, one for reads and one for writes, whose
// time is the group's number.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCSTATE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCSTATE_H

#include "Async.h"
#include "Reduce.h"
#include "TensorBox.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <deque>

namespace carousel::sim {

/// Views by scope, from the narrowest to the widest. The index is that of
/// getIndex.
using ScopedViews = std::array<View, kNumScopes>;

/// A thread and its site, as findings about other agents name it.
struct Who {
  uint32_t cta = 0, thread = 0;
  Site site = 0;
  Actor actor(llvm::StringRef operation = "") const {
    return Actor{cta, thread, operation.str(), site, {}};
  }
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

class Mbarrier final : public Waitable {
public:
  explicit Mbarrier(AsyncMachine::Impl &machine) : machine(machine) {}
  WaitDescription describe(const Thread &waiter) const override;

  AsyncMachine::Impl &machine;
  char *address = nullptr;
  uint32_t cta = 0;
  enum class Life : uint8_t { Never, Live, Ended } life = Life::Never;

  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  /// The current phase, counted from 0.
  uint64_t phase = 0;
  /// The views that the arrivals of the current phase, and of the phase before
  /// it, released. Arrivals from other CTAs release at cluster scope.
  View gathered, completed;
  std::unique_ptr<View> gatheredRemote, completedRemote;
  /// The arrivals that released less than they knew; null if there are none.
  llvm::IntrusiveRefCntPtr<Publication> gatheredShort;
  PublicationRef completedShort;
  /// Epochs of arrivals that are added to `gathered` when the phase completes.
  std::vector<Epoch> gatheredEpochs;
  uint64_t gatheredCycles = 0, completedCycles = 0;
  /// The agent that completed the phase, by the phase's parity.
  Epoch completer[2];

  Who initialiser;
  Epoch initEpoch;
  /// The time at which fence.mbarrier_init made it visible; the zero epoch
  /// before that.
  Epoch fenceEpoch;

  /// Bytes of operations in flight that will signal this barrier.
  uint64_t bytesInFlight = 0;
  uint32_t operationsInFlight = 0;
  /// One more than the last phase that counted bytes, and than the last phase
  /// that a thread saw completed.
  uint64_t transferPhases = 0, observedPhases = 0;
  /// By thread: the last phase that it has waited for.
  std::vector<int64_t> lastWaited;
  uint32_t waiters = 0;

  /// Some of the threads that arrived in this phase, and in the one before.
  llvm::SmallVector<Who, 4> arrivers, lastArrivers;
  Who expecter;
  bool hasExpecter = false;
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

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
};

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

  /// By scope, the views that fences released at this scope or a wider one, for
  /// later relaxed operations. Null before the first fence.
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
  llvm::SmallVector<Mbarrier *, 4> unfencedInits;
  uint32_t initAgent = 0, initTime = 0;
  /// The number of timed-out try_waits before which nothing had changed.
  uint32_t futileTimeouts = 0;
  uint64_t timeoutProgress = 0;
  bool timedOut = false;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Remaining pieces of 16 bytes: [begin, end), or every other unit of this
/// range.
struct Pieces {
  uint32_t begin = 0, end = 0;
  uint32_t unit = 1;
  bool alternate = false, odd = false;

  bool isEmpty() const { return begin >= end; }
  /// Removes the next pieces from the set and returns them. `choice` is 0 to 7.
  Pieces take(uint32_t choice);
  /// Calls `run(begin, end)` for each contiguous run.
  template <typename Run> void forEachRun(Run run) const {
    if (!alternate) {
      if (begin < end)
        run(begin, end);
      return;
    }
    for (uint32_t at = begin / unit * unit; at < end; at += unit)
      if ((at / unit & 1) == uint32_t(odd) && at + unit > begin)
        run(std::max(at, begin), std::min(at + unit, end));
  }
};

/// The kinds of operations on bytes.
enum class OperationKind : uint8_t {
  GlobalToShared,
  SharedToGlobal,
  SharedToShared,
  Immediate
};

struct Operation {
  uint64_t id = 0;
  OperationKind kind = OperationKind::GlobalToShared;
  llvm::StringRef name;
  uint16_t nameIndex = 0;
  Who issuer;
  uint32_t cluster = 0; // of the issuer
  Proxy proxy = Proxy::Async;
  View view;
  Epoch readEpoch, writeEpoch;

  /// Linear ends of an operation. The global end of a tensor copy is `box`.
  const char *source = nullptr;
  char *destination = nullptr;
  uint64_t bytes = 0;
  /// The tile's offset in its CTA's shared memory, which determines the
  /// swizzle.
  uint64_t tileOffset = 0;
  bool isTensor = false, isReduction = false, isRelease = false;
  TensorBox box;
  TensorMap map;
  uint16_t byteMask = 0xffff;
  ReduceKind reduceKind = ReduceKind::Add;
  ReduceType reduceType = ReduceType::U32;
  /// The number of bytes from the source; the rest is zero (cp.async).
  uint64_t validBytes = 0;

  Mbarrier *barrier = nullptr;
  ThreadState *state = nullptr;
  GroupQueue *queue = nullptr;
  uint32_t group = 0;
  uint32_t slot = 0; // the agent to return; 0 for none

  Pieces reads, writes;
  uint32_t events = 0;
  bool readFirst = false, readDone = false;
  uint64_t issueCycles = 0, landCycles = 0;

  std::unique_ptr<char[]> staging;
  uint64_t stagingSize = 0;
};

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

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

struct AsyncCTA {
  uint32_t cluster = 0, rank = 0;
  char *shared = nullptr;
  uint64_t bytes = 0;
  uint32_t nextAgent = 0;
  std::deque<AgentSlot> freeSlots;
  std::vector<AgentSlot> lentSlots;
  EngineTime engine;
  std::vector<Mbarrier *> barriers;
  std::vector<ThreadState *> threads;
  std::vector<GlobalWrite> globalWrites;
  /// Addresses in its shared memory that atomics have written, and addresses
  /// with releases by this CTA or its cluster. Those of exited CTAs are
  /// included.
  std::vector<const void *> atomics, releases, clusterReleases;
  llvm::DenseMap<uint64_t, ReductionIssue> reductions;
  /// For tile transfers, by their threads: the first thread << 32 | the number
  /// of threads.
  llvm::DenseMap<uint64_t, AgentSlot> transferAgents;
};

/// What the atomics on an address have released: to all threads, and, by a
/// fence of a narrower scope, to those of their CTA or cluster.
struct AtomicRelease {
  View device;
  llvm::SmallDenseMap<uint32_t, View, 1> byCTA, byCluster;
  bool hasReleases = false;
  llvm::IntrusiveRefCntPtr<Publication> publication;
};

/// A write of an atomic or a release, as it is observed.
struct AtomicWrite {
  Epoch epoch;
  Site site = 0;
  uint32_t cta = 0, cluster = 0;
  bool isClustered = false; // the cluster has several CTAs
  /// All that the writer knew, and what it released; null for nothing.
  const View *known = nullptr;
  std::array<const View *, kNumScopes> released = {};
  uint64_t cycles = 0;

  void release(const View &view) { released.fill(&view); }
};

/// A descriptor in memory that the device wrote.
struct DescriptorState {
  Epoch written;
  Who writer;
  /// The epoch of the release fence, or of the copy with a fence, that covered
  /// it; the zero epoch before that.
  Epoch released;
  /// Threads' acquires of this version.
  llvm::SmallVector<Epoch, 2> acquired;
};

class Semaphore final : public Waitable {
public:
  WaitDescription describe(const Thread &waiter) const override;
  AsyncMachine::Impl *machine = nullptr;
  const int32_t *address = nullptr;
  uint64_t cycles = 0;
  Who lastRelease;
  bool hasRelease = false;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCSTATE_H
