//===- RingKernel.h - one kernel whose rings are lowered --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel, its plan, and a builder at the kernel's top, which the parts of
// the lowering share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_RINGKERNEL_H
#define CAROUSEL_PASSES_RINGTOMACHINE_RINGKERNEL_H

#include "carousel/Analysis/Rings/RingBarriers.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

struct RingKernel {
  RingKernel(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
             RingBarrierPlan plan);

  mlir::gpu::GPUFuncOp func;
  const TargetSpec &target;
  RingBarrierPlan plan;
  /// Inserts at the kernel's top, after what it inserted before.
  mlir::ImplicitLocOpBuilder top;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_RINGKERNEL_H
