//===- OneHotIndices.h - where one-hot factors aren't zero ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor is one-hot if comparisons with the indices of loops make it zero
// almost everywhere, and a sum of a few of these has a few elements. Bodies
// of structured ops say which: nothing is recognised by name.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTINDICES_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTINDICES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <vector>

namespace carousel {

/// A loop, and the number that it has to have: `condition` compares the two.
/// The loop itself doesn't change `number`; others may.
struct OneHotIndex {
  unsigned loop;
  mlir::Value number;
  mlir::arith::CmpIOp condition;
};

/// Places of different loops, ascending.
using OneHotIndices = llvm::SmallVector<OneHotIndex, 2>;

/// The points outside of which the product of values of the op's body is zero,
/// if zero times any number counts as zero. All have places of the same loops,
/// which are of the given kind. Points may be equal, and the value may be zero
/// at one, too. Empty if there are no such points, or more than a few.
llvm::SmallVector<OneHotIndices>
findOneHotIndices(mlir::linalg::GenericOp op, mlir::ValueRange values,
                  mlir::utils::IteratorType kind);

/// Finds the summand of each iteration; null if the op is no sum from zero on.
mlir::Value findSummand(mlir::linalg::GenericOp op);

/// Finds the ops that compute a value in the body, in order; failure if one has
/// effects.
mlir::FailureOr<llvm::SetVector<mlir::Operation *>>
findSources(mlir::Value value, mlir::Block *body);

/// Whether a value of the body is the same in all iterations of the loop.
bool isFixedAlong(mlir::linalg::GenericOp op, mlir::Value value, unsigned loop);

/// Whether a body compares numbers for equality with those of loops.
bool comparesLoops(mlir::linalg::GenericOp op);

/// Whether it compares some in a type that doesn't have all numbers of a loop.
bool comparesNarrowLoops(mlir::linalg::GenericOp op);

/// Copies know what has been computed, for code in a branch. Inputs are read at
/// loops.
class BodyEvaluator {
public:
  /// \p isComputed: whether elements of a tensor are computed, and not read.
  explicit BodyEvaluator(mlir::linalg::GenericOp op,
                         bool (*isComputed)(mlir::Value) = nullptr)
      : op(op), isComputed(isComputed), loops(op.getNumLoops()) {}

  /// An index. What depends on the loop is computed afterwards. A loop that
  /// isn't set keeps its number.
  void setLoop(unsigned loop, mlir::Value number) { loops[loop] = number; }
  /// Sets what a value of the body is; of an input, its element.
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

/// The indices of one-hot factors, as indices, and whether each is one of its
/// loop.
struct ComputedIndices {
  llvm::SmallVector<mlir::Value, 2> numbers; ///< by place
  mlir::Value exists;
};

/// The order in which indices of one-hot factors can be computed, where one may
/// depend on the loop of another; empty if there is none.
llvm::SmallVector<unsigned> orderIndices(mlir::linalg::GenericOp op,
                                         const OneHotIndices &point);

/// Computes the numbers where the other loops are as \p reader says.
ComputedIndices computeIndices(mlir::OpBuilder &builder,
                               mlir::linalg::GenericOp op,
                               const OneHotIndices &point,
                               BodyEvaluator reader);

/// The reader at a point that exists.
BodyEvaluator evaluateAt(mlir::OpBuilder &builder, const OneHotIndices &point,
                         const ComputedIndices &computed, BodyEvaluator reader);

mlir::Value isNotZero(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value number);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTINDICES_H
