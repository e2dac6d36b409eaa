//===- SyncFlow.h - the data flow that finds conflicts ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward data flow over the structured control flow of a kernel at the ring
// phase, with a fixpoint for loops. It assumes that the steps of a plan are
// inserted, and that the ops which the plan removes are gone. Out: pairs of
// accesses in conflict, and for each the step that would order it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H

#include "SyncState.h"

#include "carousel/Analysis/Sync/SyncPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace carousel {

/// More than the accesses of any op.
inline constexpr unsigned kAccessesPerOp = 1024;

/// The ops of the kernel and the steps of the plan, by index, that a flow
/// ignores.
struct SyncOmissions {
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<unsigned> steps;
};

/// The steps and omissions of a plan in a loop.
struct LoopPlan {
  using Step = std::tuple<unsigned, SyncStepKind, mlir::Operation *,
                          mlir::Block *, TransferScope, GroupWait, unsigned>;
  std::vector<Step> steps;
  std::vector<mlir::Operation *> omitted;

  bool operator==(const LoopPlan &other) const {
    return steps == other.steps && omitted == other.omitted;
  }
};

/// The state at the top of a loop's body. It depends only on the state at the
/// loop's entry, and on the part of the plan in the loop. So flows with other
/// plans can reuse it.
struct LoopFixpoint {
  LoopPlan plan;
  std::optional<SyncState> entered;
  std::optional<SyncState> reached;
  /// An iteration was checked and has no conflict.
  bool isChecked = false;
};

/// The data that doesn't change while a plan is made, and the results of its
/// flows.
class SyncKernel {
public:
  explicit SyncKernel(mlir::gpu::GPUFuncOp kernel);

  mlir::gpu::GPUFuncOp kernel;
  SyncAccesses accesses;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;

  /// The ops of a block that the flow must visit.
  llvm::ArrayRef<mlir::Operation *> getEvents(mlir::Block &block) const;
  /// Adds `op` to them.
  void addEvent(mlir::Operation *op);

  /// Whether all threads of a scope that execute `op`, an op with regions, take
  /// the same path through it.
  bool isTakenTogether(mlir::Operation *op, BarrierScope scope) const;

  /// The latest fixpoint of each loop.
  llvm::DenseMap<mlir::Operation *, LoopFixpoint> fixpoints;

private:
  bool isEvent(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, BarrierScope> collective;
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> events;
};

/// Two accesses, the second of which isn't ordered after the first. Also the
/// step that would order them, or the reason why there is none.
struct SyncConflict {
  llvm::SmallVector<SyncStep, 2> steps;
  std::optional<SyncFault> fault;
};

class SyncFlow {
public:
  enum class Asked {
    Conflict, ///< the first conflict
    Whether   ///< only whether there is a conflict, which ends the flow early
  };

  SyncFlow(SyncKernel &kernel, llvm::ArrayRef<SyncStep> steps,
           const SyncOmissions &omitted, Asked asked = Asked::Conflict);

  /// The conflict that the plan must resolve. Without a resolution if only its
  /// existence was asked for.
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
  /// The state before an op around the one that is visited; null for other ops.
  const SyncState *findBefore(mlir::Operation *anchor) const;

  SyncKernel &kernel;
  SyncPositions &positions;
  llvm::ArrayRef<SyncStep> steps;
  const SyncOmissions &omitted;
  llvm::DenseMap<void *, llvm::SmallVector<unsigned, 2>> stepsAt;
  Asked asked;
  /// The visited ops have their final state.
  bool isChecking = true;
  llvm::DenseMap<mlir::Operation *, LoopPlan> plans;
  /// The ops around the visited one, and the states before them.
  std::vector<std::pair<mlir::Operation *, SyncState>> around;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H
