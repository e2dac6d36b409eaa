//===- RotateWhileLoops.h - pipelined while loops ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form in which the rings of while loops are planned.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_ROTATEWHILELOOPS_H
#define CAROUSEL_PASSES_RING_ROTATEWHILELOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Rotates each scf.while with carousel.pipeline that can be rotated
/// (`explainRotation`), and says whether there was one.
bool rotateWhileLoops(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_ROTATEWHILELOOPS_H
