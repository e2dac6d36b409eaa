//===- RingPlan.h - the transfers that use rings ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans the rings of each loop with carousel.pipeline in a kernel at the tile
// phase: the transfers of each ring, its stages, its producers, and how its
// slots are released. Lists transfers that don't use rings, with the reason.
// docs/Rings.md states the conditions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H
#define CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H

#include "carousel/Analysis/Decisions/Throughput.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Support/Misses.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>
#include <vector>

namespace carousel {

struct ChipModel;

/// Loads of a loop through one ring, with a tile for each buffer. Several loads
/// may load disjoint parts of one buffer.
struct LoadRingPlan {
  llvm::SmallVector<LoadOp> loads; ///< in program order
  llvm::SmallVector<mlir::Value> buffers;
  std::optional<int64_t> request; ///< for stages; nothing: auto
  int64_t stages = 1;
  /// The iterations that loads run ahead. Producers of a specialised loop run
  /// ahead as far as there are slots.
  int64_t prefetch = 0;
  SlotRelease release = SlotRelease::EmptyBarrier;
  /// The ops in the loop that compute the loads' operands and conditions.
  llvm::SetVector<mlir::Operation *> slice;
  /// Buffers of other rings of the loop, from whose tiles the slice reads.
  /// These rings come before this one in the plan.
  llvm::SetVector<mlir::Value> operandTiles;
  /// The number of rings, one after the other, whose loads wait for this ring's
  /// tiles: with 1, its tiles are operands of loads; with 2, of loads of such
  /// tiles.
  int64_t leads = 0;
  /// Stores that read tiles of the ring in place.
  llvm::SmallVector<StoreOp> inPlaceStores;
  /// The ring loads from memrefs that other transfers of the loop store to.
  bool overtakesStores = false;
  /// Buffers that the kernel also accesses outside the loop, where they hold
  /// the contents of the last iteration.
  llvm::SetVector<mlir::Value> usedOutside;
  /// The last product of an iteration alone reads the tiles, when those of the
  /// other products are released already (ProductRotation.h).
  bool isOfSecondStage = false;

  /// The stages with which the ring runs far enough ahead of rings of `stages`
  /// stages that wait for its tiles: each runs twice as far as the next.
  int64_t getStagesFor(int64_t stages) const {
    return ((stages - 1) << leads) + 1;
  }
};

/// One store with a ring of its own, or stores of disjoint parts of a buffer.
struct StoreRingPlan {
  StoreOp store; ///< the first one
  mlir::Value buffer;
  int64_t stages = 2;
  llvm::SmallVector<StoreOp> others = {}; ///< in the same block, in order
};

/// The values that loads of a while loop need from iterations that haven't
/// started yet. Such a loop is rotated for planning: it is an scf.for whose
/// first carried value is the condition, and whose trip count isn't known
/// (`isRotatedWhile`).
struct IterationState {
  /// The numbers of the carried values on which the loads, the condition and
  /// these values' successors depend; the condition is the first.
  llvm::SetVector<unsigned> carried;
  /// The ops of the body that compute the successors, in program order.
  llvm::SmallVector<mlir::Operation *> advance;
};

/// Whether `loop` is a rotated scf.while: its upper bound is an
/// unrealized_conversion_cast of its first carried value's initial value, and
/// it runs while that carried value is true.
bool isRotatedWhile(mlir::scf::ForOp loop);

/// The reason why an scf.while can't be rotated, or an empty one. Rotation
/// copies the ops of its condition to before the loop and to the end of its
/// body.
Obstacle explainRotation(mlir::scf::WhileOp loop);

struct LoopPlan {
  mlir::scf::ForOp loop;
  PipelineAttr request;
  PipelineMode mode = PipelineMode::Unified;
  /// An engine reads tiles of the loop's rings, which engines fill, or threads
  /// by plain copies or by cp.async. Such a loop is specialised unless its
  /// author asks for what that excludes.
  bool feedsConsumers = false;
  /// The warps of producers where threads fill rings of such a loop, and
  /// whether what they copy goes through their registers.
  int64_t copyingWarps = 0;
  bool copiesThroughRegisters = false;
  /// Buffers whose tiles have rings apart, as the rings say.
  llvm::SmallVector<mlir::Value> ofSecondStage;
  /// One ring that all loads share, or one for each load, in program order.
  std::vector<LoadRingPlan> rings;
  llvm::SmallVector<StoreRingPlan> stores;
  /// The last iterations, which load nothing ahead, are a loop of their own.
  bool hasPeeledEpilogue = false;
  /// The state of a rotated while loop whose loads can run ahead.
  std::optional<IterationState> state;
  /// The op before which the first loads start: the loop, or a load outside of
  /// rings that precedes it, whose wait then overlaps with them.
  mlir::Operation *start = nullptr;
  // The work of an iteration, what is decided, and what follows from both.
  LoopWork work;
  LoopChoice choice;
  LoopPrediction prediction;

