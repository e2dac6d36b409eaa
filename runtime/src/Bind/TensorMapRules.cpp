//===- TensorMapRules.cpp - the driver's rules for tensor maps ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are in the order of the pages on cuTensorMapEncodeTiled,
// cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide of the CUDA 13 driver
// API; each block names its field. Rules marked "driver" aren't documented, but
// the driver enforces them (docs/Runtime.md, Tensor maps).
//
//===----------------------------------------------------------------------===//

#include "TensorMapRules.h"

#include "Package/TensorMapSpelling.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/HardwareLimits.h"

namespace carousel::runtime {

namespace {
using Format = TensorMapFormat;
using Element = Format::Element;
using Mode = Format::Mode;
using Interleave = Format::Interleave;
using Swizzle = Format::Swizzle;
using Rule = TensorMapViolation::Rule;

// tensorRank
constexpr int64_t kMinInterleavedRank = rules::kMinInterleavedRank;
// globalAddress, globalStrides
constexpr int64_t kGranule = rules::kGlobalStrideGranule;
constexpr int64_t kWideGranule = rules::kWideGlobalGranule;
constexpr int64_t kStrideLimit = rules::kMaxGlobalStride + 1;
constexpr uint64_t kAddressLimit = rules::kGlobalAddressLimit;
// globalDim
constexpr int64_t kMaxExtent = rules::kMaxGlobalExtent;
// boxDim, channelsPerPixel, pixelsPerColumn
constexpr int64_t kMaxBox = rules::kMaxBoxExtent;
constexpr int64_t kMaxChannels = rules::kMaxIm2ColChannels;
constexpr int64_t kMaxPixels = rules::kMaxIm2ColPixels;
constexpr int64_t kInnerBoxGranule = rules::kInnerBoxGranule;
constexpr int64_t kPackedBox = rules::kPaddedBoxExtent;
constexpr int64_t kMaxBoxBytes = rules::kMaxBoxBytes;
// elementStrides
constexpr int64_t kMaxElementStride = rules::kMaxElementStride;

/// Bits of an element in shared memory: those of b4x16_p64 and b6x16_p32 are
/// padded to a byte there.
int64_t getBits(Element element) {
  switch (element) {
  case Element::B4x16:
    return 4;
  case Element::U8:
  case Element::B4x16P64:
  case Element::B6x16P32:
    return 8;
  case Element::U16:
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::U32:
  case Element::S32:
  case Element::F32:
  case Element::F32FTZ:
  case Element::TF32:
  case Element::TF32FTZ:
    return 32;
  case Element::U64:
  case Element::S64:
  case Element::F64:
    return 64;
  }
  return 0;
}

bool isFloatingPoint(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
  case Element::F32:
  case Element::F32FTZ:
  case Element::TF32:
  case Element::TF32FTZ:
  case Element::F64:
    return true;
  default:
    return false;
  }
}

bool isPadded(Element element) {
  return element == Element::B4x16P64 || element == Element::B6x16P32;
}

bool isWide(Mode mode) {
  return mode == Mode::Im2ColW || mode == Mode::Im2ColW128;
}

/// Bytes of the widest inner box that a swizzle permutes; 0: any.
int64_t getSpan(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::B32:
    return 32;
  case Swizzle::B64:
    return 64;
  default:
    return 128;
  }
}

bool hasPaddedSwizzle(Element element, Swizzle swizzle) {
  return swizzle == Swizzle::None || swizzle == Swizzle::B128 ||
         swizzle == Swizzle::B128Atom32 ||
         (swizzle == Swizzle::B128Atom64 && element == Element::B6x16P32);
}

/// Addresses and strides of these are multiples of 32 instead of 16.
int64_t getGranule(const Format &format) {
  return format.interleave == Interleave::B32 || isPadded(format.element)
             ? kWideGranule
             : kGranule;
}

/// Bits of a corner of the bounding box: those of all dimensions share a word,
/// except where there is one dimension only.
int64_t getCornerBits(const Format &format) {
  if (isWide(format.mode) || format.rank == 3)
    return 16;
  return format.rank == 4 ? 8 : 5;
}

using Found = std::optional<TensorMapViolation>;

