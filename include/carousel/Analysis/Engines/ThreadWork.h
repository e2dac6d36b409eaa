//===- ThreadWork.h - work of the most loaded thread ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate, without a GPU, of what the most loaded thread executes in a part
// of a kernel at the machine phase, and the most that a transfer may cost it
// (docs/Engines.md, Work of one thread). It is an upper estimate: of a branch,
// the dearer region counts, and a loop counts with as many iterations as the
// ranges of its bounds allow.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_THREADWORK_H
#define CAROUSEL_ANALYSIS_ENGINES_THREADWORK_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Analysis/Values/IndexRanges.h"

namespace carousel {

struct ThreadWork {
  int64_t instructions = 0;
  /// How often the thread waits for global memory: loads that don't depend on
  /// each other, in one block, are one wait.
  int64_t waits = 0;
  /// Whether the iterations of each loop are bounded. Otherwise a loop that
  /// isn't counts once.
  bool isBounded = true;

  ThreadWork &operator+=(const ThreadWork &other);
  bool isWithin(const ThreadWork &bound) const {
    return isBounded && instructions <= bound.instructions &&
           waits <= bound.waits;
  }
  void print(llvm::raw_ostream &os) const;
};

/// The work of the ops from `first` to before `last`, in one block.
ThreadWork estimateThreadWork(mlir::Block::iterator first,
                              mlir::Block::iterator last, IndexRanges &ranges);

/// The most that one thread may do for a use of the transfer, which `threads`
/// threads share if they carry it out. A scope without whole warps has no warp
/// to share the ends of a bulk copy: `hasWarp`.
ThreadWork getWorkBound(TransferOpInterface op, const TransferShape &shape,
                        int64_t threads, bool hasWarp);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_THREADWORK_H
