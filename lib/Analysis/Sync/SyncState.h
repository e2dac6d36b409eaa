//===- SyncState.h - accesses that may need a wait --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the data flow in SyncFlow.h: accesses that may have happened
// before a point of a kernel, and aren't ordered before everything that
// follows. Each pending access records how far it is ordered: by fences, waits
// and barriers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCSTATE_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCSTATE_H

#include "SyncAccesses.h"

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

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCSTATE_H
