//===- SlicePatterns.h - slices, concatenations and reshapes ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements and isn't a view that the host can compute.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SLICEPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SLICEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Patterns for the greedy driver:
/// - slices and updates whose offsets depend on data are structured ops;
/// - tensor.concat is one, with a condition for each part;
/// - tensor.reshape is tensor.collapse_shape and expand_shape, where runs of
///   dimensions are known to have as many elements.
void populateSlicePatterns(mlir::RewritePatternSet &patterns);

/// What is left: tensor.reshape is a structured op, which divides.
void populateOtherReshapePatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SLICEPATTERNS_H
