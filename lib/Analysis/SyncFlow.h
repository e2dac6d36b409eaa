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

#ifndef CAROUSEL_LIB_ANALYSIS_SYNCFLOW_H
#define CAROUSEL_LIB_ANALYSIS_SYNCFLOW_H

#include "SyncState.h"

#include "carousel/Analysis/SyncPlan.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <set>

namespace carousel {

/// What never changes while a plan is made.
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
  bool isTakenTogether(mlir::Operation *op, Meet meet) const;

private:
  bool isEvent(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, Meet> collective;
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
    Conflicts, ///< all of the first op that has any
    Whether    ///< there are any: seen as soon as an iteration has one
  };

  SyncFlow(SyncKernel &kernel, llvm::ArrayRef<SyncStep> steps,
           const llvm::DenseSet<mlir::Operation *> &removed,
           Asked asked = Asked::Conflicts);

  /// Conflicts that a plan has to resolve; without what resolves them where
  /// only whether there are any is asked.
  std::vector<SyncConflict> conflicts;
  /// Accesses that nothing but a meeting of the kernel's own orders, by number,
  /// and how many of the threads have met in between: those that threads make
  /// by themselves, and those of warps with other warps'. All of them if there
  /// is no conflict.
  std::set<std::tuple<unsigned, unsigned, unsigned, Meet>> unordered;

private:
  void visitBlock(mlir::Block &block, SyncState &state);
  void visit(mlir::Operation *op, SyncState &state);
  void visitEvent(mlir::Operation *op, SyncState &state);
  void visitFor(mlir::LoopLikeOpInterface loop, SyncState &state);
  void visitIf(mlir::Operation *branch, SyncState &state);
  void visitRoles(RingRolesOp roles, SyncState &state);
  void visitTurn(SerializeOp turns, SyncState &state);
  void visitWait(RingWaitOp wait, SyncState &state);
  void noteBeforeTicket(mlir::Operation *ticket, const SyncState &state);
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
               Meet needed, bool byOthers);
  void note(mlir::Operation *from, mlir::Operation *to, AccessKind kind,
            Meet met);
  SyncStep getMeetingPlace(unsigned number) const;
  unsigned countGroups(mlir::Operation *anchor,
                       const PendingAccess &from) const;

  SyncKernel &kernel;
  SyncPositions &positions;
  llvm::ArrayRef<SyncStep> steps;
  const llvm::DenseSet<mlir::Operation *> &removed;
  llvm::DenseMap<void *, llvm::SmallVector<unsigned, 2>> stepsAt;
  Asked asked;
  /// What is visited has its final state.
  bool isChecking = true;
  /// What holds at the top of a loop's body, by what held where it was entered
  /// last.
  struct Fixpoint {
    SyncState entered;
    SyncState reached;
  };
  llvm::DenseMap<mlir::Operation *, Fixpoint> fixpoints;
  /// The ops around the one that is being visited, and what held before them.
  std::vector<std::pair<mlir::Operation *, SyncState>> around;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNCFLOW_H
