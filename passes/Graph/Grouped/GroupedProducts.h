//===- GroupedProducts.h - products whose rows choose matrices --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds products of rows by matrices that an op reads for each row, by numbers
// that the row says (grouped GEMM, MoE); TileGroupedProducts.cpp lowers them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H

#include "../Products/OneHotIndices.h"
#include "../Reading/RowReads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace carousel {

/// A product's factor that is a matrix for each row: an op reads it from the
/// matrices that are the last two dimensions of a tensor.
struct ChosenMatrices {
  mlir::OpOperand *factor = nullptr;
  mlir::linalg::GenericOp chooser; ///< the op
  TableRead read;
  /// The product's loops along the dimensions of a matrix.
  llvm::SmallVector<unsigned, 2> loops;
};

/// A product of such a factor and rows.
struct GroupedProduct {
  mlir::linalg::GenericOp op;
  ChosenMatrices matrices;
  mlir::OpOperand *rows = nullptr;           ///< the other factor
  unsigned row = 0;                          ///< the chooser's loop along rows
  unsigned m = 0, n = 0, k = 0;              ///< the product's loops
  int64_t count = 0, columns = 0, depth = 0; ///< their extents
  int64_t numbers = 0;                       ///< of matrices

  bool hasStaticExtents() const {
    return !llvm::is_contained({count, columns, depth},
                               mlir::ShapedType::kDynamic);
  }
  /// The index of a row's matrix among all, as an index.
  mlir::Value computeMatrixIndex(mlir::OpBuilder &builder,
                                 BodyEvaluator &reader) const;
  /// The indices of the matrix with a number, before those of its element.
  llvm::SmallVector<mlir::Value> findMatrix(mlir::OpBuilder &builder,
                                            mlir::Value number) const;
};

inline unsigned getLoop(mlir::AffineMap map, unsigned dim) {
  return mlir::cast<mlir::AffineDimExpr>(map.getResult(dim)).getPosition();
}

/// Finds the read of matrices that its other loops choose, if its elements are
/// those of whole matrices along two loops; nothing for other ops.
std::optional<TableRead> findMatrixRead(mlir::linalg::GenericOp chooser);

/// Finds such a read in what computes a factor of the product.
std::optional<ChosenMatrices>
findChosenMatrices(mlir::linalg::GenericOp product, mlir::OpOperand *factor);

std::optional<GroupedProduct> findGroupedProduct(mlir::linalg::GenericOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_GROUPEDPRODUCTS_H
