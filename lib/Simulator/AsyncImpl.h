//===- AsyncImpl.h - state of the asynchronous units ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What AsyncMachine keeps: barriers by address, operations in flight, groups by
// thread, and what each CTA's engine and agents are up to.
//
// Epochs of engines. An operation that signals a barrier borrows an agent of
// its CTA, which is lent again only to an issuer that knows of the last use.
// Operations in groups are known of in the order of the groups, so all those of
// a thread share two agents, one for reads and one for writes, whose time is
// the group's number.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNCIMPL_H
#define CAROUSEL_LIB_SIMULATOR_ASYNCIMPL_H

#include "Async.h"
#include "Reduce.h"
#include "TensorBox.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <deque>

namespace carousel::sim {

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
  WaitPicture describe(const Thread &waiter) const override;

  AsyncMachine::Impl &machine;
  char *address = nullptr;
  uint32_t cta = 0;
  enum class Life : uint8_t { Never, Live, Ended } life = Life::Never;

  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  /// The current phase, counted from 0.
  uint64_t phase = 0;
  /// What the arrivals of the current phase released, and those of the phase
  /// before it.
  View gathered, completed;
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
};

/// Groups of one kind. Group `first + i` is groups[i]; the last one isn't
/// committed. Numbers begin at 1, as they are times of agents. The stamp is
/// that time; of cp.async copies it also rises where an mbarrier arrive divides
/// a group.
struct GroupQueue {
  bool isBulk = true;
  uint32_t stamp = 1;
  /// Of the last group that left the queue.
  uint32_t droppedStamp = 0;
  /// What a wait or an arrive covers (cp.async).
  uint32_t coveredStamp = 0;
  /// What the thread itself has waited for.
  uint32_t waitedStamp = 0;
  uint32_t readAgent = 0, writeAgent = 0;
  uint32_t first = 1;
  std::deque<Group> groups{1};
  /// Of groups that are no longer in the queue.
  uint64_t readCycles = 0, writeCycles = 0;
  /// The newest groups that the thread has waited for.
  uint32_t readWaited = 0, completeWaited = 0;

  uint32_t open() const { return first + uint32_t(groups.size()) - 1; }
  Group &at(uint32_t number) { return groups[number - first]; }
  /// Up to which time a wait for group `number` makes accesses known.
  uint32_t stampOf(uint32_t number) {
    return number >= first ? at(number).stamp : isBulk ? number : droppedStamp;
  }
  /// Anything ever issued or committed.
  bool isUsed() const { return open() > 1 || groups.back().operations != 0; }
};

/// A cp.async.mbarrier.arrive that waits for copies.
struct DeferredArrive {
  Mbarrier *barrier;
  uint32_t group;
  Epoch copies;
  Who who;
};

/// A wait of a thread that had committed nothing, on what another seems to be
/// meant.
struct ForeignWait {
  Who waiter;
};

class ThreadState final : public Waitable {
public:
  ThreadState() { copies.isBulk = false; }
  WaitPicture describe(const Thread &waiter) const override;

  uint32_t cta = 0, thread = 0;
  bool exited = false;
  /// Operations in flight that point here.
  uint32_t references = 0;

  GroupQueue bulk, copies;
  llvm::SmallVector<DeferredArrive, 2> arrives;
  llvm::SmallVector<ForeignWait, 1> foreignWaits;
  /// What the thread waits for, for the picture.
  const GroupQueue *waitingOn = nullptr;
  uint32_t waitTarget = 0;
  bool waitRead = false;

  /// What a fence released, for relaxed operations after it; what relaxed reads
  /// have seen, for a fence after them.
  View released, toAcquire;
  bool hasReleased = false, hasToAcquire = false;
  uint32_t releasedTime = 0;
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
  /// Addresses in its shared memory that atomics have released.
  std::vector<const void *> atomics;
  llvm::DenseMap<uint64_t, ReductionIssue> reductions;
  /// Of tile transfers, by their threads: the first one << 32 | how many.
  llvm::DenseMap<uint64_t, AgentSlot> transferAgents;
};

