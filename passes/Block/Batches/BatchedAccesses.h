//===- BatchedAccesses.h - memory that several programs access --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes of programs that a CTA executes together, which have places
// beside each other along a dimension of the memref.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDACCESSES_H
#define CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDACCESSES_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace carousel {

/// The body of a kernel whose programs a CTA executes together, while it is
/// written. A value that programs don't have in common is either an index plus
/// the program's number, or a vector whose first dimension counts programs.
class BatchedBody {
public:
  BatchedBody(mlir::OpBuilder &builder, int64_t programs)
      : builder(builder), programs(programs) {}

  mlir::OpBuilder &builder;
  const int64_t programs;
  /// The values that programs have in common.
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

class BatchedAccesses {
public:
  BatchedAccesses(mlir::gpu::GPUFuncOp kernel, BatchedBody &body)
      : kernel(kernel), body(body), builder(body.builder) {}

  /// The guarantees that a launch must give: memrefs that programs write have a
  /// place for each, and no more.
  llvm::SmallVector<GuardAttr> guards;

  void batch(mlir::vector::TransferReadOp op);
  void batch(mlir::vector::TransferWriteOp op);
  void batch(mlir::memref::LoadOp op);
  void batch(mlir::memref::StoreOp op);
  void batch(mlir::memref::SubViewOp op);

  /// Narrows the mask of a divergent branch or loop: without programs beyond
  /// the grid, which the last CTA may have, and without those that don't
  /// execute what is written. Null after a refusal.
  mlir::Value narrowMask(mlir::Operation *op, mlir::Value mask);

private:
  std::optional<unsigned> findProgramDim(mlir::Operation *op,
                                         mlir::ValueRange indices);
  llvm::SmallVector<mlir::Value> getIndices(mlir::ValueRange indices);
  mlir::AffineMap getMap(mlir::Operation *op, mlir::AffineMap map,
                         unsigned dim);
  mlir::ArrayAttr getInBounds(mlir::VectorTransferOpInterface op);
  mlir::AffineMapAttr getElementMap(mlir::MemRefType type, unsigned dim);
  mlir::Value getMask(mlir::VectorTransferOpInterface op, mlir::AffineMap map,
                      unsigned dim);
  mlir::Value getLimit(mlir::VectorTransferOpInterface op,
                       mlir::memref::SubViewOp view, unsigned dim);
  mlir::Value findMemRef(mlir::Value memref);
  bool isIndexed(mlir::Value memref, mlir::ValueRange indices);
  bool isRowByIndex(mlir::vector::TransferReadOp op);
  mlir::Value findPlaces(mlir::Location loc, mlir::Value memref,
                         mlir::ValueRange indices, mlir::Value &exist);
  llvm::SmallVector<mlir::Value> makeOffsets(mlir::Location loc, size_t count);
  void gather(mlir::memref::LoadOp op);
  void gather(mlir::vector::TransferReadOp op);
  void requireExtent(mlir::Operation *op, mlir::Value memref, unsigned dim);
  LaunchAttr getLaunch();

  mlir::gpu::GPUFuncOp kernel;
  BatchedBody &body;
  mlir::OpBuilder &builder;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_BATCHES_BATCHEDACCESSES_H
