//===- SinkReads.h - reads of tiles for branches ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread reads from a tile for one side of a branch alone, as the
// numbers that a mask compares, is read there: the other side, of tiles that
// need no mask, then has neither the reads nor their registers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_SINKREADS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_SINKREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Moves reads of loaded tiles, and what is computed of them, into branches.
void sinkReads(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_SINKREADS_H
