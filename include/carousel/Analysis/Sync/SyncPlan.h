//===- SyncPlan.h - the synchronisation that a kernel needs -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what a kernel at the ring phase needs for its transfers to behave as if
// they were synchronous: proxy fences, waits for stores, and barriers. Also
// finds such ops in the kernel that order nothing. In: a kernel. Out: a plan,
// which --carousel-insert-async-sync applies.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_SYNC_SYNCPLAN_H
#define CAROUSEL_ANALYSIS_SYNC_SYNCPLAN_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// In the order in which steps at one place are executed.
enum class SyncStepKind { WaitStores, FenceShared, FenceGlobal, Sync };

/// One op to insert, before `before` or at the end of `atEndOf`.
struct SyncStep {
  SyncStepKind kind = SyncStepKind::Sync;
  mlir::Operation *before = nullptr;
  mlir::Block *atEndOf = nullptr;
  /// The scope of a wait for stores or of a barrier.
  TransferScope scope = TransferScope::CTA;
  /// The kind of a wait for stores.
  GroupWait wait = GroupWait::Read;
  unsigned pending = 0;

  /// The two accesses to a buffer that the step orders. `to` is null for the
  /// end of the kernel.
  mlir::Operation *from = nullptr;
  mlir::Operation *to = nullptr;
  std::string buffer;

  bool isAtPlaceOf(const SyncStep &other) const {
    return before == other.before && atEndOf == other.atEndOf;
  }
};

/// The constraint of docs/Spec.md because of which there is no plan.
enum class SyncFaultKind {
  /// C170: no place between two accesses is executed by all threads that need a
  /// barrier.
  Parted,
  /// C171: both roles access a buffer without a ring.
  Roles,
  /// C172: a transfer has another scope than the ring or submit that it belongs
  /// to.
  Scope,
  /// C173: control flow isn't structured.
  Unstructured,
  /// C184: a transfer in a turn is issued by another thread than the one that
  /// passes the turn on.
  Issuer,
};

struct SyncFault {
  SyncFaultKind kind = SyncFaultKind::Parted;
  mlir::Operation *at = nullptr;
  /// The earlier access, or null.
  mlir::Operation *from = nullptr;
  /// The op at which the threads diverge, or null.
  mlir::Operation *under = nullptr;
  /// The threads that need a barrier, or the scope of the transfer's ring or
  /// submit.
  TransferScope scope = TransferScope::CTA;
  std::string buffer;
};

struct SyncPlan {
  std::vector<SyncStep> steps;
  /// Fences, waits and barriers that are redundant after the steps are
  /// inserted.
  std::vector<mlir::Operation *> redundant;
  std::optional<SyncFault> fault;

  bool isEmpty() const { return steps.empty() && redundant.empty(); }
  /// Prints one line for each step and each redundant op.
  void print(llvm::raw_ostream &os) const;
};

SyncPlan planSync(mlir::gpu::GPUFuncOp kernel);

/// "fence.proxy async_shared_cta", "ring.wait_stores read 1", ...
std::string describe(const SyncStep &step);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SYNC_SYNCPLAN_H
