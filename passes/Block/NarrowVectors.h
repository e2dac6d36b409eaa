//===- NarrowVectors.h - programs of other widths ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same program on vectors with fewer elements.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_NARROWVECTORS_H
#define CAROUSEL_PASSES_BLOCK_NARROWVECTORS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Gives vectors `to` elements in each dimension that has `from`.
void narrowVectors(mlir::gpu::GPUFuncOp kernel, int64_t from, int64_t to);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_NARROWVECTORS_H
