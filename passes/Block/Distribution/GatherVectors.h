//===- GatherVectors.h - elements by their indices --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers and scatters, as --carousel-distribute writes them: each thread
// accesses its own elements.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_GATHERVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_GATHERVECTORS_H

#include "../Threads/ThreadProgram.h"

namespace carousel {

struct IndexedAccess {
  mlir::VectorType type; ///< of the CTA's vector
  const LinearLayout &layout;
  /// Consecutive registers whose elements follow each other in memory. One
  /// access has them if its index is a multiple of their number.
  int64_t run;
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> offsets;
  /// The indices and the mask of a thread, as are the elements.
  mlir::Value indices, mask;
};

/// Elements that are masked are those of `others`.
mlir::Value gatherVector(ThreadProgram &program, const IndexedAccess &access,
                         mlir::Value others);
void scatterVector(ThreadProgram &program, const IndexedAccess &access,
                   mlir::Value registers);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_GATHERVECTORS_H
