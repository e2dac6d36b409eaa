//===- ShiftedRuns.h - runs that begin at any element -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has runs of as many elements as a granule of 16 bytes has, and rows
// of global memory begin at any element. A run is read by the two granules that
// hold it. Granules are written that hold the ends of two lanes' runs.
// docs/BlockPhase.md, Rows at any address.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_SHIFTEDRUNS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_SHIFTEDRUNS_H

#include "../Threads/ThreadProgram.h"

namespace carousel {

class ShiftedRuns {
public:
  /// The first element of a run, which may be outside of the row.
  struct Run {
    llvm::SmallVector<mlir::Value> place;
    /// Whether the row exists; null if it does.
    mlir::Value rowExists;
  };

  /// Elements along the last dimension of the memref make a row.
  ShiftedRuns(ThreadProgram &program, mlir::Value memref, mlir::VectorType run);

  /// The registers of runs, one behind the other. Elements outside of the
  /// memref are `padding`.
  mlir::Value read(llvm::ArrayRef<Run> runs, mlir::Value padding);

  /// All lanes of the warp call this. 2^`laneBits` lanes have runs that follow
  /// each other, from a lane whose number is a multiple of that on.
  void write(mlir::Value registers, const Run &run, unsigned laneBits);

private:
  using Indices = llvm::ArrayRef<mlir::Value>;

  mlir::Value makeIndex(int64_t value) { return program.index(value); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value bothHold(mlir::Value first, mlir::Value second);
  mlir::Value makeWord(int64_t value);
  /// The elements from the last multiple of 16 bytes on to a place, an i32.
  mlir::Value getDistance(Indices place);
  mlir::Value getBytes(mlir::Value elements);
  llvm::SmallVector<mlir::Value> getWords(mlir::Value registers);
  mlir::Value getRegisters(mlir::ValueRange words);
  static llvm::SmallVector<mlir::Value>
  move(Indices place, mlir::Value column) {
    llvm::SmallVector<mlir::Value> moved(place);
    moved.back() = column;
    return moved;
  }

  /// The run's first granule and whether the row has both.
  struct Granules {
    mlir::Value column, distance, exist;
  };
  Granules findGranules(const Run &run);
  mlir::Value readGranules(const Run &run, const Granules &granules);
  mlir::Value readElements(const Run &run, mlir::Value padding);

  /// Writes the elements of a run that no granule takes.
  struct RunEnds {
    /// Elements before the run's first multiple of 16 bytes, an i32, and as an
    /// index.
    mlir::Value head, begin;
    /// Whether the lane before takes the head, and this one the rest.
    mlir::Value isHeadTaken, isRestTaken;
    mlir::Value isFirst; ///< lane
  };
  void writeElements(mlir::Value registers, const Run &run,
                     const RunEnds &ends);
  void writePieces(mlir::Value registers, const Run &run, const RunEnds &ends);

  ThreadProgram &program;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value memref;
  mlir::VectorType type;
  int64_t elements, elementBytes;
  mlir::Value end; ///< of rows
  /// Of the memref's first element, in elements, an i32, and the strides.
  mlir::Value address;
  llvm::SmallVector<mlir::Value> strides;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_SHIFTEDRUNS_H
