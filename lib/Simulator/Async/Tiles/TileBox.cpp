//===- TileBox.cpp - elements of a tile and of its box --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileBox.h.
//
//===----------------------------------------------------------------------===//

#include "TileBox.h"

#include <algorithm>

namespace carousel::sim {

int64_t getBoxExtent(const TileTransfer &transfer, unsigned dim) {
  unsigned leading = transfer.getNumLeadingDims();
  return dim < leading ? 1 : transfer.tileExtents[dim - leading];
}

Inside getInside(const TileTransfer &transfer) {
  Inside inside;
  unsigned leading = transfer.getNumLeadingDims();
  bool isOutside = false;
  for (unsigned dim = 0; dim < transfer.globalExtents.size(); ++dim) {
    // Offsets may have any value: don't add before they are known to be small.
    int64_t offset = transfer.offsets[dim],
            extent = transfer.globalExtents[dim];
    int64_t box = getBoxExtent(transfer, dim);
    int64_t begin = offset >= 0 ? 0 : offset <= -box ? box : -offset;
    int64_t end = offset >= extent        ? 0
                  : offset < extent - box ? box
                                          : extent - offset;
    if ((begin != 0 || end != box) && inside.isWhole) {
      inside.isWhole = false;
      inside.leftDim = dim;
    }
    if (dim < leading) {
      isOutside |= begin >= end;
      continue;
    }
    inside.begin.push_back(begin);
    inside.end.push_back(std::max(begin, end));
  }
  if (isOutside)
    inside.end = inside.begin;
  return inside;
}

} // namespace carousel::sim
