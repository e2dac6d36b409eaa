//===- TensorBox.cpp - the bytes of a tensor copy -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes, four rows, and im2col columns. All arithmetic on coordinates is in 64
// bits. Addresses of rows may be anywhere, because only their part in the
// tensor is used.
//
//===----------------------------------------------------------------------===//

#include "TensorBox.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <cstring>

namespace carousel::sim {

using llvm::Twine;

std::optional<BoxMode> getBoxMode(TensorLoadMode mode) {
  switch (mode) {
  case TensorLoadMode::Tile:
    return BoxMode::Tile;
  case TensorLoadMode::Gather4:
    return BoxMode::FourRows;
  case TensorLoadMode::Im2Col:
    return BoxMode::Im2Col;
  default:
    return std::nullopt;
  }
}

BoxMode getBoxMode(TensorStoreMode mode) {
  switch (mode) {
  case TensorStoreMode::Tile:
    return BoxMode::Tile;
  case TensorStoreMode::Scatter4:
    return BoxMode::FourRows;
  case TensorStoreMode::Im2ColNoOffs:
    return BoxMode::Im2Col;
  }
  return BoxMode::Tile;
}

namespace {
/// Coordinates of one row, innermost dimension first.
using Position = std::array<int64_t, 5>;

class RowBuilder {
public:
  RowBuilder(const TensorMap &map, int64_t column, bool isWrite, TensorBox &box)
      : map(map), box(box) {
    unsigned bits = map.getElementBits();
    box.rows.clear();
    box.rowBytes = uint32_t(map.box[0]) * bits / 8;
    columnBytes = column * bits / 8;
    int64_t rowEnd = int64_t(map.globalExtents[0]) * bits / 8;
    int64_t first = std::clamp<int64_t>(-columnBytes, 0, box.rowBytes);
    int64_t last =
        std::clamp<int64_t>(rowEnd - columnBytes, first, box.rowBytes);
    // Writes are of whole pieces, as on an H200: they overwrite the padding
    // after a row.
    if (isWrite)
      last = std::min<int64_t>(llvm::alignTo(last, 16), box.rowBytes);
    begin = uint32_t(first);
    end = uint32_t(last);
  }

  void add(const Position &position) {
    uint64_t address = map.globalAddress + uint64_t(columnBytes);
    bool isInside = true;
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      isInside &=
          position[dim] >= 0 && position[dim] < int64_t(map.globalExtents[dim]);
      address += uint64_t(position[dim]) * map.globalStrides[dim - 1];
    }
    box.rows.push_back(isInside ? BoxRow{address, begin, end}
                                : BoxRow{address, 0, 0});
  }

private:
  const TensorMap &map;
  TensorBox &box;
  int64_t columnBytes;
  uint32_t begin, end;
};
} // namespace

static void addTile(const TensorMap &map, const Position &start,
                    RowBuilder &builder) {
  Position position = start;
  std::array<uint32_t, 5> index{}, count{1, 1, 1, 1, 1};
  for (unsigned dim = 1; dim < map.rank; ++dim)
    count[dim] =
        uint32_t(llvm::divideCeil(map.box[dim], map.elementStrides[dim]));
  while (true) {
    builder.add(position);
    unsigned dim = 1;
    for (; dim < map.rank; ++dim) {
      position[dim] += map.elementStrides[dim];
      if (++index[dim] < count[dim])
        break;
      index[dim] = 0;
      position[dim] = start[dim];
    }
    if (dim == map.rank)
      return;
  }
}

/// Visits pixels of the bounding box in order, W first. The read position is
/// `offsets` further.
static void addColumn(const TensorMap &map, Position pixel,
                      const Position &offsets, RowBuilder &builder) {
  for (unsigned count = map.box[1]; count != 0; --count) {
    Position position = pixel;
    for (unsigned dim = 1; dim + 1 < map.rank; ++dim)
      position[dim] += offsets[dim];
    builder.add(position);
    pixel[1] += map.elementStrides[1];
    for (unsigned dim = 1; dim + 1 < map.rank; ++dim) {
      int64_t last =
          int64_t(map.globalExtents[dim]) - 1 + map.upperCorner[dim - 1];
      if (pixel[dim] <= last)
        break;
      pixel[dim] = map.lowerCorner[dim - 1];
      pixel[dim + 1] += map.elementStrides[dim + 1];
    }
  }
}

std::string computeBox(const TensorMap &map,
                       llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                       llvm::ArrayRef<int16_t> offsets, bool isWrite,
                       TensorBox &box) {
  bool isIm2Col = mode == BoxMode::Im2Col,
       isFourRows = mode == BoxMode::FourRows;
  if ((map.mode == TensorMapMode::Im2Col) != isIm2Col)
    return isIm2Col ? "expected a tensor map of mode im2col"
                    : "expected a tensor map of mode tiled";
  if (isFourRows && (map.rank != 2 || map.box[1] != 1))
    return ("expected a tensor map of rank 2 and a box of one row for four "
            "rows, got rank " +
            Twine(map.rank) + " and " + Twine(map.box[1]) + " rows")
        .str();
  size_t wanted = isFourRows ? 5 : map.rank;
  if (coordinates.size() != wanted)
    return ("expected " + Twine(wanted) + " coordinates, got " +
            Twine(coordinates.size()))
        .str();
  size_t spatial = isIm2Col && !isWrite ? map.rank - 2 : 0;
  if (offsets.size() != spatial)
    return ("expected " + Twine(spatial) + " offsets, got " +
            Twine(offsets.size()))
        .str();

  int64_t column = coordinates.back();
  if (column * int64_t(map.getElementBits()) % 128 != 0)
    return ("expected an innermost coordinate at a multiple of 16 bytes, got " +
            Twine(column))
        .str();
  if (isWrite)
    for (int32_t coordinate : coordinates)
      if (coordinate < 0)
        return ("expected coordinates of a write that are not negative, got " +
                Twine(coordinate))
            .str();

  RowBuilder builder(map, column, isWrite, box);
  Position start{};
  if (isFourRows) {
    for (int32_t row : coordinates.drop_back()) {
      start[1] = row;
      builder.add(start);
    }
    return {};
  }
  for (size_t dim = 0; dim < coordinates.size(); ++dim)
    start[dim] = coordinates[coordinates.size() - 1 - dim];
  if (!isIm2Col) {
    addTile(map, start, builder);
    return {};
  }
  Position shift{};
  for (size_t dim = 0; dim < offsets.size(); ++dim)
    shift[dim + 1] = offsets[offsets.size() - 1 - dim];
  addColumn(map, start, shift, builder);
  return {};
}

void fillOutOfBounds(const TensorMap &map, void *destination, uint64_t bytes) {
  if (map.fill == OutOfBoundsFill::Zero) {
    std::memset(destination, 0, bytes);
    return;
  }
  // An H200 fills with 0x7ff7 throughout, a NaN of every format of 16 bits or
  // more.
  for (uint64_t at = 0; at < bytes; ++at)
    static_cast<unsigned char *>(destination)[at] = at % 2 == 0 ? 0xf7 : 0x7f;
}

} // namespace carousel::sim
