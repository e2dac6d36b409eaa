//===- RingBarriers.h - what the rings of a kernel become -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan that --carousel-lower-rings applies to a kernel at the ring phase:
// who produces and who consumes, how many arrivals complete a phase, how slots
// lie in shared memory, which named barriers a role's barriers have, and which
// barriers another one already makes. Reads the IR, changes nothing.
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

/// Threads of the block, by their linear number: all of them, or a role's.
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

/// The threads of one scope among those of a range, and how many of such scopes
/// there are.
int64_t getScopeThreads(const ThreadRange &range, TransferScope scope);
int64_t getScopeInstances(const ThreadRange &range, TransferScope scope);

/// One tile of a ring's slots: a buffer of `stages` times `stride` bytes.
struct PlannedTile {
  mlir::MemRefType type;
  int64_t alignment = 16;
  int64_t stride = 0;
};

/// The cp.async groups that a ring's uses are told apart by.
struct CommitGroups {
  /// By produce, the op behind which its group is committed: one around it that
  /// is always executed.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> ends;
  /// By wait, the groups that may be pending behind it.
  llvm::DenseMap<mlir::Operation *, int64_t> pending;
  /// Empty groups to be committed in front of loops.
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> padding;
};

struct PlannedRing {
  mutable RingCreateOp ring; ///< a handle, without const members
  ThreadRange producers;
  ThreadRange consumers;
  /// Rings below the CTA's scope: one for each warpgroup or warp.
  int64_t instances = 1;
  /// There are uses to be filled, and slots that an mbarrier hands back.
  bool hasFull = false;
  bool hasEmpty = false;
  /// Which arrivals complete a phase of `full`: one thread's with what it
  /// issued, each producer's with its cp.async, and the producers' ordinary
  /// stores.
  bool leaderArrives = false;
  bool cpAsyncArrives = false;
  bool storesArrive = false;
  /// Instead of all that: the threads of a warp store to their own slots, and
  /// meet. There is no `full`.
  bool meetsWhenFilled = false;
  /// Or each thread waits for its own copies, and then they meet: neither
  /// `full` nor `empty`.
  std::optional<CommitGroups> groups;
  int64_t fullArrivals = 0;
  int64_t emptyArrivals = 0;
  llvm::SmallVector<PlannedTile> tiles;
};

/// A range of named barriers: one for each scope of the range.
struct NamedBarriers {
  int64_t first = 0;
  int64_t count = 0;
};

using ScopeKey = std::pair<ThreadRange, TransferScope>;

struct RingBarrierPlan {
  /// Of the block.
  int64_t threads = 0;
  std::vector<PlannedRing> rings;
  /// The scopes that issue bulk groups.
  std::vector<ScopeKey> bulkScopes;
  std::vector<std::pair<ScopeKey, NamedBarriers>> namedBarriers;
  /// Releases by a barrier that another barrier next to them makes.
  llvm::DenseSet<mlir::Operation *> mergedReleases;
  /// Produces whose ordinary stores are seen without a barrier of their own.
  llvm::DenseSet<mlir::Operation *> metProduces;
  /// Of the kernel's ring.load and ring.store.
  llvm::DenseMap<mlir::Operation *, TransferShape> shapes;
  /// Bulk copies whose ends of rows, which their issuing thread copies, engines
  /// may touch later.
  llvm::DenseSet<mlir::Operation *> orderedEnds;

  const PlannedRing &lookup(mlir::Value ring) const;
  /// Whether engines complete phases of barriers.
  bool hasEngineLoads() const;
  bool issuesBulkGroups(const ThreadRange &range, TransferScope scope) const;
  const NamedBarriers *getNamedBarriers(const ThreadRange &range,
                                        TransferScope scope) const;
  /// The threads that execute `op` together: those of its role, or all.
  ThreadRange getThreads(mlir::Operation *op) const;
  void print(llvm::raw_ostream &os) const;
};

/// Whether arrivals are made by one thread of each warp: the range is made of
/// whole warps.
bool arrivesByWarp(const ThreadRange &range);

/// Plans for a kernel that holds ring ops. Emits an error at the op that can't
/// be lowered and fails (C160, C162 to C165).
/// With `commitGroups` rings that only cp.async fills, ahead and by the threads
/// that use it, are without mbarriers.
mlir::FailureOr<RingBarrierPlan> planRingBarriers(mlir::gpu::GPUFuncOp kernel,
                                                  bool commitGroups = false);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_RINGBARRIERS_H
