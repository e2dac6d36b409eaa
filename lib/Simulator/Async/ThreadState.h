//===- ThreadState.h - asynchronous state of a thread -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a thread outside of the grid: its groups, what its fences
// released, what its relaxed reads saw, and its turn at a semaphore. It
// outlives the thread while operations in flight point to it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_THREADSTATE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_THREADSTATE_H

#include "Groups/GroupQueue.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <memory>

namespace carousel::sim {

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_THREADSTATE_H
