//===- ReshapePatterns.h - reshapes to extents that are numbers -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_RESHAPEPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_RESHAPEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Patterns for the greedy driver:
/// - tensor.reshape is tensor.collapse_shape and expand_shape, where runs of
///   dimensions are known to have as many elements;
/// - dimensions that are joined and then divided in another way are divided
///   first.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);

/// What is left: tensor.reshape is a structured op, which divides. A cf.assert
/// compares the numbers of elements.
void populateOtherReshapePatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_RESHAPEPATTERNS_H
