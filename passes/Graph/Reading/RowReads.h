//===- RowReads.h - elements of rows that numbers name ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms in which bodies of structured ops read a row by its index.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H
#define CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace carousel {

/// The read in an scf.if, zero elsewhere, whose condition says no more than
/// that the first index is one of the tensor; null for other branches.
mlir::tensor::ExtractOp findGuardedRow(mlir::scf::IfOp branch);

/// An element that an op reads of a tensor. Indices are those of loops, or
/// numbers, as from a table.
struct TableRead {
  mlir::tensor::ExtractOp extract;
  /// The loop whose number each index is; none of other numbers.
  llvm::SmallVector<std::optional<unsigned>, 3> loops;
  /// Whether it is zero where the first index is outside of the tensor.
  bool isGuarded = false;

  mlir::Value getIndex(unsigned at) const;
  /// The tensor's type.
  mlir::RankedTensorType getType() const;
};

TableRead describeRead(mlir::tensor::ExtractOp extract);

/// The read that an op's result is; nothing if it is something else.
std::optional<TableRead> matchTableRead(mlir::linalg::LinalgOp op);

/// Rows of pages as one dimension: an op reads row number % rows of the page
/// that a table names at number / rows. All other indices are those of loops.
struct PagedRows {
  mlir::tensor::ExtractOp element, page; ///< of the pages, of the table
  unsigned at = 0;                       ///< the row's index of the element
  mlir::Value number;
  int64_t rows = 0; ///< of a page
};
std::optional<PagedRows> findPagedRows(mlir::tensor::ExtractOp element);
/// The rows that an op's result is; nothing if it is something else.
std::optional<PagedRows> matchPagedRows(mlir::linalg::LinalgOp op);

/// Rows of a matrix that follow each other: an op reads row first + i at its
/// loop i, where an input says what the first one is.
struct FollowingRows {
  mlir::BlockArgument first;
  unsigned row = 0, column = 0; ///< loops
  mlir::RankedTensorType matrix;
};
std::optional<FollowingRows> findFollowingRows(mlir::linalg::LinalgOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H
