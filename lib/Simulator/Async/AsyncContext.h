//===- AsyncContext.h - what the asynchronous units share -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common context of AsyncMachine's parts: memory, grid, schedule and
// findings of the run, and the names of places and threads in reports.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCCONTEXT_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCCONTEXT_H

#include "../Grid/Grid.h"
#include "../Memory/Memory.h"

#include "llvm/ADT/Twine.h"

#include <functional>
#include <optional>
#include <string>

namespace carousel::sim {

class AsyncTrace;

constexpr uint64_t kIssueCycles = 20, kBarrierCycles = 10, kGlobalLatency = 600,
                   kSharedLatency = 200, kEngineBytesPerCycle = 32;

enum class MemSemantics : uint8_t { Relaxed, Acquire, Release, AcqRel, SeqCst };

struct AsyncRules {
  /// Whether only the writer's own fence counts (docs/MemoryModel.md).
  bool strictFences = false;
};

/// A thread and its site, as findings about other agents name it.
struct Who {
  uint32_t cta = 0, thread = 0;
  Site site = 0;
  Actor actor(llvm::StringRef operation = "") const {
    return Actor{cta, thread, operation.str(), site, {}};
  }
};

inline Who whoIs(const Thread &thread) {
  return {thread.cta, thread.index, thread.site};
}

/// All references outlive it.
struct AsyncContext {
  AsyncContext(Memory &memory, Grid &grid, Schedule &schedule, FindingLog &log,
               AsyncRules rules, AsyncTrace *trace)
      : memory(memory), grid(grid), schedule(schedule), log(log), rules(rules),
        trace(trace) {}

  /// The running thread.
  Who here() const { return whoIs(grid.current()); }
  /// An access of the running thread; what the caller doesn't set is the
  /// default.
  Access makeAccess(AccessKind kind) const;
  /// The running thread's atomic access to a word, which `what` names; false if
  /// it is out of bounds.
  bool accessWord(const char *what, const int32_t *address, AtomicForm form) {
    return accessWord(what, address, sizeof(int32_t), form, false);
  }
  bool accessWord(const char *what, const void *address, uint64_t bytes,
                  AtomicForm form, bool isSystem);

  void report(FindingKind kind, Actor actor, const llvm::Twine &message,
              const void *address = nullptr, uint64_t size = 0,
              std::optional<Actor> other = std::nullopt);
  /// Reports an operand that hardware traps on, and ends the run.
  [[noreturn]] void invalid(llvm::StringRef name, const llvm::Twine &message,
                            const void *address = nullptr, uint64_t size = 0);
  [[noreturn]] void trap() { grid.abort(); }

  /// "CTA 0 thread 32 at kernel.mlir:3:4".
  std::string describeSite(const Who &who) const;
  /// "full[2]".
  std::string describeName(const void *address) const;

  Memory &memory;
  Grid &grid;
  Schedule &schedule;
  FindingLog &log;
  AsyncRules rules;
  AsyncTrace *trace; ///< or null
  /// Sets the function that names sites in deadlock reports. By default names
  /// are empty.
  std::function<std::string(Site)> siteNames;
  /// Counts events that might let a try_wait succeed.
  uint64_t progress = 0;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCCONTEXT_H
