//===- Polynomials.h - sums and products of elements ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of structured ops as sums of products. Front ends write gradients in
// many ways, which are one polynomial: quotients by a sum of weights cancel.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_POLYNOMIALS_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_POLYNOMIALS_H

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

namespace carousel {

/// A power of an element of a tensor, or of a value that an op's body computes.
/// A condition is one where it holds, and otherwise zero; with an exponent of
/// -1, it is one where it doesn't.
struct Power {
  mlir::Value value;
  /// From the loops of the op that is read to the dimensions of the tensor, or
  /// to the loops of the body's op.
  mlir::AffineMap map;
  int64_t exponent = 0;

  bool isSameElement(const Power &other) const {
    return value == other.value && map == other.map;
  }
  bool isCondition() const {
    return mlir::getElementTypeOrSelf(value).isInteger(1);
  }
  /// Whether it is an element of a tensor of floats.
  bool isTensor() const {
    return mlir::isa<mlir::RankedTensorType>(value.getType()) &&
           mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value));
  }
};

/// A product of a number and of powers of different elements.
struct Monomial {
  double coefficient = 1;
  llvm::SmallVector<Power> powers = {};

  void multiply(const Power &power);
  void multiply(const Monomial &other);
  /// Raises it to a power.
  Monomial raise(int64_t exponent) const;
};

/// A sum; empty if it is zero.
using Polynomial = llvm::SmallVector<Monomial>;

/// Reads what an op's body computes, through the elementwise ops whose results
/// it reads. Roundings don't count.
class PolynomialReader {
public:
  /// Conditions of choices between a value and zero are factors.
  /// \p expands: whether sums are read. Otherwise, polynomials have one
  /// product.
  PolynomialReader(mlir::linalg::GenericOp op, bool expands)
      : op(op), expands(expands) {}

  /// By the loops of the op.
  Polynomial readValue(mlir::Value value);
  Polynomial readInput(mlir::OpOperand &input);

private:
  using Values = OperandFold<Polynomial>;

  bool isRead(mlir::Value value) const;
  /// Computes a tensor's elements by its dimensions, of those of others.
  Polynomial computeTensor(mlir::Value tensor) const;
  Polynomial computeBody(mlir::linalg::GenericOp from, mlir::Value root) const;
  Polynomial computeValue(mlir::linalg::GenericOp from, mlir::Value value,
                          const Values &known) const;
  std::optional<Polynomial> computeOp(mlir::Operation *source,
                                      const Values &known) const;

  mlir::linalg::GenericOp op;
  bool expands;
  Values tensors;
};

/// By loop of one op: the loop of another one, if that has it.
using LoopMatch = llvm::SmallVector<std::optional<unsigned>>;

/// The loops of the other op, by the first one's, of two maps to the dimensions
/// of one tensor. Nothing unless each dimension has one loop of its own.
std::optional<LoopMatch> matchLoops(mlir::AffineMap of, mlir::AffineMap other);

/// The map of another op's loops; nothing if it has loops without a match.
std::optional<mlir::AffineMap>
translateLoops(mlir::AffineMap map, const LoopMatch &match, unsigned loops);

/// Whether an op has one result, of which it computes each element by itself.
bool isElementwise(mlir::linalg::GenericOp op);

/// The map of the loops of an op with one result to its dimensions.
mlir::AffineMap getResultMap(mlir::linalg::GenericOp op);

/// Casts a number to another type of floats.
mlir::Value castFloat(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::Type type);

/// Writes a product of numbers of the type of `coefficient`'s. \p elements: of
/// its powers.
mlir::Value writeProduct(mlir::OpBuilder &builder, mlir::Location loc,
                         const Monomial &monomial, mlir::ValueRange elements,
                         mlir::Type type);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_POLYNOMIALS_H