/// What the atomics of an address have released, and which CTA they are of.
struct AtomicRelease {
  static constexpr uint32_t kSeveralCTAs = ~0u;
  View view;
  uint32_t cta = 0;
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
  WaitPicture describe(const Thread &waiter) const override;
  AsyncMachine::Impl *machine = nullptr;
  const int32_t *address = nullptr;
  uint64_t cycles = 0;
  Who lastRelease;
  bool hasRelease = false;
};

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

struct AsyncMachine::Impl {
  Impl(Memory &memory, Grid &grid, Schedule &schedule, FindingLog &log,
       AsyncRules rules, AsyncTrace *trace)
      : memory(memory), grid(grid), schedule(schedule), log(log), rules(rules),
        trace(trace) {}

  Memory &memory;
  Grid &grid;
  Schedule &schedule;
  FindingLog &log;
  AsyncRules rules;
  AsyncTrace *trace;
  std::function<std::string(Site)> siteNames;
  AsyncFigures figures;
  /// Counts what might let a try_wait succeed.
  uint64_t progress = 0;

  llvm::DenseMap<uint32_t, std::unique_ptr<AsyncCTA>> ctas;
  /// cluster << 32 | rank.
  llvm::DenseMap<uint64_t, uint32_t> ctaOfRank;
  llvm::DenseMap<const void *, Mbarrier *> barriers;
  std::deque<Mbarrier> barrierPool;
  std::vector<Mbarrier *> freeBarriers;
  std::deque<ThreadState> statePool;
  std::vector<ThreadState *> freeStates;
  std::vector<std::unique_ptr<Operation>> operationPool;
  std::vector<Operation *> freeOperations;
  std::vector<Operation *> active;
  /// Operations in flight of each launch, and when the last one of it lands.
  struct LaunchWork {
    uint32_t active = 0;
    uint64_t lastCycles = 0;
  };
  llvm::SmallVector<LaunchWork, 1> launchWork;
  uint64_t lastId = 0;
  /// Threads in a try_wait that the system may let time out.
  struct TryWaiter {
    ThreadState *state;
    Mbarrier *barrier;
  };
  std::vector<TryWaiter> tryWaiters;
  llvm::DenseMap<const void *, DescriptorState> descriptors;
  llvm::DenseMap<const void *, std::unique_ptr<AtomicRelease>> atomics;
  llvm::DenseMap<const void *, std::unique_ptr<Semaphore>> semaphores;
  llvm::DenseMap<uint64_t, uint16_t> operationNames;

  // Async.cpp
  Who here() { return whoIs(grid.current()); }
  static Who whoIs(const Thread &thread) {
    return {thread.cta, thread.index, thread.site};
  }
  void report(FindingKind kind, Actor actor, const llvm::Twine &message,
              const void *address = nullptr, uint64_t size = 0,
              std::optional<Actor> other = std::nullopt);
  /// A finding that hardware answers with a trap: the run ends.
  [[noreturn]] void trap();
  std::string describeSite(const Who &who) const;
  std::string describeName(const void *address) const;
  ThreadState &stateOf(Thread &thread);
  void releaseState(ThreadState &state);
  void checkExit(const Mbarrier &barrier);
  AsyncCTA &ctaOf(uint32_t cta);
  /// The resident CTA in whose shared memory an address lies, or null.
  AsyncCTA *findShared(const void *address, uint32_t *cta = nullptr);
  /// The same offset in the CTA of `rank` in the cluster of `cta`; null if
  /// there is none.
  char *toRank(const void *shared, uint32_t rank);

