//===- VectorRows.h - vectors of several rows, row by row -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that all lowerings and the simulated machine share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VECTORROWS_H
#define CAROUSEL_DIALECT_TRANSFORMS_VECTORROWS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Lowers loads, stores, absolute values and counts of zeros of several rows to
/// those of one row.
void populateVectorsByRow(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VECTORROWS_H
