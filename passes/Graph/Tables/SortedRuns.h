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
// order is the same in each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H
#define CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// How positions are sorted.
struct SortPlan {
  int64_t count = 0, keys = 0;
  int64_t length = 0; ///< of the blocks that are sorted first
  int64_t merges = 0; ///< kernels, each of which joins pairs of blocks
  int64_t slots = 0;  ///< positions and padding

  /// Instructions, roughly.
  double countWork() const;
};

SortPlan planSort(int64_t count, int64_t keys);

struct SortedRuns {
  SortPlan plan;
  /// key * slots + position, ascending; of positions without a key, and of
  /// padding, the key is the number of keys. tensor<slots x i32>, or of i64.
  mlir::Value order;
  /// The first slot of each key, and the one behind the last;
  /// tensor<(keys + 1) x i32>.
  mlir::Value begins;
};

/// \p compute: the key of a position, an index; of positions without one, the
/// number of keys.
SortedRuns createSortedRuns(
    mlir::IRRewriter &rewriter, mlir::Location loc, const SortPlan &plan,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value position)>
        compute);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_TABLES_SORTEDRUNS_H
