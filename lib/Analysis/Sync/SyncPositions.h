//===- SyncPositions.h - positions relative to loops ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices as sums of values plus an interval. They describe the box of an
// earlier iteration in terms of this iteration's values: at the end of an
// iteration that adds 1 to k, the old k becomes k - 1. In: a kernel. Out:
// positions, and differences of positions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCPOSITIONS_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCPOSITIONS_H

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/UniformValues.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <limits>

namespace carousel {

/// Inclusive bounds. The extreme values of int64_t mean no bound.
struct IndexInterval {
  static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

  int64_t lo = kLowest;
  int64_t hi = kHighest;

  static IndexInterval exactly(int64_t value) { return {value, value}; }
  bool isExact() const { return lo == hi; }
  bool isUnknown() const { return lo == kLowest && hi == kHighest; }
  bool operator==(const IndexInterval &other) const {
    return lo == other.lo && hi == other.hi;
  }
  IndexInterval plus(const IndexInterval &other) const;
  IndexInterval times(int64_t factor) const;
  IndexInterval hull(const IndexInterval &other) const {
    return {std::min(lo, other.lo), std::max(hi, other.hi)};
  }
};

/// A sum of values with factors, and an interval.
struct IndexPosition {
  /// Values by number, ascending. Factors are not 0.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  IndexInterval rest;

  static IndexPosition unknown() { return {}; }
  bool isUnknown() const { return terms.empty() && rest.isUnknown(); }
  bool isConstant() const { return terms.empty() && rest.isExact(); }
  /// The value of a position that is one value and an interval, or null.
  const unsigned *getSingleValue() const;
  bool operator==(const IndexPosition &other) const {
    return terms == other.terms && rest == other.rest;
  }
};

/// Old values, in terms of values on the other side of a control-flow edge.
using PositionMap = llvm::DenseMap<unsigned, IndexPosition>;

class SyncPositions {
public:
  explicit SyncPositions(mlir::gpu::GPUFuncOp kernel);

  IndexPosition get(mlir::Value value);
  /// The part of the position that is the same for all threads of a block.
  IndexPosition getUniform(mlir::Value value);
  IndexPosition getUniform(IndexPosition position);
  IndexInterval getRange(mlir::Value value);
  unsigned getNumber(mlir::Value value);
  mlir::Value getValue(unsigned number) const { return values[number]; }

  IndexPosition add(const IndexPosition &lhs, const IndexPosition &rhs,
                    int64_t factor = 1);
  /// lhs - rhs. Terms that don't cancel count with their ranges.
  IndexInterval subtract(const IndexPosition &lhs, const IndexPosition &rhs);
  /// The smallest position that covers both.
  IndexPosition hull(const IndexPosition &lhs, const IndexPosition &rhs);
  /// Replaces values by `map`. Values that are `isGone` are replaced by their
  /// ranges.
  IndexPosition
  substitute(const IndexPosition &position, const PositionMap &map,
             llvm::function_ref<bool(mlir::Value)> isGone = nullptr);

  const UniformValues &getUniformValues() const { return uniform; }

private:
  IndexPosition compute(mlir::Value value);
  IndexPosition computeAffine(mlir::AffineExpr expr, mlir::ValueRange operands,
                              unsigned dims);
  IndexPosition makeTerm(mlir::Value value);
  void fold(IndexPosition &position,
            llvm::function_ref<bool(mlir::Value)> which);

  UniformValues uniform;
  IndexRanges ranges;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<mlir::Value> values;
  OperandFold<IndexPosition> known;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCPOSITIONS_H
