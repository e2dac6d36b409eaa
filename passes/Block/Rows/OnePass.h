//===- OnePass.h - a loop for two levels of reductions ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the loop over chunks of two levels of reductions. Chunks of the second
// level are computed with what the first one has so far, and what is carried is
// corrected where that changes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ONEPASS_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ONEPASS_H

#include "../Kernels/ElementChanges.h"
#include "RowChunks.h"
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

/// Reductions that wait for results of the level before share its loop over
/// chunks if what they have so far can be corrected where these results change:
/// by the rules of ElementChanges.h, as streams of graphs.
class RowCorrections {
public:
  /// Finds the corrections between a level and the one after it.
  RowCorrections(const RowLevels &levels, unsigned first);

  /// Whether one loop does for both.
  bool isPossible() const { return possible; }
  /// Returns the op without a correction, if that is why it doesn't.
  const std::string &getRefusal() const { return refusal; }

  /// Reductions of the first level whose results so far chunks are computed
  /// with.
  llvm::ArrayRef<mlir::vector::MultiDimReductionOp> getReferences() const {
    return references.getArrayRef();
  }
  /// Returns what chunks read of them: results, and what follows from these.
  llvm::ArrayRef<mlir::Value> getRows() const { return rows.getArrayRef(); }
  /// The ops that compute rows of results, in program order.
  llvm::ArrayRef<mlir::Operation *> getRowOps() const { return rowOps; }
  llvm::ArrayRef<CorrectedEnd> getCorrected() const { return corrected; }
  /// Returns the ops that the loop executes, in program order.
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

class OnePass {
public:
  /// \p mapping has what is outside of loops. The row has \p extent elements.
  OnePass(const RowLevels &levels, const RowCorrections &corrections,
          RowChunks &chunks, mlir::Value extent, mlir::IRMapping &mapping,
          mlir::OpBuilder &builder);

  /// Maps the results of both levels' reductions.
  void write();

private:
  /// The value of each row and reduction of the first level so far.
  using Rows = llvm::DenseMap<mlir::Value, mlir::Value>;
  class Numbers;

  /// The values of a reduction that a loop carries.
  struct Carried {
    mlir::vector::MultiDimReductionOp end;
    const CorrectedEnd *corrected = nullptr;
    bool isReference = false;
    /// The first of its values: the result so far or the sum by element of a
    /// chunk, and for sums of products, those of their factors, and the number
    /// of products.
    unsigned begin = 0;
  };

  void collect();
  mlir::Value extrapolate(mlir::Value sum, mlir::Value count);
  Rows computeRows(mlir::ValueRange values, mlir::Value count);
  /// Whether rows have no element so far, of \p count elements.
  mlir::Value findNone(mlir::ValueRange values, mlir::Value count);
  void correct(const Carried &carried,
               llvm::MutableArrayRef<mlir::Value> values, const Rows &before,
               const Rows &now, mlir::Value isNone);
  void add(const Carried &carried, llvm::MutableArrayRef<mlir::Value> values,
           const mlir::IRMapping &own);
  void finish(mlir::ValueRange values);

  mlir::Value createSplat(mlir::Type type, mlir::TypedAttr element);
  mlir::Value getIndex(int64_t value);

  const RowLevels &levels;
  const RowCorrections &corrections;
  RowChunks &chunks;
  mlir::Value extent;
  mlir::IRMapping &mapping;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::vector<Carried> all;
  llvm::SmallVector<mlir::Value> starts;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ONEPASS_H
