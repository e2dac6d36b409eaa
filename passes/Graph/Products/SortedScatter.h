//===- SortedScatter.h - terms that know their sums -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scatters and products with a one-hot matrix bring terms to computed rows:
//
//   y[s, d] = sum over t of (place[t] == s ? x[t, d] : 0)
//
// Each term has one place, or none. Positions of terms are sorted by their
// places, so that each sum adds a run of them, in their order. Long runs are
// divided: where all positions of an aligned chunk have one place, their sum is
// computed once, and chunks of chunks likewise. So the work is that of terms
// and of results, whatever the places are. Other reductions than sums are the
// same.
//
// The sort is stable. Blocks of positions are sorted by comparing all pairs,
// and then merged two by two, each element of a merge by a binary search (merge
// path). So the work is that of positions, with the square of their number's
// logarithm, however many keys there are. Equal keys are told apart by their
// positions, so that the order is the same in each launch. Positions of unknown
// number are sorted in parts of known length, each on its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_SORTEDSCATTER_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_SORTEDSCATTER_H

#include "OneHotIndices.h"

#include "../Tables/TableOps.h"
#include "mlir/IR/PatternMatch.h"

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
  mlir::Value readKey(IndexBuilder &n, mlir::Value slot) const;
  mlir::Value readPosition(IndexBuilder &n, mlir::Value slot,
                           mlir::Value key) const;
  /// The first slot of a key in a part, which is null where there is one.
  mlir::Value readBegin(IndexBuilder &n, mlir::Value part,
                        mlir::Value key) const;

private:
  mlir::Value read(IndexBuilder &n, mlir::Value slot) const;
};

/// \p count: the number of positions, an index, if the plan has parts.
/// \p compute: the key of a position, an index; of positions without one, the
/// number of keys.
SortedRuns createSortedRuns(
    mlir::IRRewriter &rewriter, mlir::Location loc, const SortPlan &plan,
    mlir::Value count,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value position)>
        compute);

class SortedScatter {
public:
  /// \p op: a reduction whose body computes its factors.
  explicit SortedScatter(mlir::linalg::GenericOp op);

  /// Whether comparisons say which terms a result has.
  bool hasIndices() const { return !points.empty(); }
  /// Empty if the op can be written, and saves that many operations, or what
  /// stands against it.
  std::string explain(int64_t leastOperations);
  /// How many terms each result had, if that is known.
  std::string countUpdates() const;
  /// The result.
  mlir::Value write(mlir::IRRewriter &rewriter);

private:
  /// The combined terms of each aligned chunk whose positions all have one
  /// place; the chunks of a level are `length` items of the one below.
  struct Level {
    mlir::Value terms; ///< null for the terms themselves
    int64_t count;     ///< items, of a part of the positions
  };

  bool readTerm();
  void findSelectors();
  bool isScattered(unsigned loop) const;
  bool isFree(unsigned loop) const;
  bool isMatrixProduct() const;
  /// With an assumed number for unknown extents.
  int64_t countIterations(llvm::ArrayRef<unsigned> loops) const;
  bool hasParts() const;
  /// An unknown extent, from an operand; all loops that are summed have one.
  mlir::Value createLoopExtent(mlir::OpBuilder &builder, unsigned loop);
  /// Writes the extent of a loop, also where only the launch knows it.
  mlir::Value getExtent(mlir::OpBuilder &builder, unsigned loop);
  mlir::Value getIterations(mlir::OpBuilder &builder,
                            llvm::ArrayRef<unsigned> loops);
  double countOperations();
  SortPlan plan() const;
  /// The indices of loops that are `flat` together, of which the last is the
  /// fastest; and the other way round.
  void decode(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> loops,
              mlir::Value flat,
              llvm::function_ref<void(unsigned loop, mlir::Value)> set);
  mlir::Value flatten(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> loops,
                      llvm::function_ref<mlir::Value(unsigned loop)> get);
  mlir::Value findKey(mlir::OpBuilder &builder, mlir::Value position);
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Value before,
                      mlir::Value term);
  mlir::Value getNeutral(mlir::OpBuilder &builder);
  /// A term at a slot of the row that the reader and \p row say.
  mlir::Value readUpdateAt(mlir::OpBuilder &builder,
                           const BodyEvaluator &reader, mlir::Value row,
                           mlir::Value slot);
  /// Combines items that follow each other.
  mlir::Value accumulate(
      mlir::OpBuilder &builder, mlir::Value start, mlir::Value begin,
      mlir::Value count,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> read);
  mlir::Value readItem(mlir::OpBuilder &builder, const BodyEvaluator &reader,
                       mlir::Value row, mlir::ValueRange freeIndices,
                       unsigned level, mlir::Value item);
  mlir::Value reduceRun(mlir::OpBuilder &builder, const BodyEvaluator &reader,
                        mlir::Value row, mlir::ValueRange freeIndices,
                        unsigned level, mlir::Value start, mlir::Value begin,
                        mlir::Value end);
  void addLevel(mlir::IRRewriter &rewriter);
  mlir::Value writeResults(mlir::IRRewriter &rewriter);

  mlir::linalg::GenericOp op;
  mlir::Operation *combination = nullptr; ///< of what was before and a term
  mlir::Value term;
  mlir::TypedAttr neutral;
  /// The value of terms that have another place, if combining it may change
  /// results; it changes them once, as for a maximum.
  mlir::TypedAttr otherwise;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::Value> sizes; ///< of loops of unknown extents
  llvm::SmallVector<OneHotIndices> points;
  /// Conditions and factors of the term, without which there is none; of them,
  /// `selectors` say where it has its place, and `others` what it is.
  llvm::SmallVector<mlir::Value> factors, selectors, others;
  /// Loops of the op, in its order: of results, those of places and others that
  /// selectors depend on (batches), both, and those that are left; and those
  /// that are reduced.
  llvm::SmallVector<unsigned> sums, placed, batch, rows, free, summed;
  SortedRuns runs;
  llvm::SmallVector<Level> levels;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_SORTEDSCATTER_H
