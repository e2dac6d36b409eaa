//===- MaskPadding.h - no results of padding --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_MASKPADDING_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_MASKPADDING_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Lets elements beyond the covered extent take part in no reduction, and be
/// written nowhere. Adds guards for what a launch decides. The kernel has a
/// width, and no calls.
mlir::LogicalResult maskPadding(mlir::gpu::GPUFuncOp kernel,
                                BlockProgramAttr program);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_MASKPADDING_H
