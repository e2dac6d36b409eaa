//===- TransferShape.h - a transfer's box in few dimensions -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of a transfer after dimensions that lie one behind the other, in the
// tile as in global memory, have been made one; where it may reach outside of
// the global memref, as far as that is known before run time; and into what
// pieces it can be cut.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_TRANSFERSHAPE_H
#define CAROUSEL_ANALYSIS_ENGINES_TRANSFERSHAPE_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace carousel {

class Divisibility;

/// One dimension of the box, counted as the global memref's groups.
struct BoxDim {
  int64_t extent = 1;
  /// Elements that one step of the group's outermost dimension is worth.
  int64_t inner = 1;
  /// The box may begin before the memref, or end behind it.
  bool mayBeginBefore = false;
  bool mayEndBehind = false;
};

struct TransferShape {
  /// Of the global memref's dimensions and of the tile's; the tile's groups are
  /// the last of the global memref's.
  llvm::SmallVector<mlir::ReassociationIndices> globalGroups;
  llvm::SmallVector<mlir::ReassociationIndices> tileGroups;
  /// One per group of the global memref.
  llvm::SmallVector<BoxDim> dims;
  unsigned leading = 0; ///< groups that the tile doesn't have
  unsigned tileRank = 0;
  int64_t elementBytes = 0;
  /// The innermost dimension is contiguous in global memory, and in the tile.
  bool globalIsContiguous = false;
  bool tileIsContiguous = false;
  /// What the innermost offset is a multiple of, in elements; 0 if it is zero.
  int64_t innerDivisor = 1;

  /// One per group of the tile.
  llvm::ArrayRef<BoxDim> getTileDims() const {
    return llvm::ArrayRef(dims).drop_front(leading);
  }
  int64_t getRowElements() const { return dims.back().extent; }
  int64_t getRowBytes() const { return getRowElements() * elementBytes; }
  /// Whether a row ends with less than a granule of bulk copies.
  bool hasRowEnds() const;
  /// Rows of the tile: all positions of its other dimensions.
  int64_t getRows() const;
  /// Whether a box wholly inside is known to be so.
  bool isInside() const;
  bool isCollapsed() const { return tileGroups.size() != tileRank; }
  /// Whether the other box is seen in the same dimensions.
  bool hasGroupsOf(const TransferShape &other) const;
  /// What is known of this box is then known of both; they have the same
  /// groups.
  void join(const TransferShape &other);
};

TransferShape computeTransferShape(TransferOpInterface op,
                                   const Divisibility &facts);

/// Why bulk copies can't carry the transfer out, or an empty string (C164).
std::string explainBulk(TransferOpInterface op, const TransferShape &shape);

/// Why the transfer's engine can't carry it out, or an empty string (C164).
std::string explainEngine(TransferOpInterface op, const TransferShape &shape);

/// Whether a load's threads may have to write elements with ordinary stores
/// although its engine is cp.async, which fills with zero only, and only behind
/// the end of a piece.
bool mayStoreByThreads(RingLoadOp load, const TransferShape &shape);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_TRANSFERSHAPE_H
