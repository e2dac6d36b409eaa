//===- ReadBlockProblem.h - what threads depend on --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Analysis/Distribution/BlockVariants.h plans the variants of a block
// program from.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_READBLOCKPROBLEM_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_READBLOCKPROBLEM_H

#include "carousel/Analysis/Distribution/BlockVariants.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

BlockProblem readBlockProblem(mlir::gpu::GPUFuncOp kernel,
                              BlockProgramAttr program, LaunchAttr launch);

/// Why rows of `width` elements can't go through the kernel in chunks.
std::string findRowRefusal(mlir::gpu::GPUFuncOp kernel, int64_t width);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_READBLOCKPROBLEM_H
