//===- EmptyLoops.h - ops that compute nothing ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an extent is 0, an op writes nothing: its results are its inits. A
// kernel would have rows of no element, which no vector has. And a fill reads
// nothing: it doesn't follow the op that made its init.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYLOOPS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYLOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

void populateEmptyLoopPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYLOOPS_H
