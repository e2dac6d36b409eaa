//===- RingLowering.h - one kernel's rings become machine ops ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrite of --carousel-lower-rings for one kernel. RingLowering owns one
// part for each kind of op and calls the parts in order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H
#define CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H

#include "IssueTransfers.h"
#include "LowerRoles.h"
#include "LowerSerialize.h"
#include "LowerSignals.h"
#include "LowerSlots.h"

namespace carousel {

/// Whether `op` is an op of the ring phase or has operands of its types.
bool isRingOp(mlir::Operation *op);

class RingLowering {
public:
  RingLowering(mlir::gpu::GPUFuncOp func, const TargetSpec &target,
               RingBarrierPlan plan);
  /// See FoldPrologues.h. Call it before `run`.
  unsigned foldPrologues(int64_t least);
  void run();

  const RingBarrierPlan &getPlan() const { return kernel.plan; }
  /// Register counts of roles that the target can't set.
  llvm::ArrayRef<int64_t> getSkippedRegisters() const {
    return roles.getSkippedRegisters();
  }

private:
  RingKernel kernel;
  ThreadValues threads;
  RingSlots slots;
  SlotLowering uses;
  TransferLowering transfers;
  SerializeLowering serialize;
  SignalLowering signals;
  RoleLowering roles;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H
