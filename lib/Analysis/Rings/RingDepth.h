//===- RingDepth.h - how many slots rings have ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages that rings of auto depth get. In: a kernel and the plan of its
// rings, with their releases. Out: their stages, and a miss where they are
// fewer than wanted.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// One slot is written while the other is read by the engine.
inline constexpr int64_t kStoreStages = 2;

/// `count` times `bytes`, or more bytes than any chip has; sums of some of it
/// fit into their type.
int64_t getProduct(int64_t count, int64_t bytes);
int64_t getBytes(mlir::Value buffer);
int64_t getSlotBytes(const LoadRingPlan &ring);

/// Sets the stages of the plan's load rings.
void chooseStages(mlir::gpu::GPUFuncOp kernel, const TargetInfo &target,
                  RingPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGDEPTH_H
