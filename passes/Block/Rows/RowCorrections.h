//===- RowCorrections.h - levels of reductions in one loop ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that wait for results of the level before share its loop over
// chunks if what they have so far can be corrected where these results change:
// by the rules of ElementChanges.h, as streams of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ROWCORRECTIONS_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ROWCORRECTIONS_H

#include "../Kernels/ElementChanges.h"
#include "RowLevels.h"

namespace carousel {

/// A reduction of the second level.
struct CorrectedEnd {
  mlir::vector::MultiDimReductionOp end;
  ChangeKind kind = ChangeKind::Same;
  /// The shifted elements, if the sum is one of products of these.
  std::array<mlir::Value, 2> factors = {};
  /// The conditions under which elements count.
  llvm::SmallVector<mlir::Value> conditions = {};

  /// Whether corrections need the number of elements that count: where none
  /// does, a factor or a difference that is infinite says nothing.
  bool needsCount() const {
    return kind == ChangeKind::Product ||
           (kind != ChangeKind::Same && !conditions.empty());
  }
};

class RowCorrections {
public:
  /// Finds the corrections between a level and the one after it.
  RowCorrections(const RowLevels &levels, unsigned first);

  /// Whether one loop does for both.
  bool isPossible() const { return possible; }
  /// What has no correction, if that is why it doesn't.
  const std::string &getRefusal() const { return refusal; }

  /// Reductions of the first level whose results so far chunks are computed
  /// with.
  llvm::ArrayRef<mlir::vector::MultiDimReductionOp> getReferences() const {
    return references.getArrayRef();
  }
  /// What chunks read of them: results, and what follows from these.
  llvm::ArrayRef<mlir::Value> getRows() const { return rows.getArrayRef(); }
  /// The ops that compute rows of results, in program order.
  llvm::ArrayRef<mlir::Operation *> getRowOps() const { return rowOps; }
  llvm::ArrayRef<CorrectedEnd> getCorrected() const { return corrected; }
  /// What the loop executes, in program order.
  llvm::ArrayRef<mlir::Operation *> getNeeded() const { return needed; }

  /// Whether such an op is of the second level.
  bool isOfSecond(mlir::Operation *op) const {
    return levels.getLevel(op) > first;
  }

  static bool isExtremum(mlir::vector::MultiDimReductionOp end);

private:
  bool refuse(llvm::StringRef reason) {
    refusal = reason.str();
    return false;
  }
  bool findRows();
  bool addRow(mlir::Value value);
  bool isUnchanged(mlir::Value value) const;
  bool areOwnExtrema(mlir::vector::MultiDimReductionOp end) const;
  bool correct(mlir::vector::MultiDimReductionOp end);
  bool chooses(mlir::Value value) const;

  const RowLevels &levels;
  unsigned first;
  bool possible = false;
  std::string refusal;
  llvm::SmallVector<mlir::Operation *> needed, second, rowOps;
  llvm::SetVector<mlir::vector::MultiDimReductionOp> references;
  llvm::SetVector<mlir::Value> rows;
  llvm::SmallVector<CorrectedEnd> corrected;
};

/// Skips broadcasts, and returns what all elements of a row of a vector are.
mlir::Value skipBroadcasts(mlir::Value value);

/// Whether all elements of a vector along the covered dimension are the same.
bool isSameAlongRow(const RowLevels &levels, mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ROWCORRECTIONS_H
