//===- ExchangePlan.h - vectors through shared memory -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a vector lie in shared memory, between threads that
// write them in one layout and read them in another.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H
#define CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

struct ExchangePlan {
  /// The dimension that is consecutive; the others are outer ones, in order.
  unsigned innerDim;
  /// Elements from one row of the inner dimension to the next.
  int64_t pitch;
  int64_t rows;
  /// Elements of one access.
  int64_t writeRun, readRun;
  /// Passes over the banks that a warp's accesses take, beyond those that their
  /// bytes need.
  int64_t conflicts;

  /// The least conflicts, then the widest accesses, then the least memory.
  static ExchangePlan compute(const LinearLayout &from, const LinearLayout &to,
                              int64_t elementBytes);

  /// The row of an element: its outer coordinates as one number.
  int64_t getRow(const LinearLayout &layout,
                 llvm::ArrayRef<uint32_t> coordinates) const;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_EXCHANGEPLAN_H
