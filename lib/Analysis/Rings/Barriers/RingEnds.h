//===- RingEnds.h - ends of rows that threads copy --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the bulk copies whose row ends, which the issuing thread copies, must
// be ordered before later accesses of engines to the same bytes. In: a kernel
// at the ring phase, and the shapes of its transfers. Out: a set of transfers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_RINGENDS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_RINGENDS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Fills `plan.orderedEnds` and `plan.asyncEnds`. The plan already has its
/// shapes.
void planEnds(mlir::gpu::GPUFuncOp kernel, RingBarrierPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_RINGENDS_H
