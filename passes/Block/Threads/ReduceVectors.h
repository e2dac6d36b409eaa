//===- ReduceVectors.h - reductions by all threads --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduces vectors through registers, shuffles, and one exchange between warps.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_REDUCEVECTORS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_REDUCEVECTORS_H

#include "ThreadProgram.h"

namespace carousel {

/// How exchanges at one place of the program keep out of each other's way when
/// the place is executed again.
struct ExchangeTurn {
  /// The number of the buffer to use, 0 or 1; null for one buffer.
  mlir::Value buffer;
  /// Whether a barrier is needed first.
  bool needsBarrier = false;
};

/// Numbers places by the bits that \p chosen has for them, lanes first, then
/// registers and warps: the only dimension of the layout.
LinearLayout numberPlaces(const LinearLayout &layout,
                          llvm::function_ref<uint32_t(Place)> chosen);

/// Whether a reduction of this layout goes from warp to warp.
bool needsExchange(const LinearLayout &source, llvm::ArrayRef<bool> isReduced);

/// The registers of the result, in the layout getReducedLayout(source).
/// `extents` are the vector's, without what rounds them up to powers of two.
mlir::Value
reduceVector(ThreadProgram &program, mlir::Value registers,
             const LinearLayout &source, llvm::ArrayRef<bool> isReduced,
             llvm::ArrayRef<int64_t> extents, mlir::vector::CombiningKind kind,
             mlir::arith::FastMathFlagsAttr fastMath, const ExchangeTurn &turn);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_REDUCEVECTORS_H
