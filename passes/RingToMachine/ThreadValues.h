//===- ThreadValues.h - numbers of threads, barriers ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the values that identify a thread in its scope, each once and at the
// kernel's top, and the barriers of the scope's threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_THREADVALUES_H
#define CAROUSEL_PASSES_RINGTOMACHINE_THREADVALUES_H

#include "carousel/Analysis/Rings/RingBarriers.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// A kernel, its plan, and a builder at the kernel's top, which the parts of
/// the lowering share.
struct RingKernel {
  RingKernel(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
             RingBarrierPlan plan);

  mlir::gpu::GPUFuncOp func;
  const TargetSpec &target;
  RingBarrierPlan plan;
  /// Inserts at the kernel's top, after what it inserted before.
  mlir::ImplicitLocOpBuilder top;
};

class ThreadValues {
public:
  explicit ThreadValues(RingKernel &kernel) : kernel(kernel) {}

  /// The thread's number in the block, an i32.
  mlir::Value getBlockThread();
  /// The thread's number in its scope, an i32.
  mlir::Value getThread(const ThreadRange &range, TransferScope scope);
  /// The number of the thread's warp or warpgroup in its range, an index.
  mlir::Value getInstance(const ThreadRange &range, TransferScope scope);
  /// Whether this thread issues for its scope, an i1. It is always the same
  /// thread, since bulk groups belong to threads.
  mlir::Value getLeader(const ThreadRange &range, TransferScope scope);
  /// Whether this thread is in the first warp of its scope, the leader's, an
  /// i1; null if the scope has only one warp.
  mlir::Value getIssuingWarp(const ThreadRange &range, TransferScope scope);

  /// Creates a barrier of the scope's threads.
  void createBarrier(mlir::ImplicitLocOpBuilder &b, const ThreadRange &range,
                     TransferScope scope);

private:
  RingKernel &kernel;
  mlir::Value blockThread;
  std::vector<std::pair<ScopeKey, mlir::Value>> threads, instances, leaders,
      issuingWarps;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_THREADVALUES_H
