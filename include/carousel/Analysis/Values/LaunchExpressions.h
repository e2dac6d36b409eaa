//===- LaunchExpressions.h - values that a launch can compute ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expresses indices of a kernel by the arguments of its launch, and sums of
// such expressions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_LAUNCHEXPRESSIONS_H
#define CAROUSEL_ANALYSIS_VALUES_LAUNCHEXPRESSIONS_H

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// A sum of expressions with factors, and a constant. Signed arithmetic that
/// doesn't fit 64 bits makes it invalid.
class LaunchSum {
public:
  static LaunchSum constant(int64_t value) { return {value, true}; }
  static LaunchSum unknown() { return {0, false}; }
  static LaunchSum of(ExprAttr expr);

  bool isValid() const { return valid; }
  LaunchSum plus(const LaunchSum &other) const { return add(other, 1); }
  LaunchSum times(int64_t factor) const;
  /// The quotient by a positive number, rounded up.
  LaunchSum ceilDivide(mlir::MLIRContext *context, int64_t divisor) const;
  /// Null if the sum is invalid.
  ExprAttr get(mlir::MLIRContext *context) const;

private:
  LaunchSum(int64_t rest, bool valid) : rest(rest), valid(valid) {}
  LaunchSum add(const LaunchSum &other, int64_t factor) const;

  llvm::SmallVector<std::pair<ExprAttr, int64_t>, 2> terms;
  int64_t rest;
  bool valid;
};

/// The larger of two expressions.
ExprAttr makeMax(ExprAttr lhs, ExprAttr rhs);

/// Whether an attribute may hold the expression (C108).
bool isSmallEnough(ExprAttr expr);

class LaunchExpressions {
public:
  explicit LaunchExpressions(mlir::gpu::GPUFuncOp kernel);
  /// Computes expressions of a program, whose arguments are all passed.
  explicit LaunchExpressions(mlir::func::FuncOp program);

  /// The expression of an index that only arguments determine. Null if there is
  /// none.
  ExprAttr get(mlir::Value value);

  /// Says what an index is that get() can't follow.
  void define(mlir::Value value, ExprAttr expr) { known.set(value, expr); }

private:
  ExprAttr compute(mlir::Value value);
  ExprAttr combine(ExprKind kind, mlir::Operation *op);
  ExprAttr divide(ExprKind kind, mlir::Operation *op, bool roundsToZero);
  std::optional<int64_t> getArgumentNumber(mlir::Value value);

  mlir::Block *entry; ///< whose arguments they are
  mlir::MLIRContext *context;
  Divisibility facts;
  llvm::SmallVector<unsigned> positions;
  OperandFold<ExprAttr> known;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_LAUNCHEXPRESSIONS_H
