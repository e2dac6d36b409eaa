//===- SyncPlan.h - where threads, engines and proxies meet -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of the ring phase lacks so that each of its transfers behaves
// as if it were synchronous: proxy fences, waits for stores, barriers of
// threads; and what it has of these that orders nothing. In: a kernel. Out: a
// plan that
// --carousel-insert-async-sync applies.
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

/// In the order in which they stand at one place.
enum class SyncStepKind { WaitStores, FenceShared, FenceGlobal, Sync };

/// One op to insert, before `before` or at the end of `atEndOf`.
struct SyncStep {
  SyncStepKind kind = SyncStepKind::Sync;
  mlir::Operation *before = nullptr;
  mlir::Block *atEndOf = nullptr;
  /// Of waits for stores and of barriers.
  TransferScope scope = TransferScope::CTA;
  /// Of waits for stores.
  GroupWait wait = GroupWait::Read;
  unsigned pending = 0;

  /// What is ordered by it: two accesses to a buffer. `to` is null for the end
  /// of the kernel.
  mlir::Operation *from = nullptr;
  mlir::Operation *to = nullptr;
  std::string buffer;

  bool isAtPlaceOf(const SyncStep &other) const {
    return before == other.before && atEndOf == other.atEndOf;
  }
};

/// Why there can be no plan. Which constraint of docs/Spec.md it is.
enum class SyncFaultKind {
  /// C170: between two accesses threads that have to meet don't come together.
  Parted,
  /// C171: accesses of both roles without a ring.
  Roles,
  /// C172: a transfer of another scope than what it belongs to.
  Scope,
  /// C173: control flow that isn't structured.
  Unstructured,
  /// C184: a transfer in a turn that another thread issues than the one that
  /// passes the turn on.
  Issuer,
};

struct SyncFault {
  SyncFaultKind kind = SyncFaultKind::Parted;
  mlir::Operation *at = nullptr;
  /// The access before, or null.
  mlir::Operation *from = nullptr;
  /// What parts the threads, or null.
  mlir::Operation *under = nullptr;
  /// The threads that have to meet, or the scope of what a transfer belongs to.
  TransferScope scope = TransferScope::CTA;
  std::string buffer;
};

struct SyncPlan {
  std::vector<SyncStep> steps;
  /// Fences, waits and barriers that can go, once the steps are there.
  std::vector<mlir::Operation *> redundant;
  std::optional<SyncFault> fault;

  bool isEmpty() const { return steps.empty() && redundant.empty(); }
  /// One line for each step and each op to remove.
  void print(llvm::raw_ostream &os) const;
};

SyncPlan planSync(mlir::gpu::GPUFuncOp kernel);

/// "fence.proxy async_shared_cta", "ring.wait_stores read 1", ...
std::string describe(const SyncStep &step);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_SYNC_SYNCPLAN_H
