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

/// The threads of a CTA and the CTAs of a cluster, in bits.
struct ThreadBits {
  unsigned lanes = 5;
  unsigned warps = 0;
  unsigned ctas = 0;
};

/// Accesses of global memory: each thread has 2^runBits consecutive elements of
/// the last dimension, or all of it if it is shorter. Lanes follow each other,
/// then warps, then further registers. Threads beyond the last element have
/// copies. `inWarps`: further registers of the last dimension come before
/// warps, so that what a warp has there is consecutive.
LinearLayout makeCoalescedLayout(llvm::ArrayRef<unsigned> extentBits,
                                 unsigned runBits, ThreadBits threads,
                                 bool inWarps = false);

/// Reductions along the last dimension: as above, but a row has as few warps as
/// possible. Warps begin with the dimensions before the last one; those that
/// are left over share rows. Further elements of a row are in registers.
LinearLayout makeRowLayout(llvm::ArrayRef<unsigned> extentBits,
                           unsigned runBits, ThreadBits threads,
                           bool inWarps = false);

/// One of these layouts, with the elements of dimension `dim` consecutive
/// instead of those of the last one. Each CTA of a cluster has a part of that
/// dimension.
LinearLayout makeOrderedLayout(llvm::ArrayRef<unsigned> extentBits,
                               unsigned dim, unsigned runBits,
                               ThreadBits threads, bool inRows,
                               bool inWarps = false);

/// Lines along `dim` in registers. Lanes and warps begin with the other
/// dimensions, the last one first, but for those that threads reduce, which are
/// the last ones that they share.
LinearLayout makeLinesLayout(llvm::ArrayRef<unsigned> extentBits, unsigned dim,
                             llvm::ArrayRef<bool> isReduced,
                             ThreadBits threads);

/// Runs of two dimensions in registers: such blocks can be written along the
/// one and read along the other. Each way, neighbouring lanes fill whole
/// sectors.
LinearLayout makeBlockedLayout(llvm::ArrayRef<unsigned> extentBits,
                               unsigned dim, unsigned other, unsigned runBits,
                               ThreadBits threads);

/// With the highest bit of each dimension and the lowest of the last one in
/// registers, so that parts and pairs are.
LinearLayout makeSliceableLayout(llvm::ArrayRef<unsigned> extentBits,
                                 ThreadBits threads);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_ANCHORLAYOUTS_H
