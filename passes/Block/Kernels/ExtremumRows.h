//===- ExtremumRows.h - rows that follow from extrema -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that an exponential may be computed with while an extremum isn't
// complete. A difference from the largest element so far is never above zero.
// From another function of it, an exponential may be infinite, or zero with an
// infinite factor to come.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_EXTREMUMROWS_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_EXTREMUMROWS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace carousel {

/// A value without conversions between floats.
inline mlir::Value skipRoundings(mlir::Value value) {
  while (llvm::isa_and_present<mlir::arith::TruncFOp, mlir::arith::ExtFOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether an op asks only which rows are infinite or NaN. Rows that are
/// replaced where they pass another number may be so at first alone, and then
/// change by more than exponentials have room for.
inline bool asksForInfinity(mlir::arith::CmpFOp compare) {
  using Predicate = mlir::arith::CmpFPredicate;
  if (compare.getPredicate() == Predicate::ORD ||
      compare.getPredicate() == Predicate::UNO)
    return true;
  return llvm::any_of(compare->getOperands(), [](mlir::Value operand) {
    return mlir::matchPattern(operand, mlir::m_PosInfFloat()) ||
           mlir::matchPattern(operand, mlir::m_NegInfFloat());
  });
}

/// Whether an op's row is an extremum that is bounded, or replaced by another
/// number where it is infinite.
inline bool keepsExtremum(mlir::Operation *op) {
  namespace arith = mlir::arith;
  // A distance from zero says only which rows are replaced.
  if (llvm::isa<mlir::math::AbsFOp>(op))
    return llvm::all_of(op->getUsers(), llvm::IsaPred<arith::CmpFOp>);
  if (auto compare = llvm::dyn_cast<arith::CmpFOp>(op))
    return asksForInfinity(compare);
  return llvm::isa<mlir::vector::BroadcastOp, mlir::vector::ShapeCastOp,
                   arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
                   arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
                   arith::MinNumFOp, arith::AndIOp, arith::OrIOp,
                   arith::XOrIOp>(op) ||
         op->hasTrait<mlir::OpTrait::ConstantLike>();
}

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_EXTREMUMROWS_H
