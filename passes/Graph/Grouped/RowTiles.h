//===- RowTiles.h - tables of rows by a number ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that have one number come together in tiles, each of one number. Tables
// follow from counts: rows are counted in blocks, so that each is compared with
// those of one block, and each block with the others. Rows whose indices ascend
// are in this order: the first one of each number says all.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_ROWTILES_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_ROWTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

struct RowTiles {
  int64_t rows = 0;    ///< of a tile
  int64_t tiles = 0;   ///< as many as there may be
  int64_t numbers = 0; ///< that rows may have
  mlir::Value number;  ///< of each row, tensor<rows x i32>
  mlir::Value matrix;  ///< the number of each tile, tensor<tiles x i32>
  /// The row at each place of a tile, tensor<tiles x rows x i32>; -1 if none.
  mlir::Value row;
  mlir::Value place; ///< of each row, among those of all tiles, tensor<i32>
  /// The first row of each tile, tensor<tiles x i32>, and the number of rows
  /// for tiles without any, if rows of a tile follow each other: indices
  /// ascend. Null if they may not.
  mlir::Value first;
};

/// How many rows a tile has, and how many tiles there may be, of \p count rows
/// that have one of \p numbers numbers.
RowTiles chooseRowTiles(int64_t count, int64_t numbers);

/// Writes the tables behind \p number, whose elements are below \p numbers.
RowTiles createRowTiles(mlir::IRRewriter &rewriter, mlir::Location loc,
                        mlir::Value number, int64_t numbers);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_ROWTILES_H
