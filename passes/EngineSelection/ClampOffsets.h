//===- ClampOffsets.h - offsets that coordinates can hold -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinates of a tensor copy have 32 bits, offsets in the tile phase have
// 64. Extents fit into 31, by the engine's guards; what is farther outside than
// that could come back in. Where an offset isn't known to be near enough, it is
// brought nearer, and stays outside.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H
#define CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// For the tensor copies of a kernel whose engines are chosen.
void clampOffsets(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_ENGINESELECTION_CLAMPOFFSETS_H
