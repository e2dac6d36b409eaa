//===- LoopBounds.h - bounds of prologues and steady states -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the bounds of a loop's prologue, and of the iterations for which a
// later iteration exists, for induction variables of all types, signed and
// unsigned. Sums outside of the loop saturate instead of wrapping, so that the
// loop itself needs one comparison only.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_LOOPBOUNDS_H
#define CAROUSEL_PASSES_RING_LOOPBOUNDS_H

#include "carousel/Analysis/Values/IndexRanges.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// All values have the induction variable's type. The builder's insertion point
/// must be before the loop; for `createAhead` it may be in the loop.
class LoopBounds {
public:
  /// Loads run `iterations`, at least one, ahead.
  LoopBounds(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
             int64_t iterations);

  /// The end of the first `iterations` iterations, or of the loop if it has
  /// fewer.
  mlir::Value createPrologueEnd();
  /// The end of those iterations for which an iteration `iterations` later
  /// exists.
  mlir::Value createSteadyEnd();
  /// Whether `variable` is before `end`.
  mlir::Value createIsBefore(mlir::Value variable, mlir::Value end);
  /// The induction variable `iterations` later, if that iteration exists.
  mlir::Value createAhead(mlir::Value variable);

private:
  mlir::Value createConstant(const llvm::APInt &value);
  template <typename Signed, typename Unsigned>
  mlir::Value createBy(mlir::Value lhs, mlir::Value rhs);
  mlir::Value createDistance();
  llvm::APInt getMost(mlir::Value value);
  /// Whether `value` plus (with `ahead`) or minus the distance is known not to
  /// overflow.
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
