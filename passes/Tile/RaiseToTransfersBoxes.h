//===- RaiseToTransfersBoxes.h - which elements threads carry ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps through the moves in an op for every thread of the block, notes each
// place they come to, and says whether these make a box of the tile whose
// elements lie in a box of the global memref alike.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H
#define CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H

#include "RaiseToTransfers.h"

namespace carousel {

/// Turns of loops, places and elements that are looked at.
inline constexpr int64_t kMaxMoveSteps = 1 << 20;

/// The places that some moves come to, in all threads and turns of loops.
struct MovePlaces {
  llvm::SmallVector<const Move *> moves;
  mlir::Value global, tile; // the memrefs that places are in
  /// What all places have in common: forms without constant, one per dim.
  llvm::SmallVector<IndexForm> globalBase, tileBase;
  llvm::SmallBitVector mayLeave; // dims of the global memref
  /// For each move, the extents, and which of them runs along each dim.
  llvm::SmallVector<llvm::SmallVector<int64_t>> shapes;
  llvm::SmallVector<llvm::SmallVector<int>> globalDims, tileDims;
  /// Per place: the move, the first element in the tile and in the memref.
  std::vector<int64_t> places;
  int64_t threads = 1; // that differ

  unsigned getStride() const { return 1 + tileBase.size() + globalBase.size(); }
  /// Adds the places of others, which are in the same memrefs.
  void append(const MovePlaces &others);
  bool hasBaseOf(const MovePlaces &others) const;
};

/// Steps through `unit` and notes the places of `moves`, which stand in it or
/// are it. A failure leaves its reason.
std::optional<MovePlaces>
collectPlaces(mlir::gpu::GPUFuncOp kernel, const UniformValues &uniform,
              mlir::Operation *unit, llvm::ArrayRef<const Move *> moves,
              mlir::Value global, std::string &reason);

/// What the places are together.
struct MoveBox {
  llvm::SmallVector<int64_t> tileBegin, tileExtents;
  llvm::SmallVector<int64_t> globalBegin, globalExtents;
  int64_t covered = 0; // elements of the box that a thread carries
  /// Why the elements aren't in the box of the global memref as they are in
  /// the tile, or an empty string.
  std::string refusal;

  int64_t getNumElements() const;
};
MoveBox fitBox(const MovePlaces &places);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H
