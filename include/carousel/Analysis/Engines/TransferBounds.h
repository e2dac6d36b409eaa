//===- TransferBounds.h - transfers that are in bounds ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that a transfer's box is inside its global memref, from the ranges and
// divisors of its offsets and from the bounds of loops.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_TRANSFERBOUNDS_H
#define CAROUSEL_ANALYSIS_ENGINES_TRANSFERBOUNDS_H

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// Whether the box of `op`, a transfer of the tile phase, is known to be inside
/// its global memref.
bool isKnownInBounds(TransferOpInterface op, const Divisibility &facts,
                     IndexRanges &ranges);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_TRANSFERBOUNDS_H
