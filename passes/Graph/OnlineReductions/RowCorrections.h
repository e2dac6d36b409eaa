//===- RowCorrections.h - numbers that correct sums -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The summands and factors of an online reduction's rows, where what its tiles
// were computed with changes. docs/GraphPhase.md, Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ROWCORRECTIONS_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ROWCORRECTIONS_H

#include "../../Block/Kernels/ElementChanges.h"
#include "../Bodies/WideFloats.h"
#include "../Kernels/OpWriter.h"

namespace carousel {

/// A number of f32, or f64 where an element has that.
struct RowCorrection {
  GroupValue value;
  /// Rows that become zero, whatever they were; null if none do.
  GroupValue isZero = {};
};

/// ElementChanges.h's domain for the body of one op.
class RowCorrections {
public:
  using Number = RowCorrection;

  /// Has the rows that tiles were computed with so far, or those that they are
  /// computed with now, stand for their tensors.
  using UseRows = std::function<void(bool isBefore)>;

  /// \p isRow: of a value of the op's body. \p isNew: rows of which sums have
  /// nothing so far, and so have no difference; null if none do.
  RowCorrections(GroupVectors &vectors, OpWriter &writer, unsigned op,
                 std::function<bool(mlir::Value)> isRow, UseRows useRows,
                 GroupValue isNew)
      : vectors(vectors), writer(writer), op(op), rowTest(std::move(isRow)),
        useRows(std::move(useRows)), isNew(std::move(isNew)) {}

  bool isRow(mlir::Value value) const { return rowTest(value); }
  Number getDifference(mlir::Value row);
  Number getValue(mlir::Value value);
  Number add(const Number &a, const Number &b);
  Number multiply(const Number &a, const Number &b);
  Number divide(const Number &a, const Number &b);
  Number negate(const Number &a);
  Number invert(const Number &a);
  Number apply(mlir::Operation *math, const Number &a);

  /// Whether a part of a body couldn't be written, or zeros are divided by.
  bool hasFailed() const { return isFailed; }

private:
  template <typename Op> GroupValue compute(GroupValue a, GroupValue b);
  Number finish(GroupValue value, const Number &a, const Number &b);

  GroupVectors &vectors;
  OpWriter &writer;
  unsigned op;
  std::function<bool(mlir::Value)> rowTest;
  UseRows useRows;
  GroupValue isNew;
  bool isFailed = false;
};

/// Rows in which either condition holds; each may be null.
GroupValue uniteRows(GroupVectors &vectors, const GroupValue &a,
                     const GroupValue &b);

/// Whether an extremum is one of nothing, and the 0 that tiles are computed
/// with then, so that numbers that are infinite on purpose, as those of a mask,
/// leave no NaN. A vector has both for each element.
struct NothingTest {
  mlir::Value isNone, zero;
};
NothingTest testNothing(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::vector::CombiningKind kind, mlir::Value extremum);

/// The reference of an online reduction that a tensor of the graph is, or null.
const OnlineReference *findReference(const Graph &graph,
                                     const OnlineReduction &stream,
                                     mlir::Value tensor);

/// A row of a sum, corrected.
mlir::Value correct(GroupVectors &vectors, ChangeKind kind,
                    const RowCorrection &number, mlir::Value sum,
                    llvm::ArrayRef<unsigned> dims);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ROWCORRECTIONS_H
