//===- SyncState.h - accesses that something may have to wait for -*- C++ -*-=//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may have happened before a point of a kernel and isn't ordered before
// everything that comes: the state of the data flow that SyncFlow.h runs. Each
// pending access knows how far it is ordered: by fences, waits and barriers.
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

/// Which threads have met, the more the higher.
enum class BarrierScope : unsigned {
  Nobody = 0,
  Warp = 1,
  Warpgroup = 2,
  CTA = 3
};

inline BarrierScope getBarrierScope(TransferScope scope) {
  return scope == TransferScope::Warp        ? BarrierScope::Warp
         : scope == TransferScope::Warpgroup ? BarrierScope::Warpgroup
                                             : BarrierScope::CTA;
}

/// The last barriers on the ways from an access, by number, and how many groups
/// of stores were submitted from the access on when they took place.
struct LastBarriers {
  llvm::SmallVector<unsigned, 2> numbers;
  unsigned groups = 0;

  bool operator==(const LastBarriers &other) const {
    return numbers == other.numbers && groups == other.groups;
  }
};

/// States share them, and change copies.
struct PendingAccess : llvm::RefCountedBase<PendingAccess> {
  using Boxes = llvm::SmallVector<AccessBox, 1>;

  mlir::Operation *op = nullptr;
  /// What doesn't change of it, and belongs to the kernel's SyncAccesses.
  const Access *access = nullptr;
  unsigned order = 0; ///< by which the kernel's accesses are numbered
  RingSlot slot;      ///< in terms of what holds where the state does
  /// Together they cover what was touched. States are copied far more often
  /// than boxes change.
  std::shared_ptr<const Boxes> boxes;
  /// Made before this role's threads parted from the others.
  bool isFromOutside = false;
  /// Generic writes: the writers have fenced them.
  bool isFenced = false;
  /// In a slot of a ring: the slot was handed back behind it.
  bool isHandedBack = false;
  /// What engines do: its issuer has waited for it.
  bool isWaitedFor = false;
  BarrierScope barrier = BarrierScope::Nobody; ///< since the access
  BarrierScope barrierSinceDone =
      BarrierScope::Nobody; ///< since its fence or wait
  /// The largest barrier before its fence or wait, on some way,
  /// unless as many have met since then.
  BarrierScope barrierBeforeDone = BarrierScope::Nobody;
  /// Who has observed it without a barrier.
  BarrierScope seen = BarrierScope::Nobody;
  /// The most threads that would have met since then where the flow leaves a
  /// barrier out, on some way on which no other one has as many.
  BarrierScope missed = BarrierScope::Nobody;
  /// Groups submitted after it.
  unsigned groups = 0;
  /// By how many have to meet, less 1.
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

  /// `order` numbers the accesses of a kernel; `seen` have observed it, so that
  /// what an engine did is done.
  void access(mlir::Operation *op, unsigned order, const Access &access,
              BarrierScope seen = BarrierScope::Nobody);
  void fence(bool shared, bool global);
  void waitForStores(GroupWait kind, unsigned pending, TransferScope scope);
  void submit(TransferScope scope);
  void passBarrier(BarrierScope scope, unsigned number);
  /// A barrier of the kernel's is left out here.
  void miss(BarrierScope scope);
  /// What threads read in a slot is over with that, if only fills of the ring
  /// write it, which wait for the slot.
  void handBack(mlir::Value ring, const RingSlot &slot,
                llvm::function_ref<bool(const Buffer &)> isOnlyRefilled);
  /// What was done to a slot that is in use anew is over.
  void reuse(mlir::Value ring, const RingSlot &slot);

  void enterRole();
  void leaveRole();

  bool operator==(const SyncState &other) const;

  /// What may hold if one of the two does. Intervals that grew are widened if
  /// asked for. Returns whether anything changed.
  bool join(const SyncState &other, bool widen = false);
  void substitute(const PositionMap &slots, const PositionMap &boxes,
                  llvm::function_ref<bool(mlir::Value)> isGone);

  /// In the order of the kernel.
  auto getPending() const { return llvm::make_pointee_range(pending); }
  /// The fewest groups submitted after what `op` submitted, as far as known.
  unsigned countGroupsSince(mlir::Operation *op) const;
  /// Whether the access, wherever it is pending, has been fenced or waited for.
  bool isDone(const Access &access) const;

private:
  using Pending = llvm::IntrusiveRefCntPtr<const PendingAccess>;

  bool isOver(const PendingAccess &pending) const;
  /// Whether that changed anything.
  bool joinInto(Pending &into, const PendingAccess &other, bool widen);
  void addBox(PendingAccess::Boxes &into, const AccessBox &box, bool widen);
  void dropFinished();
  /// Puts accesses in their order again; those that became one are joined.
  void restoreOrder();

  SyncPositions *positions;
  bool hasEngines;
  bool isInRole = false;
  /// By number, slot and outside.
  std::vector<Pending> pending;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCSTATE_H
