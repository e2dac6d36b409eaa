//===- TileBanks.cpp - swizzles of block programs' tiles ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileBanks.h.
//
//===----------------------------------------------------------------------===//

#include "TileBanks.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Engines/TileSwizzle.h"
#include "carousel/Analysis/Layouts/BankConflicts.h"

using namespace mlir;
using namespace carousel;

static int64_t getBytes(VectorType tile) {
  return std::max<int64_t>(getElementBits(tile) / 8, 1);
}

static bool divides(Swizzle swizzle, VectorType tile) {
  return tile.getShape().back() * getBytes(tile) % *getSwizzleSpan(swizzle) ==
         0;
}

Swizzle carousel::chooseMatrixSwizzle(VectorType tile) {
  for (Swizzle swizzle : {Swizzle::B128, Swizzle::B64, Swizzle::B32})
    if (divides(swizzle, tile))
      return swizzle;
  return Swizzle::None;
}

/// Where an element of a tile is, in bytes.
static int64_t findByte(VectorType tile, const SwizzlePattern *pattern,
                        ArrayRef<uint32_t> at) {
  int64_t row = 0;
  for (auto [coordinate, extent] :
       llvm::zip_equal(at.drop_back(), tile.getShape().drop_back()))
    row = row * extent + coordinate;
  int64_t column = at.back();
  if (!pattern)
    return (row * tile.getShape().back() + column) * getBytes(tile);
  int64_t panel = column / pattern->panelElements;
  column %= pattern->panelElements;
  int64_t piece = column / pattern->pieceElements;
  piece ^= row / pattern->rowsPerStep % pattern->steps;
  int64_t within =
      piece * pattern->pieceElements + column % pattern->pieceElements;
  return ((panel * pattern->rows + row) * pattern->panelElements + within) *
         getBytes(tile);
}

Swizzle carousel::chooseTileSwizzle(VectorType tile, const LinearLayout &layout,
                                    int64_t run) {
  if (getElementBits(tile) % 8 != 0)
    return Swizzle::None;
  auto memory = MemRefType::get(tile.getShape(), tile.getElementType());
  auto count = [&](const SwizzlePattern *pattern) {
    return countBankConflicts(
        layout, run * getBytes(tile), /*onlyFirstCopies=*/false,
        [&](ArrayRef<uint32_t> at) { return findByte(tile, pattern, at); });
  };
  Swizzle best = Swizzle::None;
  int64_t least = count(nullptr);
  // Wide ones first: they have fewer panels, so that threads that write rows
  // have fewer conflicts, and engines fewer boxes. A narrower one must bring
  // far fewer conflicts to make up for its boxes.
  for (Swizzle swizzle : {Swizzle::B128, Swizzle::B64, Swizzle::B32}) {
    if (!divides(swizzle, tile))
      continue;
    SwizzlePattern pattern = getSwizzlePattern(swizzle, memory);
    int64_t conflicts = count(&pattern);
    int64_t most = best == Swizzle::None ? least : least / 8;
    if (2 * conflicts < most) {
      best = swizzle;
      least = conflicts;
    }
  }
  return best;
}
