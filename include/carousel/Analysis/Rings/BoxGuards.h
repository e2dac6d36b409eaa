//===- BoxGuards.h - guards under which boxes are apart ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds conditions on a launch under which loads may run ahead of stores to the
// same memref. In: a kernel at the tile phase. Out: guards of a variant in
// which more loads have rings.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_BOXGUARDS_H
#define CAROUSEL_ANALYSIS_RINGS_BOXGUARDS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel {

struct RingPlan;
struct ChipModel;

/// The guards that the kernel lacks for loads of its pipelined loops to run
/// ahead of the loops' stores.
llvm::SmallVector<GuardAttr> findBoxGuards(mlir::gpu::GPUFuncOp kernel);

/// Whether `guarded`, the plan of a variant with more guards, makes more of the
/// kernel asynchronous than `plan`: more loads with rings, or more loops with
/// producers.
bool isBetter(const RingPlan &guarded, const RingPlan &plan);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_BOXGUARDS_H
