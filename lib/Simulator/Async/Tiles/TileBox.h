//===- TileBox.h - elements of a tile and of its box ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a tile of the tile phase that are inside its global memref,
// and their addresses on both sides, as rows and as contiguous ranges.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEBOX_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEBOX_H

#include "TileTransfer.h"

#include "llvm/ADT/SmallVector.h"

namespace carousel::sim {

/// The part of a tile that is inside the global memref: [begin, end) for each
/// dimension of the tile.
struct Inside {
  llvm::SmallVector<int64_t, 6> begin, end;
  bool isWhole = true;
  /// The first dimension of the global memref that the box exceeds.
  unsigned leftDim = 0;
  bool isEmpty() const {
    for (size_t dim = 0; dim < begin.size(); ++dim)
      if (begin[dim] >= end[dim])
        return true;
    return false;
  }
};

/// Merges consecutive ranges, so that a contiguous tile is one access.
template <typename Function> class Ranges {
public:
  explicit Ranges(Function function) : function(function) {}
  ~Ranges() { flush(); }
  void add(char *address, uint64_t bytes) {
    if (size != 0 && start + size == address) {
      size += bytes;
      return;
    }
    flush();
    start = address;
    size = bytes;
  }

private:
  void flush() {
    if (size != 0)
      function(start, size);
    size = 0;
  }
  Function function;
  char *start = nullptr;
  uint64_t size = 0;
};

int64_t getBoxExtent(const TileTransfer &transfer, unsigned dim);
Inside getInside(const TileTransfer &transfer);

/// Address arithmetic that may leave all memory, for addresses that aren't
/// dereferenced.
inline char *addBytes(char *base, uint64_t bytes) {
  return reinterpret_cast<char *>(reinterpret_cast<uint64_t>(base) + bytes);
}

/// Calls `row(tile, global, count)` with the first elements of each row of
/// `inside`.
template <typename Function>
void forEachRow(const TileTransfer &transfer, const Inside &inside,
                Function row) {
  if (inside.isEmpty())
    return;
  unsigned rank = transfer.tileExtents.size(),
           leading = transfer.getNumLeadingDims();
  uint64_t bytes = transfer.elementBytes;
  // The offsets of the first element from the element at index zero.
  uint64_t tile = 0, global = 0;
  for (unsigned dim = 0; dim < leading; ++dim)
    global +=
        uint64_t(transfer.offsets[dim]) * uint64_t(transfer.globalStrides[dim]);
  for (unsigned dim = 0; dim < rank; ++dim) {
    tile += uint64_t(inside.begin[dim]) * uint64_t(transfer.tileStrides[dim]);
    global += uint64_t(transfer.offsets[leading + dim] + inside.begin[dim]) *
              uint64_t(transfer.globalStrides[leading + dim]);
  }
  llvm::SmallVector<int64_t, 6> index(inside.begin);
  unsigned inner = rank - 1;
  int64_t count = inside.end[inner] - inside.begin[inner];
  while (true) {
    row(addBytes(transfer.tile, tile * bytes),
        addBytes(transfer.global, global * bytes), count);
    unsigned dim = inner;
    while (dim-- > 0) {
      tile += uint64_t(transfer.tileStrides[dim]);
      global += uint64_t(transfer.globalStrides[leading + dim]);
      if (++index[dim] < inside.end[dim])
        break;
      auto length = uint64_t(inside.end[dim] - inside.begin[dim]);
      tile -= length * uint64_t(transfer.tileStrides[dim]);
      global -= length * uint64_t(transfer.globalStrides[leading + dim]);
      index[dim] = inside.begin[dim];
    }
    if (dim == ~0u)
      return;
  }
}

/// Calls `range(address, bytes)` for each contiguous range of a row.
template <typename Function>
void forEachRange(char *row, int64_t step, int64_t count, int64_t bytes,
                  Function range) {
  if (step == 1)
    return range(row, uint64_t(count * bytes));
  for (int64_t i = 0; i < count; ++i)
    range(row + i * step * bytes, uint64_t(bytes));
}

/// Calls `piece(tile, global, bytes)` for each range of a row that is
/// contiguous on both sides.
template <typename Function>
void forEachPiece(const TileTransfer &transfer, char *tile, char *global,
                  int64_t count, Function piece) {
  int64_t bytes = transfer.elementBytes;
  int64_t tileStep = transfer.tileStrides.back(),
          globalStep = transfer.globalStrides.back();
  if ((tileStep == 1 && globalStep == 1) || count == 1)
    return piece(tile, global, uint64_t(count * bytes));
  for (int64_t i = 0; i < count; ++i)
    piece(tile + i * tileStep * bytes, global + i * globalStep * bytes,
          uint64_t(bytes));
}

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TILES_TILEBOX_H
