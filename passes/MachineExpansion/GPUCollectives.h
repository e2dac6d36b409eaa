//===- GPUCollectives.h - collectives of threads as shuffles ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of carousel-lower-gpu-ops, which lead to gpu.shuffle of i32 or f32,
// gpu.barrier and shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Shuffles of any type, rotations and broadcasts, as shuffles of 32 bits.
void populateShufflesOfWords(mlir::RewritePatternSet &patterns);

/// The number of a warp, how many there are, and how many lanes each has.
void populateSubgroupNumbers(mlir::RewritePatternSet &patterns);

/// Reductions of a CTA: of each warp by shuffles, then of the warps' results
/// through shared memory. They stand in loops and branches as any op does.
void populateAllReduce(mlir::RewritePatternSet &patterns);

/// Arguments of gpu.printf as the words that C passes.
void populatePrintfArguments(mlir::RewritePatternSet &patterns);

/// The number of the thread in its block, as an index.
mlir::Value createLinearThreadId(mlir::OpBuilder &builder, mlir::Location loc);

/// How many threads the block has, as an index.
mlir::Value createBlockThreads(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H
