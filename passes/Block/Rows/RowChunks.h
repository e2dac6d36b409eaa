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

#include "../Kernels/ClusterParts.h"
#include "RowLevels.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {

/// The CTAs of a cluster each go over a part of a row in chunks, and gather the
/// results of each loop. A CTA without a cluster has the whole row.
class RowPart {
public:
  RowPart(mlir::gpu::GPUFuncOp kernel, BlockProgramAttr program);

  bool isWhole() const { return ctas == 1; }
  /// The most elements that a CTA keeps; 0 if rows aren't kept.
  int64_t getMost() const { return most; }
  /// Describes the part for remarks.
  std::string describe() const {
    return isWhole() ? "" : " in each of " + std::to_string(ctas) + " CTAs";
  }
  /// The reason why rows can't be divided, or an empty string.
  std::string findRefusal(const RowLevels &levels) const;

  /// CTAs of a cluster follow each other in the grid, which counted programs
  /// until now. Returns the elements of this CTA's part: 0 or less if the row
  /// ends before it.
  mlir::Value start(mlir::OpBuilder &builder, mlir::Value extent);
  /// Elements from the begin of the row, for one of the part.
  mlir::Value addBegin(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value index) const;
  /// An op that isn't in loops. A write by one CTA of a cluster is enough.
  void cloneOutside(mlir::OpBuilder &builder, mlir::Operation *op,
                    mlir::IRMapping &mapping) const;
  /// The reduction of the parts of all CTAs.
  mlir::Value gather(mlir::OpBuilder &builder,
                     mlir::vector::MultiDimReductionOp end, mlir::Value sum,
                     const mlir::IRMapping &mapping) const;

private:
  mlir::gpu::GPUFuncOp kernel;
  int64_t ctas, most;
  std::optional<ClusterPart> own; ///< not for whole rows
};

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
