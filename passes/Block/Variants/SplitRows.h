//===- SplitRows.h - rows in the CTAs of a cluster --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of a cluster becomes one of each of its CTAs, which exchange the
// results of reductions (docs/BlockPhase.md, Clusters).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_SPLITROWS_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_SPLITROWS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Splits the dimensions of `width` elements among `ctas` CTAs. The kernel's
/// vectors are elementwise along them, apart from reductions to scalars, and
/// reductions aren't in branches. The grid and ids count CTAs afterwards.
void splitRows(mlir::gpu::GPUFuncOp kernel, int64_t width, int64_t ctas);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_SPLITROWS_H
