//===- TileBanks.h - swizzles of block programs' tiles ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A swizzle binds a transfer to engines that have it, so it is chosen only
// where lanes would wait for each other without one: docs/Engines.md, Swizzle.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_TILEBANKS_H
#define CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_TILEBANKS_H

#include "carousel/Analysis/Layouts/LinearLayout.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace carousel {

/// The swizzle for ldmatrix, which reads rows of 16 bytes of eight consecutive
/// rows of the tile.
Swizzle chooseMatrixSwizzle(mlir::VectorType tile);

/// The swizzle for accesses of runs of elements in a layout.
Swizzle chooseTileSwizzle(mlir::VectorType tile, const LinearLayout &layout,
                          int64_t run);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_TILEBANKS_H
