//===- SortVectors.h - sorts by all threads ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a CTA sort the lines of a vector by a bitonic network of keys
// with positions, and read other values by these. docs/BlockPhase.md, Sorts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_SORTVECTORS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_SORTVECTORS_H

#include "ThreadProgram.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"

namespace carousel {

/// The registers of a sort's results, in the layout of its operands, of which
/// findScannedBits holds.
llvm::SmallVector<mlir::Value> sortVectors(ThreadProgram &program, SortOp op,
                                           const LinearLayout &layout,
                                           mlir::Value key,
                                           mlir::ValueRange values);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_SORTVECTORS_H
