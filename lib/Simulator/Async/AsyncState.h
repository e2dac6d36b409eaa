//===- AsyncState.h - what the asynchronous units remember ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nouns of AsyncMachine: a barrier, the groups of a thread, an operation in
// flight, a CTA's engine and agents, a descriptor, a semaphore. What happens to
// them is AsyncImpl.h's.
//
// Epochs of engines. An operation that signals a barrier borrows an agent of
// its CTA, which is lent again only to an issuer that knows of the last use.
// Operations in groups are known of in the order of the groups, so all those of
// a thread share two agents, one for reads and one for writes, whose time is
// the group's number.
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

/// Views by scope: an index of getIndex, from the narrowest to the widest.
using ScopedViews = std::array<View, kNumScopes>;

/// A thread at a place, as findings about others name it.
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
  /// What the arrivals of the current phase released, and those of the phase
  /// before it; of those from other CTAs what they released at cluster scope.
  View gathered, completed;
  std::unique_ptr<View> gatheredRemote, completedRemote;
  /// Of the arrivals that released less than they knew; null if there are none.
  llvm::IntrusiveRefCntPtr<Publication> gatheredShort;
  PublicationRef completedShort;
  /// Moments of arrivals that `gathered` gets when the phase completes.
  std::vector<Epoch> gatheredEpochs;
  uint64_t gatheredCycles = 0, completedCycles = 0;
  /// Who completed the phase, by its parity.
  Epoch completer[2];

  Who initialiser;
  Epoch initEpoch;
  /// When fence.mbarrier_init made it visible; none before.
  Epoch fenceEpoch;

  /// Bytes that operations in flight will land here.
  uint64_t bytesInFlight = 0;
  uint32_t operationsInFlight = 0;
  /// One beyond the last phase that counted bytes, and that a thread saw
  /// completed.
  uint64_t transferPhases = 0, observedPhases = 0;
  /// By thread: the last phase that it has waited for.
  std::vector<int64_t> lastWaited;
  uint32_t waiters = 0;

  /// Some of those who arrived, in this phase and in the one before.
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
  /// The last issue, for who may know of it.
  Epoch issue;
  Site site = 0;
  /// The time of its operations' epochs.
  uint32_t stamp = 0;
  /// The stamp when the last of them was issued.
  uint32_t lastIssue = 0;
};

/// Groups of one kind. Group `first + i` is groups[i]; the last one isn't
/// committed. Numbers begin at 1, as they are times of agents. The stamp is
/// that time; of cp.async copies it also rises where an mbarrier arrive divides
/// a group.
struct GroupQueue {
  bool isBulk = true;
  uint32_t stamp = 1;
  /// What a wait or an arrive covers (cp.async).
  uint32_t coveredStamp = 0;
  /// What the thread itself has waited for.
  uint32_t waitedStamp = 0;
  uint32_t readAgent = 0, writeAgent = 0;
  uint32_t first = 1;
  std::deque<Group> groups{1};
  /// The last group that left the queue; the cycles are those of all that did.
  Group dropped;
  uint64_t readCycles = 0, writeCycles = 0;
  /// The newest groups that the thread has waited for.
  uint32_t readWaited = 0, completeWaited = 0;

  uint32_t open() const { return first + uint32_t(groups.size()) - 1; }
  Group &at(uint32_t number) { return groups[number - first]; }
  /// Up to which time a wait for group `number` makes accesses known.
  uint32_t stampOf(uint32_t number) {
    return number >= first ? at(number).stamp : isBulk ? number : dropped.stamp;
  }
  /// Anything ever issued; groups without operations don't count.
  bool isUsed() const { return readAgent != 0; }
};

/// A cp.async.mbarrier.arrive that waits for copies.
struct DeferredArrive {
  Mbarrier *barrier;
  uint32_t group;
  Epoch copies;
  Who who;
};

/// A wait of a thread that had issued nothing, by which a group of another
/// thread seems to be meant.
struct ForeignWait {
  Who waiter;
  /// Where the last transfer of the group was issued.
  Site issued = 0;
};

class ThreadState final : public Waitable {
public:
  ThreadState() { copies.isBulk = false; }
  WaitDescription describe(const Thread &waiter) const override;

  uint32_t cta = 0, thread = 0;
  /// The thread has ended; its CTA has.
  bool hasEnded = false, exited = false;
  /// Operations in flight that point here.
  uint32_t references = 0;

