//===- VectorLanes.h - vectors row by row and lane by lane ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that all lowerings and the simulated machine share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H
#define CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H

#include "mlir/IR/PatternMatch.h"

#include <string>

namespace carousel {

/// Lowers rows at positions known only at run time to selects, and accesses
/// with one address per lane to one access per lane.
void populateVectorsByLane(mlir::RewritePatternSet &patterns);

/// C200: the reason why an op on vectors of scalable length is rejected. No
/// lowering supports them. Empty for all other ops.
std::string explainScalable(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VECTORLANES_H
