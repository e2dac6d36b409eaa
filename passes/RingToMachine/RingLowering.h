//===- RingLowering.h - lowers the rings of one kernel ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrite of --carousel-lower-rings for one kernel. It creates some values
// once and reuses them: thread numbers, leaders, cache policies, slots and
// parities.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H
#define CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H

#include "LowerTransfers.h"

#include "carousel/Analysis/Rings/RingBarriers.h"
#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Target/TargetInfo.h"

namespace carousel {

/// Whether `op` is an op of the ring phase or has operands of its types.
bool isRingOp(mlir::Operation *op);

class RingLowering {
public:
  RingLowering(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
               RingBarrierPlan plan);
  /// Folds a prologue into its main loop if a fill takes `least` instructions
  /// or more by estimate (FoldPrologues.cpp). Call it before `run`. Returns the
  /// number of prologues folded.
  unsigned foldPrologues(int64_t least);
  void run();

  const RingBarrierPlan &getPlan() const { return plan; }
  /// Register counts of roles that the target can't set.
  llvm::ArrayRef<int64_t> getSkippedRegisters() const {
    return skippedRegisters;
  }

private:
  /// The slot of a use, and the parity of its phase.
  struct Slot {
    mlir::Value number; ///< index
    mlir::Value parity; ///< i1, of the phase in which the use is filled
    /// i1, parity of the phase that frees the slot for it; null: it is free.
    mlir::Value isFreed;
  };
  struct RingBuffers {
    llvm::SmallVector<mlir::Value> tiles; ///< bytes
    mlir::Value full;
    mlir::Value empty;
    std::string name; ///< names of the arguments that fill it: "x", "x, y"
  };

  // Values at the kernel's top.
  mlir::Value getBlockThread();
  mlir::Value getThread(const ThreadRange &range, TransferScope scope);
  mlir::Value getInstance(const ThreadRange &range, TransferScope scope);
  mlir::Value getLeader(const ThreadRange &range, TransferScope scope);
  mlir::Value getIssuingWarp(const ThreadRange &range, TransferScope scope);
  mlir::Value getPolicy(EvictPriority priority);

  // Rings.
  void createBuffers();
  void createBarriers();
  void initBarriers();
  Slot getSlot(int64_t stages, mlir::Value use);
  /// Finds prologues that fill unused slots, which need no wait
  /// (FoldPrologues.cpp).
  void findFirstRounds();
  BarrierElement getBarrier(mlir::ImplicitLocOpBuilder &b,
                            const PlannedRing &planned,
                            const ThreadRange &range, mlir::Value barriers,
                            const Slot &slot);

  WaitLabelAttr getLabel(const PlannedRing &planned, llvm::StringRef barriers);

  /// Merges consecutive regions with the same guard (MergeGuardedRegions.cpp).
  void mergeGuardedRegions();

  // Ops.
  void lowerTile(RingTileOp tile);
  void lowerProduce(RingProduceOp produce);
  void lowerWait(RingWaitOp wait);
  void lowerRelease(RingReleaseOp release);
  void lowerSubmit(RingSubmitOp submit);
  void lowerWaitStores(RingWaitStoresOp storeWait);
  void lowerTurn(SerializeOp turns);
  void lowerTicket(GridTicketOp ticket);
  void padGroups();
  void setRegistersAtEntry(RingRolesOp roles);
  void lowerRoles(RingRolesOp roles);
  void meet(mlir::ImplicitLocOpBuilder &b, const ThreadRange &range,
            TransferScope scope);
  /// Arrives for all threads of a scope: one arrival for each warp if the warps
  /// are whole, after a barrier of the warp unless it `isMet` already.
  void arrive(mlir::ImplicitLocOpBuilder &b, const ThreadRange &range,
              TransferScope scope, const BarrierElement &barrier,
              bool isMet = false);
  void waitForEmpty(mlir::ImplicitLocOpBuilder &b, const PlannedRing &planned,
                    const Slot &slot);

  // Transfers.
  struct Section {
    llvm::SmallVector<TransferIssue> transfers;
    bool isConditional = false; ///< one of them is under a branch
  };
  Section cloneSection(mlir::ImplicitLocOpBuilder &b, mlir::Region &body,
                       bool byLeader, const ThreadRange &range,
                       TransferScope scope, const BarrierElement &full);
  bool isFilledByWarp(RingProduceOp produce) const;
  void issueLoads(mlir::ImplicitLocOpBuilder &b, Section &section,
                  const BarrierElement &full);
  void issueLoadsByWarp(mlir::ImplicitLocOpBuilder &b, RingProduceOp produce,
                        const PlannedRing &planned, const Slot &slot,
                        const BarrierElement &full);
  void issueStores(mlir::ImplicitLocOpBuilder &b, Section &section);
  void copyPieces(Section &section);

  mlir::gpu::GPUFuncOp kernel;
  const TargetSpec &target;
  RingBarrierPlan plan;
  /// Inserts at the kernel's top, after what it inserted before.
  mlir::ImplicitLocOpBuilder top;
  llvm::DenseMap<mlir::Value, RingBuffers> buffers;
  mlir::Value blockThread;
  std::vector<std::pair<ScopeKey, mlir::Value>> threads, instances, leaders,
      issuingWarps;
  llvm::SmallVector<std::pair<EvictPriority, mlir::Value>> policies;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Slot> slots;
  llvm::SmallVector<int64_t> skippedRegisters;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_RINGLOWERING_H
