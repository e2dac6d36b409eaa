//===- Signals.h - signals between GPUs -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// signal.release and signal.wait: counters of system scope in symmetric memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_SIGNALS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_SIGNALS_H

#include "Atomics.h"

namespace carousel::sim {

class Signals {
public:
  Signals(AsyncContext &context, Atomics &atomics)
      : context(context), atomics(atomics) {}

  /// A counter of 4 or 8 bytes.
  struct Counter {
    void *address;
    uint64_t bytes;

    int64_t read() const;
    void write(int64_t value) const;
  };

  void release(Counter counter, int64_t value, bool add, bool release);
  /// Returns whether the counter has reached the value. Without a timeout, or
  /// with time left, waits until it has.
  bool wait(Counter counter, int64_t value, std::optional<uint64_t> timeout,
            bool acquire);
  /// How many waits the schedule has let expire.
  uint64_t countExpired() const { return expired; }

private:
  class Watched final : public WordWaitable {
  public:
    Watched(const AsyncContext &context, Counter counter)
        : context(context), counter(counter) {}
    WaitDescription describe(const Thread &waiter) const override;

    struct Wait {
      int64_t value;
      uint64_t since;
    };
    llvm::DenseMap<const Thread *, Wait> waits;
    std::optional<Who> last;

  private:
    const AsyncContext &context;
    Counter counter;
  };

  Watched &watch(Counter counter);
  bool expires();

  AsyncContext &context;
  Atomics &atomics;
  llvm::DenseMap<const void *, std::unique_ptr<Watched>> counters;
  uint64_t expired = 0;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_SIGNALS_H
