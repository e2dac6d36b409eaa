//===- ExtentPatterns.h - simpler extents -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What front ends compute of extents, although it follows from how these were
// made.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_EXTENTPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_EXTENTPATTERNS_H

#include "../Decisions/DecisionLog.h"
#include "EqualExtents.h"

namespace carousel {

/// Patterns for the greedy driver:
/// - a quotient of products of extents is the product of what is left;
/// - a remainder of a multiple is 0;
/// - one of two equal extents is either;
/// - an index that is 0 if the loop's own extent is 1 is the loop's index.
void populateExtentPatterns(mlir::RewritePatternSet &patterns,
                            EqualExtentsListener &extents);

/// Says which extents may be 1 where an op reads an operand as if it were
/// broadcast.
void noteBroadcasts(mlir::func::FuncOp func, DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_EXTENTPATTERNS_H
