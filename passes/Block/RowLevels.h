//===- RowLevels.h - loops over the chunks of a row -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows go through a kernel in chunks, each level of reductions is a loop
// of its own. An op's level is the number of reductions along the covered
// extent that it waits for, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWLEVELS_H
#define CAROUSEL_PASSES_BLOCK_ROWLEVELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace carousel {

class RowLevels {
public:
  /// Of a kernel whose vectors of `width` cover an extent.
  RowLevels(mlir::gpu::GPUFuncOp kernel, int64_t width);

  /// The reason why rows can't go through the kernel in chunks, or an empty
  /// string.
  const std::string &getRefusal() const { return refusal; }

  unsigned getLast() const { return last; }
  unsigned getLevel(mlir::Operation *op) const { return levels.lookup(op); }

  /// Whether the op belongs into loops over chunks.
  bool isCoveredOp(mlir::Operation *op) const;
  /// A reduction along the covered dimension.
  bool isEnd(mlir::Operation *op) const;

  /// What the loop of a level executes: its reductions and writes, with what
  /// they are computed from.
  llvm::SetVector<mlir::Operation *> findNeeded(unsigned level) const;

  /// The reads of rows that loops of several levels repeat, each with the first
  /// of these levels. What all programs read isn't among them.
  llvm::SmallVector<std::pair<mlir::vector::TransferReadOp, unsigned>>
  findRepeated() const;

private:
  bool isCovered(mlir::Type type) const;
  std::string place(mlir::Operation *op);
  void noteMemory(mlir::Operation *op);

  mlir::Block &body;
  int64_t width;
  std::string refusal;
  llvm::DenseMap<mlir::Operation *, unsigned> levels;
  unsigned last = 0;
  llvm::DenseSet<mlir::Value> read, written;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWLEVELS_H
