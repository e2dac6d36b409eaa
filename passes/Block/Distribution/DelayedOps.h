//===- DelayedOps.h - ops that are computed where they're written -*- C++ -*-=//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has many registers of a product's sums. What is computed of them on
// their way to memory goes piece by piece, so that few others are needed at a
// time: reads of other tensors, arithmetic and the write, then the next piece.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H

#include "AccessVectors.h"
#include "MemoryOrder.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace carousel {

/// The ops that only one write takes, through others of them, in the write's
/// layout: ops by elements, and reads that may as well come between the write's
/// parts.
class DelayedOps {
public:
  DelayedOps(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan,
             const MemoryOrder &order);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }

private:
  void collect(mlir::vector::TransferWriteOp write, const LayoutPlan &plan,
               const MemoryOrder &order);

  llvm::DenseSet<mlir::Operation *> ops;
};

/// What a thread writes, piece by piece.
class PiecesOfWrite {
public:
  /// `getWhole` gives an operand that isn't delayed, and `makeReader` what
  /// reads for an op, in the thread's program.
  using OperandGetter = std::function<mlir::Value(mlir::OpOperand &)>;
  using ReaderMaker = std::function<std::unique_ptr<VectorReader>(
      mlir::vector::TransferReadOp)>;
  PiecesOfWrite(ThreadProgram &program, const DelayedOps &delayed,
                OperandGetter getWhole, ReaderMaker makeReader)
      : program(program), delayed(delayed), getWhole(std::move(getWhole)),
        makeReader(std::move(makeReader)) {}

  /// As many registers of the operand from `first` on.
  mlir::Value get(mlir::OpOperand &operand, int64_t first, int64_t count);

private:
  mlir::Value getWholeOnce(mlir::OpOperand &operand);
  mlir::Value compute(mlir::Operation *op);

  ThreadProgram &program;
  const DelayedOps &delayed;
  OperandGetter getWhole;
  ReaderMaker makeReader;
  int64_t first = 0, count = 0;                            ///< of the piece
  llvm::DenseMap<mlir::Operation *, mlir::Value> computed; ///< of the piece
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> wholes;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<VectorReader>> readers;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H
