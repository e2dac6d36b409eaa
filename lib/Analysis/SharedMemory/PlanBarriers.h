//===- PlanBarriers.h - waits between buffers that share bytes --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The half of the shared memory plan that knows the memory model: which waits,
// fences and barriers make it right that one buffer takes over bytes of
// another.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H
#define CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"

namespace carousel {

/// What has to be added for each pair of buffers that share bytes; what the
/// kernel does by itself is not repeated.
llvm::SmallVector<PlannedBarrier>
planBarriers(mlir::gpu::GPUFuncOp kernel, llvm::ArrayRef<PlannedBuffer> buffers,
             const TargetSpec &target);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SHAREDMEMORY_PLANBARRIERS_H
