//===- Mbarriers.h - barriers in shared memory ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barriers of a run, from mbarrier.init to mbarrier.inval or the exit of
// their CTA: their counts, the threads that arrived, and the accesses that
// their arrivals released. A phase completes when no arrival and no byte is
// pending, at the latest time of its arrivals and landings;
// cp.async.mbarrier.arrive takes place when all earlier cp.async copies of its
// thread are complete.
//
// The eight bytes of a live barrier hold a pattern and count as unwritten. An
// ordinary read of them is a finding, and so is the next use after an ordinary
// write.
//
// A parity names the current phase or the one before it. The thread means the
// phase after the one that it waited for last, or that one again. If the
// barrier is further on, and the thread has seen nothing that says so, it has
// missed a phase. A wait ends kBarrierCycles after its phase completes, or
// after its thread's own time if that is later.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_H

#include "Engine/AsyncOperation.h"
#include "ResidentCTAs.h"

#include "llvm/ADT/SmallVector.h"

namespace carousel::sim {

class Mbarrier final : public Waitable {
public:
  Mbarrier(const AsyncContext &context, const OperationTable &operations)
      : context(context), operations(operations) {}
  WaitDescription describe(const Thread &waiter) const override;

  /// Who knows best about the phase: who expected bytes, or made the barrier.
  const Who &getOwner() const { return hasExpecter ? expecter : initialiser; }
  std::optional<Actor> getExpecter() const {
    return hasExpecter ? std::optional(expecter.actor()) : std::nullopt;
  }

  const AsyncContext &context;
  const OperationTable &operations;
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
  /// The last phase that each thread has waited for.
  std::vector<int64_t> lastWaited;
  uint32_t waiters = 0;

  /// Some of the threads that arrived in this phase, and in the one before.
  llvm::SmallVector<Who, 4> arrivers, lastArrivers;
  Who expecter;
  bool hasExpecter = false;
};

class MbarrierTable {
public:
  MbarrierTable(AsyncContext &context, ResidentCTAs &ctas,
                const OperationTable &operations)
      : context(context), ctas(ctas), operations(operations) {}

  void init(void *barrier, uint32_t count);
  void inval(void *barrier);

  /// The barrier at an address if the running thread may use it; otherwise
  /// reports a finding.
  Mbarrier *use(void *address);
  /// As above, for operations that other CTAs can't execute. `what` is a text
  /// like "a wait on".
  Mbarrier *useOwn(void *address, const char *what);
  /// As above, for a transfer that the running thread issues.
  Mbarrier *useByEngine(void *address, Actor actor);

  /// Reports what is left over on the barriers of a CTA that exits.
  void checkExit(const AsyncCTA &cta);
  /// The barriers of the CTA are gone.
  void free(const AsyncCTA &cta);
  /// Reports, after a deadlock, phases that only lack bytes which nothing
  /// brings.
  void reportMissingBytes();

private:
  enum class User : uint8_t { Local, Remote, Engine };
  /// `view` is the user's.
  Mbarrier *use(const void *address, User user, const View &view, Epoch self,
                Actor actor);
  void checkPattern(Mbarrier &barrier, const Actor &actor);
  void checkExit(const Mbarrier &barrier);
  void free(Mbarrier &barrier);

  AsyncContext &context;
  ResidentCTAs &ctas;
  const OperationTable &operations;
  llvm::DenseMap<const void *, Mbarrier *> barriers;
  std::deque<Mbarrier> pool;
  std::vector<Mbarrier *> freeBarriers;
};

struct ArriveOptions {
  uint32_t count = 1;
  /// If set, the arrive first expects these bytes (arrive_expect_tx).
  std::optional<int64_t> expectBytes;
  MemSemantics semantics = MemSemantics::Release;
  MemScope scope = MemScope::CTA;
  /// Whether later phases expect `count` fewer arrivals (arrive_drop).
  bool drop = false;
  bool noComplete = false;
};

class MbarrierArrivals {
public:
  MbarrierArrivals(AsyncContext &context, MbarrierTable &barriers)
      : context(context), barriers(barriers) {}

