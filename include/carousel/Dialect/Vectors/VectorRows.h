//===- VectorRows.h - vectors of several rows, row by row -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that upstream lacks, for whoever lowers vectors to LLVM, be it for a
// device or for the host.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_VECTORS_VECTORROWS_H
#define CAROUSEL_DIALECT_VECTORS_VECTORROWS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Loads and stores of several rows become those of one, rows at positions
/// known at run time become selects, and scatters become stores of each lane.
void populateVectorRowPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_DIALECT_VECTORS_VECTORROWS_H
