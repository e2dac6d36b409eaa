//===- PlacedTerms.h - terms that know their sums ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends bring rows to computed places by a product with a one-hot matrix:
//
//   y[s, d] = sum over t of (place[t] == s ? 1 : 0) * x[t, d]
//
// Few terms have a place in each sum. Tables say which: for each term its
// place, and for each sum the first and the last term of that place. The sum
// reads the first one, and, where there are several, goes on to the last one.
// So it adds the terms that there are, in their order, whatever the places are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_PLACEDTERMS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_PLACEDTERMS_H

#include "PointReader.h"

#include "mlir/IR/PatternMatch.h"

namespace carousel {

class PlacedTerms {
public:
  /// \p op: a sum whose body computes its factors.
  explicit PlacedTerms(mlir::linalg::GenericOp op);

  /// Empty if the op can be written, or what stands against it.
  std::string explain();
  /// How many terms each sum had.
  int64_t countTerms() const { return extents[summed]; }
  /// The result.
  mlir::Value write(mlir::IRRewriter &rewriter);

private:
  void findSelectors();
  bool isPlaced(unsigned loop) const;
  bool isFree(unsigned loop) const;
  /// The number of a place along all loops of places together.
  mlir::Value flatten(mlir::OpBuilder &builder, mlir::ValueRange numbers);
  /// For each term, the number of the place that a point says, or -1.
  mlir::Value writePlaces(mlir::IRRewriter &rewriter, const OneHotPoint &point);
  /// For each place, the first or last term that has it.
  mlir::Value writeEnds(mlir::IRRewriter &rewriter, mlir::ValueRange places,
                        bool isLast);
  mlir::Value writeSums(mlir::IRRewriter &rewriter, mlir::ValueRange places,
                        mlir::Value first, mlir::Value last);
  /// A map from loops to those of a list.
  mlir::AffineMap getMap(llvm::ArrayRef<unsigned> from,
                         llvm::ArrayRef<unsigned> to);

  mlir::linalg::GenericOp op;
  mlir::Value term;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<OneHotPoint> points;
  /// Factors of the term that are zero where it has another place, or none.
  llvm::SmallVector<mlir::Value> selectors;
  llvm::SmallVector<mlir::Value> others; ///< factors: what is brought there
  unsigned summed = 0;
  /// Loops of places, other loops that selectors depend on, and both with all
  /// parallel ones, in the op's order.
  llvm::SmallVector<unsigned> placed, batch, sums;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_PLACEDTERMS_H
