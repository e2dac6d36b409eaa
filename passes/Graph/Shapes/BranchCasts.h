//===- BranchCasts.h - casts of what a branch reads -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read under a condition, extended to be summed and then rounded, is
// what was read, if all of it is in the branch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_BRANCHCASTS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_BRANCHCASTS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Takes casts of a branch's only result into both branches.
void populateBranchCastPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_BRANCHCASTS_H
