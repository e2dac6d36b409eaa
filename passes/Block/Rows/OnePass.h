//===- OnePass.h - a loop for two levels of reductions ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the loop over chunks of two levels of reductions. Chunks of the second
// level are computed with what the first one has so far, and what is carried is
// corrected where that changes (RowCorrections.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ONEPASS_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ONEPASS_H

#include "RowChunks.h"
#include "RowCorrections.h"

namespace carousel {

class OnePass {
public:
  /// \p mapping has what is outside of loops. The row has \p extent elements.
  OnePass(const RowLevels &levels, const RowCorrections &corrections,
          RowChunks &chunks, mlir::Value extent, mlir::IRMapping &mapping,
          mlir::OpBuilder &builder);

  /// Maps the results of both levels' reductions.
  void write();

private:
  /// What each row and reduction of the first level is so far.
  using Rows = llvm::DenseMap<mlir::Value, mlir::Value>;
  class Numbers;

  /// What a loop carries of a reduction.
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
