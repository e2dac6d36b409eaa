//===- ViewExtents.h - extents of views of buffers --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch computes the sizes of buffers from arguments. Bufferization asks
// views for extents.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PROGRAMS_VIEWEXTENTS_H
#define CAROUSEL_PASSES_GRAPH_PROGRAMS_VIEWEXTENTS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Extents of reshapes in terms of those of what they are views of. Upstream's
/// folds know slices and casts.
void populateViewExtentPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PROGRAMS_VIEWEXTENTS_H
