//===- ChipRates.h - bandwidths, latencies and issue rates ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers by which the throughput of a loop is predicted
// (docs/Decisions.md). TargetInfo.h has the limits of a chip, and EngineCosts.h
// the costs by which engines are compared.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_CHIPRATES_H
#define CAROUSEL_TARGET_CHIPRATES_H

#include "carousel/Target/TargetInfo.h"

namespace carousel {

/// The rates of one product of each chip, in nanoseconds and bytes.
/// Sources: "measured" by benchmarks/gpu/run, otherwise the vendor's data sheet
/// of the product, and for latencies the measured product's, scaled by nothing.
struct ChipRates {
  llvm::StringLiteral product;
  bool isMeasured;
  unsigned sms;
  double clockGHz; ///< sustained
  /// Global memory, reads and writes together, as a copy reaches it.
  double bytesPerNs;
  /// What one SM reaches while others are idle.
  double bytesPerNsOfSM;
  /// From the issue of a load by an engine until waiting threads see its data.
  double loadLatency;
  /// From the issue of a store by an engine until its tile may be overwritten.
  double storeReadLatency;
  /// From the launch until the first instruction, and from the last one until
  /// the next launch starts.
  double launchOverhead;
  /// A barrier of the CTA, with the fence and the election around a store.
  double barrier;
  /// Of an iteration with a slot: the wait for it, and the next load's issue.
  double slotOverhead;
  // Instructions of a warp in a cycle of an SM.
  double issuePerCycle;
  double specialPerCycle;     ///< of the unit for exp2, rsqrt, and so on
  double sharedBytesPerCycle; ///< of shared memory, of an SM
  // Cycles until a result can be used.
  double arithmeticLatency, sharedLatency, specialLatency;
};

const ChipRates &getChipRates(const TargetInfo &info);

} // namespace carousel

#endif // CAROUSEL_TARGET_CHIPRATES_H
