//===- IssueTransfers.h - produce and submit become machine ops -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers ring.produce and ring.submit. The leader of the scope, all its
// threads, or both execute the section, each with its own transfers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_ISSUETRANSFERS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_ISSUETRANSFERS_H

#include "RingSlots.h"

namespace carousel {

/// Whether threads may have to fill a part of what `produce` loads, and the
/// issuing thread has a warp to help it.
bool isFilledByWarp(RingProduceOp produce, const RingBarrierPlan &plan);

class TransferLowering {
public:
  TransferLowering(RingKernel &kernel, ThreadValues &threads, RingSlots &slots)
      : kernel(kernel), threads(threads), slots(slots) {}

  void lower(RingProduceOp produce);
  void lower(RingSubmitOp submit);

private:
  /// Reports what the most loaded thread does for `section`, which was lowered
  /// to the ops after `before`: above its bound, or not.
  void reportWork(mlir::Operation *section, mlir::Operation *before,
                  const ThreadRange &range, TransferScope scope);

  struct Section {
    llvm::SmallVector<TransferIssue> transfers;
    bool isConditional = false; ///< one of them is under a branch
  };
  Section cloneSection(mlir::ImplicitLocOpBuilder &b, mlir::Region &body,
                       bool byLeader, const ThreadRange &range,
                       TransferScope scope, const BarrierElement &full);
  void issueLoads(mlir::ImplicitLocOpBuilder &b, Section &section,
                  const BarrierElement &full);
  void issueLoadsByWarp(mlir::ImplicitLocOpBuilder &b, RingProduceOp produce,
                        const PlannedRing &planned, const RingSlot &slot,
                        const BarrierElement &full);
  void shareByWarp(Section &section, mlir::Value leader);
  void issueStores(mlir::ImplicitLocOpBuilder &b, Section &section);
  void issueStoresByWarp(mlir::ImplicitLocOpBuilder &b, Section &section,
                         mlir::Value leader);
  void copyPieces(Section &section);
  /// The cache policy, created once; null for the normal one.
  mlir::Value getPolicy(EvictPriority priority);

  RingKernel &kernel;
  ThreadValues &threads;
  RingSlots &slots;
  llvm::SmallVector<std::pair<EvictPriority, mlir::Value>> policies;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_ISSUETRANSFERS_H
