//===- PlanBarriers.h - barriers between reused buffers ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the shared memory plan that knows the memory model: the waits,
// fences and barriers that are needed before a buffer reuses bytes of another
// one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H
#define CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"

namespace carousel {

/// The steps to insert for each pair of buffers that share bytes, except those
/// that the kernel already has.
llvm::SmallVector<PlannedBarrier>
planBarriers(mlir::gpu::GPUFuncOp kernel, llvm::ArrayRef<PlannedBuffer> buffers,
             const TargetSpec &target);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H
