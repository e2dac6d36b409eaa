//===- SortedRuns.h - tables of positions by key ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions that have one key follow each other, in their order: a stable sort.
// Blocks of positions are sorted by comparing all pairs, and then merged two by
// two, each element of a merge by a binary search (merge path). So the work is
// that of positions, with the square of their number's logarithm, however many
// keys there are. Equal keys are told apart by their positions, so that the
// order is the same in each launch. Positions of unknown number are sorted in
// parts of known length, each on its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H
#define CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H

#include "TableOps.h"

namespace carousel {

/// How positions are sorted: all of them, or those of a part.
struct SortPlan {
  int64_t count = 0, keys = 0;
  int64_t length = 0; ///< of the blocks that are sorted first
  int64_t merges = 0; ///< kernels, each of which joins pairs of blocks
  int64_t slots = 0;  ///< positions and padding

  /// Instructions, roughly.
  double countWork() const;
};

/// \p count: ShapedType::kDynamic for an unknown number.
SortPlan planSort(int64_t count, int64_t keys);

/// Slots are numbered through all parts.
struct SortedRuns {
  SortPlan plan;
  /// key * slots + position in the part, ascending; of positions without a key,
  /// and of padding, the key is the number of keys. tensor<slots x i32>, or of
  /// i64; with parts, tensor<parts x slots>.
  mlir::Value order;
  /// The first slot of each key in its part, and the one behind the last;
  /// tensor<(keys + 1) x i32>, with parts tensor<parts x (keys + 1) x i32>.
  mlir::Value begins;
  /// An index; null where all positions are one part.
  mlir::Value parts;

  /// The key at a slot, and its position.
  mlir::Value readKey(Numbers &n, mlir::Value slot) const;
  mlir::Value readPosition(Numbers &n, mlir::Value slot, mlir::Value key) const;
  /// The first slot of a key in a part, which is null where there is one.
  mlir::Value readBegin(Numbers &n, mlir::Value part, mlir::Value key) const;

private:
  mlir::Value read(Numbers &n, mlir::Value slot) const;
};

/// \p count: the number of positions, an index, if the plan has parts.
/// \p compute: the key of a position, an index; of positions without one, the
/// number of keys.
SortedRuns createSortedRuns(
    mlir::IRRewriter &rewriter, mlir::Location loc, const SortPlan &plan,
    mlir::Value count,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value position)>
        compute);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H
