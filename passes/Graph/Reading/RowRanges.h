//===- RowRanges.h - factors with rows in a range ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor of a product may be zero outside of some rows along its sum:
//
//   f[g, m, a] = begin[g] <= m && m < end[g] ? x[m, a] : 0
//
// The numbers are in tensors, since data says where the rows of a group are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_ROWRANGES_H
#define CAROUSEL_PASSES_GRAPH_READING_ROWRANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace carousel {

/// An op whose elements are zero outside of a range along one loop.
struct RowRange {
  unsigned row = 0; ///< the loop
  /// The arguments of the body that say which row is the first one, and which
  /// one is behind the last.
  mlir::BlockArgument begin, end;
  mlir::Value inside; ///< the element in the range
};

std::optional<RowRange> findRowRange(mlir::linalg::GenericOp op);

/// Returns the source of an integer's casts, if they keep every number; the
/// integer itself otherwise.
mlir::Value skipIndexCasts(mlir::Value value);

/// The body's value in \p row, as an index, is within `begin` and `end`.
mlir::Value createRangeCheck(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value row, mlir::Value begin,
                             mlir::Value end);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_ROWRANGES_H
