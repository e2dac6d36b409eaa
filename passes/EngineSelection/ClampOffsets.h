//===- ClampOffsets.h - clamp offsets to 32-bit coordinates -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinates of a tensor copy have 32 bits; offsets in the tile phase have
// 64. The engine's guards limit extents to 31 bits. An offset far outside the
// memref could wrap to a coordinate inside it. Such offsets are clamped to
// values that have 32 bits and still lie outside.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H
#define CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Clamps the offsets of tensor copies in a kernel whose engines are chosen.
void clampOffsets(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H
