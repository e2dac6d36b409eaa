//===- RowReadAhead.h - chunks that are read ahead --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows are in tiles, the loop of a level reads what all programs have a
// chunk ahead, and its first chunk before the loop of the level before.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_ROWREADAHEAD_H
#define CAROUSEL_PASSES_BLOCK_ROWS_ROWREADAHEAD_H

#include "RowChunks.h"

namespace carousel {

class RowReadAhead {
public:
  /// \p mapping has what is outside of loops.
  RowReadAhead(const RowLevels &levels, RowChunks &chunks,
               const mlir::IRMapping &mapping)
      : levels(levels), chunks(chunks), mapping(mapping) {}

  /// Reads the first chunks, while the level before is computed.
  void start(mlir::OpBuilder &builder, unsigned level);
  /// The first chunk of what the loop of a level reads ahead, or null.
  mlir::Value lookUp(mlir::Operation *read, unsigned level) const {
    return first.lookup({read, level});
  }
  /// The chunk after `chunk`, if the row has one. It is read before the other
  /// one is computed with.
  mlir::Value readNext(mlir::OpBuilder &builder,
                       mlir::vector::TransferReadOp read, mlir::Value chunk,
                       mlir::Value current, mlir::Value extent);

private:
  llvm::SmallVector<mlir::vector::TransferReadOp> findReads(unsigned level);

  const RowLevels &levels;
  RowChunks &chunks;
  const mlir::IRMapping &mapping;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, mlir::Value> first;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_ROWREADAHEAD_H
