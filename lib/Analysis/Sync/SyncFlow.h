//===- SyncFlow.h - pending accesses through a kernel -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward data flow over the structured control flow of a kernel at the ring
// phase, with a fixpoint for loops. It assumes that the steps of a plan are
// inserted, and that the ops which the plan removes are gone. The state has the
// accesses that may have happened before a point of a kernel, and aren't
// ordered before everything that follows; each records how far it is ordered:
// by fences, waits and barriers. Out: pairs of accesses in conflict, and for
// each the step that would order it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCFLOW_H

#include "SyncAccesses.h"

#include "carousel/Analysis/Sync/SyncPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <memory>
#include <vector>

namespace carousel {

/// The threads that a barrier joins. Larger values are more threads.
enum class BarrierScope : unsigned {
  None = 0,
  Warp = 1,
  Warpgroup = 2,
  CTA = 3
};

inline BarrierScope getBarrierScope(TransferScope scope) {
  return scope == TransferScope::Warp        ? BarrierScope::Warp
         : scope == TransferScope::Warpgroup ? BarrierScope::Warpgroup
                                             : BarrierScope::CTA;
}

/// The last barriers on the paths from an access, by number. For each, the
/// number of groups of stores that were submitted between the access and the
/// barrier.
struct LastBarriers {
  llvm::SmallVector<unsigned, 2> numbers;
  unsigned groups = 0;

  bool operator==(const LastBarriers &other) const {
    return numbers == other.numbers && groups == other.groups;
  }
};

/// States share these objects, and copy them to change them.
struct PendingAccess : llvm::RefCountedBase<PendingAccess> {
  using Boxes = llvm::SmallVector<AccessBox, 1>;

  mlir::Operation *op = nullptr;
  /// The constant part of the access, which the kernel's SyncAccesses own.
  const Access *access = nullptr;
  unsigned order = 0; ///< the number of the kernel's access
  RingSlot slot;      ///< in terms of values at the state's point
  /// Together they cover the accessed part. States are copied far more often
  /// than boxes change.
  std::shared_ptr<const Boxes> boxes;
  /// Made before the threads of this role diverged from the others.
  bool isFromOutside = false;
  /// The writers of a generic access have executed a fence.
  bool isFenced = false;
  /// The ring's slot was released after the access.
  bool isReleased = false;
  /// The issuer has waited for the engine's access.
  bool isWaitedFor = false;
  BarrierScope barrier = BarrierScope::None; ///< since the access
  BarrierScope barrierSinceDone =
      BarrierScope::None; ///< since its fence or wait
  /// The largest barrier before its fence or wait, on some path, unless an
  /// equal one has followed since.
  BarrierScope barrierBeforeDone = BarrierScope::None;
  /// The threads that have observed it without a barrier.
  BarrierScope seen = BarrierScope::None;
  /// The largest barrier since then that the flow ignores, on some path on
  /// which no other barrier is as large.
  BarrierScope missed = BarrierScope::None;
  /// The number of groups submitted after it.
  unsigned groups = 0;
  /// The last barriers of each scope; the index is the scope less 1.
  std::array<LastBarriers, 3> barriers;

  const LastBarriers &getBarriers(BarrierScope scope) const {
    return barriers[static_cast<unsigned>(scope) - 1];
  }
  llvm::ArrayRef<AccessBox> getBoxes() const { return *boxes; }
  bool operator==(const PendingAccess &other) const;
};

class SyncState {
public:
  SyncState(SyncPositions &positions, bool hasEngines)
      : positions(&positions), hasEngines(hasEngines) {}

  /// Adds an access. `order` is its number in the kernel. `seen` are the
  /// threads that have observed it, so that an engine's access is complete.
  void access(mlir::Operation *op, unsigned order, const Access &access,
              BarrierScope seen = BarrierScope::None);
  void fence(bool shared, bool global);
  void waitForStores(GroupWait kind, unsigned pending, TransferScope scope);
  void submit(TransferScope scope);
  void passBarrier(BarrierScope scope, unsigned number);
  /// Records that the flow ignores a barrier of the kernel.
  void miss(BarrierScope scope);
  /// Ends the threads' reads of a slot, if only fills of the ring write the
  /// slot, since these wait until it is free.
  void release(mlir::Value ring, const RingSlot &slot,
               llvm::function_ref<bool(const Buffer &)> isOnlyRefilled);
  /// Ends the accesses to a slot that is reused.
  void reuse(mlir::Value ring, const RingSlot &slot);

  void enterRole();
  void leaveRole();

  bool operator==(const SyncState &other) const;

  /// Joins the states of two paths. Widens growing intervals on request.
  /// Returns whether this state changed.
  bool join(const SyncState &other, bool widen = false);
  void substitute(const PositionMap &slots, const PositionMap &boxes,
                  llvm::function_ref<bool(mlir::Value)> isGone);

  /// The pending accesses, in program order.
  auto getPending() const { return llvm::make_pointee_range(pending); }
  /// The smallest number of groups submitted after those of `op`, as far as
  /// known.
  unsigned countGroupsSince(mlir::Operation *op) const;
  /// Whether the access, wherever it is pending, has been fenced or waited for.
  bool isDone(const Access &access) const;

private:
  using Pending = llvm::IntrusiveRefCntPtr<const PendingAccess>;

  bool isOver(const PendingAccess &pending) const;
  /// Returns whether this changed anything.
  bool joinInto(Pending &into, const PendingAccess &other, bool widen);
  void addBox(PendingAccess::Boxes &into, const AccessBox &box, bool widen);
  void dropFinished();
  /// Sorts accesses, and joins those that became equal.
  void restoreOrder();

  SyncPositions *positions;
  bool hasEngines;
  bool isInRole = false;
  /// Accesses in the order of number, slot and outside.
  std::vector<Pending> pending;
};

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