/// Numbers that no enumerator has, and lists of a length that doesn't go with
/// the rank: the driver can't be asked at all.
Found findIllFormed(const Format &format, const TensorMapSource &source) {
  auto enumerator = [](auto value, auto last, const char *what) -> Found {
    if (value <= last)
      return std::nullopt;
    return TensorMapViolation{Rule::Enumerator, int64_t(value), 0, 0, what};
  };
  if (Found found =
          enumerator(format.element, Element::B6x16P32, "element type"))
    return found;
  if (Found found = enumerator(format.mode, Mode::Im2ColW128, "mode"))
    return found;
  if (Found found =
          enumerator(format.interleave, Interleave::B32, "interleave"))
    return found;
  if (Found found = enumerator(format.swizzle, Swizzle::B128Atom64, "swizzle"))
    return found;
  if (Found found =
          enumerator(format.promotion, Format::Promotion::B256, "promotion"))
    return found;
  if (Found found = enumerator(format.fill, Format::Fill::NaN, "fill"))
    return found;

  // tensorRank
  bool tile = format.mode == Mode::Tile;
  int64_t rank = format.rank;
  if (rank < (tile ? 1 : kMinIm2ColRank) || rank > kMaxTensorMapRank)
    return TensorMapViolation{tile ? Rule::Rank : Rule::Im2ColRank, rank};
  if (format.interleave != Interleave::None && rank < kMinInterleavedRank)
    return TensorMapViolation{Rule::InterleavedRank, rank};
  if (source.rank != format.rank)
    return TensorMapViolation{Rule::SourceRank, source.rank, rank};

  auto length = [](const std::vector<int64_t> &list, int64_t wanted,
                   const char *what) -> Found {
    if (int64_t(list.size()) == wanted)
      return std::nullopt;
    return TensorMapViolation{Rule::ListLength, int64_t(list.size()), wanted, 0,
                              what};
  };
  int64_t corners = tile ? 0 : isWide(format.mode) ? 1 : rank - 2;
  if (Found found = length(format.box, tile ? rank : 2, "box extents"))
    return found;
  if (Found found = length(format.elementStrides, rank, "element strides"))
    return found;
  if (Found found = length(format.lower, corners, "lower corners"))
    return found;
  return length(format.upper, corners, "upper corners");
}

/// globalAddress, globalDim, globalStrides
Found findInSource(const Format &format, const TensorMapSource &source) {
  int64_t granule = getGranule(format);
  if (source.address == 0)
    return TensorMapViolation{Rule::NullAddress};
  if (source.address % granule != 0)
    return TensorMapViolation{Rule::Address, int64_t(source.address), granule};
  if (source.address >= kAddressLimit)
    return TensorMapViolation{Rule::AddressRange, int64_t(source.address)};

  unsigned rank = format.rank;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (source.extents[dim] < 1 || source.extents[dim] > kMaxExtent)
      return TensorMapViolation{Rule::Extent, source.extents[dim], 0, dim};
  int64_t multiple = isPadded(format.element)           ? kPackedBox
                     : format.element == Element::B4x16 ? 2
                                                        : 1;
  if (source.extents[rank - 1] % multiple != 0)
    return TensorMapViolation{Rule::PackedExtent, source.extents[rank - 1],
                              multiple, rank - 1};

  for (unsigned dim = 0; dim + 1 < rank; ++dim) {
    int64_t stride = source.strides[dim];
    if (source.extents[dim] == 1) // no address depends on it
      continue;
    if (stride % granule != 0)
      return TensorMapViolation{Rule::StrideGranule, stride, granule, dim};
    if (stride < 0 || stride >= kStrideLimit)
      return TensorMapViolation{Rule::StrideRange, stride, 0, dim};
  }
  return std::nullopt;
}

/// pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn
Found findInIm2Col(const Format &format, const TensorMapSource &source) {
  int64_t limit = int64_t(1) << (getCornerBits(format) - 1);
  unsigned corners = format.lower.size();
  for (unsigned i = 0; i < corners; ++i)
    for (int64_t corner : {format.lower[i], format.upper[i]})
      if (corner < -limit || corner >= limit)
        return TensorMapViolation{Rule::CornerRange, corner, limit, i};
  // Corners belong to the spatial dimensions, that of a wide mode to the last
  // of them. The channels come after, except in an interleaved tensor (driver).
  unsigned channels = format.interleave == Interleave::None ? 1 : 0;
  unsigned firstSpatial = format.rank - channels - corners;
  for (unsigned i = 0; i < corners; ++i) {
    int64_t extent =
        source.extents[firstSpatial + i] + format.upper[i] - format.lower[i];
    if (extent < 1)
      return TensorMapViolation{Rule::EmptyBoundingBox, extent, 0,
                                firstSpatial + i};
  }
  if (format.box[1] < 1 || format.box[1] > kMaxChannels)
    return TensorMapViolation{Rule::Channels, format.box[1]};
  // im2col_w_128 always loads 128 pixels and ignores the number.
  if (format.mode != Mode::Im2ColW128 &&
      (format.box[0] < 1 || format.box[0] > kMaxPixels))
    return TensorMapViolation{Rule::Pixels, format.box[0]};
  return std::nullopt;
}

