//===- ProductTiles.h - tiles of products, and their times ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles in which programs can compute a product by warpgroups, and a
// prediction of the time that each takes, as an expression of a launch.
// docs/Decisions.md, Tiles of products.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_PRODUCTTILES_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_PRODUCTTILES_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Target/ChipModel.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <vector>

namespace carousel {

/// The products that a program computes in one loop, as far as the choice of
/// its tile depends on them.
struct ProductWork {
  /// The rows and columns of the author's tile.
  int64_t rows = 0, columns = 0;
  /// Elements of the reduced dimension in an iteration.
  int64_t depth = 0;
  int64_t products = 1;
  /// Tiles of factors that an iteration loads: of the rows, and of the columns.
  int64_t rowTiles = 1, columnTiles = 1;
  int64_t factorBits = 16;
  /// Instructions with which threads prepare an element of a factor that they
  /// have in registers: of the tile's rows, or of its columns.
  double rowInstructions = 0, columnInstructions = 0;
  /// All results of one element of the tile, and those of them that lie in
  /// shared memory before an engine stores them.
  int64_t resultBits = 16, storedBits = 16;
  /// Slots of the loop's rings: as the author says, or the fewest.
  int64_t stages = 2;
  /// Whether threads add the sums of a tile to others of f32.
  bool isPromoted = false;
  /// Into so many parts, at most, iterations may be divided.
  int64_t mostParts = 1;
};

/// A tile, and the times of a program that is alone on its SM.
struct ProductTile {
  int64_t rows = 0, columns = 0;
  /// Warpgroups that multiply.
  int64_t warpgroups = 0;
  /// Picoseconds of an iteration, and of what is done once for each tile.
  int64_t step = 0, once = 0;
  /// CTAs of a cluster, which have tiles of rows that follow each other, and
  /// share those of the columns.
  int64_t ctas = 1;
  /// Other CTAs of a cluster, each of which has a part of the iterations. They
  /// add their sums by shared memory, and each one writes a part of the tile.
  int64_t parts = 1;
};

/// The author's tile first, then others that are the fastest for some extents;
/// of the largest one also clusters. Tiles in parts come last.
std::vector<ProductTile> planProductTiles(const ProductWork &work,
                                          const ChipModel &chip);

/// Facts of a launch's products.
struct ProductLaunch {
  /// Elements along the rows and the columns of all tiles.
  ExprAttr rows, columns;
  /// Null for one.
  ExprAttr batches;
  /// The iterations of a program's loop.
  ExprAttr iterations;
  /// Bytes from a row of a factor to the next one; null if it isn't known.
  ExprAttr pitchOfRows, pitchOfColumns;
  /// Elements of the memrefs that factors are read from, which programs of
  /// several batches may share; null if they aren't known.
  ExprAttr elementsOfRows, elementsOfColumns;
};

/// The tiles of `extent` elements that cover `elements`.
ExprAttr countTiles(ExprAttr elements, int64_t extent);

/// The predicted nanoseconds of a launch with such tiles. SMs go through the
/// tiles in rounds, and global memory moves all elements once. Rows that don't
/// begin at whole sectors are copied from the L2 at half of the rate.
ExprAttr makeCost(const ProductWork &work, const ProductTile &tile,
                  const ProductLaunch &launch, const ChipModel &chip);

/// The same for tiles of the author's extents whose products are divided: so
/// many programs, each with so many iterations, leave sums in memory, and the
/// last one of a tile combines them.
ExprAttr makeDividedCost(const ProductWork &work, ExprAttr programs,
                         ExprAttr iterations, const ChipModel &chip);

void print(llvm::raw_ostream &os, const ProductTile &tile);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_PRODUCTTILES_H
