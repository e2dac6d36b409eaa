//===- FoldGrid.h - programs of all dimensions along x ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch has up to 65535 CTAs along y and z, and 2^31 - 1 along x. So the
// programs of a grid whose extents there depend on arguments are numbered along
// x, in the same order. All of them together are then at most 2^31 - 1.
// Programs without a loop are short, and divisions would delay their first
// reads: they keep the grid of their author. So do grids of scalars, which may
// be negative, and be too large together.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_FOLDGRID_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_FOLDGRID_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Gives a kernel with a loop whose y and z aren't bounded by constants a grid
/// of x alone. One of clusters, or one that can't compute its grid, stays as it
/// is. So must one whose programs CTAs execute together: the pass that batches
/// them follows ids of the author's grid, not quotients. Returns whether the
/// grid has changed.
bool foldGrid(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_FOLDGRID_H