/// Bytes of a box as the driver counts them: a stride of a tile divides the
/// extent, rounded down; an im2col box counts what is loaded.
int64_t getBoxBytes(const Format &format) {
  bool tile = format.mode == Mode::Tile;
  int64_t bits = getBits(format.element);
  for (size_t dim = 0; dim < format.box.size(); ++dim)
    bits *= format.box[dim] / (tile ? format.elementStrides[dim] : 1);
  return bits / 8;
}

/// boxDim, elementStrides, interleave
Found findInBox(const Format &format) {
  if (format.mode == Mode::Tile)
    for (unsigned dim = 0; dim < format.rank; ++dim)
      if (format.box[dim] < 1 || format.box[dim] > kMaxBox)
        return TensorMapViolation{Rule::Box, format.box[dim], 0, dim};

  // The page asks for whole granules without interleave only, the driver
  // always.
  int64_t inner = format.box.back();
  int64_t innerBits = inner * getBits(format.element);
  if (isPadded(format.element) && inner != kPackedBox)
    return TensorMapViolation{Rule::PackedBox, inner};
  if (innerBits % (8 * kInnerBoxGranule) != 0)
    return TensorMapViolation{Rule::InnerBoxGranule, innerBits};

  // The innermost one too, although it is ignored without interleave (driver).
  for (unsigned dim = 0; dim < format.rank; ++dim)
    if (format.elementStrides[dim] < 1 ||
        format.elementStrides[dim] > kMaxElementStride)
      return TensorMapViolation{Rule::ElementStride, format.elementStrides[dim],
                                0, dim};
  if (format.mode != Mode::Im2ColW128 && getBoxBytes(format) > kMaxBoxBytes)
    return TensorMapViolation{Rule::BoxBytes, getBoxBytes(format)};

  bool interleaved = format.interleave != Interleave::None;
  if (interleaved && format.element == Element::B6x16P32)
    return TensorMapViolation{Rule::PackedInterleave,
                              int64_t(format.interleave)};
  int64_t span = getSpan(format.swizzle);
  if (!interleaved && span != 0 && innerBits > 8 * span)
    return TensorMapViolation{Rule::SwizzleSpan, innerBits / 8, span};
  return std::nullopt;
}

/// swizzle, oobFill
Found findInSwizzle(const Format &format) {
  int64_t swizzle = int64_t(format.swizzle);
  if (format.interleave == Interleave::B32 && format.swizzle != Swizzle::B32)
    return TensorMapViolation{Rule::InterleavedSwizzle, swizzle};
  if (isPadded(format.element) &&
      !hasPaddedSwizzle(format.element, format.swizzle))
    return TensorMapViolation{Rule::PackedSwizzle, swizzle};
  if (isWide(format.mode) && format.swizzle != Swizzle::B64 &&
      format.swizzle != Swizzle::B128 && format.swizzle != Swizzle::B128Atom32)
    return TensorMapViolation{Rule::WideSwizzle, swizzle};
  if (format.fill == Format::Fill::NaN && !isFloatingPoint(format.element))
    return TensorMapViolation{Rule::Fill, int64_t(format.element)};
  return std::nullopt;
}
} // namespace

std::optional<TensorMapViolation> findViolation(const TensorMapFormat &format,
                                                const TensorMapSource &source) {
  if (Found found = findIllFormed(format, source))
    return found;
  if (Found found = findInSource(format, source))
    return found;
  if (format.mode != Mode::Tile)
    if (Found found = findInIm2Col(format, source))
      return found;
  if (Found found = findInBox(format))
    return found;
  return findInSwizzle(format);
}

