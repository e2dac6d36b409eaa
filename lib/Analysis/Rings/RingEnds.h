//===- RingEnds.h - ends of rows that threads copy --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bulk copies have to order the ends of rows that their issuing thread
// copies before what engines do to the same bytes later. In: a kernel at the
// ring phase, and the shapes of its transfers. Out: a set of transfers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGENDS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGENDS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Fills `plan.orderedEnds`. The plan has its shapes.
void planEnds(mlir::gpu::GPUFuncOp kernel, RingBarrierPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGENDS_H
