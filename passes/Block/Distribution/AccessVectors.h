//===- AccessVectors.h - reads and writes by all threads --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread reads and writes its own elements of a vector, in runs of
// consecutive ones.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H

#include "../Threads/ThreadProgram.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"

#include <memory>

namespace carousel {

/// The memory that a transfer accesses, in terms of the thread's program. If
/// the plan says so, a tile is copied from or to there.
struct ThreadAccess {
  mlir::VectorTransferOpInterface transfer;
  const AccessPlan &plan;
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  /// The thread's elements of the mask; null without one.
  mlir::Value mask;
  /// The tile that a transfer has copied to, as a box; null if none has yet.
  mlir::Value box = nullptr;
};

/// Registers of a thread are accessed in pieces of so many, or of a run if it
/// is longer.
inline constexpr int64_t kRegistersOfPiece = 16;
int64_t countRegistersOfPiece(const AccessPlan &write);

/// The runs of an access, for its thread.
class RunAccess;

/// Reads a thread's registers of a vector, all or some of them. Elements that
/// are outside of the memref or masked are `padding`.
class VectorReader {
public:
  VectorReader(ThreadProgram &program, ThreadAccess access,
               mlir::Value padding);
  ~VectorReader();

  mlir::Value readAll();
  /// The runs that begin at the registers `firsts`, one behind the other. A run
  /// that is asked for twice is read twice. `offset`, unless it is null, is
  /// added to the elements' coordinate in a dimension of the tile.
  mlir::Value readRuns(llvm::ArrayRef<int64_t> firsts,
                       mlir::Value offset = nullptr, unsigned dim = 0);
  int64_t getRun() const;
  /// As many registers from `first` on, both multiples of the run. All pieces
  /// are read where the first of them is: in one block.
  mlir::Value readPiece(int64_t first, int64_t count);
  /// The same in words of 32 bits, where runs have some, and without a branch
  /// around them all: ptxas waits for what is read where it takes words apart,
  /// or where branches meet. `getElements` takes them apart.
  mlir::Value readWords(int64_t first, int64_t count);
  mlir::Value getElements(mlir::Value words);
  /// Returns the bits of registers that an element of them takes.
  int64_t countBitsAhead() const;

private:
  mlir::Value readRun(int64_t first, mlir::Value offset = nullptr,
                      unsigned dim = 0);
  mlir::Value readShifted(int64_t first, int64_t count);
  mlir::Value join(int64_t first, int64_t count,
                   llvm::function_ref<mlir::Value(int64_t number)> readOne);
  int64_t countElementsOfWord() const;

  ThreadProgram &program;
  ThreadAccess access;
  std::unique_ptr<RunAccess> runs;
  mlir::Value padding;
  /// Whether pieces are whole; null: each run has its own condition.
  std::optional<mlir::Value> isWhole;
};

/// The tile of a transfer, which is made the first time.
mlir::Value loadTile(ThreadProgram &program, ThreadAccess &access,
                     mlir::Value padding);

/// `getRegisters` gives as many registers from a first one on. It is called
/// once for each of them, in their order, where the write is.
using RegisterGetter =
    llvm::function_ref<mlir::Value(int64_t first, int64_t count)>;
void writeVector(ThreadProgram &program, const ThreadAccess &access,
                 RegisterGetter getRegisters);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ACCESSVECTORS_H
