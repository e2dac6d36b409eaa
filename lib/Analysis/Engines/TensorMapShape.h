//===- TensorMapShape.h - dimensions and boxes of tensor maps ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the dimensions of a global memref that can be collapsed into one
// dimension of a tensor map, and the boxes whose repetition in row-major order
// is the tile.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H

#include "TransferFacts.h"

namespace carousel {

/// Adjacent dimensions of the global memref that are one dimension of the map.
struct MapGroup {
  int64_t first, last;
  /// The number of elements in all dimensions but the first.
  int64_t inner = 1;
  /// The extent of the tile, in elements.
  int64_t tile = 1;
};

/// A map to consider.
struct MapShape {
  llvm::SmallVector<MapGroup> groups;
  int64_t factor = 1; ///< tile elements in one element of the map
  llvm::SmallVector<int64_t> box;
  Swizzle swizzle = Swizzle::None;

  int64_t getTile(size_t group) const {
    return groups[group].tile / (group + 1 == groups.size() ? factor : 1);
  }
};

/// Groups the memref's dimensions by these sizes. nullopt if the groups aren't
/// contiguous, or the box isn't one piece of them.
std::optional<llvm::SmallVector<MapGroup>>
makeGroups(const TransferFacts &facts, llvm::ArrayRef<int64_t> sizes);

/// All ways to group the dimensions, starting with the one without groups.
llvm::SmallVector<llvm::SmallVector<int64_t>>
listGroupings(const TransferFacts &facts);

/// The largest legal box whose repetition in row-major order is the tile: whole
/// inner dimensions, a part of one, and 1 in the outer ones. With a swizzle
/// whose span is less than a row, the box of a panel. Empty if there is none.
llvm::SmallVector<int64_t> findBox(const MapShape &shape, int64_t elementBytes);

/// Whether boxes are panels: only the innermost dimension is split.
bool arePanels(const MapShape &shape);
/// Whether consecutive boxes are the tile in row-major order.
bool isRowMajor(const MapShape &shape);
int64_t countBoxes(const MapShape &shape);
int64_t getElementsOf(llvm::ArrayRef<int64_t> box);
/// The alignment in bytes of a tile with this swizzle.
int64_t getTileAlignment(Swizzle swizzle);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H
