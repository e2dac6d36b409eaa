//===- SimTensorMap.h - descriptors of tensors, and boxes -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptor of tensor copies in the simulated machine: 128 plain bytes, so
// that a kernel may take it as a parameter, change it and copy it. Its
// enumerations have the values of the dialect's enumerations of the same name.
// A CUtensorMap that the driver encoded becomes one, and one with coordinates
// and a mode gives the rows of a box, each a contiguous piece of global memory
// as far as it is inside the tensor.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_SIMTENSORMAP_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_SIMTENSORMAP_H

#include "carousel/Support/TensorMapChecks.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

enum class ReduceKind : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };
enum class ReduceType : uint8_t {
  U32,
  S32,
  U64,
  S64,
  B32,
  B64,
  F16,
  BF16,
  F32,
  F64,
  F32FTZ, ///< flushes subnormals: of threads in global memory, of maps that say
          ///< so
};
enum class TensorLoadMode : uint8_t {
  Tile,
  Gather4,
  Im2Col,
  Im2ColW,
  Im2ColW128
};
enum class TensorStoreMode : uint8_t { Tile, Scatter4, Im2ColNoOffs };
using rules::Interleave;
using rules::OutOfBoundsFill;
using rules::Swizzle;
using rules::TensorElement;
using rules::TensorMapMode;
enum class TensorMapField : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  InterleaveLayout,
  SwizzleMode,
  SwizzleAtomicity,
  FillMode,
};

/// All arrays start with the innermost dimension, as in the driver and in PTX.
struct alignas(64) TensorMap {
  static constexpr uint32_t kMagic = 0x4d615043;

  uint64_t globalAddress = 0;
  /// The extents, in elements.
  uint64_t globalExtents[5] = {1, 1, 1, 1, 1};
  /// The strides in bytes, for dimensions 1 to rank-1.
  uint64_t globalStrides[4] = {};
  /// kMagic if this is a tensor map.
  uint32_t magic = kMagic;
  /// The box, in elements. In the im2col modes, [0] is channels, [1] is pixels.
  uint16_t box[5] = {1, 1, 1, 1, 1};
  /// Corners of the im2col bounding box by spatial dimension, innermost (W)
  /// first.
  int16_t lowerCorner[3] = {}, upperCorner[3] = {};
  uint8_t elementStrides[5] = {1, 1, 1, 1, 1};
  uint8_t rank = 1;
  TensorElement element = TensorElement::F32;
  TensorMapMode mode = TensorMapMode::Tiled;
  Swizzle swizzle = Swizzle::None;
  Interleave interleave = Interleave::None;
  OutOfBoundsFill fill = OutOfBoundsFill::Zero;

  /// Bits of one element in shared memory.
  unsigned getElementBits() const { return rules::getBits(element); }
  /// The transaction bytes of one copy. `rows` is the number of boxes (gather4,
  /// scatter4).
  uint64_t getBoxBytes(unsigned rows = 1) const;
  /// The reason why no copy can use it (the rule, then the value found), or an
  /// empty string.
  std::string verify() const;
};
static_assert(sizeof(TensorMap) == 128, "a tensor map is 128 bytes");

/// The shared address of the byte whose address without a swizzle is `address`.
/// Swizzles permute by address bits, not by offsets in the tile.
uint64_t swizzleAddress(Swizzle swizzle, uint64_t address);
using rules::getSharedAlignment;

/// Sets `map` to what the bytes say. Returns which bits it can't decode (those
/// of no field, a value that no driver encodes, a field that contradicts those
/// it follows from), or an empty string.
std::string decodeDriverMap(llvm::ArrayRef<uint8_t> bytes, TensorMap &map);

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

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_SIMTENSORMAP_H
