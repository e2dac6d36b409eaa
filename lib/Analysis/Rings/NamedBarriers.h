//===- NamedBarriers.h - barriers of the threads that share rings --*- C++ -*-//
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of planRingBarriers that is about ring.sync and releases by
// barriers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_NAMEDBARRIERS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_NAMEDBARRIERS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Whether the scope's issuing thread carries the transfer out by itself.
bool isByOneThread(TransferOpInterface op);

/// Finds the releases whose barrier another one makes. The plan has its rings.
void mergeReleases(mlir::gpu::GPUFuncOp kernel, RingBarrierPlan &plan);

/// Finds the produces behind which the threads meet before they wait for the
/// use. The releases that need no barrier are known.
void findMetProduces(mlir::gpu::GPUFuncOp kernel, RingBarrierPlan &plan);

/// Assigns named barriers to the barriers that are left; emits an error at the
/// op for which there is none (C162).
mlir::LogicalResult planNamedBarriers(mlir::gpu::GPUFuncOp kernel,
                                      RingBarrierPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_NAMEDBARRIERS_H
