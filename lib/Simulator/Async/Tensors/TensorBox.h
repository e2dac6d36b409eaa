//===- TensorBox.h - the bytes of a tensor copy -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the rows of a box from a tensor map, coordinates and a mode. Each
// row is one contiguous piece of global memory, as far as it is inside the
// tensor.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORBOX_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORBOX_H

#include "SimTensorMap.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

/// `address` is that of the row's first byte, even outside the tensor. Bytes
/// [begin, end) of the row are in the tensor.
struct BoxRow {
  uint64_t address = 0;
  uint32_t begin = 0, end = 0;
};

/// The rows of a copy, in the order of the tile.
struct TensorBox {
  std::vector<BoxRow> rows;
  uint32_t rowBytes = 0;
  uint64_t getBytes() const { return uint64_t(rowBytes) * rows.size(); }
};

/// How a copy traverses the tensor.
enum class BoxMode : uint8_t { Tile, FourRows, Im2Col };
std::optional<BoxMode> getBoxMode(TensorLoadMode mode);
BoxMode getBoxMode(TensorStoreMode mode);

/// Computes `box`, and reuses its memory. Coordinates and offsets are those of
/// the op, outermost first. `isWrite` is for stores and reductions. Returns the
/// reason why hardware doesn't support the copy (the rule, then the value
/// found), or an empty string.
std::string computeBox(const TensorMap &map,
                       llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                       llvm::ArrayRef<int16_t> offsets, bool isWrite,
                       TensorBox &box);

/// Fills `bytes` out-of-bounds bytes of a tile. They start at byte `offset` of
/// an element.
void fillOutOfBounds(const TensorMap &map, void *destination, uint64_t bytes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORBOX_H
