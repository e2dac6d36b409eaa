//===- ArgReductions.h - where the largest element is -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions to a largest or least element and its index, as argmax is written.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_ARGREDUCTIONS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_ARGREDUCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// A pattern for the greedy driver: a reduction of rows to an element and its
/// index becomes one to the element, and one to the least index of what is
/// equal to it. The first element that isn't a number is taken, if there is
/// one.
void populateArgReductionPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_ARGREDUCTIONS_H
