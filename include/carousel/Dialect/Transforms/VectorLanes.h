//===- VectorLanes.h - vectors row by row and lane by lane ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that the targets and the simulated machine share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H
#define CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H

#include "mlir/IR/PatternMatch.h"

#include <string>

namespace carousel {

/// Rows at positions known at run time become selects, accesses whose lanes go
/// to places of their own become accesses of each lane.
void populateVectorsByLane(mlir::RewritePatternSet &patterns);

/// C200: what is wrong with an op on vectors of a scalable length, which no way
/// has; empty for all other ops.
std::string explainScalable(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H
