//===- RingSlots.h - slots and barriers of rings ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the shared buffers and the mbarriers of a kernel's rings, computes
// the slot and the parity of each use, and creates waits and arrivals at a
// slot's barriers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_RINGSLOTS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_RINGSLOTS_H

#include "ThreadValues.h"
#include "Transfers/LowerTransfers.h"

namespace carousel {

/// The slot of a use, and the parity of its phase.
struct RingSlot {
  mlir::Value number; ///< index
  mlir::Value parity; ///< i1, of the phase in which the use is filled
  /// i1, parity of the phase that frees the slot for it; null: it is free.
  mlir::Value isFreed;
};

class RingSlots {
public:
  RingSlots(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  /// Creates the buffers and the barriers at the kernel's top, and initializes
  /// the barriers. The other functions need them.
  void create();

  RingSlot getSlot(int64_t stages, mlir::Value use);
  /// The slot of the use has the use's number, and is free; `parity` is false.
  void setFirstRound(int64_t stages, mlir::Value use, mlir::Value parity);

  /// The bytes of all slots of a tile.
  mlir::Value getTile(RingTileOp tile);
  /// The same for all tiles of a ring.
  llvm::ArrayRef<mlir::Value> getTiles(mlir::Value ring) {
    return buffers[ring].tiles;
  }
  /// The barrier of a slot that its fills complete, of the range's threads.
  BarrierElement getFull(const PlannedRing &planned, const ThreadRange &range,
                         const RingSlot &slot);

  /// Consumers wait until the slot is filled.
  void waitForFull(mlir::ImplicitLocOpBuilder &b, const PlannedRing &planned,
                   const RingSlot &slot);
  /// Producers wait until the slot is free.
  void waitForEmpty(mlir::ImplicitLocOpBuilder &b, const PlannedRing &planned,
                    const RingSlot &slot);
  /// Consumers hand the slot back.
  void arriveAtEmpty(mlir::ImplicitLocOpBuilder &b, const PlannedRing &planned,
                     const RingSlot &slot);
  /// The remainder of the boxes' numbers that this CTA copies of a multicast
  /// load of `use`, modulo the ring's CTAs; an i32. It changes from use to use.
  mlir::Value getTurn(mlir::ImplicitLocOpBuilder &b, const PlannedRing &planned,
                      mlir::Value use);
  /// Arrives for all threads of a scope: one arrival for each warp if the warps
  /// are whole, after a barrier of the warp unless it `isSynchronized` already.
  void arrive(mlir::ImplicitLocOpBuilder &b, const ThreadRange &range,
              TransferScope scope, const BarrierElement &barrier,
              bool isSynchronized = false);

private:
  struct RingBuffers {
    llvm::SmallVector<mlir::Value> tiles; ///< bytes
    mlir::Value full;
    mlir::Value empty;
    std::string name; ///< names of the arguments that fill it: "x", "x, y"
  };

  void createBuffers();
  void createBarriers();
  void initBarriers();
  BarrierElement getBarrier(const PlannedRing &planned,
                            const ThreadRange &range, mlir::Value barriers,
                            const RingSlot &slot);
  /// Each warp arrives at the barriers of all CTAs.
  void arriveAtAll(mlir::ImplicitLocOpBuilder &b, int64_t ctas,
                   const BarrierElement &barrier);
  WaitLabelAttr getLabel(const PlannedRing &planned, llvm::StringRef barriers);
  RingBuffers &getBuffers(const PlannedRing &planned) {
    RingCreateOp ring = planned.ring;
    return buffers[ring.getRing()];
  }

  RingKernel &kernel;
  ThreadValues &threads;
  llvm::DenseMap<mlir::Value, RingBuffers> buffers;
  mlir::Value rank; ///< of this CTA in its cluster, once it is needed
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, RingSlot> slots;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_RINGSLOTS_H