  void expectTx(void *barrier, int64_t bytes);
  void completeTx(void *barrier, int64_t bytes);
  /// arrive, arrive_drop and their expect_tx forms. Returns the state before
  /// the arrive, which is unused if the barrier belongs to another CTA.
  uint64_t arrive(void *barrier, const ArriveOptions &options);
  static uint32_t getPendingCount(uint64_t state);

  /// Counts arrivals; `released` may be null.
  void arrive(Mbarrier &barrier, uint32_t count, const View *released,
              Epoch epoch, uint64_t cycles, const Who &who, bool noComplete);
  /// The operation, which isn't issued yet, is to signal the barrier.
  void signal(AsyncOperation &operation, void *barrier);
  /// Lands bytes of an operation. `last`: the operation is complete.
  void land(AsyncOperation &operation, uint64_t bytes, bool last);

private:
  bool checkBytes(void *address, int64_t bytes);
  void changeTransactions(Mbarrier &barrier, int64_t bytes, const Actor &actor);
  /// Completes the phase if nothing of it is pending.
  void settle(Mbarrier &barrier, Epoch epoch, const Actor &actor);
  /// Adds to the barrier's phase what an arrive of the thread releases.
  void gather(Mbarrier &barrier, Thread &thread, MemSemantics semantics,
              MemScope scope);

  AsyncContext &context;
  MbarrierTable &barriers;
};

class CopyArrives {
public:
  CopyArrives(AsyncContext &context, ResidentCTAs &ctas,
              MbarrierTable &barriers, MbarrierArrivals &arrivals)
      : context(context), ctas(ctas), barriers(barriers), arrivals(arrivals) {}

  void arrive(void *barrier, bool noIncrement);
  /// Makes the arrives of a thread whose copies are complete.
  void fire(ThreadState &state);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
  MbarrierTable &barriers;
  MbarrierArrivals &arrivals;
};

/// How a wait names its phase.
struct PhaseName {
  /// The state of an arrive, or a parity.
  static PhaseName state(uint64_t token) { return {token, false}; }
  static PhaseName parity(bool parity) { return {parity, true}; }
  uint64_t value;
  bool isParity;
};

class MbarrierWaits {
public:
  MbarrierWaits(AsyncContext &context, ResidentCTAs &ctas,
                MbarrierTable &barriers)
      : context(context), ctas(ctas), barriers(barriers) {}

  bool testWait(void *barrier, PhaseName phase,
                MemSemantics semantics = MemSemantics::Acquire,
                MemScope scope = MemScope::CTA) {
    return tryWait(barrier, phase, semantics, scope, /*mayWait=*/false);
  }
  /// May return false at any time, as Decision::TryWait decides.
  bool tryWait(void *barrier, PhaseName phase,
               MemSemantics semantics = MemSemantics::Acquire,
               MemScope scope = MemScope::CTA, bool mayWait = true);
  void wait(void *barrier, PhaseName phase,
            MemSemantics semantics = MemSemantics::Acquire,
            MemScope scope = MemScope::CTA);

  /// Whether a try_wait may still time out.
  bool mayTimeOut() const;
  /// All that may do.
  void timeOut();

private:
  /// Threads in a try_wait that the schedule may let time out.
  struct TryWaiter {
    ThreadState *state;
    Mbarrier *barrier;
  };

  /// Whether the phase is complete. Records what the thread has seen.
  bool evaluate(Mbarrier &barrier, PhaseName phase, Thread &thread);
  void finish(Mbarrier &barrier, Thread &thread, MemSemantics semantics,
              MemScope scope);

  AsyncContext &context;
  ResidentCTAs &ctas;
  MbarrierTable &barriers;
  std::vector<TryWaiter> tryWaiters;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_H
