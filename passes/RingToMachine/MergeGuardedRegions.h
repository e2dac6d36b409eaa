//===- MergeGuardedRegions.h - merge guarded regions ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges consecutive branches on the same condition.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_MERGEGUARDEDREGIONS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_MERGEGUARDEDREGIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Merges consecutive regions with the same guard.
void mergeGuardedRegions(mlir::gpu::GPUFuncOp kernel);

/// If one condition, from outside of the block, guards all that the block does
/// besides computing: the block does it all under that condition. A change of
/// registers at its start stays outside.
void guardAsOne(mlir::Block &block);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_MERGEGUARDEDREGIONS_H
