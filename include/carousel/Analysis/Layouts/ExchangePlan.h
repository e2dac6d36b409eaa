//===- ExchangePlan.h - vectors through shared memory -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a vector lie in shared memory, between threads that
// write them in one layout and read them in another. An address is a linear
// map of the coordinates' bits, so that some bits of it may be an exclusive or
// of several (a swizzle).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H
#define CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

struct ExchangePlan {
  /// The addresses, in elements, of what places write and read: layouts of one
  /// dimension. Runs of registers have consecutive addresses.
  LinearLayout writer, reader;
  /// The register, of the layout from which and to which elements move, that
  /// each register of the writer and of the reader is.
  llvm::SmallVector<int64_t> writerRegisters, readerRegisters;
  int64_t elements;
  /// Elements of one access.
  int64_t writeRun, readRun;
  /// Passes over the banks that a warp's accesses take, beyond those that their
  /// bytes need.
  int64_t conflicts;

  /// The fewest accesses and conflicts together. Elements of a run don't differ
  /// in `notInRuns`, bits of their coordinates as one number, of which the last
  /// dimension is lowest.
  static ExchangePlan compute(const LinearLayout &from, const LinearLayout &to,
                              int64_t elementBytes, uint32_t notInRuns = 0);
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H
