//===- InsertPatterns.h - tensors that are put together ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends concatenate, interleave and pad by tensor.insert_slice. As steps
// of a program, each part would pass through memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_INSERTPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_INSERTPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// An elementwise op that finds each element in one of several parts by
/// comparing an index with where these start becomes insertions of the parts.
void populateConcatenationPatterns(mlir::RewritePatternSet &patterns);

/// Up to eight parts of a tensor along one dimension, at constant positions,
/// become an elementwise op that reads the part in which an index lies. That
/// needs users that compute on the elements, or parts that are cheap.
void populateInsertPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_INSERTPATTERNS_H
