//===- RingRewriter.h - from a plan of rings to the ring phase --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites one kernel of the tile phase as its RingPlan says: loops first,
// inner ones before outer ones, then the transfers that stay outside of rings,
// then roles. Decides nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_RINGREWRITER_H
#define CAROUSEL_PASSES_RING_RINGREWRITER_H

#include "RunningIndices.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace carousel {

class RingRewriter {
public:
  RingRewriter(mlir::gpu::GPUFuncOp kernel, const RingPlan &plan)
      : kernel(kernel), plan(plan), rewriter(kernel.getContext()) {}

  void run();

private:
  mlir::Block &getEntry() { return kernel.getBody().front(); }
  RingCreateOp createRing(mlir::Location loc, TransferScope scope,
                          SlotRelease release, int64_t stages,
                          mlir::ValueRange buffers);

  // Loops (RewriteLoops.cpp).
  void rewriteLoop(const LoopPlan &loop);
  mlir::Operation *rewriteLoads(const LoopPlan &loop, const LoadRingPlan &loads,
                                mlir::Operation *previous);
  void startAhead(const LoopPlan &loop, const LoadRingPlan &loads,
                  RingCreateOp ring, mlir::Value use);
  void emitPrologue(const LoopPlan &loop, const LoadRingPlan &loads,
                    RingCreateOp ring, mlir::Value variable);
  void rewriteInPlaceStores(const LoopPlan &loop, const LoadRingPlan &loads,
                            RingCreateOp ring, mlir::Value use);
  void rewriteStore(const LoopPlan &loop, const StoreRingPlan &store);
  void peelEpilogue(const LoopPlan &loop);
  void redirectOutside(const LoadRingPlan &loads, RingCreateOp ring,
                       mlir::Value variable);
  /// Fills use `use` of `ring` with the loop's loads, its values replaced by
  /// `mapping`. They are those of `ahead` iterations later (ring.produce).
  void emitProduce(const LoadRingPlan &loads, mlir::scf::ForOp loop,
                   RingCreateOp ring, mlir::Value use, mlir::IRMapping mapping,
                   int64_t ahead = 0);
  void emitLoads(const LoadRingPlan &loads, mlir::Block &block,
                 RingCreateOp ring, mlir::Value use, mlir::IRMapping &mapping);
  void emitSubmit(StoreOp store, mlir::Value tile);
  /// Lets the accesses to `buffer` in `loop` go to `tile`, a value of the loop.
  void redirect(mlir::Value buffer, mlir::scf::ForOp loop, mlir::Value tile);

  // Transfers outside of rings.
  void rewriteLooseTransfers();
  void rewriteLooseLoad(LoadOp load);

  // Roles (AssignRoles.cpp).
  /// Makes the roles, at the end of the kernel, with what producers execute.
  RingRolesOp buildProducers();
  /// Gives everything else to the consumers.
  void assignRoles(RingRolesOp op);
  void removeDeadBuffers();
  void removeDeadAttributions(const llvm::SetVector<mlir::Value> &buffers);
  void foldExtent(mlir::memref::DimOp dim);

  mlir::gpu::GPUFuncOp kernel;
  const RingPlan &plan;
  mlir::IRRewriter rewriter;
  RunningIndices indices;
  llvm::DenseMap<const LoadRingPlan *, RingCreateOp> rings;
  /// Branches around loads ahead, and how far ahead, of the loop at hand.
  llvm::SmallVector<std::pair<mlir::scf::IfOp, int64_t>> guards;
  /// The ring without tiles, and its running index, of the loads of a scope
  /// and a kind of engine.
  llvm::MapVector<std::pair<TransferScope, EngineKind>,
                  std::pair<RingCreateOp, mlir::Value>>
      loose;

  friend class ProducerCloner;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_RINGREWRITER_H
