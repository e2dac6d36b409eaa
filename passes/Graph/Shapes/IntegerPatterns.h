//===- IntegerPatterns.h - integers of the host as indices ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends compute with extents in integers of 32 or 64 bits. The host has
// indices, of 64 bits. Integers of 32 bits are the low bits of these: sums and
// products keep them, but quotients and comparisons need all bits, which is
// proven or checked at the launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_INTEGERPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_INTEGERPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Patterns for the greedy driver: integers that follow from indices are
/// indices, and so are those compared.
void populateIntegerPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_INTEGERPATTERNS_H
