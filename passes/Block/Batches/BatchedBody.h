//===- BatchedBody.h - the body of several programs -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a kernel whose programs a CTA executes together, while it is
// written. A value that programs don't have in common is either an index plus
// the program's number, or a vector whose first dimension counts programs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDBODY_H
#define CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDBODY_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {

class BatchedBody {
public:
  BatchedBody(mlir::OpBuilder &builder, int64_t programs)
      : builder(builder), programs(programs) {}

  mlir::OpBuilder &builder;
  const int64_t programs;
  /// What programs have in common.
  mlir::IRMapping uniform;
  /// Indices that are one of these plus the program's number.
  llvm::DenseMap<mlir::Value, mlir::Value> bases;
  llvm::DenseMap<mlir::Value, mlir::Value> vectors;
  /// Beginnings of memrefs that end elsewhere in each program.
  llvm::DenseMap<mlir::Value, mlir::memref::SubViewOp> views;
  /// The programs that execute what is written, of which there is one at least;
  /// null if all do.
  mlir::Value mask;

  bool varies(mlir::Value value) const {
    return bases.contains(value) || vectors.contains(value) ||
           views.contains(value);
  }
  /// If not empty, why there is no such body.
  std::string refusal;
  void refuse(mlir::Operation *op, const llvm::Twine &why);

  /// The type with the dimension that counts programs.
  mlir::VectorType getType(mlir::Type type) const;
  /// The value of all programs. What is simple stays simple.
  mlir::Value toVector(mlir::Location loc, mlir::Value value) const;
  llvm::SmallVector<mlir::Value> toVectors(mlir::Location loc,
                                           mlir::ValueRange values) const;
  /// `vector`, which has the programs' dimension, with more dimensions.
  mlir::Value broadcast(mlir::Location loc, mlir::Value vector,
                        mlir::VectorType to) const;
  /// A vector of one dimension along a dimension of another type.
  mlir::Value broadcastAlong(mlir::Location loc, mlir::Value vector,
                             unsigned dim, mlir::VectorType to) const;
  /// `taken` for the programs of a mask, and `other` for the others.
  mlir::Value select(mlir::Location loc, mlir::Value mask, mlir::Value taken,
                     mlir::Value other) const;
  /// Whether a program is in the mask.
  mlir::Value isAny(mlir::Location loc, mlir::Value mask) const;
  /// The most of 64-bit integers.
  mlir::Value findMost(mlir::Location loc, mlir::Value numbers) const;
  mlir::Value makeZero(mlir::Location loc, mlir::Type type) const;
  mlir::Value makeIndex(mlir::Location loc, int64_t number) const;

private:
  mlir::Value reduce(mlir::Location loc, mlir::Value numbers,
                     mlir::vector::CombiningKind kind) const;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDBODY_H
