//===- RingDepth.h - the number of slots of rings ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the stages of rings whose depth is auto. In: a kernel and the plan of
// its rings, with their releases. Out: their stages, and a miss if they are
// fewer than requested.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// Threads write one slot while the engine reads the other.
inline constexpr int64_t kStoreStages = 2;

/// `count` times `bytes`, capped at more bytes than any chip has, so that sums
/// of several don't overflow.
int64_t getProduct(int64_t count, int64_t bytes);
int64_t getBytes(mlir::Value buffer);
int64_t getSlotBytes(const LoadRingPlan &ring);

/// The default prefetch distance, as far as the slots allow. One iteration of
/// slack remains if threads that need not run in lock step release the slot by
/// arrives, or if a store must have read it.
int64_t getDefaultPrefetch(const LoadRingPlan &ring);

/// The op before which the first loads of the loop start: the loop, or a load
/// outside of rings before it.
mlir::Operation *findStart(mlir::gpu::GPUFuncOp kernel, const LoopPlan &plan);

/// Counts the bytes that each of `ctas` CTAs has too many for an SM's shared
/// memory, with two slots for every tile of a loop and one for every result.
int64_t countExcess(mlir::gpu::GPUFuncOp kernel, const ChipModel &target,
                    const RingPlan &plan, int64_t ctas);

/// Sets the stages of the rings of loads in the plan, and what is predicted of
/// each loop.
void chooseStages(mlir::gpu::GPUFuncOp kernel, const ChipModel &target,
                  RingPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H
