//===- PointReader.h - what a body computes at a point ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes values of a structured op's body where some of its loops have other
// numbers than those of the op that is written.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_POINTREADER_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_POINTREADER_H

#include "OneHotPoints.h"

#include "mlir/IR/IRMapping.h"

#include <map>
#include <vector>

namespace carousel {

/// Copies know what has been computed, for code in a branch. Inputs are read at
/// loops.
class PointReader {
public:
  /// \p isComputed: whether elements of a tensor are computed, and not read.
  explicit PointReader(mlir::linalg::GenericOp op,
                       bool (*isComputed)(mlir::Value) = nullptr)
      : op(op), isComputed(isComputed), loops(op.getNumLoops()) {}

  /// An index. What depends on the loop is computed afterwards.
  void setLoop(unsigned loop, mlir::Value number) { loops[loop] = number; }
  /// What a value of the body is; of an input, its element.
  void set(mlir::Value value, mlir::Value known) { mapping.map(value, known); }

  mlir::Value compute(mlir::OpBuilder &builder, mlir::Value value);

private:
  mlir::Value readInput(mlir::OpBuilder &builder, mlir::BlockArgument argument);

  mlir::linalg::GenericOp op;
  bool (*isComputed)(mlir::Value);
  unsigned depth = 0; ///< ops that read the one whose elements are computed
  llvm::SmallVector<mlir::Value> loops;
  mlir::IRMapping mapping;
  /// Elements that are computed, by tensor and indices.
  std::map<std::vector<const void *>, mlir::Value> elements;
};

/// The numbers of a point, as indices, and whether each is one of its loop.
struct ComputedPoint {
  llvm::SmallVector<mlir::Value, 2> numbers; ///< by place
  mlir::Value exists;
};

/// The order in which numbers of a point can be computed, where one may depend
/// on the loop of another; empty if there is none.
llvm::SmallVector<unsigned> orderPlaces(mlir::linalg::GenericOp op,
                                        const OneHotPoint &point);

/// Computes the numbers where the other loops are as \p reader says.
ComputedPoint computePoint(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                           const OneHotPoint &point, PointReader reader);

/// The reader at a point that exists.
PointReader goToPoint(mlir::OpBuilder &builder, const OneHotPoint &point,
                      const ComputedPoint &computed, PointReader reader);

/// An scf.if of one result, which is zero elsewhere.
mlir::Value
createBranch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
             mlir::Value condition,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &)> write);

mlir::Value isNotZero(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value number);

/// The sum of two numbers, as a body adds them.
mlir::Value addElements(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value a, mlir::Value b);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_POINTREADER_H
