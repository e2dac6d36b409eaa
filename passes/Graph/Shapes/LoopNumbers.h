//===- LoopNumbers.h - numbers of loops that are limited --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends limit the indices of a gather to the extents of its table, those
// that are numbers of loops among them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_LOOPNUMBERS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_LOOPNUMBERS_H

#include "EqualExtents.h"

namespace carousel {

/// `max(i, 0)` and `min(i, extent - 1)` of the number of a loop are that number
/// where the loop is as long. A difference that is compared with a range of one
/// number is an equality.
void populateLoopNumberPatterns(mlir::RewritePatternSet &patterns,
                                EqualExtentsListener &extents);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_LOOPNUMBERS_H
