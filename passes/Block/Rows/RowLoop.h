//===- RowLoop.h - a loop over rows, and what it carries --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose iterations each take a row in chunks does two things: it reduces
// and writes rows, and it carries vectors, each element of which depends on its
// own column only. The first is a loop over rows around loops over chunks. The
// second is a loop over chunks around a loop over rows, so that a chunk of what
// is carried stays in registers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ROWLOOP_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ROWLOOP_H

#include "RowLevels.h"

#include <optional>

namespace carousel {

class RowLoop {
public:
  RowLoop(mlir::scf::ForOp loop, const RowLevels &outside);

  /// The reason why the loop can't be divided, or an empty string.
  const std::string &getRefusal() const { return refusal; }

  mlir::scf::ForOp getLoop() const { return loop; }
  /// Those of a row.
  const RowLevels &getLevels() const { return levels; }

  /// Whether there is anything to do apart from columns.
  bool hasRows() const {
    return hasRowEffects || (!rowValues.empty() && keptRows);
  }
  /// Whether columns are written in the loop.
  bool writesColumns() const { return hasColumnWrites; }
  /// Returns the ops of the columns' loop, in program order.
  const llvm::SetVector<mlir::Operation *> &getColumnOps() const {
    return columnOps;
  }

  /// Vectors from outside that columns need.
  llvm::SetVector<mlir::Value> findColumnValues() const;

  /// Scalars that columns need of each row, and that only a whole row gives:
  /// results of reductions, and what the loop carries of them.
  llvm::ArrayRef<mlir::Value> getRowValues() const { return rowValues; }
  /// The most iterations, if they are few enough that memory of the CTA holds
  /// the row values of all; otherwise each chunk computes them again.
  std::optional<int64_t> getKeptRows() const { return keptRows; }
  /// Whether each chunk computes row values again.
  bool repeatsRows() const { return !rowValues.empty() && !keptRows; }
  /// The ops of the body that compute row values.
  const llvm::DenseSet<mlir::Operation *> &getRowOps() const { return rowOps; }
  /// Whether they do so from scalars that the loop carries.
  bool carriesRowValues() const { return hasRowCarries; }

private:
  void findDependent();
  void findColumnOps();
  void findRowOps();
  void findKeptRows();

  mlir::scf::ForOp loop;
  RowLevels levels;
  std::string refusal;
  bool hasRowEffects = false, hasColumnWrites = false, hasRowCarries = false;
  /// Scalars that depend on reductions of the row.
  llvm::DenseSet<mlir::Value> dependent;
  llvm::SetVector<mlir::Operation *> columnOps;
  llvm::SmallVector<mlir::Value> rowValues;
  std::optional<int64_t> keptRows;
  llvm::DenseSet<mlir::Operation *> rowOps;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ROWLOOP_H
