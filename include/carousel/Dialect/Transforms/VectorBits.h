//===- VectorBits.h - vectors of i1 in memory -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a memref of i1 is a byte. LLVM packs a vector of i1 in memory,
// eight to a byte.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VECTORBITS_H
#define CAROUSEL_DIALECT_TRANSFORMS_VECTORBITS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Lowers loads and stores of rows of i1, masked or not, to those of elements.
void populateVectorsOfBits(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VECTORBITS_H
