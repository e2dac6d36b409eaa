//===- DriverTensorMap.cpp - the driver's tensor maps ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverTensorMap.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <bitset>

namespace carousel::sim {

namespace {

enum class Field : uint8_t {
  Address,
  Mode,
  Rank,
  Element,
  Interleave,
  Swizzle,
  Fill,
  IsTF32,
  Promotion, ///< of the L2 cache, which the machine doesn't have
  Stride,
  Extent,
  ElementStride,
  Box,
  Lower,
  Upper,
  BoxBytes,
  SwizzlePeriod,
};

/// Bits of a field's value, from `low` on. Dimensions count from the innermost.
struct FieldBits {
  Field field;
  uint8_t dim;
  uint16_t first;
  uint8_t count;
  uint8_t low = 0;
};

constexpr unsigned kBits = 1024, kDims = 5, kFields = 17;
/// Strides are in units of 16 bytes.
constexpr unsigned kStrideShift = 4;

/// The numbers of element types in a map aren't those of the driver's
/// enumeration. TF32 has the number of F32, and a bit.
constexpr TensorElement kElements[] = {
    TensorElement::U8,  TensorElement::U16, TensorElement::U32,
    TensorElement::S32, TensorElement::U64, TensorElement::S64,
    TensorElement::F16, TensorElement::F32, TensorElement::F32FTZ,
    TensorElement::F64, TensorElement::BF16};

/// Bytes of shared memory after which a swizzle repeats.
constexpr uint64_t kSwizzlePeriods[] = {16, 256, 512, 1024};

constexpr FieldBits kElementBits = {Field::Element, 0, 71, 4};
constexpr FieldBits kRankBits = {Field::Rank, 0, 68, 3};
constexpr FieldBits kInterleaveBits = {Field::Interleave, 0, 75, 2};
constexpr FieldBits kIsTF32Bits = {Field::IsTF32, 0, 80, 1};
constexpr FieldBits kBoxByteBits = {Field::BoxBytes, 0, 512, 32};
constexpr FieldBits kSwizzlePeriodBits = {Field::SwizzlePeriod, 0, 576, 16};
constexpr FieldBits kCommon[] = {{Field::Address, 0, 0, 64},
                                 {Field::Mode, 0, 64, 1},
                                 kRankBits,
                                 kElementBits,
                                 kInterleaveBits,
                                 {Field::Swizzle, 0, 77, 2},
                                 {Field::Fill, 0, 79, 1},
                                 kIsTF32Bits,
                                 {Field::Promotion, 0, 81, 2},
                                 {Field::Stride, 0, 96, 32},
                                 {Field::Stride, 1, 128, 32},
                                 {Field::Stride, 2, 160, 32},
                                 {Field::Stride, 3, 192, 32},
                                 {Field::Stride, 0, 224, 4, 32},
                                 {Field::Stride, 1, 228, 4, 32},
                                 {Field::Stride, 2, 232, 4, 32},
                                 {Field::Stride, 3, 236, 4, 32},
                                 {Field::Extent, 0, 256, 32},
                                 {Field::Extent, 1, 288, 32},
                                 {Field::Extent, 2, 320, 32},
                                 {Field::Extent, 3, 352, 32},
                                 {Field::Extent, 4, 384, 32},
                                 {Field::ElementStride, 0, 416, 3},
                                 {Field::ElementStride, 1, 419, 3},
                                 {Field::ElementStride, 2, 422, 3},
                                 {Field::ElementStride, 3, 425, 3},
                                 {Field::ElementStride, 4, 428, 3},
                                 {Field::Box, 0, 440, 8},
                                 kBoxByteBits,
                                 kSwizzlePeriodBits};
constexpr FieldBits kTiled[] = {{Field::Box, 1, 448, 8},
                                {Field::Box, 2, 456, 8},
                                {Field::Box, 3, 464, 8},
                                {Field::Box, 4, 472, 8}};
/// The box has channels and pixels. Corners share 16 bits.
constexpr FieldBits kIm2Col[] = {{Field::Box, 1, 480, 10}};
constexpr unsigned kLower = 448, kUpper = 464;

/// Bits of one dimension's corner: by the rank, from 3 on.
constexpr uint8_t kCornerBits[] = {16, 8, 5};

class Decoder {
public:
  explicit Decoder(llvm::ArrayRef<uint8_t> bytes) {
    for (unsigned bit = 0; bit < kBits && bit / 8 < bytes.size(); ++bit)
      bits[bit] = bytes[bit / 8] >> bit % 8 & 1;
  }

  /// Fills in `map`; the reason why it can't, or an empty string.
  std::string decode(TensorMap &map);

private:
  void read(const FieldBits &part) {
    for (unsigned i = 0; i < part.count; ++i) {
      values[size_t(part.field)][part.dim] |= uint64_t(bits[part.first + i])
                                              << (part.low + i);
      bits[part.first + i] = false;
    }
  }
  uint64_t get(Field field, unsigned dim = 0) const {
    return values[size_t(field)][dim];
  }
  /// That a field has a value, for a reason.
  std::string describe(const FieldBits &part, llvm::StringRef name) const;
  std::string checkNumbers() const;
  std::string checkDerived(const TensorMap &map) const;
  void readCorners(unsigned rank);
  void setExtents(TensorMap &map) const;

