//===- NamedBarriers.h - named barriers of rings' threads -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of planRingBarriers that plans ring.sync, and releases by barriers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_NAMEDBARRIERS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_NAMEDBARRIERS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Whether the scope's issuing thread carries out the transfer alone.
bool isByOneThread(TransferOpInterface op);

/// Finds the releases whose barrier is merged with another one. The plan
/// already has its rings.
void mergeReleases(mlir::gpu::GPUFuncOp kernel, RingBarrierPlan &plan);

/// Finds the produces that are followed by a barrier before the wait for their
/// use. The merged releases are already known.
void findSynchronizedProduces(mlir::gpu::GPUFuncOp kernel,
                              RingBarrierPlan &plan);

/// Assigns named barriers to the remaining barriers. If there are too few,
/// emits an error at the op that gets none (C162).
mlir::LogicalResult planNamedBarriers(mlir::gpu::GPUFuncOp kernel,
                                      RingBarrierPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_NAMEDBARRIERS_H
