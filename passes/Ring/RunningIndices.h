//===- RunningIndices.h - indices that run on through a kernel --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a kernel is rewritten, a ring's running index is a variable that is
// read and written where uses are made. Afterwards variables become SSA values:
// loop-carried in loops, results of branches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RING_RUNNINGINDICES_H
#define CAROUSEL_PASSES_RING_RUNNINGINDICES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel {

class RunningIndices {
public:
  /// A variable at the top of `block`, 0 at first.
  mlir::Value create(mlir::Block &block, mlir::Location loc);
  /// One of another type: an index, or an integer.
  mlir::Value create(mlir::Block &block, mlir::Location loc, mlir::Type type);

  static mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value variable);
  static void write(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value variable, mlir::Value value);

  /// Whether values can be threaded through `op`, an op with regions.
  static bool canPass(mlir::Operation *op);

  /// Makes all variables SSA values.
  void promote(mlir::IRRewriter &rewriter);

private:
  llvm::SmallVector<mlir::memref::AllocaOp> variables;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_RUNNINGINDICES_H
