//===- IndexBounds.h - conditions of indices as sums ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of indices, and of numbers in memory, as sums that aren't
// negative.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_INDEXBOUNDS_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_INDEXBOUNDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <vector>

namespace carousel {

/// Numbers from which on a kernel takes sums of 32 bits for ones that wrap.
inline constexpr int64_t kMostNumber = 1 << 27;

/// A sum of loops' indices, numbers in memory and a constant, that isn't
/// negative.
struct IndexBound {
  llvm::SmallVector<int64_t> coefficients; ///< by loop of the op
  int64_t constant = 0;
  /// Other values of the op's body, which are the same for all rows of a
  /// program, and their factors.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> numbers = {};
  /// Those that the body adds in so few bits that the sum may wrap, unless they
  /// are small.
  std::vector<mlir::Value> wrapping = {};
  /// The comparison of the body.
  mlir::Value comparison = {};

  bool isOfIndices() const { return numbers.empty() && wrapping.empty(); }
};

/// Bounds that a condition has.
struct IndexCondition {
  /// These follow from the condition.
  llvm::SmallVector<IndexBound> bounds;
  /// The condition follows from the bounds, and from `whole` if there is such a
  /// value of the body: it is the same for all elements of a tile.
  bool isExact = true;
  mlir::Value whole;
};

/// Reads a condition of an op's body that holds, or doesn't.
IndexCondition readCondition(mlir::linalg::LinalgOp op, mlir::Value condition,
                             bool holds);

/// The bounds that follow from a condition of an op's body that holds, or
/// doesn't, and from which that follows; nothing if there are none.
std::optional<llvm::SmallVector<IndexBound>>
readBounds(mlir::linalg::LinalgOp op, mlir::Value condition, bool holds = true);

/// Whether bounds, which are of no other loops, hold of each row's element with
/// the row's number.
bool holdOfOwn(llvm::ArrayRef<IndexBound> bounds, unsigned row,
               unsigned element);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_INDEXBOUNDS_H
