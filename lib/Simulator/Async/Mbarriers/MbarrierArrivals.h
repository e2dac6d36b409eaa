//===- MbarrierArrivals.h - arrivals at barriers ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts arrivals, expected bytes and landed bytes. A phase completes when none
// of them is pending, at the latest time of its arrivals and landings.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERARRIVALS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERARRIVALS_H

#include "MbarrierTable.h"

namespace carousel::sim {

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERARRIVALS_H
