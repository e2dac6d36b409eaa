//===- Mbarrier.h - one barrier in shared memory ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of one mbarrier: its counts, the threads that arrived, and the
// accesses that their arrivals released.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIER_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIER_H

#include "../Engine/OperationTable.h"

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIER_H