  std::bitset<kBits> bits;
  uint64_t values[kFields][kDims] = {};
};

std::string Decoder::describe(const FieldBits &part,
                              llvm::StringRef name) const {
  return llvm::formatv("bits {0} to {1}, {2}, are {3}", part.first,
                       part.first + part.count - 1, name, get(part.field));
}

/// Numbers that have to be known before the other bits are.
std::string Decoder::checkNumbers() const {
  uint64_t rank = get(Field::Rank) + 1;
  if (rank > kDims)
    return describe(kRankBits, "the rank minus 1");
  if (get(Field::Mode) != 0 && rank < std::size(kCornerBits))
    return describe(kRankBits, "the rank minus 1 of an im2col map");
  if (get(Field::Element) >= std::size(kElements))
    return describe(kElementBits, "the element type");
  TensorElement element = kElements[get(Field::Element)];
  if (get(Field::IsTF32) && element != TensorElement::F32 &&
      element != TensorElement::F32FTZ)
    return "bit 80, tf32, is 1, and " +
           describe(kElementBits, "the element type");
  if (get(Field::Interleave) > uint64_t(Interleave::B32))
    return describe(kInterleaveBits, "the interleave");
  return {};
}

void Decoder::readCorners(unsigned rank) {
  uint8_t width = kCornerBits[rank - 3];
  for (unsigned dim = 0; dim + 2 < rank; ++dim) {
    read({Field::Lower, uint8_t(dim), uint16_t(kLower + dim * width), width});
    read({Field::Upper, uint8_t(dim), uint16_t(kUpper + dim * width), width});
  }
}

void Decoder::setExtents(TensorMap &map) const {
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    map.globalExtents[dim] = get(Field::Extent, dim) + 1;
    map.elementStrides[dim] = uint8_t(get(Field::ElementStride, dim) + 1);
    if (dim + 1 < map.rank)
      map.globalStrides[dim] = get(Field::Stride, dim) << kStrideShift;
  }
  bool isTiled = map.mode == TensorMapMode::Tiled;
  for (unsigned dim = 0; dim < (isTiled ? map.rank : 2); ++dim)
    map.box[dim] = uint16_t(get(Field::Box, dim) + 1);
  for (unsigned dim = 0; !isTiled && dim + 2 < map.rank; ++dim) {
    unsigned width = kCornerBits[map.rank - 3];
    map.lowerCorner[dim] =
        int16_t(llvm::SignExtend64(get(Field::Lower, dim), width));
    map.upperCorner[dim] =
        int16_t(llvm::SignExtend64(get(Field::Upper, dim), width));
  }
}

/// Fields that follow from others.
std::string Decoder::checkDerived(const TensorMap &map) const {
  // The driver rounds down where strides don't divide the box. Copies round up.
  uint64_t bytes = map.getElementBits() / 8;
  bool isTiled = map.mode == TensorMapMode::Tiled;
  for (unsigned dim = 0; dim < (isTiled ? map.rank : 2); ++dim)
    bytes *= map.box[dim] / (isTiled ? map.elementStrides[dim] : 1);
  if (get(Field::BoxBytes) != bytes)
    return describe(kBoxByteBits, "the bytes of a box") +
           llvm::formatv(", and the box has {0}", bytes).str();
  uint64_t period = kSwizzlePeriods[get(Field::Swizzle)];
  if (get(Field::SwizzlePeriod) != period)
    return describe(kSwizzlePeriodBits, "the period of the swizzle") +
           llvm::formatv(", and the swizzle has {0}", period).str();
  return {};
}

std::string Decoder::decode(TensorMap &map) {
  for (const FieldBits &part : kCommon)
    read(part);
  if (std::string wrong = checkNumbers(); !wrong.empty())
    return wrong;
  map.globalAddress = get(Field::Address);
  map.rank = uint8_t(get(Field::Rank) + 1);
  map.mode =
      get(Field::Mode) == 0 ? TensorMapMode::Tiled : TensorMapMode::Im2Col;
  map.element = kElements[get(Field::Element)];
  if (get(Field::IsTF32))
    map.element = map.element == TensorElement::F32 ? TensorElement::TF32
                                                    : TensorElement::TF32FTZ;
  map.interleave = Interleave(get(Field::Interleave));
  map.swizzle = Swizzle(get(Field::Swizzle));
  map.fill = OutOfBoundsFill(get(Field::Fill));
  bool isTiled = map.mode == TensorMapMode::Tiled;
  for (const FieldBits &part :
       isTiled ? llvm::ArrayRef(kTiled) : llvm::ArrayRef(kIm2Col))
    read(part);
  if (!isTiled)
    readCorners(map.rank);
  for (unsigned bit = 0; bit < kBits; ++bit)
    if (bits[bit])
      return llvm::formatv("bit {0} is set, which no field has", bit);
  setExtents(map);
  return checkDerived(map);
}

} // namespace

std::string decodeDriverMap(llvm::ArrayRef<uint8_t> bytes, TensorMap &map) {
  map = TensorMap();
  return Decoder(bytes).decode(map);
}

} // namespace carousel::sim
