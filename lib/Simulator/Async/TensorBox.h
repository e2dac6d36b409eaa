//===- TensorBox.h - where the bytes of a tensor copy are -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a tensor map, coordinates and a mode to the rows of a box: one
// contiguous piece of global memory each, as far as it is inside of the tensor.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORBOX_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORBOX_H

#include "SimTensorMap.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

/// `address` is that of the row's first byte, wherever it is; bytes [begin,
/// end) of the row are in the tensor.
struct BoxRow {
  uint64_t address = 0;
  uint32_t begin = 0, end = 0;
};

/// What a copy moves, in the order of the tile: row after row.
struct TensorBox {
  std::vector<BoxRow> rows;
  uint32_t rowBytes = 0;
  uint64_t getBytes() const { return uint64_t(rowBytes) * rows.size(); }
};

/// How a copy walks through the tensor.
enum class BoxMode : uint8_t { Tile, FourRows, Im2Col };
std::optional<BoxMode> getBoxMode(TensorLoadMode mode);
BoxMode getBoxMode(TensorStoreMode mode);

/// Fills `box`, whose memory is reused. Coordinates and offsets as the op has
/// them, outermost first; `isWrite` for stores and reductions. The text is why
/// hardware wouldn't do it (the rule, then what was found); empty if it does.
std::string computeBox(const TensorMap &map,
                       llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                       llvm::ArrayRef<int16_t> offsets, bool isWrite,
                       TensorBox &box);

/// Fills bytes that are out of bounds: `bytes` of the tile from byte `offset`
/// of an element on.
void fillOutOfBounds(const TensorMap &map, void *destination, uint64_t bytes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORBOX_H
