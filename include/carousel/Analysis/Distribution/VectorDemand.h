//===- VectorDemand.h - what a block program's vectors need -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers and shared memory that the vectors of a block program need at once,
// whatever their layouts will be. Variants with vectors that don't fit are not
// made (BlockVariants.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORDEMAND_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORDEMAND_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

struct VectorDemand {
  /// The bytes of vectors that live at once where threads wait for each other:
  /// across a reduction, or from one iteration to the next. Masks don't count,
  /// nor do vectors that threads compute from coordinates. What elementwise ops
  /// compute between two such places can go through few registers.
  int64_t liveBytes = 0;
  /// The bytes of tiles of transfers in pipelined loops, with two stages of
  /// each, or of the largest other tile.
  int64_t tileBytes = 0;

  static VectorDemand of(mlir::gpu::GPUFuncOp kernel);
};

class LayoutPlan;

/// The most registers that vectors take in a thread at once: across reductions,
/// iterations and products, and the results of these. Threads read the tiles of
/// products piece by piece.
int64_t countLiveRegisters(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORDEMAND_H
