//===- RunningIndices.h - running indices of rings --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a kernel is rewritten, a ring's running index is a variable. Code that
// starts a use reads and writes it. Afterwards the variables are promoted to
// SSA values: loop-carried values and results of branches.
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
  /// Creates a variable at the top of `block`, with initial value 0.
  mlir::Value create(mlir::Block &block, mlir::Location loc);
  /// Creates one of another type: an index or an integer.
  mlir::Value create(mlir::Block &block, mlir::Location loc, mlir::Type type);

  static mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value variable);
  static void write(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value variable, mlir::Value value);

  /// Whether promotion can thread values through the regions of `op`.
  static bool canPass(mlir::Operation *op);

  /// Promotes all variables to SSA values.
  void promote(mlir::IRRewriter &rewriter);

private:
  llvm::SmallVector<mlir::memref::AllocaOp> variables;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RING_RUNNINGINDICES_H
