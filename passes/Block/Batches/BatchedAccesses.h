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

#include "BatchedBody.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>

namespace carousel {

class BatchedAccesses {
public:
  BatchedAccesses(mlir::gpu::GPUFuncOp kernel, BatchedBody &body)
      : kernel(kernel), body(body), builder(body.builder) {}

  /// What a launch must guarantee: memrefs that programs write have a place for
  /// each, and no more.
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
