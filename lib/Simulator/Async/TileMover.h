//===- TileMover.h - transfers of the tile phase ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel.load and carousel.store of the tile phase. The threads of the scope
// gather with equal operands, and the last one to arrive moves the tile. The
// transfer is an agent of its own that knows all that the threads know. The
// threads learn that the transfer is done, and nothing of each other.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TILEMOVER_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TILEMOVER_H

#include "ResidentCTAs.h"
#include "Tensors/SimTensorMap.h"
#include "TransferLog.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace carousel::sim {

/// The values are those of the dialect's enumeration.
enum class TransferScope : uint8_t { CTA, Warpgroup, Warp };

struct TileTransfer {
  struct Reduction {
    ReduceKind kind;
    ReduceType type;
  };

  bool isLoad = true;
  TransferScope scope = TransferScope::CTA;
  /// The author's promise that the box is inside the global memref.
  bool isInBounds = false;
  uint32_t elementBytes = 1;
  /// The bits of the element that a load writes outside the global memref.
  uint64_t fill = 0;
  std::optional<Reduction> reduction;
  /// A load rounds its elements to tf32.
  bool rounds = false;
  /// The author's promise that no other thread accesses the box of the
  /// reduction.
  bool isExclusive = false;

  /// One of the transfers to the parts of a multicast address. Reductions then
  /// have system scope.
  bool isMulticast = false;

  /// The elements at index zero. Offsets, extents and strides count elements,
  /// outermost first.
  char *global = nullptr, *tile = nullptr;
  llvm::ArrayRef<int64_t> offsets, globalExtents, globalStrides;
  llvm::ArrayRef<int64_t> tileExtents, tileStrides;

  unsigned getNumLeadingDims() const {
    return globalExtents.size() - tileExtents.size();
  }
};

class TileMover {
public:
  TileMover(AsyncContext &context, ResidentCTAs &ctas, TransferLog &transfers)
      : context(context), ctas(ctas), transfers(transfers) {}

  /// Called by each thread of the scope.
  void move(const TileTransfer &transfer);

private:
  /// One transfer, while the threads wait for it.
  class Move;
  std::vector<TileTransfer> divide(const TileTransfer &transfer) const;

  AsyncContext &context;
  ResidentCTAs &ctas;
  TransferLog &transfers;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TILEMOVER_H
