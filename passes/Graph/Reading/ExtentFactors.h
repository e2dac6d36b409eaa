//===- ExtentFactors.h - extents as products --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends compute extents of reshapes by products and quotients of other
// extents. As products of the same factors, they can be compared and divided.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_EXTENTFACTORS_H
#define CAROUSEL_PASSES_GRAPH_READING_EXTENTFACTORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <optional>
#include <string>

namespace carousel {

/// An extent as a product of a constant and of extents of tensors, or of other
/// numbers.
struct ExtentFactors {
  /// A tensor and its dimension, or a number and -1.
  using Factor = std::pair<mlir::Value, int64_t>;

  int64_t constant = 1;
  llvm::SmallVector<Factor> others;
  /// The constant has overflowed: the product is equal to nothing.
  bool isTooLarge = false;

  bool operator==(const ExtentFactors &other) const;
  void multiply(const ExtentFactors &other);
  /// Divides the product, if it is a multiple of the divisor. Division by an
  /// extent of 0 has no meaning, so extents cancel.
  std::optional<ExtentFactors> divide(const ExtentFactors &divisor) const;
  /// Computes the product.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// The factors of an index or a constant. A product of very many factors has
/// some that are products.
ExtentFactors factorizeExtent(mlir::OpFoldResult extent);

/// The factors of a tensor's dimension, by what the tensor is made of.
ExtentFactors factorizeExtent(mlir::Value tensor, int64_t dim);

/// Whether a slice has all elements of a tensor along one of its dimensions.
bool isWholeDim(mlir::OffsetSizeAndStrideOpInterface slice, mlir::Value tensor,
                int64_t dim);

/// The factors of a loop, by each operand that goes along it.
llvm::SmallVector<ExtentFactors> findLoopExtents(mlir::linalg::LinalgOp op,
                                                 unsigned loop);

/// "dimension 0 of x", for messages.
std::string describeDimension(mlir::Value tensor, int64_t dim);

/// Loops of a step end at the extent of one tensor, and the others have to have
/// as many elements. cf.assert compares extents that types don't show.
class ExtentChecks {
public:
  /// `where`: "in @main_0", for messages.
  ExtentChecks(mlir::OpBuilder &builder, mlir::Location loc, std::string where)
      : builder(builder), loc(loc), where(std::move(where)) {}

  /// The loop goes along a dimension of a value of the program.
  void add(unsigned loop, mlir::Value tensor, int64_t dim);
  /// The loop has this extent in `what`.
  void add(unsigned loop, mlir::OpFoldResult size, std::string what);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string where;
  llvm::DenseMap<unsigned, std::pair<mlir::OpFoldResult, std::string>> extents;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_EXTENTFACTORS_H
