//===- Schedule.h - the decisions of a run ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every choice that hardware makes freely is one call of Schedule::pick: which
// thread runs next, which piece of a transfer lands, whether a try_wait gives up.
// A schedule is seeded random, adversarial, or the replay of a recorded one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_SCHEDULE_H
#define CAROUSEL_LIB_SIMULATOR_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

enum class Decision : uint8_t {
  Preempt,      // of 2: 1 = another thread runs
  Agent,        // of 2: 0 = a thread runs, 1 = an engine makes a step
  CTA,          // of n: which CTA with runnable threads, in order of its number
  Warp,         // of n: which warp of it
  Lane,         // of n: which runnable lane of it
  EngineEvent,  // of n: which landing of those that may happen
  TryWait,      // of 2: 1 = a try_wait whose phase is incomplete returns false now
  Bytes,        // of 2: what a stale read gets: 0 = the new bytes, 1 = poison
  LaunchOrder,  // of n: which CTA (or cluster) becomes resident next
};

enum class Policy : uint8_t {
  Random,
  LateLanding,  // engines act when no thread can
  EarlyLanding, // engines act as soon as they may
  EagerReuse,   // a thread that was just woken runs at once: buffers are reused at the earliest
  StarvedWarp,  // one warp, drawn from the seed, runs when nothing else can
  ReverseCTAs,  // CTAs start and run from the last to the first
  OneCTA,       // one CTA at a time, as far as waiting on others allows
};
/// "random", "late-landing", ...
llvm::StringRef getName(Policy policy);
std::optional<Policy> parsePolicy(llvm::StringRef name);

/// A thread or CTA that could be picked; what adversarial policies look at.
struct Candidate {
  uint32_t id = 0;        // CTA number, warp in the grid's numbering, lane...
  bool justWoken = false;
};

class Schedule {
public:
  virtual ~Schedule();
  /// One of 0 .. n-1; n is at least 1. `candidates` is empty or has n elements.
  virtual uint32_t pick(Decision decision, uint32_t n, llvm::ArrayRef<Candidate> candidates = {}) = 0;
};

std::unique_ptr<Schedule> createSchedule(Policy policy, uint64_t seed);

/// Passes decisions on and keeps them; `getRecord` is text that createReplay takes.
class RecordingSchedule : public Schedule {
public:
  explicit RecordingSchedule(Schedule &inner) : inner(inner) {}
  uint32_t pick(Decision decision, uint32_t n, llvm::ArrayRef<Candidate> candidates) override;
  std::string getRecord() const;

private:
  Schedule &inner;
  std::vector<uint64_t> picks;
};

/// Replays a record. A record that doesn't fit (other kernel, other arguments) is noted in
/// `getError()`, at the first decision that differs; the run then goes on with pick 0.
class ReplaySchedule : public Schedule {
public:
  /// An empty pointer and an error text for a malformed record.
  static std::unique_ptr<ReplaySchedule> create(llvm::StringRef record, std::string &error);
  uint32_t pick(Decision decision, uint32_t n, llvm::ArrayRef<Candidate> candidates) override;
  const std::string &getError() const { return error; }

private:
  std::vector<uint64_t> picks;
  size_t next = 0;
  std::string error;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_SCHEDULE_H
