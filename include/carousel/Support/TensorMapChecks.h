//===- TensorMapChecks.h - the driver's rules for tensor maps ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the first rule that a tensor map breaks, for the dialect's type, the
// simulated machine and the runtime. TensorMapMessages.h describes it. The
// rules are in the order of the pages on cuTensorMapEncodeTiled,
// cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide of the CUDA 13 driver
// API; each block names its field. Rules marked "driver" aren't documented, but
// the driver enforces them (docs/Runtime.md, Tensor maps). Plain C++.
// Constraint numbers are those of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_TENSORMAPCHECKS_H
#define CAROUSEL_SUPPORT_TENSORMAPCHECKS_H

#include "carousel/Support/HardwareLimits.h"

#include <cstddef>
#include <optional>

namespace carousel::rules {

// The elements, with the numbers of the dialect's enumerations.
enum class TensorElement : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32FTZ,
  F64,
  BF16,
  TF32,
  TF32FTZ,
  B4x16,
  B4x16P64, ///< 16 elements and 8 bytes of padding
  B6x16P32, ///< 16 elements and 4 bytes of padding
};
enum class TensorMapMode : uint8_t { Tiled, Im2Col, Im2ColW, Im2ColW128 };
enum class Interleave : uint8_t { None, B16, B32 };
enum class Swizzle : uint8_t {
  None,
  B32,
  B64,
  B128,
  B128Atom32,
  B128Atom32Flip8,
  B128Atom64
};
enum class OutOfBoundsFill : uint8_t { Zero, NaN };

/// A list of someone else's numbers.
struct Numbers {
  template <typename List>
  Numbers(const List &list) : data(list.data()), size(int64_t(list.size())) {}
  Numbers(const int64_t *data, int64_t size) : data(data), size(size) {}
  int64_t operator[](int64_t i) const { return data[i]; }
  const int64_t *data;
  int64_t size;
};

/// Lists are outermost first.
struct TensorMapFormat {
  TensorElement element;
  TensorMapMode mode;
  Interleave interleave;
  Swizzle swizzle;
  OutOfBoundsFill fill;
  int64_t rank;
  Numbers box; ///< tiled: `rank` extents; im2col: pixels, channels
  Numbers elementStrides;
  Numbers lower, upper; ///< im2col: corners of the bounding box
};

/// The tensor that a launch encodes.
struct TensorMapSource {
  int64_t rank;
  uint64_t address;
  const int64_t *extents; ///< elements of the map
  const int64_t *strides; ///< in bytes; of all dimensions but the innermost
};

//===----------------------------------------------------------------------===//
// Properties of a format
//===----------------------------------------------------------------------===//

/// Bits of an element in shared memory: padded ones have a byte there.
inline int64_t getBits(TensorElement element) {
  switch (element) {
  case TensorElement::B4x16:
    return 4;
  case TensorElement::U8:
  case TensorElement::B4x16P64:
  case TensorElement::B6x16P32:
    return 8;
  case TensorElement::U16:
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::U64:
  case TensorElement::S64:
  case TensorElement::F64:
    return 64;
  default:
    return 32;
  }
}

inline bool isFloatingPoint(TensorElement element) {
  return element >= TensorElement::F16 && element <= TensorElement::TF32FTZ;
}

inline bool isPadded(TensorElement element) {
  return element >= TensorElement::B4x16P64;
}

inline bool isWide(TensorMapMode mode) {
  return mode >= TensorMapMode::Im2ColW;
}

/// Bytes of the widest inner box that a swizzle permutes; 0: any.
inline int64_t getSpan(Swizzle swizzle) {
  return swizzle == Swizzle::None  ? 0
         : swizzle == Swizzle::B32 ? 32
         : swizzle == Swizzle::B64 ? 64
                                   : 128;
}

/// The alignment that the tile of a copy needs.
inline int64_t getSharedAlignment(Swizzle swizzle) {
  return swizzle == Swizzle::None  ? kSharedTileAlignment
         : swizzle == Swizzle::B32 ? kSwizzle32Alignment
         : swizzle == Swizzle::B64 ? kSwizzle64Alignment
                                   : kSwizzle128Alignment;
}

/// B128Atom64 is for stores only, see C74.
inline bool hasPaddedSwizzle(TensorElement element, Swizzle swizzle) {
  return swizzle == Swizzle::None || swizzle == Swizzle::B128 ||
         swizzle == Swizzle::B128Atom32 ||
         (swizzle == Swizzle::B128Atom64 && element == TensorElement::B6x16P32);
}

/// Addresses and strides are multiples of it.
inline int64_t getGlobalGranule(const TensorMapFormat &format) {
  return format.interleave == Interleave::B32 || isPadded(format.element)
             ? kWideGlobalGranule
             : kGlobalStrideGranule;
}

