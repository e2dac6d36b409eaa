//===- LoopBounds.h - where loads run ahead of a loop -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds of a loop's prologue, and of the iterations that have another one
// some iterations later, for all types of induction variables, signed and
// unsigned. Sums that don't fit into the type are capped, not wrapped, outside
// of the loop: in it one comparison is left.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_LOOPBOUNDS_H
#define CAROUSEL_PASSES_RING_LOOPBOUNDS_H

#include "carousel/Analysis/Values/IndexRanges.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// Values of the induction variable's type. They are made where the builder
/// stands: in front of the loop, but for `createAhead`.
class LoopBounds {
public:
  /// What is asked about is `iterations`, at least one, later.
  LoopBounds(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
             int64_t iterations);

  /// Where the first `iterations` iterations end, or the loop if there are
  /// fewer.
  mlir::Value createPrologueEnd();
  /// Where the iterations end that have one so much later.
  mlir::Value createSteadyEnd();
  /// Whether `variable` is before `end`.
  mlir::Value createIsBefore(mlir::Value variable, mlir::Value end);
  /// The variable of the iteration that is so much later, if there is one.
  mlir::Value createAhead(mlir::Value variable);

private:
  mlir::Value createConstant(const llvm::APInt &value);
  template <typename Signed, typename Unsigned>
  mlir::Value createBy(mlir::Value lhs, mlir::Value rhs);
  mlir::Value createDistance();
  llvm::APInt getMost(mlir::Value value);
  /// Whether the distance, `ahead` of `value` or back from it, is known not to
  /// lead out of the type.
  bool isInside(mlir::Value value, bool ahead);

  mlir::OpBuilder &builder;
  mlir::scf::ForOp loop;
  int64_t iterations;
  bool isSigned;
  llvm::APInt least, most; ///< of the type
  mlir::Value distance;    ///< at most `most`
  IndexRanges ranges;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_LOOPBOUNDS_H
