//===- LoopTransfers.h - conditions for a transfer in a ring ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions of docs/Rings.md for one transfer of a loop, each with a
// reason for its failure. Private to the ring planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_LOOPTRANSFERS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_LOOPTRANSFERS_H

#include "../Boxes/RingBoxes.h"
#include "../Boxes/TileElements.h"

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// Whether an op without known effects only orders threads or passes values
/// between them, and accesses no memory itself.
bool touchesNoMemory(mlir::Operation *op);

/// Calls `visit` with each memref that `op` itself may write, null for any.
void forEachWritten(mlir::Operation *op,
                    llvm::function_ref<void(mlir::Value)> visit);

/// Whether `op` is a fence after which the thread may read data that other CTAs
/// have written.
bool takesOverFromCTAs(mlir::Operation *op);

/// Whether the results of `op` depend on other threads of the warp or the
/// block.
bool involvesOtherThreads(mlir::Operation *op);

/// The values that `load` needs apart from the tile's buffer: global memref,
/// map, offsets, and those that select the tile in the buffer.
llvm::SmallVector<mlir::Value> getInputs(LoadOp load);

/// The loads among `parts` with the tile of `load`, itself included.
llvm::SmallVector<mlir::Operation *> getSameTile(LoadOp load,
                                                 llvm::ArrayRef<LoadOp> parts);

/// The part of its loop that a load needs before it can start.
struct LoadSlice {
  /// The ops that compute its operands and conditions.
  llvm::SetVector<mlir::Operation *> ops;
  /// Buffers that these ops read, and that the loop loads.
  llvm::SetVector<mlir::Value> operandTiles;
  /// The numbers of the values that the loop carries to them.
  llvm::SetVector<unsigned> carried;
};

/// Whether iterations ahead can execute `op` and find what they would find
/// then. `isReadable` says so of a memref that an op inside reads.
bool canExecuteAhead(
    mlir::Operation *op,
    llvm::function_ref<bool(mlir::Operation *read, mlir::Value memref)>
        isReadable);

/// A kernel and one of its loops, as the conditions use them.
class LoopTransfers {
public:
  LoopTransfers(mlir::gpu::GPUFuncOp kernel, mlir::scf::ForOp loop)
      : kernel(kernel), loop(loop) {}

  /// The reason why `load` can't use a ring of the loop, or an empty one.
  /// `parts` are the loop's loads into the buffer, in one ring. Adds to `slice`
  /// what the load needs.
  Obstacle explainLoad(LoadOp load, llvm::ArrayRef<LoadOp> parts,
                       LoadSlice &slice);
  /// The reason why the loop's accesses to the buffer of `load` aren't all to
  /// elements that `parts` have loaded in the same iteration.
  Obstacle explainAccesses(LoadOp load, llvm::ArrayRef<LoadOp> parts);
  /// Whether all elements of the buffer that `op` accesses are in `parts`.
  bool isLoaded(mlir::Operation *op, llvm::ArrayRef<LoadOp> parts);
  /// The reason why `store` can't have slots of its own, or an empty one.
  /// `parts` are the stores that share them.
  Obstacle explainStore(StoreOp store, llvm::ArrayRef<StoreOp> parts);
  /// The reason why `store` can't read in place what `parts` load, or an empty
  /// one.
  Obstacle explainInPlaceStore(StoreOp store, llvm::ArrayRef<LoadOp> parts);

  /// The reason why the state of a rotated while loop can't be computed in
  /// earlier iterations, or an empty one. Adds to `state` what it depends on.
  Obstacle explainState(IterationState &state);
  /// The reason why accesses outside of the loop to the tile of `load` are an
  /// obstacle, or an empty one. Sets `isUsedOutside`. `parts` are the loop's
  /// loads into the buffer.
  Obstacle explainOutside(LoadOp load, llvm::ArrayRef<LoadOp> parts,
                          bool &isUsedOutside);

  using Guards = llvm::SmallVectorImpl<GuardAttr>;
  /// Whether producers, which don't wait for the loop's stores, may start
  /// `load`: no store of an earlier iteration of the loop, or of the loops
  /// around it, stores to its box. Guards that the kernel lacks go to
  /// `missing`, as in RingBoxes.
  bool areApartInNest(LoadOp load, StoreOp store, Guards *missing = nullptr);
  /// Whether `load` may run ahead of the loop's stores if `missing` holds:
  /// guards that the kernel lacks. `inNest`: for producers.
  bool findMissingGuards(LoadOp load, bool inNest, Guards &missing);
  /// Whether the loop stores to the memref that `load` reads.
  bool storesToSourceOf(LoadOp load);
  bool isAccessedOutside(mlir::Value buffer);
  /// Whether neither peers nor the kernel write what `load` reads, so that no
  /// wait for a signal has to come before it.
  bool isConstant(LoadOp load);

private:
  Obstacle explainBuffer(TransferOpInterface transfer);
  Obstacle explainPlace(mlir::Operation *transfer);
  Obstacle explainSlice(LoadOp load, LoadSlice &slice);
  Obstacle explainSource(LoadOp load);
  bool isBufferOfKernel(mlir::Value buffer);
  bool isNeverWritten(mlir::Value memref);
  bool isReadableAhead(mlir::Operation *read, mlir::Value memref, LoadOp load,
                       LoadSlice &slice);
  Obstacle addToState(mlir::Value value, IterationState &state,
                      llvm::SetVector<mlir::Operation *> &advance);
  Obstacle addTicketUsers(GridTicketOp ticket, IterationState &state,
                          const llvm::SetVector<mlir::Operation *> &advance);
  Obstacle explainTicket(GridTicketOp ticket,
                         const llvm::SetVector<mlir::Operation *> &advance);
  Obstacle explainOtherParts(llvm::ArrayRef<LoadOp> parts,
                             llvm::ArrayRef<mlir::Operation *> accesses);
  bool ordersUnits();
  bool areApart(LoadOp load, StoreOp store, Guards *missing = nullptr);
  bool isInvariant(mlir::Value value);
  bool precedes(mlir::Operation *first, mlir::Operation *second);
  Obstacle explainOtherLoad(LoadOp load, LoadOp other,
                            llvm::ArrayRef<LoadOp> parts);
  bool mayAccess(mlir::Operation *op, LoadOp load,
                 llvm::ArrayRef<LoadOp> parts);
  TileElements &getElements();
  RingBoxes &getBoxes();

  mlir::gpu::GPUFuncOp kernel;
  mlir::scf::ForOp loop;
  std::optional<TileElements> elements; ///< computed on demand
  std::unique_ptr<RingBoxes> boxes;     ///< computed on demand
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_TRANSFERS_LOOPTRANSFERS_H
