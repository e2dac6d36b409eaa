//===- GPUCollectives.h - collective ops as shuffles ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of carousel-lower-gpu-ops. They lower collective gpu ops to
// gpu.shuffle of i32 or f32, gpu.barrier and shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Lowers shuffles of any type, rotations and broadcasts to 32-bit shuffles.
void populateShufflesOfWords(mlir::RewritePatternSet &patterns);

/// Lowers reductions of a warp to shuffles: upstream's patterns, and patterns
/// for the rest.
void populateSubgroupReduce(mlir::RewritePatternSet &patterns);

/// Lowers a warp's number, the number of warps, and the number of lanes.
void populateSubgroupNumbers(mlir::RewritePatternSet &patterns);

/// Lowers reductions of a CTA: of each warp by shuffles, then of the warps'
/// results through shared memory. They may stand in loops and branches.
void populateAllReduce(mlir::RewritePatternSet &patterns);

/// Makes an assertion print the values that it compares, and name its kernel.
void populateAssertions(mlir::RewritePatternSet &patterns);

/// Converts arguments of gpu.printf as C's default promotions do.
void populatePrintfArguments(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_GPUCOLLECTIVES_H
