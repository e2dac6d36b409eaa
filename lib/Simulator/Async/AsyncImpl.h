//===- AsyncImpl.h - the inside of the asynchronous units -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of AsyncMachine, which is barriers by address, operations in flight
// and groups by thread, and functions that its source files share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCIMPL_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCIMPL_H

#include "AsyncState.h"

#include "llvm/ADT/Twine.h"

namespace carousel::sim {

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
  /// Counts events that might let a try_wait succeed.
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
  /// The number of operations in flight of each launch, and the completion of
  /// its last one.
  struct LaunchWork {
    uint32_t active = 0;
    uint64_t lastCycles = 0;
  };
  llvm::SmallVector<LaunchWork, 1> launchWork;
  uint64_t lastId = 0;
  /// Threads in a try_wait that the schedule may let time out.
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
  /// Ends the run, after a finding that hardware answers with a trap.
  [[noreturn]] void trap();
  std::string describeSite(const Who &who) const;
  std::string describeName(const void *address) const;
  ThreadState &stateOf(Thread &thread);
  void releaseState(ThreadState &state);
  void checkExit(const Mbarrier &barrier);
  void handOnReleases(const AsyncCTA &cta);
  AsyncCTA &ctaOf(uint32_t cta);
  /// The resident CTA in whose shared memory an address lies, or null.
  AsyncCTA *findShared(const void *address, uint32_t *cta = nullptr);
  /// The same offset in the CTA of `rank` in the cluster of `cta`; null if
  /// there is no such CTA.
  char *toRank(const void *shared, uint32_t rank);

  // BulkCopies.cpp
  /// Calls `copy` for the destination and the barrier of each CTA in the mask,
  /// or for the given ones without a mask.
  void forEachTarget(llvm::StringRef name, void *shared, void *barrier,
                     std::optional<uint16_t> multicast,
                     llvm::function_ref<void(char *to, void *signal)> copy);

  // Mbarrier.cpp
  enum class Use : uint8_t { Local, Remote, Engine };
  /// The barrier at an address if it may be used; otherwise reports a finding.
  /// `view` is the user's.
  Mbarrier *useBarrier(const void *address, Use use, const View &view,
                       Epoch self, Actor actor);
  Mbarrier *useBarrier(void *address);
  /// As above, for operations that other CTAs can't execute. `use` is a text
  /// like "a wait on".
  Mbarrier *useOwnBarrier(void *address, const char *use);
  void checkPattern(Mbarrier &barrier, const Actor &actor);
  void arrive(Mbarrier &barrier, uint32_t count, const View *released,
              Epoch epoch, uint64_t cycles, const Who &who, bool noComplete);
  void changeTransactions(Mbarrier &barrier, int64_t bytes, const Actor &actor);
  void settle(Mbarrier &barrier, Epoch epoch, const Actor &actor);
  /// Lands bytes of an operation. `last`: the operation is complete.
  void land(Operation &operation, uint64_t bytes, bool last);
  /// Whether the phase is complete: 0 or 1. Records what the thread has seen.
  bool evaluate(Mbarrier &barrier, PhaseName phase, Thread &thread);
  void finishWait(Mbarrier &barrier, Thread &thread, MemSemantics semantics,
                  MemScope scope);
  /// Adds to the barrier's phase what an arrive of the thread releases.
  void gather(Mbarrier &barrier, Thread &thread, MemSemantics semantics,
              MemScope scope);
  void freeBarrier(Mbarrier &barrier);
  std::string describeState(const Mbarrier &barrier) const;

  // Engine.cpp
  Operation &newOperation(OperationKind kind, llvm::StringRef name);
  /// Gives an operation epochs and a view, and starts it. Adds it to a group if
  /// `queue` isn't null.
  void issue(Operation &operation, GroupQueue *queue, uint64_t latency);
  LaunchWork &workOf(const Operation &operation);
  AsyncTrace::Transfer describeTransfer(const Operation &operation) const;
  void lendAgent(Operation &operation, Thread &thread);
  void joinGroup(Operation &operation, GroupQueue &queue, Thread &thread,
                 Epoch issueEpoch);
  void act(uint32_t which, Schedule &schedule);
  void finish(uint32_t which);
  void endReads(Operation &operation);
  /// Finishes an operation whose CTA exits, except for its writes to global
  /// memory.
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
                  bool includesOpen);
  void prune(GroupQueue &queue);
  void noteForeignWait(Thread &thread, bool read, uint32_t pending);
  void reportForeignWait(const ThreadState &state, const ForeignWait &wait);
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
  /// As signalBarrier. The barrier must lie in the CTA of the destination.
  void signalAtDestination(Operation &operation, void *barrier);
  /// Looks for the same reduction issued by another thread. Call it before
  /// `issue`.
  void noteReduction(Operation &operation, uint64_t destination);

  // Descriptors.cpp
  /// Reads a descriptor for an operation; ends the run if no copy can use it.
  void fetchDescriptor(const TensorMap *map, llvm::StringRef name,
                       TensorMap &copy);

  // Atomics.cpp
  void checkSemaphore(Thread &thread, const int32_t *semaphore);
  void publish(const void *address, const AtomicWrite &write, bool continues);
  /// Records the part of a publication that the thread hasn't acquired.
  void noteSighting(Thread &thread, const void *place,
                    PublicationRef publication,
                    std::optional<MemScope> acquired);
  bool isClustered(const Thread &thread) const {
    return grid.getShape(thread.launch).cluster.count() > 1;
  }

  // Fences.cpp
  /// The view that a release of this thread publishes now. Advances the
  /// thread's time.
  const View &release(Thread &thread);
  void acquire(Thread &thread, const View &view);
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCIMPL_H
