//===- RowUpdates.h - ops that change rows of their init --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of decoding writes the keys and values of new tokens to a cache:
//
//   c[b, h, j, d] = p[b] <= j && j < p[b] + n ? x[b, h, j - p[b], d]
//                                             : c[b, h, j, d]
//
// Such an op reads its init where it keeps it. A kernel that computes in place
// goes along the rows that change alone.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_ROWUPDATES_H
#define CAROUSEL_PASSES_GRAPH_READING_ROWUPDATES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace carousel {

/// The rows that each result of an op changes: `count` indices of a loop from
/// an offset on. All others are what the init has.
struct RowUpdate {
  unsigned loop = 0;
  mlir::Value offset; ///< an integer or index of the body
  int64_t count = 1;
};

/// Whether a result keeps an argument of the body but for some rows along one
/// loop, which aren't neighbours in memory: all loops after it are whole.
std::optional<RowUpdate> findRowUpdate(mlir::linalg::GenericOp op,
                                       unsigned result,
                                       mlir::BlockArgument kept);

/// The rows that an op without sums changes in place, if all of its results
/// change the same ones of their inits.
std::optional<RowUpdate> findRowUpdate(mlir::linalg::LinalgOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_ROWUPDATES_H