  /// The size of the rings' slots in bytes; on overflow the largest number.
  int64_t getSlotBytes() const;
  /// The largest number of iterations that a ring's loads run ahead.
  int64_t getPrefetch() const;
  bool hasInPlaceStore(StoreOp store) const;
};

/// The roles of threads in a kernel with a specialised loop, as numbers of
/// threads.
struct RolePlan {
  int64_t producers = 0;
  int64_t consumers = 0;
  std::optional<int64_t> producerRegisters;
  std::optional<int64_t> consumerRegisters;
  /// The CTAs for which slots and registers leave room on an SM.
  int64_t ctas = 1;
  /// Results of the kernel's ops and region arguments that producers need.
  llvm::DenseSet<mlir::Value> producerValues;
  /// Waits for signals that both roles execute: producers load what peers have
  /// written before they signalled.
  llvm::DenseSet<mlir::Operation *> producerWaits;
  /// Tickets, which are drawn once for both roles, and the ops that compute
  /// their operands.
  llvm::SetVector<mlir::Operation *> beforeRoles;
  /// The block without the producers, and with them.
  std::array<int64_t, 3> consumerBlock = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
};

/// A request that the plan doesn't fulfil, or fulfils differently.
struct RingMiss {
  mlir::Operation *op;
  Miss miss;
  std::string reason;
};

struct RingPlan {
  std::vector<LoopPlan> loops; ///< inner ones first
  std::optional<RolePlan> roles;
  std::vector<RingMiss> misses;

  /// The plan of a loop, or null.
  const LoopPlan *lookup(mlir::scf::ForOp loop) const;
  void print(llvm::raw_ostream &os) const;
};

/// C183: a pipeline that lists stages has one number for each load. Emits an
/// error at the loop, an scf.for or scf.while, otherwise.
mlir::LogicalResult verifyListedStages(mlir::Operation *loop);

/// Makes the plan for a kernel with a known block, whose transfers have
/// engines.
RingPlan planRings(mlir::gpu::GPUFuncOp kernel, const ChipModel &target);

/// The plan as an analysis of such a kernel, whose module has a target. Passes
/// that leave a kernel's loops as they are preserve it.
struct RingPlanning {
  explicit RingPlanning(mlir::Operation *kernel);
  RingPlan plan;
};

/// Adds the rings and the misses of a plan to the record of decisions.
void describeRings(mlir::gpu::GPUFuncOp kernel, const RingPlan &plan,
                   KernelDecisions &decisions);

/// Whether the writes that precede `store` in an iteration write every element
/// of its tile, and of the views `reads` of its buffer. `body` is the loop's
/// block with the store. Computed for each thread.
bool coversTile(mlir::gpu::GPUFuncOp kernel, mlir::Block &body, StoreOp store,
                llvm::ArrayRef<mlir::Operation *> writes,
                llvm::ArrayRef<mlir::Value> reads = {});

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_RINGPLAN_H
