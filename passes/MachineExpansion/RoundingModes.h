//===- RoundingModes.h - numbers that are rounded ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns of carousel-expand-arith for arith.truncf with a rounding mode, and
// for carousel.round_tf32. Conversions of LLVM and C++ round to nearest, ties
// to even, and ignore other modes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_ROUNDINGMODES_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_ROUNDINGMODES_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

void populateRoundingModes(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_ROUNDINGMODES_H