/// Bits of a corner of the bounding box: the driver packs those of all spatial
/// dimensions into 32 bits, except where there is one dimension only.
inline int64_t getCornerBits(const TensorMapFormat &format) {
  if (isWide(format.mode) || format.rank == 3)
    return 16;
  return format.rank == 4 ? 8 : 5;
}

/// Bytes of a box as the driver counts them: a stride of a tile divides the
/// extent, rounded down; an im2col box counts what is loaded.
inline int64_t countDriverBytes(const TensorMapFormat &format) {
  int64_t bits = getBits(format.element);
  for (int64_t dim = 0; dim < format.box.size; ++dim)
    bits *=
        format.box[dim] /
        (format.mode == TensorMapMode::Tiled ? format.elementStrides[dim] : 1);
  return bits / 8;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

enum class TensorMapRule : uint8_t {
  Enumerator, ///< of a format that is read from a file
  Rank,
  Im2ColRank,
  InterleavedRank,
  SourceRank,
  ListLength,
  NullAddress,
  Address,
  AddressRange,
  Extent,
  PackedExtent,
  StrideGranule,
  StrideRange,
  CornerRange,
  EmptyBoundingBox,
  Channels,
  Pixels,
  Box,
  PackedBox,
  InnerBoxGranule,
  ElementStride,
  BoxBytes,
  PackedInterleave,
  SwizzleSpan,
  InterleavedSwizzle,
  PackedSwizzle,
  WideSwizzle,
  Fill,
};

struct BrokenTensorMapRule {
  TensorMapRule rule;
  int64_t found = 0;          ///< the value
  int64_t wanted = 0;         ///< what it is compared with, if that varies
  unsigned dimension = 0;     ///< outermost first
  const char *what = nullptr; ///< which field, if the rule has several
};

namespace detail {

using Rule = TensorMapRule;
using Found = std::optional<BrokenTensorMapRule>;
inline Found broken(Rule rule, int64_t found = 0, int64_t wanted = 0,
                    int64_t dim = 0, const char *what = nullptr) {
  return BrokenTensorMapRule{rule, found, wanted, unsigned(dim), what};
}

/// tensorRank, and lists of a length that doesn't go with the rank
inline Found findInRank(const TensorMapFormat &format,
                        const TensorMapSource *source) {
  bool isTiled = format.mode == TensorMapMode::Tiled;
  int64_t rank = format.rank;
  // C10, C18
  if (rank < (isTiled ? 1 : kMinIm2ColRank) || rank > kMaxTensorRank)
    return broken(isTiled ? Rule::Rank : Rule::Im2ColRank, rank);
  // C16
  if (format.interleave != Interleave::None && rank < kMinInterleavedRank)
    return broken(Rule::InterleavedRank, rank);
  if (source && source->rank != rank)
    return broken(Rule::SourceRank, source->rank, rank);
  int64_t corners = isTiled ? 0 : isWide(format.mode) ? 1 : rank - 2;
  struct {
    Numbers list;
    int64_t length;
    const char *what;
  } const lists[] = {// C10, C18
                     {format.box, isTiled ? rank : 2, "box extents"},
                     // C13
                     {format.elementStrides, rank, "element strides"},
                     // C19
                     {format.lower, corners, "lower corners"},
                     {format.upper, corners, "upper corners"}};
  for (const auto &[list, length, what] : lists)
    if (list.size != length)
      return broken(Rule::ListLength, list.size, length, 0, what);
  return std::nullopt;
}

/// globalAddress, globalDim, globalStrides
inline Found findInSource(const TensorMapFormat &format,
                          const TensorMapSource &source) {
  int64_t granule = getGlobalGranule(format);
  if (source.address == 0)
    return broken(Rule::NullAddress);
  if (source.address % granule != 0)
    return broken(Rule::Address, int64_t(source.address), granule);
  if (source.address >= kGlobalAddressLimit)
    return broken(Rule::AddressRange, int64_t(source.address));

  int64_t last = format.rank - 1;
  for (int64_t dim = 0; dim <= last; ++dim)
    if (source.extents[dim] < 1 || source.extents[dim] > kMaxGlobalExtent)
      return broken(Rule::Extent, source.extents[dim], 0, dim);
  int64_t multiple = isPadded(format.element)                 ? kPaddedBoxExtent
                     : format.element == TensorElement::B4x16 ? 2
                                                              : 1;
  if (source.extents[last] % multiple != 0)
    return broken(Rule::PackedExtent, source.extents[last], multiple, last);

  for (int64_t dim = 0; dim < last; ++dim) {
    int64_t stride = source.strides[dim];
    if (source.extents[dim] == 1) // no address depends on it
      continue;
    if (stride % granule != 0)
      return broken(Rule::StrideGranule, stride, granule, dim);
    if (stride < 0 || stride > kMaxGlobalStride)
      return broken(Rule::StrideRange, stride, 0, dim);
  }
  return std::nullopt;
}

/// pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn
inline Found findInIm2Col(const TensorMapFormat &format,
                          const TensorMapSource *source) {
  // C21
  int64_t limit = int64_t(1) << (getCornerBits(format) - 1);
  int64_t corners = format.lower.size;
  for (int64_t i = 0; i < corners; ++i)
    for (int64_t corner : {format.lower[i], format.upper[i]})
      if (corner < -limit || corner >= limit)
        return broken(Rule::CornerRange, corner, limit, i);
  // Corners belong to the spatial dimensions, that of a wide mode to the last
  // of them. The channels come after, except in an interleaved tensor (driver).
  int64_t channels = format.interleave == Interleave::None ? 1 : 0;
  int64_t spatial = format.rank - channels - corners;
  for (int64_t i = 0; source && i < corners; ++i) {
    int64_t extent =
        source->extents[spatial + i] + format.upper[i] - format.lower[i];
    if (extent < 1)
      return broken(Rule::EmptyBoundingBox, extent, 0, spatial + i);
  }
  // C11
  if (format.box[1] < 1 || format.box[1] > kMaxIm2ColChannels)
    return broken(Rule::Channels, format.box[1]);
  // im2col_w_128 always loads 128 pixels and ignores the number.
  if (format.mode != TensorMapMode::Im2ColW128 &&
      (format.box[0] < 1 || format.box[0] > kMaxIm2ColPixels))
    return broken(Rule::Pixels, format.box[0]);
  return std::nullopt;
}

/// boxDim, elementStrides, interleave
inline Found findInBox(const TensorMapFormat &format) {
  // C11
  if (format.mode == TensorMapMode::Tiled)
    for (int64_t dim = 0; dim < format.rank; ++dim)
      if (format.box[dim] < 1 || format.box[dim] > kMaxBoxExtent)
        return broken(Rule::Box, format.box[dim], 0, dim);

  // C20
  int64_t inner = format.box[format.box.size - 1];
  if (isPadded(format.element) && inner != kPaddedBoxExtent)
    return broken(Rule::PackedBox, inner);
  // C14: the page asks for whole granules without interleave only, the driver
  // always.
  int64_t innerBits = inner * getBits(format.element);
  if (innerBits % (8 * kInnerBoxGranule) != 0)
    return broken(Rule::InnerBoxGranule, innerBits);

  // C12: the innermost one too, although it is ignored without interleave
  // (driver).
  for (int64_t dim = 0; dim < format.rank; ++dim)
    if (format.elementStrides[dim] < 1 ||
        format.elementStrides[dim] > kMaxElementStride)
      return broken(Rule::ElementStride, format.elementStrides[dim], 0, dim);
  // C315
  if (format.mode != TensorMapMode::Im2ColW128 &&
      countDriverBytes(format) > kMaxBoxBytes)
    return broken(Rule::BoxBytes, countDriverBytes(format));

  // C20
  bool isInterleaved = format.interleave != Interleave::None;
  if (isInterleaved && format.element == TensorElement::B6x16P32)
    return broken(Rule::PackedInterleave);
  // C15
  int64_t span = getSpan(format.swizzle);
  if (!isInterleaved && span != 0 && innerBits > 8 * span)
    return broken(Rule::SwizzleSpan, innerBits / 8, span);
  return std::nullopt;
}

/// swizzle, oobFill
inline Found findInSwizzle(const TensorMapFormat &format) {
  Swizzle swizzle = format.swizzle;
  // C16
  if (format.interleave == Interleave::B32 && swizzle != Swizzle::B32)
    return broken(Rule::InterleavedSwizzle);
  // C20
  if (isPadded(format.element) && !hasPaddedSwizzle(format.element, swizzle))
    return broken(Rule::PackedSwizzle);
  // C22
  if (isWide(format.mode) && swizzle != Swizzle::B64 &&
      swizzle != Swizzle::B128 && swizzle != Swizzle::B128Atom32)
    return broken(Rule::WideSwizzle);
  // C17
  if (format.fill == OutOfBoundsFill::NaN && !isFloatingPoint(format.element))
    return broken(Rule::Fill);
  return std::nullopt;
}

} // namespace detail

/// The first rule that doesn't hold, in the order of the driver's pages.
/// Without a source, only the rules on the format are checked. Takes no memory.
inline std::optional<BrokenTensorMapRule>
findBrokenRule(const TensorMapFormat &format, const TensorMapSource *source) {
  using namespace detail;
  if (Found found = findInRank(format, source))
    return found;
  if (source)
    if (Found found = findInSource(format, *source))
      return found;
  if (format.mode != TensorMapMode::Tiled)
    if (Found found = findInIm2Col(format, source))
      return found;
  if (Found found = findInBox(format))
    return found;
  return findInSwizzle(format);
}

} // namespace carousel::rules

#endif // CAROUSEL_SUPPORT_TENSORMAPCHECKS_H
