//===- MbarrierWaits.h - waiting for a phase of a barrier -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test_wait, try_wait and the blocking wait. A parity names the current phase
// or the one before it. The thread means the phase after the one that it waited
// for last, or that one again. If the barrier is further on, and the thread has
// seen nothing that says so, it has missed a phase.
//
// A wait ends kBarrierCycles after its phase completes, or after its thread's
// own time if that is later.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERWAITS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERWAITS_H

#include "MbarrierTable.h"

namespace carousel::sim {

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
                MemScope scope = MemScope::CTA);
  /// May return false at any time, as Decision::TryWait decides.
  bool tryWait(void *barrier, PhaseName phase,
               MemSemantics semantics = MemSemantics::Acquire,
               MemScope scope = MemScope::CTA);
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

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERWAITS_H