  GroupQueue bulk, copies;
  llvm::SmallVector<DeferredArrive, 2> arrives;
  llvm::SmallVector<ForeignWait, 1> foreignWaits;
  /// What the thread waits for, for the description.
  const GroupQueue *waitingOn = nullptr;
  uint32_t waitTarget = 0;
  bool waitRead = false;
  /// The semaphore whose turn the thread has; what it knew when the turn began,
  /// and its open group.
  const int32_t *turn = nullptr;
  Clock turnBegin;
  uint32_t turnGroup = 0;

  /// What fences released at each scope or a wider one, for relaxed operations
  /// after them; null before the first.
  std::unique_ptr<ScopedViews> released;
  /// What relaxed reads have seen of threads that are as near as the scope, for
  /// a fence after them; null: nothing.
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
  /// Of try_waits that the system let time out: how often nothing had happened
  /// since.
  uint32_t futileTimeouts = 0;
  uint64_t timeoutProgress = 0;
  bool timedOut = false;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Pieces of 16 bytes that are still to be done: [begin, end), or every other
/// unit of them.
struct Pieces {
  uint32_t begin = 0, end = 0;
  uint32_t unit = 1;
  bool alternate = false, odd = false;

  bool isEmpty() const { return begin >= end; }
  /// The next pieces to be done, by `choice` of 0 to 7; they are no longer in
  /// the set.
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

/// What an operation does with its bytes.
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

  /// One end, or both, are linear; the global end of a tensor copy is `box`.
  const char *source = nullptr;
  char *destination = nullptr;
  uint64_t bytes = 0;
  /// Where the tile begins in its CTA's shared memory: what a swizzle looks at.
  uint64_t tileOffset = 0;
  bool isTensor = false, isReduction = false, isRelease = false;
  TensorBox box;
  TensorMap map;
  uint16_t byteMask = 0xffff;
  ReduceKind reduceKind = ReduceKind::Add;
  ReduceType reduceType = ReduceType::U32;
  /// Of the bytes, those that come from the source; the rest is zero
  /// (cp.async).
  uint64_t validBytes = 0;

  Mbarrier *barrier = nullptr;
  ThreadState *state = nullptr;
  GroupQueue *queue = nullptr;
  uint32_t group = 0;
  uint32_t slot = 0; // agent to give back; 0: none

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

/// Bulk writes to global memory, as a semaphore's release looks at them.
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

/// When a CTA's engine is busy. The host may issue a later operation first, in
/// simulated cycles: an earlier one then takes what is free before it.
class EngineTime {
public:
  /// Takes as many cycles as the bytes need, together, at `from` at the
  /// earliest; gives the last one's end.
  uint64_t pass(uint64_t from, uint64_t bytes);

private:
  /// Begins and ends, in order; those that touch are one.
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
  /// Addresses in its shared memory that atomics have written, and those where
  /// something is kept that this CTA released, or that its cluster did, of
  /// CTAs that have exited, too.
  std::vector<const void *> atomics, releases, clusterReleases;
  llvm::DenseMap<uint64_t, ReductionIssue> reductions;
  /// Of tile transfers, by their threads: the first one << 32 | how many.
  llvm::DenseMap<uint64_t, AgentSlot> transferAgents;
};

/// What the atomics of an address have released: to all, and, by a fence of a
/// narrower scope, to threads of their CTA or cluster.
struct AtomicRelease {
  View device;
  llvm::SmallDenseMap<uint32_t, View, 1> byCTA, byCluster;
  bool hasReleases = false;
  llvm::IntrusiveRefCntPtr<Publication> publication;
};

/// An atomic's or a release's write, as it is seen.
struct AtomicWrite {
  Epoch epoch;
  Site site = 0;
  uint32_t cta = 0, cluster = 0;
  bool isClustered = false; // the cluster has several CTAs
  /// All that is known, and what is released; null: nothing.
  const View *known = nullptr;
  std::array<const View *, kNumScopes> released = {};
  uint64_t cycles = 0;

  void release(const View &view) { released.fill(&view); }
};

/// A descriptor in memory that the device wrote.
struct DescriptorState {
  Epoch written;
  Who writer;
  /// When a release fence, or the copy with one, covered it; none before.
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
