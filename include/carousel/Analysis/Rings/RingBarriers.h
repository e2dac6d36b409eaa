//===- RingBarriers.h - the lowering plan of rings --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan that --carousel-lower-rings applies to a kernel at the ring phase.
// For each ring it has the producers and consumers, the arrivals that complete
// a phase, and the layout of slots in shared memory. It also has the named
// barriers of roles, and the barriers that are merged with others. Reads the IR
// and doesn't change it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_RINGBARRIERS_H
#define CAROUSEL_ANALYSIS_RINGS_RINGBARRIERS_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>
#include <vector>

namespace carousel {

/// Threads of the block, by linear number: all threads, or those of a role.
struct ThreadRange {
  int64_t first = 0;
  int64_t count = 0;

  bool operator==(const ThreadRange &other) const {
    return first == other.first && count == other.count;
  }
  bool operator<(const ThreadRange &other) const {
    return std::tie(first, count) < std::tie(other.first, other.count);
  }
};

/// The number of threads that one scope has in a range, and the number of such
/// scopes.
int64_t getScopeThreads(const ThreadRange &range, TransferScope scope);
int64_t getScopeInstances(const ThreadRange &range, TransferScope scope);

/// One tile of a ring's slots: a buffer of `stages` times `stride` bytes.
struct PlannedTile {
  mlir::MemRefType type;
  int64_t alignment = 16;
  int64_t stride = 0;
};

/// The cp.async groups of a ring's uses.
struct CommitGroups {
  /// For each produce, the op after which its group is committed: an op around
  /// it that is always executed.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> ends;
  /// For each wait, the number of groups that may be pending after it.
  llvm::DenseMap<mlir::Operation *, int64_t> pending;
  /// Empty groups to commit before loops.
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> padding;
};

struct PlannedRing {
  mutable RingCreateOp ring; ///< a handle, without const members
  ThreadRange producers;
  ThreadRange consumers;
  /// Rings below CTA scope have one for each warpgroup or warp.
  int64_t instances = 1;
  /// The ring has uses to fill, or slots that consumers release through an
  /// mbarrier.
  bool hasFull = false;
  bool hasEmpty = false;
  /// The arrivals that complete a phase of `full`: one of the thread that
  /// issues copies, one of each producer after its cp.async copies, and those
  /// after ordinary stores.
  bool leaderArrives = false;
  bool cpAsyncArrives = false;
  bool storesArrive = false;
  /// Instead of `full`: the threads of a warp store to their own slots and then
  /// execute a barrier.
  bool syncsWarpWhenFilled = false;
  /// Instead of `full` and `empty`: each thread waits for its own cp.async
  /// copies, and then a barrier follows.
  std::optional<CommitGroups> groups;
  int64_t fullArrivals = 0;
  int64_t emptyArrivals = 0;
  /// The CTAs that release the ring's slots together.
  int64_t ctas = 1;
  llvm::SmallVector<PlannedTile> tiles;
};

/// A range of named barriers, one for each scope of the thread range.
struct NamedBarriers {
  int64_t first = 0;
  int64_t count = 0;
};

using ScopeKey = std::pair<ThreadRange, TransferScope>;

struct RingBarrierPlan {
  /// The number of threads of the block.
  int64_t threads = 0;
  std::vector<PlannedRing> rings;
  /// The scopes that issue bulk groups.
  std::vector<ScopeKey> bulkScopes;
  std::vector<std::pair<ScopeKey, NamedBarriers>> namedBarriers;
  /// Releases by a barrier that is merged with an adjacent one.
  llvm::DenseSet<mlir::Operation *> mergedReleases;
  /// Produces after whose ordinary stores another barrier already follows.
  llvm::DenseSet<mlir::Operation *> synchronizedProduces;
  /// The shapes of the kernel's ring.load and ring.store ops.
  llvm::DenseMap<mlir::Operation *, TransferShape> shapes;
  /// Bulk copies with row ends that the issuing thread copies, and that engines
  /// may access later.
  llvm::DenseSet<mlir::Operation *> orderedEnds;
  /// Bulk loads of which no engine accesses the granule in which a row ends, in
  /// any use of the slot: cp.async may write it.
  llvm::DenseSet<mlir::Operation *> asyncEnds;

  const PlannedRing &lookup(mlir::Value ring) const;
  /// Whether engines complete phases of the ring's barriers.
  bool hasEngineLoads() const;
  /// Whether CTAs access each other's barriers.
  bool isShared() const;
  bool issuesBulkGroups(const ThreadRange &range, TransferScope scope) const;
  const NamedBarriers *getNamedBarriers(const ThreadRange &range,
                                        TransferScope scope) const;
  /// The threads that execute `op` together: those of its role, or all threads.
  ThreadRange getThreads(mlir::Operation *op) const;
  void print(llvm::raw_ostream &os) const;
};

/// Whether one thread of each warp arrives: the range consists of whole warps.
bool arrivesByWarp(const ThreadRange &range);

/// Makes the plan for a kernel that has ring ops. If an op can't be lowered,
/// emits an error there and fails (C160, C162 to C165, C337). With
/// `commitGroups`, rings that only cp.async fills ahead, by the threads that
/// use them, get no mbarriers.
mlir::FailureOr<RingBarrierPlan> planRingBarriers(mlir::gpu::GPUFuncOp kernel,
                                                  bool commitGroups = false);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_RINGBARRIERS_H
