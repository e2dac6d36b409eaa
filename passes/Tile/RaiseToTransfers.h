//===- RaiseToTransfers.h - copies that could be transfers ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --carousel-raise-to-transfers finds and decides: moves (ops that carry
// data between global and shared memory) and plans (transfers that moves are
// raised to). Planning changes nothing.
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
  /// For each dim of the memref, the dim of what is moved that runs along it,
  /// or -1.
  llvm::SmallVector<int> movedDims;
  /// For each dim of the memref, whether the box may reach behind its end.
  llvm::SmallBitVector mayLeave;
};

/// What one thread carries at once from one memory to the other.
struct Move {
  mlir::Operation *read = nullptr;
  mlir::Operation *write = nullptr; // a copy is both
  bool isLoad = false;              // from global to shared memory
  MoveAccess global, tile;
  mlir::Value globalRoot, tileRoot; // behind subviews and casts
  llvm::SmallVector<int64_t> shape; // of what is moved; copies may be dynamic
  std::string refusal;              // why it can't be raised anywhere
};

/// The moves of a kernel in program order.
std::vector<Move> findMoves(mlir::gpu::GPUFuncOp kernel);

/// The value that `view` is a subview or a cast of, or null.
mlir::Value getViewSource(mlir::Value view);

/// Why the ops of a set can't be executed together, right before `last`, or an
/// empty string. The ops stand in or between `first` and `last`, which are in
/// one block.
std::string
explainConflict(const llvm::SmallPtrSetImpl<mlir::Operation *> &reads,
                const llvm::SmallPtrSetImpl<mlir::Operation *> &writes,
                mlir::Value source, mlir::Value target, mlir::Operation *first,
                mlir::Operation *last);

/// How far planning came before it gave up.
enum class PlanStage { Control, Conflicts, Places, Box };

/// A transfer, and the moves that it replaces.
struct TransferPlan {
  bool isLoad = false;
  bool inBounds = false;
  mlir::Value global, tile;
  /// The box in the memrefs: first element and extents. Dropped dims have
  /// extent 1, and are left out by a view.
  llvm::SmallVector<IndexForm> globalOffsets, tileOffsets;
  llvm::SmallVector<int64_t> tileExtents;
  llvm::SmallBitVector droppedGlobal, droppedTile;

  llvm::SmallVector<const Move *> moves;
  mlir::Operation *first = nullptr, *last = nullptr; // it stands before `last`
  int64_t threads = 1; // that share the moves; 1: each makes them all
  std::string refusal; // not empty: why this isn't raised
  PlanStage stage = PlanStage::Box;

  /// Whether the box is all of `tile`.
  bool isWholeTile() const;
  int64_t getNumElements() const;
  void print(llvm::raw_ostream &os) const;
};

/// What becomes of the moves: each is in one plan. Plans stand in program
/// order.
std::vector<TransferPlan> planTransfers(mlir::gpu::GPUFuncOp kernel,
                                        llvm::ArrayRef<Move> moves);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_RAISETOTRANSFERS_H
