//===- RaiseToTransfersBoxes.h - the elements of moves ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates the elements that the moves in an op copy, over all threads of the
// block and all iterations of loops. Then decides whether they form a box of
// the tile and, in the same arrangement, a box of the global memref.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H
#define CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H

#include "RaiseToTransfers.h"

namespace carousel {

/// The limit on the iterations, places and elements that are enumerated.
inline constexpr int64_t kMaxMoveSteps = 1 << 20;

/// The places that some moves access, over all threads and iterations.
struct MovePlaces {
  llvm::SmallVector<const Move *> moves;
  mlir::Value global, tile; // the memrefs that places are in
  /// The part that all places share: forms without constant, one per dim.
  llvm::SmallVector<IndexForm> globalBase, tileBase;
  llvm::SmallBitVector mayLeave; // dims of the global memref
  /// For each move, its extents, and the extent along each dim.
  llvm::SmallVector<llvm::SmallVector<int64_t>> shapes;
  llvm::SmallVector<llvm::SmallVector<int>> globalDims, tileDims;
  /// For each place: the move, the first element in the tile and in the global
  /// memref.
  std::vector<int64_t> places;
  int64_t threads = 1; // that access different places

  unsigned getStride() const { return 1 + tileBase.size() + globalBase.size(); }
  /// Appends the places of `others`, which are in the same memrefs.
  void append(const MovePlaces &others);
  bool hasBaseOf(const MovePlaces &others) const;
};

/// Enumerates the places of `moves`, which are in `unit` or are it. On failure,
/// sets `reason`.
std::optional<MovePlaces>
collectPlaces(mlir::gpu::GPUFuncOp kernel, const UniformValues &uniform,
              mlir::Operation *unit, llvm::ArrayRef<const Move *> moves,
              mlir::Value global, std::string &reason);

/// The boxes that contain all places.
struct MoveBox {
  llvm::SmallVector<int64_t> tileBegin, tileExtents;
  llvm::SmallVector<int64_t> globalBegin, globalExtents;
  int64_t covered = 0; // elements of the box that a thread carries
  /// The reason why the arrangement of elements differs between the global
  /// memref and the tile; empty if it doesn't.
  std::string refusal;

  int64_t getNumElements() const;
};
MoveBox fitBox(const MovePlaces &places);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_RAISETOTRANSFERSBOXES_H