std::string describe(const TensorMapViolation &violation,
                     const TensorMapFormat &format) {
  int64_t found = violation.found, wanted = violation.wanted;
  unsigned dim = violation.dimension;
  auto swizzle = [&] { return getText(kTensorMapSwizzles, format.swizzle); };
  auto element = [&] { return getText(kTensorMapElements, format.element); };
  switch (violation.rule) {
  case Rule::Enumerator:
    return fmt::format("expected the {} of a tensor map, got {}",
                       violation.what, found);
  case Rule::Rank:
    return fmt::format("expected a tensor map of rank 1 to {}, got {}",
                       kMaxTensorMapRank, found);
  case Rule::Im2ColRank:
    return fmt::format("expected an im2col tensor map of rank {} to {}, got {}",
                       kMinIm2ColRank, kMaxTensorMapRank, found);
  case Rule::InterleavedRank:
    return fmt::format("expected an interleaved tensor of rank {} or more, "
                       "got {}",
                       kMinInterleavedRank, found);
  case Rule::SourceRank:
    return fmt::format("expected the extents of {} dimensions, got {}", wanted,
                       found);
  case Rule::ListLength:
    return fmt::format("expected {} {} in a tensor map of rank {}, got {}",
                       wanted, violation.what, format.rank, found);
  case Rule::NullAddress:
    return "expected a device address, got null";
  case Rule::Address:
    return fmt::format("expected an address at a multiple of {} bytes, got "
                       "{:#x}",
                       wanted, uint64_t(found));
  case Rule::AddressRange:
    return fmt::format("expected an address below 2^57, got {:#x}",
                       uint64_t(found));
  case Rule::Extent:
    return fmt::format("expected extents of 1 to {}, got {} in dimension {}",
                       kMaxExtent, found, dim);
  case Rule::PackedExtent:
    return fmt::format("expected an innermost extent at a multiple of {} for "
                       "{}, got {}",
                       wanted, element(), found);
  case Rule::StrideGranule:
    return fmt::format("expected global strides at multiples of {} bytes, got "
                       "{} in dimension {}",
                       wanted, found, dim);
  case Rule::StrideRange:
    return fmt::format("expected global strides of 0 to {} bytes, got {} in "
                       "dimension {}",
                       kStrideLimit - kGranule, found, dim);
  case Rule::CornerRange:
    return fmt::format("expected im2col corners of {} to {} at rank {}, got {}",
                       -wanted, wanted - 1, format.rank, found);
  case Rule::EmptyBoundingBox:
    return fmt::format("expected an im2col bounding box that isn't empty, got "
                       "the extent {} in dimension {}",
                       found, dim);
  case Rule::Pixels:
    return fmt::format("expected 1 to {} pixels in an im2col box, got {}",
                       kMaxPixels, found);
  case Rule::Channels:
    return fmt::format("expected 1 to {} channels in an im2col box, got {}",
                       kMaxChannels, found);
  case Rule::Box:
    return fmt::format("expected box extents of 1 to {}, got {} in dimension "
                       "{}",
                       kMaxBox, found, dim);
  case Rule::PackedBox:
    return fmt::format("expected an inner box extent of {} for {}, got {}",
                       kPackedBox, element(), found);
  case Rule::InnerBoxGranule:
    return fmt::format("expected the inner box extent in bytes to be a "
                       "multiple of {}, got {}",
                       kInnerBoxGranule, double(found) / 8);
  case Rule::ElementStride:
    return fmt::format("expected element strides of 1 to {}, got {} in "
                       "dimension {}",
                       kMaxElementStride, found, dim);
  case Rule::BoxBytes:
    return fmt::format("expected a box of at most {} bytes, got {}",
                       kMaxBoxBytes, found);
  case Rule::PackedInterleave:
    return fmt::format("expected no interleave for {}, got {}", element(),
                       getText(kTensorMapInterleaves, format.interleave));
  case Rule::SwizzleSpan:
    return fmt::format("expected the inner box extent to be at most the "
                       "swizzle span of {} bytes, got {}",
                       wanted, found);
  case Rule::InterleavedSwizzle:
    return fmt::format("expected swizzle b32 with interleave b32, got {}",
                       swizzle());
  case Rule::PackedSwizzle:
    return fmt::format("expected a swizzle that the hardware has for {}, got "
                       "{}",
                       element(), swizzle());
  case Rule::WideSwizzle:
    return fmt::format("expected swizzle b64, b128 or b128_atom_32b in mode "
                       "{}, got {}",
                       getText(kTensorMapModes, format.mode), swizzle());
  case Rule::Fill:
    return fmt::format("expected floating-point elements for NaN fill, got {}",
                       element());
  }
  return "expected a valid tensor map";
}

TensorMapSource makeStridesLegal(const TensorMapFormat &format,
                                 const TensorMapSource &source) {
  TensorMapSource legal = source;
  int64_t granule = getGranule(format);
  for (unsigned dim = 0; dim + 1 < source.rank; ++dim) {
    int64_t &stride = legal.strides[dim];
    if (stride < 0 || stride >= kStrideLimit || stride % granule != 0)
      stride = granule;
  }
  return legal;
}

int getLeastCapability(const TensorMapFormat &format) {
  bool late = isWide(format.mode) || format.element >= Element::B4x16 ||
              format.swizzle >= Swizzle::B128Atom32;
  return late ? 100 : 90;
}

Status TensorMap::check(const TensorMapFormat &format,
                        const TensorMapSource &source,
                        std::string_view name) noexcept {
  if (std::optional<TensorMapViolation> found = findViolation(format, source))
    return fail(ErrorCode::InvalidArgument, "{}: {}", name,
                describe(*found, format));
  return {};
}

} // namespace carousel::runtime
