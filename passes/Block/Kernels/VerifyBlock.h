//===- VerifyBlock.h - what kernels of the block phase have -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of --carousel-verify-block of one kernel. Passes that rely on it
// may run without that pass.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_VERIFYBLOCK_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_VERIFYBLOCK_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// The most dimensions of a block program's vectors (C210).
inline constexpr int64_t kMostVectorDims = 4;

/// C209 and C210 for the ops that have vectors.
mlir::LogicalResult verifyVectorOps(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_VERIFYBLOCK_H