  // Mbarrier.cpp
  enum class Use : uint8_t { Local, Remote, Engine };
  /// The barrier at an address, if it may be used; reports why not. `view` is
  /// the user's.
  Mbarrier *useBarrier(const void *address, Use use, const View &view,
                       Epoch self, Actor actor);
  Mbarrier *useBarrier(void *address);
  void checkPattern(Mbarrier &barrier, const Actor &actor);
  void arrive(Mbarrier &barrier, uint32_t count, const View *released,
              Epoch epoch, uint64_t cycles, const Who &who, bool noComplete);
  void changeTransactions(Mbarrier &barrier, int64_t bytes, const Actor &actor);
  void settle(Mbarrier &barrier, Epoch epoch, const Actor &actor);
  /// Bytes of an operation have landed; `last`: it has completed.
  void land(Operation &operation, uint64_t bytes, bool last);
  /// 0: incomplete. 1: complete. Notes what the thread has seen.
  bool evaluate(Mbarrier &barrier, PhaseName phase, Thread &thread);
  void finishWait(Mbarrier &barrier, Thread &thread, MemSemantics semantics);
  void freeBarrier(Mbarrier &barrier);
  std::string describeState(const Mbarrier &barrier) const;

  // Engine.cpp
  Operation &newOperation(OperationKind kind, llvm::StringRef name);
  /// Gives it epochs and a view, and starts it; in a group if `queue` isn't
  /// null.
  void issue(Operation &operation, GroupQueue *queue, uint64_t latency);
  LaunchWork &workOf(const Operation &operation);
  AsyncTrace::Transfer describeTransfer(const Operation &operation) const;
  void lendAgent(Operation &operation, Thread &thread);
  void joinGroup(Operation &operation, GroupQueue &queue, Thread &thread,
                 Epoch issueEpoch);
  void act(uint32_t which, Schedule &schedule);
  void finish(uint32_t which);
  void endReads(Operation &operation);
  /// The CTA whose shared memory it uses exits: what is left of it is done now,
  /// but for writes to global memory.
  void expel(uint32_t which);
  bool usesShared(const Operation &operation, const AsyncCTA &cta) const;

  // EngineMove.cpp
  void read(Operation &operation, const Pieces &pieces);
  void write(Operation &operation, const Pieces &pieces);
  AccessResult access(Operation &operation, const void *address, uint64_t size,
                      bool isWrite);
  void readRange(Operation &operation, const char *address, uint64_t size,
                 char *to);
  void writeRange(Operation &operation, char *address, uint64_t size,
                  const char *from);

  // BulkGroups.cpp
  void commit(GroupQueue &queue);
  void waitGroups(GroupQueue &queue, bool read, uint32_t pending,
                  bool isCopies);
  void prune(GroupQueue &queue);
  void noteForeignWait(Thread &thread, bool read);
  void settleForeignWaits(ThreadState &state, const Thread *waiter);
  void exitGroups(Thread &thread, ThreadState &state);

  // CpAsync.cpp
  void fireArrives(ThreadState &state);

  // BulkCopies.cpp
  /// Reports an operand that hardware traps on, and ends the run.
  [[noreturn]] void invalid(llvm::StringRef name, const llvm::Twine &message,
                            const void *address = nullptr, uint64_t size = 0);
  void checkBulk(llvm::StringRef name, const void *global, int64_t size);
  /// The offset of a shared address in its CTA.
  uint64_t checkShared(llvm::StringRef name, const void *shared,
                       uint64_t alignment, const char *what, uint64_t size);
  void signalBarrier(Operation &operation, void *barrier);
  /// As signalBarrier; the barrier has to lie in the CTA of the destination.
  void signalAtDestination(Operation &operation, void *barrier);
  /// Looks for another thread's issue of the same reduction; before `issue`.
  void noteReduction(Operation &operation, uint64_t destination);

  // Descriptors.cpp
  /// Reads a descriptor for an operation; ends the run if no copy can use it.
  void fetchDescriptor(const TensorMap *map, llvm::StringRef name,
                       TensorMap &copy);

  // Atomics.cpp
  void checkSemaphore(Thread &thread, const int32_t *semaphore);
  void publish(const void *address, const View *released, uint32_t cta,
               bool continues, uint64_t cycles);

  // Fences.cpp
  /// What a release of this thread gives away now; ticks.
  const View &release(Thread &thread);
  void acquire(Thread &thread, const View &view);
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNCIMPL_H
