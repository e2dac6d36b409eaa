//===- RingPlan.h - which transfers go through rings ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a kernel of the tile phase and decides for each loop with
// carousel.pipeline what its rings are: the transfers that go through them, how
// deep they are, who produces and how slots come back. What stays outside is
// listed with the reason. docs/Rings.md states the conditions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H
#define CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>
#include <vector>

namespace carousel {

struct TargetInfo;

/// Loads of a loop through one ring, with a tile for each buffer.
struct LoadRingPlan {
  llvm::SmallVector<LoadOp> loads; ///< in program order
  llvm::SmallVector<mlir::Value> buffers;
  std::optional<int64_t> request; ///< for stages; nothing: auto
  int64_t stages = 1;
  /// Iterations that loads run ahead; producers run as far as there are slots.
  int64_t prefetch = 0;
  SlotRelease release = SlotRelease::EmptyBarrier;
  /// What is computed in the loop for the loads' operands and conditions.
  llvm::SetVector<mlir::Operation *> slice;
  /// Stores from tiles of the ring.
  llvm::SmallVector<StoreOp> inPlaceStores;
  /// Loads from memrefs that the loop stores to, elsewhere.
  bool overtakesStores = false;
  /// The buffers that the kernel accesses outside of the loop, too, where they
  /// hold what the last iteration left.
  llvm::SetVector<mlir::Value> usedOutside;
};

/// One store through a ring of its own.
struct StoreRingPlan {
  StoreOp store;
  mlir::Value buffer;
  int64_t stages = 2;
};

struct LoopPlan {
  mlir::scf::ForOp loop;
  PipelineAttr request;
  PipelineMode mode = PipelineMode::Unified;
  /// One that all loads share, or one for each, in program order.
  std::vector<LoadRingPlan> rings;
  llvm::SmallVector<StoreRingPlan> stores;
  /// The last iterations are a loop of their own, without loads ahead.
  bool hasPeeledEpilogue = false;

  /// Of the rings' slots; a large number if it is larger still.
  int64_t getSlotBytes() const;
  /// The most iterations that a ring's loads run ahead.
  int64_t getPrefetch() const;
  bool hasInPlaceStore(StoreOp store) const;
};

/// Who executes what in a kernel with a specialised loop. Threads.
struct RolePlan {
  int64_t producers = 0;
  int64_t consumers = 0;
  std::optional<int64_t> producerRegisters;
  std::optional<int64_t> consumerRegisters;
  /// What producers compute: the results that they need of the kernel's ops,
  /// and the region arguments.
  llvm::DenseSet<mlir::Value> producerValues;
  /// Tickets, which are drawn once for both roles, and what they are drawn
  /// with.
  llvm::SetVector<mlir::Operation *> beforeRoles;
  /// The block without the producers, and with them.
  std::array<int64_t, 3> consumerBlock = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
};

/// A request that isn't met, or not as it was made.
struct RingMiss {
  mlir::Operation *op;
  std::string reason;
};

struct RingPlan {
  std::vector<LoopPlan> loops; ///< inner ones first
  std::optional<RolePlan> roles;
  std::vector<RingMiss> misses;

  /// The loop's plan, or null.
  const LoopPlan *lookup(mlir::scf::ForOp loop) const;
  void print(llvm::raw_ostream &os) const;
};

/// C183: a pipeline that lists stages has a number for each load. Says so at
/// the loop.
mlir::LogicalResult verifyListedStages(mlir::scf::ForOp loop);

/// The plan for a kernel whose transfers have engines and whose block is known.
RingPlan planRings(mlir::gpu::GPUFuncOp kernel, const TargetInfo &target);

/// The ops that access a buffer, through views of it, too; nothing if it is
/// passed to where it can't be followed.
std::optional<llvm::SmallVector<mlir::Operation *>>
getAccesses(mlir::Value buffer);

/// Whether the writes that precede `store` in an iteration of `loop` write
/// every element of its tile: computed thread by thread.
bool coversTile(mlir::gpu::GPUFuncOp kernel, mlir::scf::ForOp loop,
                StoreOp store, llvm::ArrayRef<mlir::Operation *> writes);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H
