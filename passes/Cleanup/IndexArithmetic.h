//===- IndexArithmetic.h - the steps of index arithmetic --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private. The steps of carousel-simplify-index-arithmetic. Each rewrites the
// ops nested in `root` and returns what it did, for the pass's statistics.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_CLEANUP_INDEXARITHMETIC_H
#define CAROUSEL_PASSES_CLEANUP_INDEXARITHMETIC_H

namespace mlir {
class Operation;
} // namespace mlir

namespace carousel {

struct ReducedDivisions {
  unsigned reduced = 0; ///< divisions that loop-carried values replace
  unsigned kept = 0;    ///< candidates that would not have paid
};

/// Strength reduction: replaces 64-bit divisions of induction variables by
/// loop-carried quotients and remainders, if they have at most `maxDivisors`
/// divisors and no other 64-bit division is left.
ReducedDivisions reduceDivisions(mlir::Operation *root, unsigned maxDivisors);

struct NarrowedDivisions {
  unsigned narrowed = 0; ///< divisions that became divisions of i32
  unsigned rounded = 0;  ///< rounded-up quotients that became those of a sum
};

/// Narrows 64-bit divisions to 32 bits where value ranges allow.
NarrowedDivisions narrowDivisions(mlir::Operation *root);

/// Merges loop-carried values with equal start and step; returns how many.
unsigned mergeInductionVariables(mlir::Operation *root);

/// Splits addresses of swizzled tiles into few that a thread computes, and
/// constants; returns the number of accesses that have such ones.
unsigned splitAddresses(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_PASSES_CLEANUP_INDEXARITHMETIC_H
