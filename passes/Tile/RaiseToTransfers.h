//===- RaiseToTransfers.h - plans of raised transfers -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis of --carousel-raise-to-transfers. It finds moves, which are ops
// that copy data between global and shared memory, and plans the transfers that
// replace them. It doesn't change the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_RAISETOTRANSFERS_H
#define CAROUSEL_PASSES_TILE_RAISETOTRANSFERS_H

#include "ThreadDependence.h"

#include "carousel/Analysis/Values/IndexFunction.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <string>
#include <vector>

namespace carousel {

/// One side of a move: a box of a memref.
struct MoveAccess {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices; // empty: zeros
  /// The dim of the moved shape along each dim of the memref, or -1.
  llvm::SmallVector<int> movedDims;
  /// For each dim of the memref, whether the box may reach beyond its end.
  llvm::SmallBitVector mayLeave;
};

/// A copy by one thread from one memory to the other: a read and a write.
struct Move {
  mlir::Operation *read = nullptr;
  mlir::Operation *write = nullptr; // equal to `read` for a copy op
  bool isLoad = false;              // from global to shared memory
  MoveAccess global, tile;
  mlir::Value globalRoot, tileRoot; // the sources of subviews and casts
  llvm::SmallVector<int64_t> shape; // of the moved data; copies may be dynamic
  std::string refusal;              // why it can't be raised anywhere
};

/// The value that `view` is a subview or a cast of, or null.
mlir::Value getViewSource(mlir::Value view);

/// The reason why a set of ops can't be executed together, right before `last`;
/// empty if it can. The ops stand in or between `first` and `last`, which are
/// in one block.
std::string
explainConflict(const llvm::SmallPtrSetImpl<mlir::Operation *> &reads,
                const llvm::SmallPtrSetImpl<mlir::Operation *> &writes,
                mlir::Value source, mlir::Value target, mlir::Operation *first,
                mlir::Operation *last);

/// The step of planning that failed.
enum class PlanStage { Control, Conflicts, Places, Box };

/// A transfer, and the moves that it replaces.
struct TransferPlan {
  bool isLoad = false;
  bool inBounds = false;
  mlir::Value global, tile;
  /// The box in the memrefs: its first element and its extents. Dropped dims
  /// have extent 1; a view leaves them out.
  llvm::SmallVector<IndexForm> globalOffsets, tileOffsets;
  llvm::SmallVector<int64_t> tileExtents;
  llvm::SmallBitVector droppedGlobal, droppedTile;

  llvm::SmallVector<const Move *> moves;
  mlir::Operation *first = nullptr, *last = nullptr; // goes before `last`
  int64_t threads = 1; // that share the moves; 1: each thread makes all of them
  std::string refusal; // not empty: why this isn't raised
  PlanStage stage = PlanStage::Box;

  /// Whether the box is all of `tile`.
  bool isWholeTile() const;
  int64_t getNumElements() const;
  void print(llvm::raw_ostream &os) const;
};

/// Plans the transfers for the moves, in program order. Each move is in one
/// plan.
std::vector<TransferPlan> planTransfers(mlir::gpu::GPUFuncOp kernel,
                                        llvm::ArrayRef<Move> moves);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_RAISETOTRANSFERS_H
