//===- LowerSlots.h - uses of slots become waits and arrivals ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the ops that use slots without moving bytes: ring.tile, ring.wait,
// ring.release, ring.sync and ring.wait_stores.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOWERSLOTS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOWERSLOTS_H

#include "RingSlots.h"

namespace carousel {

class SlotLowering {
public:
  SlotLowering(RingKernel &kernel, ThreadValues &threads, RingSlots &slots)
      : kernel(kernel), threads(threads), slots(slots) {}

  void lower(RingTileOp tile);
  void lower(RingWaitOp wait);
  void lower(RingReleaseOp release);
  void lower(RingSyncOp sync);
  void lower(RingWaitStoresOp storeWait);
  /// Commits empty cp.async groups for waits in a loop that count on groups
  /// before the loop has committed any.
  void padGroups();

private:
  mlir::Value findLastRead(RingReleaseOp release);

  RingKernel &kernel;
  ThreadValues &threads;
  RingSlots &slots;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOWERSLOTS_H
