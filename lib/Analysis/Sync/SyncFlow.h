//===- SyncFlow.h - which accesses are in conflict --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward data flow over the structured control flow of a kernel of the ring
// phase, loops to a fixpoint, as if a plan's steps were there and the ops that
// it removes weren't. Out: pairs of accesses that are in conflict, and for each
// what would order it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H

#include "SyncState.h"

#include "carousel/Analysis/Sync/SyncPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace carousel {

/// More than the accesses of any one op.
inline constexpr unsigned kAccessesPerOp = 1024;

/// What a flow does without: ops of the kernel, and steps of the plan by index.
struct SyncOmissions {
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<unsigned> steps;
};

/// What of a plan and its omissions is in a loop.
struct LoopPlan {
  using Step = std::tuple<unsigned, SyncStepKind, mlir::Operation *,
                          mlir::Block *, TransferScope, GroupWait, unsigned>;
  std::vector<Step> steps;
  std::vector<mlir::Operation *> omitted;

  bool operator==(const LoopPlan &other) const {
    return steps == other.steps && omitted == other.omitted;
  }
};

/// What holds at the top of a loop's body. It depends on no more than what
/// holds where the loop is entered, and on what of the plan is in it: flows
/// with other plans, too, find it as the one before left it.
struct LoopFixpoint {
  LoopPlan plan;
  std::optional<SyncState> entered;
  std::optional<SyncState> reached;
  /// Whether an iteration was looked at and has no conflict.
  bool isChecked = false;
};

/// What never changes while a plan is made, and what its flows have found.
class SyncKernel {
public:
  explicit SyncKernel(mlir::gpu::GPUFuncOp kernel);

  mlir::gpu::GPUFuncOp kernel;
  SyncAccesses accesses;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;

  /// The ops of a block that the flow has anything to do at.
  llvm::ArrayRef<mlir::Operation *> getEvents(mlir::Block &block) const;
  /// From now on `op`, too.
  void addEvent(mlir::Operation *op);

  /// Whether all threads of a scope that come to `op`, an op with regions,
  /// take the same ways through it.
  bool isTakenTogether(mlir::Operation *op, BarrierScope scope) const;

  /// The last ones, by loop.
  llvm::DenseMap<mlir::Operation *, LoopFixpoint> fixpoints;

private:
  bool isEvent(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, BarrierScope> collective;
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> events;
};

/// Two accesses of which the second doesn't wait for the first, and what would
/// make it wait, or why nothing can.
struct SyncConflict {
  llvm::SmallVector<SyncStep, 2> steps;
  std::optional<SyncFault> fault;
};

class SyncFlow {
public:
  enum class Asked {
    Conflict, ///< the first one
    Whether   ///< there is any: seen as soon as an iteration has one
  };

  SyncFlow(SyncKernel &kernel, llvm::ArrayRef<SyncStep> steps,
           const SyncOmissions &omitted, Asked asked = Asked::Conflict);

  /// What a plan has to resolve; without what resolves it where only whether
  /// there is any is asked.
  std::optional<SyncConflict> conflict;

private:
  void visitBlock(mlir::Block &block, SyncState &state);
  void visit(mlir::Operation *op, SyncState &state);
  void visitEvent(mlir::Operation *op, SyncState &state);
  void visitFor(mlir::LoopLikeOpInterface loop, SyncState &state);
  void checkIteration(mlir::LoopLikeOpInterface loop, const SyncState &before,
                      SyncState state);
  const LoopPlan &getPlanOf(mlir::LoopLikeOpInterface loop);
  void visitWhile(mlir::scf::WhileOp loop, SyncState &state);
  void visitIf(mlir::Operation *branch, SyncState &state);
  void visitRoles(RingRolesOp roles, SyncState &state);
  void visitTurn(SerializeOp turns, SyncState &state);
  void visitWait(RingWaitOp wait, SyncState &state);
  void checkTicket(const SyncState &state);
  void checkRelease(RingReleaseOp release, const SyncState &state);
  void visitRegions(mlir::Operation *op, SyncState &state);
  void applySteps(llvm::ArrayRef<unsigned> indices, SyncState &state);

  bool looksForConflicts() const {
    return isChecking || asked == Asked::Whether;
  }
  void check(mlir::Operation *op, const Access &access, const SyncState &state);
  void checkEnd(mlir::Operation *before, mlir::Block *atEndOf,
                const SyncState &state);
  bool needsOrder(const PendingAccess &from, mlir::Operation *toOp,
                  const Access &to, bool byOthers) const;
  void resolve(mlir::Operation *op, const PendingAccess &from, const Access &to,
               BarrierScope needed, bool byOthers);
  SyncStep getBarrierPlace(unsigned number) const;
  /// What held before an op around the one that is visited; null for others.
  const SyncState *findBefore(mlir::Operation *anchor) const;

  SyncKernel &kernel;
  SyncPositions &positions;
  llvm::ArrayRef<SyncStep> steps;
  const SyncOmissions &omitted;
  llvm::DenseMap<void *, llvm::SmallVector<unsigned, 2>> stepsAt;
  Asked asked;
  /// What is visited has its final state.
  bool isChecking = true;
  llvm::DenseMap<mlir::Operation *, LoopPlan> plans;
  /// The ops around the one that is being visited, and what held before them.
  std::vector<std::pair<mlir::Operation *, SyncState>> around;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H
