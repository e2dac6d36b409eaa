//===- RingTransfers.h - what keeps a transfer out of a ring ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions of docs/Rings.md for one transfer of a loop, each with the
// reason where it doesn't hold. Private to the planner of rings.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGTRANSFERS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGTRANSFERS_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// Whether an op without known effects orders threads, or hands values from
/// one to another, and makes no accesses of its own.
bool touchesNoMemory(mlir::Operation *op);

/// Whether `op` is a fence behind which the thread may read what other CTAs
/// have written.
bool takesOverFromCTAs(mlir::Operation *op);

/// Whether the results of `op` depend on other threads of the warp or the
/// block.
bool involvesOtherThreads(mlir::Operation *op);

/// Whether two memrefs may share bytes: different arguments of a kernel don't,
/// where one of them is written.
bool mayOverlap(mlir::Value lhs, mlir::Value rhs);

/// What starting `load` takes, but for the tile's buffer: global memref, map,
/// offsets, and what says which part of the buffer the tile is.
llvm::SmallVector<mlir::Value> getInputs(LoadOp load);

/// A kernel and one of its loops, as the conditions see them.
class LoopTransfers {
public:
  LoopTransfers(mlir::gpu::GPUFuncOp kernel, mlir::scf::ForOp loop)
      : kernel(kernel), loop(loop) {}

  /// Why `load` can't go through the loop's ring, or an empty string. Adds to
  /// `slice` what its operands and conditions are computed by in the loop;
  /// `follows` is set if that follows from earlier iterations.
  std::string explainLoad(LoadOp load,
                          llvm::SetVector<mlir::Operation *> &slice,
                          bool &follows);
  /// Why `store` can't have slots of its own, or an empty string.
  std::string explainStore(StoreOp store);
  /// Why `store` can't empty the tiles of the loop's ring, or an empty string.
  std::string explainInPlaceStore(StoreOp store, LoadOp load);

  /// Whether the loop stores to the memref that `load` reads.
  bool storesToSourceOf(LoadOp load);
  bool isAccessedOutside(mlir::Value buffer);

private:
  std::string explainBuffer(TransferOpInterface transfer);
  std::string explainPlace(mlir::Operation *transfer);
  std::string explainSlice(LoadOp load,
                           llvm::SetVector<mlir::Operation *> &slice,
                           bool &follows);
  std::string explainSource(LoadOp load);
  bool isNeverWritten(mlir::Value memref);
  bool ordersUnits();
  bool areApart(LoadOp load, StoreOp store);
  bool isInvariant(mlir::Value value);
  bool precedes(mlir::Operation *first, mlir::Operation *second);

  mlir::gpu::GPUFuncOp kernel;
  mlir::scf::ForOp loop;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGTRANSFERS_H
