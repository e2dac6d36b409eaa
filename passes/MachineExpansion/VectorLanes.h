//===- VectorLanes.h - vectors lane by lane ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of carousel-lower-vectors.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_VECTORLANES_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_VECTORLANES_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Accesses that expand or compress become accesses of each lane, and lanes are
/// parted by shuffles.
void populateVectorsByLane(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_VECTORLANES_H
