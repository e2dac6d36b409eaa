//===- RingRewriter.h - apply a plan of rings -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites one kernel of the tile phase according to its RingPlan: first loops,
// inner ones before outer ones; then the transfers outside of loops' rings;
// then roles. It makes no decisions of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_RINGREWRITER_H
#define CAROUSEL_PASSES_RING_RINGREWRITER_H

#include "RunningIndices.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace carousel {

/// `value` + `constant`, or `value` itself.
mlir::Value addConstant(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, int64_t constant);

class RingRewriter {
public:
  RingRewriter(mlir::gpu::GPUFuncOp kernel, const RingPlan &plan)
      : kernel(kernel), plan(plan), rewriter(kernel.getContext()) {}

  void run();

private:
  mlir::Block &getEntry() { return kernel.getBody().front(); }
  RingCreateOp createRing(mlir::Location loc, TransferScope scope,
                          SlotRelease release, int64_t stages,
                          mlir::ValueRange buffers, int64_t multicast = 1);

  // Loops (RewriteLoops.cpp).
  void rewriteLoop(const LoopPlan &loop);
  mlir::Operation *startLoads(const LoopPlan &loop, const LoadRingPlan &loads,
                              mlir::Operation *previous);
  void
  waitForOperands(const LoopPlan &loop, const LoadRingPlan &loads,
                  llvm::function_ref<mlir::Value(const LoadRingPlan &)> getUse,
                  mlir::IRMapping &mapping);
  void startAhead(const LoopPlan &loop, const LoadRingPlan &loads,
                  RingCreateOp ring, mlir::Value use);
  void emitPrologue(const LoopPlan &loop, const LoadRingPlan &loads,
                    RingCreateOp ring, mlir::Value variable);
  void waitForEarlierUses(const LoopPlan &loop, const LoadRingPlan &loads);
  void rewriteStore(const LoopPlan &loop, const StoreRingPlan &store);
  void peelEpilogue(const LoopPlan &loop);
  /// Emits a ring.produce that fills use `use` of `ring` with the loop's loads.
  /// `mapping` replaces the loop's values by those of `ahead` iterations later.
  void emitProduce(const LoadRingPlan &loads, mlir::scf::ForOp loop,
                   RingCreateOp ring, mlir::Value use, mlir::IRMapping mapping,
                   int64_t ahead = 0);
  void emitLoads(const LoadRingPlan &loads, mlir::Block &block,
                 RingCreateOp ring, mlir::Value use, mlir::IRMapping &mapping);
  void emitSubmit(StoreOp store, mlir::Value tile);

  // While loops, in rotated form (RewriteWhileLoops.cpp).
  void createStates(const LoopPlan &loop);
  void mapState(const LoopPlan &loop, int64_t ahead, mlir::IRMapping &mapping);
  llvm::SmallVector<mlir::Value> advanceState(const LoopPlan &loop);
  void shiftStates(const LoopPlan &loop, mlir::ValueRange last);
  void showIncrements(const LoopPlan &loop);
  void emitWhilePrologue(const LoopPlan &loop);
  void restoreWhile(const LoopPlan &loop);

  // Accesses to tiles (RewriteAccesses.cpp).
  void eraseLoads(const LoopPlan &loop);
  void rewriteAccesses(const LoopPlan &loop, const LoadRingPlan &loads);
  void rewriteInPlaceStores(const LoopPlan &loop, const LoadRingPlan &loads,
                            RingCreateOp ring, mlir::Value use);
  /// Redirects the accesses to `buffer` in `loop` to `tile`, a value of the
  /// loop.
  void redirect(mlir::Value buffer, mlir::scf::ForOp loop, mlir::Value tile);
  void redirectOutside(const LoadRingPlan &loads, RingCreateOp ring,
                       mlir::Value variable);

  // Transfers outside of rings.
  void rewriteLooseTransfers();
  void rewriteLooseLoad(LoadOp load);

  // Roles (AssignRoles.cpp).
  /// Creates the roles at the end of the kernel, and fills the producers'
  /// region.
  RingRolesOp buildProducers();
  /// Moves all other ops to the consumers' region.
  void assignRoles(RingRolesOp op);
  void removeDeadBuffers();
  void removeDeadAttributions(const llvm::SetVector<mlir::Value> &buffers);
  void foldExtent(mlir::memref::DimOp dim);

  mlir::gpu::GPUFuncOp kernel;
  const RingPlan &plan;
  mlir::IRRewriter rewriter;
  RunningIndices indices;
  llvm::DenseMap<const LoadRingPlan *, RingCreateOp> rings;
  /// A ring's running index, and in its loop the current use and its tiles.
  struct CurrentUse {
    mlir::Value variable;
    mlir::Value use;
    llvm::SmallVector<mlir::Value> tiles;
    llvm::SmallVector<mlir::Value> sources; ///< roots of what it loads from
  };
  llvm::DenseMap<const LoadRingPlan *, CurrentUse> current;
  /// In the current loop, if it is a while loop: the variables with the state
  /// of the current iteration and of as many later ones as loads run ahead,
  /// each with the values of `IterationState::carried`.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> states;
  /// The branches around loads ahead in the current loop, and how many
  /// iterations ahead they are.
  llvm::SmallVector<std::pair<mlir::scf::IfOp, int64_t>> guards;
  /// The first op of the prologues that stand before a load's loop.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> prologues;
  /// For loads outside of loops' rings, by scope and kind of engine: their
  /// ring, which has no tiles, and its running index.
  llvm::MapVector<std::pair<TransferScope, EngineKind>,
                  std::pair<RingCreateOp, mlir::Value>>
      loose;

  friend class ProducerCloner;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_RINGREWRITER_H
