//===- GranuleRows.h - rows that begin at any element -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies by threads between a tile of whole granules (16 bytes) and rows of
// global memory that begin at any element. Global memory is accessed by aligned
// granules only. A granule of the destination comes from two granules of the
// source: the thread reads both, and shifts them by the row's distance from a
// multiple of 16 bytes. The distance is known at run time only. Granules that
// the ends of a row cut are copied element by element. Boxes of the interior
// have none.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_GRANULEROWS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_GRANULEROWS_H

#include "LowerTransfers.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace carousel {

/// The rows of a box, in granules.
class GranuleRows {
public:
  GranuleRows(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

  /// The number of elements that `indices` is above a multiple of 16 bytes.
  mlir::Value createDistance(mlir::ImplicitLocOpBuilder &b,
                             llvm::ArrayRef<mlir::Value> indices);
  /// The positions of granule `number` of the tile.
  llvm::SmallVector<mlir::Value> createPositions(mlir::ImplicitLocOpBuilder &b,
                                                 mlir::Value number);
  /// The stride of the memref's dimension, in elements.
  mlir::Value createStride(mlir::ImplicitLocOpBuilder &b, unsigned dim) {
    auto metadata =
        mlir::memref::ExtractStridedMetadataOp::create(b, box.global);
    return mlir::getValueOrCreateConstantIndexOp(
        b, b.getLoc(), metadata.getConstifiedMixedStrides()[dim]);
  }
  llvm::SmallVector<mlir::Value>
  createIndices(mlir::ImplicitLocOpBuilder &b,
                llvm::ArrayRef<mlir::Value> positions) {
    return createGlobalIndices(b, box, shape.leading, positions);
  }
  mlir::Value createIsRowInside(mlir::ImplicitLocOpBuilder &b,
                                llvm::ArrayRef<mlir::Value> positions) {
    return carousel::createIsRowInside(b, shape, box, positions.drop_back());
  }
  /// Elements [distance, distance + granule) of the words of two consecutive
  /// granules.
  mlir::Value createShifted(mlir::ImplicitLocOpBuilder &b, mlir::Value low,
                            mlir::Value high, mlir::Value distance);
  /// Its words: each element of 16 bits would be a register.
  mlir::Value loadGranule(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                          llvm::ArrayRef<mlir::Value> at);
  /// Where a granule lies in the tile: a swizzle moves whole granules.
  llvm::SmallVector<mlir::Value>
  createPlace(mlir::ImplicitLocOpBuilder &b,
              llvm::ArrayRef<mlir::Value> positions) {
    return createTileIndices(b, issue, box, positions);
  }

  const TransferIssue &issue;
  const TransferShape &shape;
  BoxValues box;
  int64_t granule; ///< elements
  mlir::VectorType type;
  mlir::VectorType getWordsType() const {
    return mlir::VectorType::get({kWords},
                                 mlir::IntegerType::get(type.getContext(), 32));
  }

private:
  static constexpr int64_t kWords = rules::kBulkGranule / 4;

  mlir::Value address; ///< of the memref's first element, in elements, an i32
  llvm::SmallVector<mlir::Value> strides;
};

/// Numbers of a thread below the count of granules, i32, and whether each
/// exists (null: it does).
using GranuleNumbers = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;

/// The turns in which the threads of a transfer reach `count` granules.
int64_t countTurns(const TransferIssue &issue, int64_t count);

/// This thread's numbers of the turns from `round` * `batch` on.
GranuleNumbers createNumbers(mlir::ImplicitLocOpBuilder &b,
                             const TransferIssue &issue, int64_t count,
                             int64_t batch, mlir::Value round);

/// Calls `body` for all of this thread's numbers, `batch` at a time.
void forEachOfThread(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue,
                     int64_t count, int64_t batch,
                     llvm::function_ref<void(const GranuleNumbers &)> body);

/// `lhs` rounded down to a multiple of a power of two.
mlir::Value createAlignedDown(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                              int64_t multiple);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_GRANULEROWS_H
