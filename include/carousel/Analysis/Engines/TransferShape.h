//===- TransferShape.h - a transfer's box in few dimensions -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of a transfer, after adjacent dimensions that are consecutive both in
// the tile and in global memory are collapsed into one. Also where the box may
// exceed the global memref, as far as that is known before run time, and into
// which pieces it can be cut.
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

/// One dimension of the box, for one group of the global memref's dimensions.
struct BoxDim {
  int64_t extent = 1;
  /// The number of elements in one step of the group's outermost dimension.
  int64_t inner = 1;
  /// The box may begin before the memref, or end after it.
  bool mayBeginBefore = false;
  bool mayEndBehind = false;
};

struct TransferShape {
  /// Groups of the global memref's dimensions and of the tile's. The tile's
  /// groups are the last ones of the global memref's.
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
  /// A known divisor of the innermost offset, in elements; 0 if the offset is
  /// zero.
  int64_t innerDivisor = 1;

  /// One per group of the tile.
  llvm::ArrayRef<BoxDim> getTileDims() const {
    return llvm::ArrayRef(dims).drop_front(leading);
  }
  int64_t getRowElements() const { return dims.back().extent; }
  int64_t getRowBytes() const { return getRowElements() * elementBytes; }
  /// Whether a row ends with a part of a granule of bulk copies.
  bool hasRowEnds() const;
  /// The number of rows of the tile: all positions of its other dimensions.
  int64_t getRows() const;
  /// Whether the box is known to be inside the global memref.
  bool isInside() const;
  bool isCollapsed() const { return tileGroups.size() != tileRank; }
  /// Whether the other box has the same groups of dimensions.
  bool hasGroupsOf(const TransferShape &other) const;
  /// Keeps what is known of both this box and the other one. They must have the
  /// same groups.
  void join(const TransferShape &other);
};

/// Whether a table names each element of the global memref, so that neighbours
/// in the tile have no common access.
bool hasElementsOfTable(TransferOpInterface op);

TransferShape computeTransferShape(TransferOpInterface op,
                                   const Divisibility &facts);

/// The reason why bulk copies can't carry out the transfer, or an empty string
/// (C164).
std::string explainBulk(TransferOpInterface op, const TransferShape &shape);

/// The reason why the transfer's engine can't carry it out, or an empty string
/// (C164).
std::string explainEngine(TransferOpInterface op, const TransferShape &shape);

/// Whether threads copy rows by granules of 16 bytes that are aligned in global
/// memory, wherever the rows begin: the engine is vector with pieces of one
/// element, and the tile's rows are granules. The threads that access an
/// element of the tile are then others than those of its piece.
bool copiesGranules(TransferOpInterface op, const TransferShape &shape);

/// Whether a load by cp.async may need ordinary stores of its threads, too.
/// cp.async fills with zero only, and only after the end of a piece.
bool mayStoreByThreads(RingLoadOp load, const TransferShape &shape);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_TRANSFERSHAPE_H
