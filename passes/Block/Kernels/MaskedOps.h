//===- MaskedOps.h - reductions and products under a mask -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's vectorization puts ops with dynamic extents into vector.mask. The
// block phase has reductions, contractions and transfers of it; here they
// become ops on vectors whose masked elements are neutral.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_MASKEDOPS_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_MASKEDOPS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace carousel {

/// The number of elements in each dimension that a mask leaves; nullopt for
/// masks that aren't such a box.
std::optional<llvm::SmallVector<mlir::OpFoldResult>>
findMaskSizes(mlir::Value mask);

/// The reason why the block phase doesn't have this form, or an empty string.
std::string explainMask(mlir::vector::MaskOp op);

/// Replaces one that it has.
void unmask(mlir::RewriterBase &rewriter, mlir::vector::MaskOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_MASKEDOPS_H
