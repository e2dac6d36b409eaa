//===- ReadScan.h - structured ops that carry values ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan is a structured op with one reduction loop, some of whose results have
// this loop, too: its iterations come one after the other, as linalg's loops
// do. What it combines by associative operations can be computed in any
// grouping. docs/GraphPhase.md, Scans.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_READSCAN_H
#define CAROUSEL_PASSES_GRAPH_READING_READSCAN_H

#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// A number that a scan carries from one element to the next.
struct CarriedValue {
  unsigned init = 0; ///< its position among the op's
  /// The body's values of what comes before an element, and up to it.
  mlir::Value before = {}, upTo = {};
  /// `before` is combined with the element by this op, or, where that is null,
  /// becomes `factor * before + element`.
  mlir::Operation *combiner = nullptr;
  mlir::Value element = {}, factor = {};
  /// Where a segment begins, `upTo` is a value that depends on nothing before.
  mlir::Value begins = {}, first = {};
  bool beginsWhereTrue = true;

  /// The values of the body that depend on nothing before.
  llvm::SmallVector<mlir::Value> getParts() const;
};

struct Scan {
  unsigned loop = 0;
  llvm::SmallVector<CarriedValue> carried;
};

/// Whether a result of the op that is used has a reduction loop.
bool hasScannedResults(mlir::linalg::LinalgOp op);

/// The scan that an op is; nullopt for other ops, and for scans by operations
/// that aren't known to be associative, or whose totals are used.
std::optional<Scan> findScan(mlir::linalg::LinalgOp op);

/// A sort: a loop of its results goes along the first elements in the order of
/// keys, and no operand has it.
struct Sort {
  unsigned reduced = 0, places = 0; ///< loops
  SortedOp op = {};
};

/// The sort that an op is; nullopt for other ops.
std::optional<Sort> findSort(mlir::linalg::LinalgOp op);

/// Elements that the threads of a CTA sort.
inline constexpr int64_t kMostSorted = 8192;

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_READSCAN_H
