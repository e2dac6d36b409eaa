//===- RingLowering.cpp - lowers the rings of one kernel ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which the ops of a kernel are lowered.
//
//===----------------------------------------------------------------------===//

#include "RingLowering.h"

#include "FoldPrologues.h"
#include "MergeGuardedRegions.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

bool carousel::isRingOp(Operation *op) {
  auto isRing = [](Type type) { return isa<RingType>(type); };
  return isa<RingCreateOp, RingProduceOp, RingWaitOp, RingReleaseOp, RingTileOp,
             RingLoadOp, RingStoreOp, RingSubmitOp, RingWaitStoresOp,
             RingSyncOp, RingRolesOp, SerializeOp, GridTicketOp, SignalOp,
             WaitSignalOp>(op) ||
         llvm::any_of(op->getOperandTypes(), isRing) ||
         llvm::any_of(op->getResultTypes(), isRing);
}

RingKernel::RingKernel(gpu::GPUFuncOp kernel, const TargetSpec &target,
                       RingBarrierPlan plan)
    : func(kernel), target(target), plan(std::move(plan)),
      top(kernel.getLoc(), kernel.getContext()) {
  // Ops at the top come before this one, in the order of their making.
  top.setInsertionPointToStart(&kernel.getBody().front());
  top.setInsertionPoint(createIndex(top, 0).getDefiningOp());
}

RingLowering::RingLowering(gpu::GPUFuncOp func, const TargetSpec &target,
                           RingBarrierPlan plan)
    : kernel(func, target, std::move(plan)), threads(kernel),
      slots(kernel, threads), uses(kernel, threads, slots),
      transfers(kernel, threads, slots), serialize(kernel, threads),
      signals(kernel, threads), roles(kernel, threads) {}

unsigned RingLowering::foldPrologues(int64_t least) {
  return carousel::foldPrologues(kernel, threads, least);
}

void RingLowering::run() {
  SmallVector<Operation *> ops;
  kernel.func.walk([&](Operation *op) {
    if (isRingOp(op))
      ops.push_back(op);
  });

  slots.create();
  auto lowerAll = [&](auto lower) {
    using Op =
        typename llvm::function_traits<decltype(lower)>::template arg_t<0>;
    for (Operation *&op : ops)
      if (auto match = dyn_cast_or_null<Op>(op)) {
        lower(match);
        op = nullptr;
      }
  };
  uses.padGroups();
  findFirstRounds(kernel, slots);
  // Tiles first: the sections of produce and submit are cloned with them.
  lowerAll([&](RingTileOp op) { uses.lower(op); });
  // Transfers go with the op that they stand in.
  for (Operation *&op : ops)
    if (isa_and_nonnull<RingLoadOp, RingStoreOp>(op))
      op = nullptr;
  lowerAll([&](RingProduceOp op) { transfers.lower(op); });
  lowerAll([&](RingSubmitOp op) { transfers.lower(op); });
  lowerAll([&](RingWaitOp op) { uses.lower(op); });
  lowerAll([&](RingReleaseOp op) { uses.lower(op); });
  lowerAll([&](RingWaitStoresOp op) { uses.lower(op); });
  lowerAll([&](RingSyncOp op) { uses.lower(op); });
  lowerAll([&](GridTicketOp op) { serialize.lower(op); });
  lowerAll([&](SerializeOp op) { serialize.lower(op); });
  lowerAll([&](SignalOp op) { signals.lower(op); });
  lowerAll([&](WaitSignalOp op) { signals.lower(op); });
  // Last: they say who the threads of an op are.
  lowerAll([&](RingRolesOp op) { roles.lower(op); });
  lowerAll([&](RingCreateOp op) { op.erase(); });

  mergeGuardedRegions(kernel.func);
  // What was cloned for transfers that another section has, users first.
  kernel.func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}
