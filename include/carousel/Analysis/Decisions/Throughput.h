//===- Throughput.h - predict how fast a pipelined loop runs ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of a persistent kernel around a pipelined loop, from the
// work of one iteration, the chip, and what is decided: stages, prefetch, the
// path of stores. In: plain numbers. Out: plain numbers, and what limits them.
// docs/Decisions.md derives the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DECISIONS_THROUGHPUT_H
#define CAROUSEL_ANALYSIS_DECISIONS_THROUGHPUT_H

#include "carousel/Target/ChipModel.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel {

/// The work of one iteration of a loop in one CTA.
struct LoopWork {
  int64_t loadBytes = 0;
  int64_t storeBytes = 0;
  /// Bytes of shared memory that threads and engines access.
  int64_t sharedBytes = 0;
  /// Instructions of all warps, and those of the special function unit.
  double instructions = 0;
  double specialInstructions = 0;
  /// The dependent chain of one thread in cycles, from the first use of the
  /// loads to the last store, without barriers.
  double chainCycles = 0;
  /// Barriers of the CTA on the chain.
  double barriers = 0;
  int64_t threads = 0;   ///< of the CTA
  int64_t registers = 0; ///< of a thread, estimated or measured
  /// The launch doesn't say that the grid fills the SMs.
  bool mayBeFewCTAs = false;

  void print(llvm::raw_ostream &os) const;
};

/// The decisions for a loop.
struct LoopChoice {
  int64_t stages = 1;
  int64_t prefetch = 0;
  int64_t sharedBytes = 0; ///< of the CTA, with everything else in it
  /// Threads store from registers, so that no slot waits for an engine.
  bool storesFromRegisters = false;
};

/// The limit of the prediction.
enum class LoopLimit { Memory, Latency, Issue, SpecialFunctions, SharedMemory };
/// The limit of the number of CTAs per SM.
enum class OccupancyLimit { SharedMemory, Registers, Threads, Blocks };

llvm::StringRef stringifyLoopLimit(LoopLimit limit);
llvm::StringRef stringifyOccupancyLimit(OccupancyLimit limit);

struct LoopPrediction {
  int64_t ctasPerSM = 0; ///< 0 if a CTA doesn't fit
  OccupancyLimit occupancyLimit = OccupancyLimit::SharedMemory;
  int64_t bytesInFlight = 0; ///< per SM, of loads
  // The nanoseconds of an iteration of all CTAs of an SM, by each limit alone.
  double memoryNs = 0, latencyNs = 0, issueNs = 0, specialNs = 0, sharedNs = 0;
  double aloneNs = 0;     ///< of the threads of a CTA that is alone on its SM
  double threadsNs = 0;   ///< of the threads of all CTAs, which share the issue
  double iterationNs = 0; ///< by all of them together
  LoopLimit limit = LoopLimit::Memory;
  /// The time of a launch, whatever it moves: its overhead, the first load, the
  /// last store, and half of the last round, which is missing on average.
  double fixedNs = 0;
  /// The bytes that the whole grid moves while all CTAs run, in GB/s.
  double throughput = 0;

  void print(llvm::raw_ostream &os) const;
};

/// The CTAs that an SM holds at once.
int64_t computeCTAsPerSM(const TargetInfo &target, int64_t threads,
                         int64_t registers, int64_t sharedBytes,
                         OccupancyLimit &limit);

LoopPrediction predictLoop(const ChipModel &chip, const LoopWork &work,
                           const LoopChoice &choice);

/// The nanoseconds of a launch that moves `bytes` in all, with as many CTAs as
/// fit.
double predictLaunch(const ChipModel &chip, const LoopWork &work,
                     const LoopPrediction &loop, double bytes);

/// The launch for which choices are compared: large enough that the steady
/// state counts, small enough that its beginning and end do, too.
inline constexpr double kNominalBytes = 128.0 * 1024 * 1024;

/// The number in `choices` of the first one whose launch is nearly as short as
/// the shortest (within 1.5 percent). If there may be few CTAs: whose loss is
/// nearly the least, the larger of the loss of a full grid and of one with a
/// CTA on each SM. nullopt if no choice fits.
std::optional<unsigned> chooseFastest(const ChipModel &chip,
                                      const LoopWork &work,
                                      llvm::ArrayRef<LoopChoice> choices);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DECISIONS_THROUGHPUT_H
