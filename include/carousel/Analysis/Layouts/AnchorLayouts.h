//===- AnchorLayouts.h - layouts that ops want ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts from which the planner starts: docs/BlockPhase.md, The planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_ANCHORLAYOUTS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_ANCHORLAYOUTS_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

/// Accesses of global memory: each thread has 2^runBits consecutive elements of
/// the last dimension, or all of it if it is shorter. Lanes follow each other,
/// then warps (2^warpBits of them), then further registers. Threads beyond the
/// last element have copies.
LinearLayout makeCoalescedLayout(llvm::ArrayRef<unsigned> extentBits,
                                 unsigned runBits, unsigned warpBits);

/// A row in a warp: as above, but further elements of the last dimension are in
/// further registers, and warps begin with the dimension before it.
LinearLayout makeRowsOfWarps(llvm::ArrayRef<unsigned> extentBits,
                             unsigned runBits, unsigned warpBits);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_ANCHORLAYOUTS_H
