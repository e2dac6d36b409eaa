//===- Schedule.h - the decisions of a run ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every choice that hardware is free to make is one call of Schedule::pick: the
// next thread to run, the next piece of a transfer to land, whether a try_wait
// times out. A schedule is seeded random, adversarial, or the replay of a
// recorded one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRID_SCHEDULE_H
#define CAROUSEL_LIB_SIMULATOR_GRID_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

enum class Decision : uint8_t {
  Steps,    // of n: how many steps, less one, the picked thread makes
  Turns,    // of n: how many threads of the picked CTA run in a row, less one
  Landings, // of n: how many landings, less one, happen before a thread runs
  Agent,    // of 2: 0 = a thread runs, 1 = the engines make landings
  Fair,     // of 2, when long nothing went on: 1 = the engines and every thread
            // that can run get one turn each
  CTA,      // of n: which CTA with runnable threads
  Warp,     // of n: which warp of it with runnable threads
  Lane,     // of n: which runnable lane of it
  EngineEvent, // of n: which landing of those that may happen
  TryWait,     // of 2: 1 = a try_wait whose phase is incomplete returns false
  Bytes,       // of 2: what a stale read gets: 0 = the new bytes, 1 = poison
  LaunchOrder, // of n: which CTA (or cluster) becomes resident next
  Dependents, // of 2: 0 = a dependent launch starts as soon as it may, 1 = when
              // the launch before it has ended
  Residency,  // of n: how many clusters, less one, are resident at most
  Leader,     // of n: which of the lanes in a mask elect gives, from the lowest
  Stop,       // of n: after how many steps, less one, a GPU stops
  Expire,     // of 2: 1 = the time of a wait is over before its signal comes
};
constexpr unsigned kNumDecisions = unsigned(Decision::Expire) + 1;

enum class Policy : uint8_t {
  Random,
  LateLanding,  // engines act when no thread can
  EarlyLanding, // engines act as soon as they may
  EagerReuse,   // a thread that was just woken runs at once: buffers are reused
                // at the earliest
  StarvedWarp,  // one warp of each CTA, drawn from the seed, runs when nothing
                // else can (of CTAs of one warp: one CTA). In half of the runs
                // the time of waits may be over
  ReverseCTAs,  // CTAs start and run from the last to the first
  OneCTA,       // one CTA at a time: no other is resident unless all are
};
constexpr unsigned kNumPolicies = unsigned(Policy::OneCTA) + 1;
/// "random", "late-landing", ..., in the order of the enum.
llvm::ArrayRef<llvm::StringRef> getPolicyNames();
llvm::StringRef getName(Policy policy);
std::optional<Policy> parsePolicy(llvm::StringRef name);

/// A candidate thread or CTA, as adversarial policies see it.
struct Candidate {
  /// CTA: its number in the grid; Warp: its number in the CTA; Lane: the lane.
  uint32_t id = 0;
  bool justWoken = false;
  /// For a CTA: a mask of its warps with runnable threads. For a warp: the CTA.
  uint32_t context = 0;
};

class Schedule {
public:
  virtual ~Schedule();
  /// Called before the first decision, with the size of the grid.
  virtual void begin(uint32_t ctas, uint32_t warpsPerCTA) {}
  /// Whether the choice depends on the candidates. Only then are they given.
  virtual bool looksAt(Decision decision) const { return false; }
  /// Chooses one of 0 .. n-1; n is at least 1. `candidates` is empty or has n
  /// elements.
  virtual uint32_t pick(Decision decision, uint32_t n,
                        llvm::ArrayRef<Candidate> candidates = {}) = 0;
};

std::unique_ptr<Schedule> createSchedule(Policy policy, uint64_t seed);

/// Forwards decisions and records them. `getRecord` is text that
/// ReplaySchedule::create accepts.
class RecordingSchedule : public Schedule {
public:
  explicit RecordingSchedule(Schedule &inner) : inner(inner) {}
  void begin(uint32_t ctas, uint32_t warpsPerCTA) override;
  bool looksAt(Decision decision) const override;
  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates = {}) override;
  std::string getRecord() const;

private:
  Schedule &inner;
  /// Decisions as bytes, with repeat counts; see Schedule.cpp.
  std::string bytes;
  uint64_t last = 0, repeats = 0, numPicks = 0;
};

/// Replays a record. If a record doesn't fit (another kernel, other arguments),
/// `getError()` reports the first decision that differs. The run then continues
/// with pick 0, and with 1 where a decision asks for fairness.
class ReplaySchedule : public Schedule {
public:
  /// Returns a null pointer and an error text for a malformed record.
  static std::unique_ptr<ReplaySchedule> create(llvm::StringRef record,
                                                std::string &error);
  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates = {}) override;
  const std::string &getError() const { return error; }
  /// Whether exactly the recorded decisions were made.
  bool isComplete() const { return error.empty() && numLeft == 0; }

private:
  std::string bytes;
  size_t position = 0;
  uint64_t last = 0, repeats = 0, numPicks = 0, numLeft = 0;
  std::string error;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRID_SCHEDULE_H
