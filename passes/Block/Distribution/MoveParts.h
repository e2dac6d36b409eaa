//===- MoveParts.h - parts of vectors at any place --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts that begin at positions of the run, or elsewhere than at multiples of
// their extents. Their elements go from thread to thread through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MOVEPARTS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MOVEPARTS_H

#include "ReshapeVectors.h"

#include "carousel/Analysis/Distribution/VectorParts.h"

namespace carousel {

/// A part whose offsets are values of the thread.
struct PlacedPart {
  VectorPart part;
  llvm::SmallVector<mlir::Value> offsets;
};

/// The part's elements: a scalar, which may be at constant coordinates, or
/// registers in the layout `to`.
mlir::Value extractPart(ThreadProgram &program, const PlacedPart &placed,
                        const DistributedVector &whole, const LinearLayout *to);

/// `dest`, in its layout, with the part replaced by a vector or a scalar.
mlir::Value insertPart(ThreadProgram &program, const PlacedPart &placed,
                       const DistributedVector &value,
                       const DistributedVector &dest);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MOVEPARTS_H
