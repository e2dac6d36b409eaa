//===- PoisonBits.h - which parts of values are poison ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each number that a value of the LLVM dialect consists of is a leaf: an
// element of a vector, a member of a struct. It has a bit if it may be poison.
// The same functions serve the analysis, where any value stands for a bit, and
// the code that computes the bits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_POISONBITS_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_POISONBITS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallBitVector.h"

namespace carousel::sim {

class PoisonBits {
public:
  /// The bit of each leaf; null for a leaf that is no poison.
  using Leaves = llvm::SmallVector<mlir::Value, 4>;
  using Sources = llvm::SmallBitVector;

  PoisonBits(mlir::Location loc, unsigned numSources)
      : builder(loc.getContext()), loc(loc), numSources(numSources) {}

  static unsigned countLeaves(mlir::Type type);

  bool isClean(mlir::Value value) const { return !leaves.contains(value); }
  Leaves get(mlir::Value value) const;
  void set(mlir::Value value, Leaves bits);
  void clear(mlir::Value value) { leaves.erase(value); }
  /// The ops whose poison a value may be.
  const Sources &getSources(mlir::Value value) { return sourcesOf[value]; }
  void addSources(mlir::Value value, Sources from);

  mlir::Value constant(bool bit);
  mlir::Value joinAll(const Leaves &bits);
  /// The results of an op without effects.
  void compute(mlir::Operation *op);

  /// Bits are computed here.
  mlir::OpBuilder builder;
  bool isBuilding = false;

private:
  mlir::Value join(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value isAt(mlir::Value position, unsigned number);
  Leaves select(mlir::LLVM::SelectOp op);
  Leaves extract(mlir::LLVM::ExtractElementOp op);
  Leaves insert(mlir::LLVM::InsertElementOp op);
  Leaves shuffle(mlir::LLVM::ShuffleVectorOp op);
  Leaves castBits(mlir::LLVM::BitcastOp op);
  Leaves extractPart(mlir::LLVM::ExtractValueOp op);
  Leaves insertPart(mlir::LLVM::InsertValueOp op);
  Leaves computeByLeaf(mlir::Operation *op, mlir::Type type);

  mlir::Location loc;
  unsigned numSources;
  llvm::DenseMap<mlir::Value, Leaves> leaves; ///< of values that may be poison
  llvm::DenseMap<mlir::Value, Sources> sourcesOf;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_POISONBITS_H
