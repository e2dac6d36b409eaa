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

#include <optional>

namespace carousel {

class ShiftedRuns {
public:
  /// The first element of a run, which may be outside of the row.
  struct Run {
    llvm::SmallVector<mlir::Value> place;
    /// Whether the row exists; null if it does.
    mlir::Value rowExists;
  };

  /// Elements along the last dimension of the memref make a row. `isAligned`:
  /// all runs begin at multiples of 16 bytes.
  ShiftedRuns(ThreadProgram &program, mlir::Value memref, mlir::VectorType run,
              bool isAligned);

  /// The registers of runs, one behind the other. Elements outside of the
  /// memref are `padding`.
  mlir::Value read(llvm::ArrayRef<Run> runs, mlir::Value padding);

  /// Writes runs in the order of their registers. All lanes of the warp call
  /// this. 2^`laneBits` lanes have runs that follow each other, from a lane
  /// whose number is a multiple of that on. `follows`: the first of these lanes
  /// has the run behind the last one's of the run before.
  void write(mlir::Value registers, const Run &run, unsigned laneBits,
             bool follows);
  /// Writes what is left of the last run.
  void finishWrites();

private:
  using Indices = llvm::ArrayRef<mlir::Value>;

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value makeWord(int64_t value);
  /// The elements from the last multiple of 16 bytes on to a place, an i32.
  mlir::Value getDistance(Indices place);
  mlir::Value getBytes(mlir::Value elements);
  mlir::Value asIndex(mlir::Value word);
  mlir::Value makeBit(bool value);
  mlir::Value choose(mlir::Value condition, mlir::Value value,
                     mlir::Value other);
  llvm::SmallVector<mlir::Value> getWords(mlir::Value registers);
  mlir::Value getRegisters(mlir::ValueRange words);

  /// Whether the row has an element of the run, and whether it has all.
  mlir::Value meetsRow(const Run &run);
  mlir::Value isInRow(const Run &run);
  /// The first granule's index in `flat`, the distance to the run, and whether
  /// the memref has both granules.
  struct Granules {
    mlir::Value index, distance, exist;
  };
  Granules findGranules(const Run &run);
  llvm::SmallVector<mlir::Value> readGranules(const Run &run,
                                              const Granules &granules);
  mlir::Value keepRow(mlir::Value registers, const Run &run,
                      mlir::Value padding);
  mlir::Value readElements(const Run &run, mlir::Value padding);

  /// A run that is being written.
  struct Part {
    Run run;
    mlir::Value registers;
    llvm::SmallVector<mlir::Value> words;
    /// Elements before the first multiple of 16 bytes, an i32, and its column.
    mlir::Value head, begin;
    /// Whether the row has all of the granule there.
    mlir::Value isWhole;
    bool isFirst = false; ///< of its chain
  };
  Part makePart(mlir::Value registers, const Run &run);
  /// `next`: the run that follows; null at the end of a chain.
  mlir::Value makeGranule(const Part &part, const Part *next);
  void writeGranule(const Part &part, const Part *next);
  void writeElements(const Part &part, mlir::Value isFirst);
  void writeEnds();

  struct Lanes {
    mlir::Value isFirst, isLast;
  };
  Lanes findLanes();

  ThreadProgram &program;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value memref;
  mlir::VectorType type;
  int64_t elements, elementBytes;
  bool isAligned;
  mlir::Value end; ///< of rows
  /// All elements of memory from the memref's first one to its last one.
  mlir::Value flat, total;
  /// The memref's first element's, in elements, an i32, and the strides.
  mlir::Value address;
  llvm::SmallVector<mlir::Value> strides, steps; ///< as i32, and as indices
  /// The chain of runs that follow each other: the first one, and the last.
  std::optional<Part> first, last;
  unsigned laneBits = 0;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_SHIFTEDRUNS_H
