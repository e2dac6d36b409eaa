//===- TensorMapShape.h - dimensions and boxes of maps ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimensions of a global memref can be one of a tensor map's, and which
// boxes repeat to a tile in row-major order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H

#include "TransferFacts.h"

namespace carousel {

/// Neighbouring dimensions of the global memref that are one of the map's.
struct MapGroup {
  int64_t first, last;
  /// Elements of all dimensions but the first.
  int64_t inner = 1;
  /// Elements of the tile.
  int64_t tile = 1;
};

/// A map to try.
struct MapShape {
  llvm::SmallVector<MapGroup> groups;
  int64_t factor = 1; ///< tile elements in one of the map's
  llvm::SmallVector<int64_t> box;
  Swizzle swizzle = Swizzle::None;

  int64_t getTile(size_t group) const {
    return groups[group].tile / (group + 1 == groups.size() ? factor : 1);
  }
};

/// The memref's dimensions as groups of these sizes, or nothing if those aren't
/// contiguous or the box isn't one piece of them.
std::optional<llvm::SmallVector<MapGroup>>
makeGroups(const TransferFacts &facts, llvm::ArrayRef<int64_t> sizes);

/// All ways to group the dimensions, the one without groups first.
llvm::SmallVector<llvm::SmallVector<int64_t>>
listGroupings(const TransferFacts &facts);

/// The largest legal box whose repetition in row-major order is the tile: whole
/// inner dimensions, a part of one, and 1 in the outer ones. Empty if there is
/// none.
llvm::SmallVector<int64_t> findBox(const MapShape &shape, int64_t elementBytes);

/// Whether boxes one behind the other are the tile in row-major order.
bool isRowMajor(const MapShape &shape);
int64_t countBoxes(const MapShape &shape);
int64_t getElementsOf(llvm::ArrayRef<int64_t> box);
/// What a tile with a swizzle, or without, is aligned to.
int64_t getTileAlignment(Swizzle swizzle);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_TENSORMAPSHAPE_H
