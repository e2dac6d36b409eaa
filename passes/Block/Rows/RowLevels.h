//===- RowLevels.h - loops over the chunks of a row -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows go through a kernel in chunks, each level of reductions is a loop
// of its own. An op's level is the number of reductions along the covered
// extent that it waits for, one after the other. A loop over rows has levels of
// its own (RowLoop.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ROWLEVELS_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ROWLEVELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <optional>
#include <string>

namespace carousel {

class RowLoop;

class RowLevels {
public:
  /// Finds the levels of a kernel whose vectors of `width` cover an extent.
  RowLevels(mlir::gpu::GPUFuncOp kernel, int64_t width);
  /// Finds the levels of an iteration of a loop in that kernel.
  RowLevels(mlir::scf::ForOp loop, const RowLevels &outside);
  ~RowLevels();

  /// The reason why rows can't go through the kernel in chunks, or an empty
  /// string.
  const std::string &getRefusal() const { return refusal; }

  mlir::Block &getBlock() const { return body; }
  int64_t getWidth() const { return width; }
  unsigned getLast() const { return last; }
  unsigned getLevel(mlir::Operation *op) const { return levels.lookup(op); }

  bool isCovered(mlir::Type type) const;
  /// Whether the op belongs into loops over chunks.
  bool isCoveredOp(mlir::Operation *op) const;
  /// A reduction along the covered dimension.
  bool isEnd(mlir::Operation *op) const;

  /// Finds the ops that the loop of a level executes, in program order: its
  /// reductions and writes, with what they are computed from, also outside of
  /// the block. Not null, `only` says which reductions.
  llvm::SmallVector<mlir::Operation *>
  findNeeded(unsigned level,
             const llvm::DenseSet<mlir::Operation *> *only = nullptr) const;

  /// The reads of rows that loops of several levels repeat, each with the first
  /// of these levels. What all programs read isn't among them. None where there
  /// are loops over rows.
  llvm::MapVector<mlir::Operation *, unsigned> findRepeated() const;

  /// Whether it reads the same elements in all programs.
  static bool isOfAllPrograms(mlir::vector::TransferReadOp read);

  /// Whether the op depends on vectors that the loop carries.
  bool isOfColumns(mlir::Operation *op) const { return ofColumns.contains(op); }

  /// A loop over rows; null for other ops.
  const RowLoop *getLoop(mlir::Operation *op) const;
  bool hasLoops() const { return !loops.empty(); }

private:
  void findOfColumns();
  void placeAll();
  std::string place(mlir::Operation *op);
  std::string placeRegions(mlir::Operation *op);
  void noteMemory(mlir::Operation *op);
  std::string findConflict() const;
  std::optional<unsigned> findLastUse(mlir::Operation *op) const;
  bool isReadFirst(mlir::Operation *read, mlir::Operation *write) const;
  bool areOrdered(mlir::Operation *first, mlir::Operation *second) const;
  mlir::Value findColumn(mlir::Operation *access) const;
  bool varies(mlir::Value value) const;

  mlir::Block &body;
  int64_t width;
  const RowLevels *outside = nullptr;
  llvm::DenseSet<mlir::Operation *> ofColumns;
  std::string refusal;
  llvm::DenseMap<mlir::Operation *, unsigned> levels;
  unsigned last = 0;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<RowLoop>> loops;
  /// The accesses, with their memory.
  std::vector<std::pair<mlir::Operation *, mlir::Value>> reads, writes;
};

/// Whether an op writes nothing, so that it may be executed again.
bool canRepeat(mlir::Operation *op);

/// Values from outside of an op that it or its regions use.
llvm::SetVector<mlir::Value> findOutsideValues(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ROWLEVELS_H
