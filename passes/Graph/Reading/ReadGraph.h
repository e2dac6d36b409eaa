//===- ReadGraph.h - graphs of linalg as planners see them ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a function or a group on tensors, in the normal form of
// docs/GraphPhase.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_READGRAPH_H
#define CAROUSEL_PASSES_GRAPH_READING_READGRAPH_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <limits>

namespace carousel {

struct Graph {
  GraphProblem problem;
  /// The ops, by number in `problem`.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::DenseMap<mlir::Value, unsigned> tensorIndices;

  /// The number of a tensor, if the graph has it, and of the op that writes it.
  std::optional<unsigned> findTensor(mlir::Value tensor) const {
    auto known = tensorIndices.find(tensor);
    return known == tensorIndices.end() ? std::nullopt
                                        : std::optional(known->second);
  }
  std::optional<unsigned> findWriter(mlir::Value tensor) const {
    std::optional<unsigned> known = findTensor(tensor);
    return known ? problem.findWriter(*known) : std::nullopt;
  }
};

/// \p holder: an op with one block, a function or a group.
Graph readGraph(mlir::Operation *holder);

/// GraphTensor::gaps of a tensor that is a slice, or one of a slice, or that is
/// put there.
llvm::SmallVector<bool> findGaps(mlir::Value tensor);
/// GraphTensor::rowAlignment of such a tensor.
int64_t findRowAlignment(mlir::Value tensor);

/// How a reduction's body combines the element of a result with one that it
/// computes from the others.
struct Combination {
  mlir::vector::CombiningKind kind;
  /// The op of the body, and the value that it combines with.
  mlir::Operation *op;
  mlir::Value element;
};

/// The combination of a structured op with one result, or nullopt if there is
/// no such form.
std::optional<Combination> findCombination(mlir::linalg::LinalgOp op);

/// The constant that a tensor is filled with, or null.
mlir::TypedAttr findFill(mlir::Value tensor);

/// Whether an op starts from the filled tensor that it uses, or has it around
/// what it reads.
bool isStart(mlir::OpOperand &use);

/// Whether the op fills a tensor with a constant that ops only start from.
bool isOnlyStart(mlir::Operation *op);

/// The quotient or remainder of a map that has a constant divisor below 1, for
/// which affine expressions have no value; or null.
mlir::AffineExpr findBadDivision(mlir::AffineMap map);

/// Whether a body reads what its op's init has.
bool readsInit(mlir::linalg::LinalgOp op, unsigned init);

/// The largest index of a loop whose extent isn't known.
inline constexpr int64_t kMostOfLoop = std::numeric_limits<int32_t>::max();

/// IndexRanges.h's range of a loop's index in a body; unknown for other values.
mlir::IntegerValueRange findLoopRange(mlir::Value value);

/// The comparison with signs that is the same for numbers that aren't negative,
/// as indices of loops aren't.
mlir::arith::CmpIPredicate getSigned(mlir::arith::CmpIPredicate predicate);

/// Whether constants show that a body's index is one of a dimension.
bool isInside(mlir::Value index, int64_t extent);

/// An input of a product, and the ops on it that aren't part of that.
struct ProductFactor {
  mlir::OpOperand *input = nullptr;
  mlir::Type type = {}; ///< of elements after the ops
  llvm::SmallVector<mlir::Operation *> casts = {};
  bool keepsZero = true;
};

/// Whether a factor's only conversion makes a number of a bit. A byte has room
/// for it, and memory has it as a byte.
bool isBit(const ProductFactor &factor);

/// The factors, by input. Extensions are part of products, if both factors have
/// them. Those of bits are to bytes then.
std::array<ProductFactor, 2> findFactors(mlir::linalg::LinalgOp op);

/// Finds the unit that multiplies them.
ProductUnit findProductUnit(mlir::linalg::LinalgOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_READGRAPH_H
