//===- CutStores.h - stores of a part of a vector ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores of vectors that the end of a row cuts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_CUTSTORES_H
#define CAROUSEL_PASSES_RING_CUTSTORES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// Stores the first `count` elements (an index, below the vector's number of
/// elements, and perhaps negative) of a vector to `memref` from `indices` on.
/// `alignment` holds of the whole vector's address. Where it allows, elements
/// are stored by powers of two: a vector of eight takes at most three stores.
void createCutStore(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                    mlir::Value count, mlir::Value memref,
                    mlir::ValueRange indices, uint64_t alignment);

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_CUTSTORES_H
