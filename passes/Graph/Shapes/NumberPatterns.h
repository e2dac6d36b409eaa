//===- NumberPatterns.h - numbers of the host and of the device -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number between structured ops is computed by the host if it follows from
// extents and from arguments that are numbers, and by the kernels that need it
// if it depends on elements of tensors, which the host doesn't read.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_NUMBERPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_NUMBERPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Whether a number between structured ops depends on elements of tensors.
bool dependsOnData(mlir::Value number);

/// Patterns for the greedy driver:
/// - a structured op on numbers, without loops, becomes arithmetic;
/// - a tensor of one number is a number where a structured op reads it;
/// - extents that a body asks for are computed before it;
/// - a number that depends on data is computed in the bodies that use it;
/// - a function of a choice between constants in a body is such a choice.
void populateNumberPatterns(mlir::RewritePatternSet &patterns);

/// What is left: a tensor of up to 64 numbers is written by a structured op.
void populateTensorOfNumbersPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_NUMBERPATTERNS_H
