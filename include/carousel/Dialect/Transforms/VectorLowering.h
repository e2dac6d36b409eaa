//===- VectorLowering.h - vectors to what LLVM has --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that the passes and the simulated machine share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VECTORLOWERING_H
#define CAROUSEL_DIALECT_TRANSFORMS_VECTORLOWERING_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Lowers vector ops to those that convert to LLVM one by one: the patterns of
/// VectorRows.h, VectorLanes.h and VectorBits.h, and upstream's progressive
/// lowerings. The caller adds how it materializes masks.
void populateVectorLowering(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VECTORLOWERING_H
