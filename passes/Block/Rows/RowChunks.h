//===- RowChunks.h - the ops of a row for one chunk of it -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones ops of a block program so that they access and compute the chunk of
// their row that begins at a position. Rows that the program keeps are read
// from tiles in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ROWCHUNKS_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ROWCHUNKS_H

#include "RowPart.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {

class RowChunks {
public:
  /// Chunks of `width` elements, of the CTA's part of rows.
  RowChunks(RowPart &part, int64_t width) : part(part), width(width) {}

  /// Brings the whole row that `read` is a part of to a tile, or the CTA's part
  /// of it.
  void keep(mlir::OpBuilder &builder, mlir::vector::TransferReadOp read,
            const mlir::IRMapping &mapping);
  /// The op for the chunk that begins at `chunk`. Maps its results in `own`,
  /// which has its operands.
  void clone(mlir::OpBuilder &builder, mlir::Operation *op,
             mlir::IRMapping &own, mlir::Value chunk);
  /// Rows in shared memory, by what read them.
  const llvm::DenseMap<mlir::Operation *, mlir::Value> &getTiles() const {
    return tiles;
  }

private:
  RowPart &part;
  int64_t width;
  llvm::DenseMap<mlir::Operation *, mlir::Value> tiles;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ROWCHUNKS_H
