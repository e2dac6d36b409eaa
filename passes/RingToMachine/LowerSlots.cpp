//===- LowerSlots.cpp - uses of slots become waits and arrivals -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles become views of the ring's bytes; waits and releases use mbarriers,
// cp.async groups or barriers of threads, by the plan.
//
//===----------------------------------------------------------------------===//

#include "LowerSlots.h"

#include "Products/ValueOrder.h"

#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

void SlotLowering::lower(RingTileOp tile) {
  const PlannedRing &planned = kernel.plan.lookup(tile.getRing());
  RingSlot slot =
      slots.getSlot(tile.getRing().getType().getStages(), tile.getUse());
  ImplicitLocOpBuilder b(tile.getLoc(), tile);
  Value shift = createFolded<arith::MulIOp>(
      b, slot.number, planned.tiles[tile.getIndex()].stride);
  tile.getTile().replaceAllUsesWith(
      memref::ViewOp::create(b, tile.getTile().getType(), slots.getTile(tile),
                             shift, /*sizes=*/ValueRange()));
  tile.erase();
}

void SlotLowering::lower(RingWaitOp wait) {
  const PlannedRing &planned = kernel.plan.lookup(wait.getRing());
  if (planned.syncsWarpWhenFilled) // in the produce
    return wait.erase();
  if (planned.groups) {
    ImplicitLocOpBuilder b(wait.getLoc(), wait);
    CpAsyncWaitGroupOp::create(b, planned.groups->pending.lookup(wait));
    RingCreateOp ring = planned.ring;
    threads.createBarrier(b, planned.consumers, ring.getScope());
    return wait.erase();
  }
  RingSlot slot =
      slots.getSlot(wait.getRing().getType().getStages(), wait.getUse());
  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  slots.waitForFull(b, planned, slot);
  wait.erase();
}

/// The last value that the threads have read of the ring's tiles in the block
/// of `release`, or null.
Value SlotLowering::findLastRead(RingReleaseOp release) {
  ArrayRef<Value> tiles = slots.getTiles(release.getRing());
  for (Operation *op = release->getPrevNode(); op; op = op->getPrevNode())
    if (isa<memref::LoadOp, vector::LoadOp, nvgpu::LdMatrixOp>(op))
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()) &&
            llvm::is_contained(tiles, getRootBuffer(operand)))
          return op->getResult(0);
  return {};
}

void SlotLowering::lower(RingReleaseOp release) {
  const PlannedRing &planned = kernel.plan.lookup(release.getRing());
  RingCreateOp ring = planned.ring;
  ImplicitLocOpBuilder b(release.getLoc(), release);
  // An arrival or a barrier orders the reads before it among threads, but
  // engines fill the slot: the number must be there, not only be on its way.
  Value read = planned.leaderArrives ? findLastRead(release) : Value();
  if (read)
    orderBehind(b, read);
  if (planned.hasEmpty) {
    slots.arriveAtEmpty(b, planned,
                        slots.getSlot(release.getRing().getType().getStages(),
                                      release.getUse()));
  } else if ((planned.groups ||
              ring.getRelease() != SlotRelease::EmptyBarrier) &&
             !kernel.plan.mergedReleases.contains(release)) {
    threads.createBarrier(b, planned.consumers, ring.getScope());
  }
  release.erase();
}

void SlotLowering::lower(RingSyncOp sync) {
  ImplicitLocOpBuilder b(sync.getLoc(), sync);
  threads.createBarrier(b, kernel.plan.getThreads(sync), sync.getScope());
  sync.erase();
}

void SlotLowering::lower(RingWaitStoresOp storeWait) {
  ThreadRange range = kernel.plan.getThreads(storeWait);
  // Stores that threads make themselves have read their tiles when they are
  // behind the submit, and are ordered like the thread's other stores.
  if (kernel.plan.issuesBulkGroups(range, storeWait.getScope())) {
    ImplicitLocOpBuilder b(storeWait.getLoc(), storeWait);
    createIf(b, threads.getLeader(range, storeWait.getScope()), [&] {
      BulkWaitGroupOp::create(b, storeWait.getKind(), storeWait.getPending());
    });
  }
  storeWait.erase();
}

void SlotLowering::padGroups() {
  for (const PlannedRing &planned : kernel.plan.rings) {
    if (!planned.groups)
      continue;
    for (auto [loop, count] : planned.groups->padding) {
      ImplicitLocOpBuilder b(loop->getLoc(), loop);
      for (int64_t i = 0; i < count; ++i)
        CpAsyncCommitGroupOp::create(b);
    }
  }
}
