//===- SimTensorMap.cpp - descriptors of tensors, and boxes ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, swizzles, and the driver's rules for maps (docs/Spec.md, C10 to C22),
// which a map that the device changed may violate at any time. CUDA doesn't
// document the bytes of a CUtensorMap: the table of fields is what
// scripts/device/device-tensor-maps derives from 3,465 maps that driver 13.0
// encoded for an H200. All arithmetic on coordinates of boxes is in 64 bits;
// addresses of rows may be anywhere, because only their part in the tensor is
// used.
//
//===----------------------------------------------------------------------===//

#include "SimTensorMap.h"

#include "carousel/Support/TensorMapMessages.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <bitset>
#include <cstring>

namespace carousel::sim {

using llvm::Twine;

uint64_t TensorMap::getBoxBytes(unsigned rows) const {
  uint64_t elements = rows;
  if (mode != TensorMapMode::Tiled)
    elements *= uint64_t(box[0]) * box[1];
  else
    for (unsigned dim = 0; dim < rank && dim < 5; ++dim)
      elements *=
          llvm::divideCeil(box[dim], std::max<uint8_t>(elementStrides[dim], 1));
  return elements * getElementBits() / 8;
}

std::string TensorMap::verify() const {
  if (magic != kMagic)
    return "expected a tensor map, got other bytes";
  if (interleave != Interleave::None)
    return "expected a tensor map without interleave, which the machine "
           "doesn't have";
  if (element == TensorElement::B4x16P64 || element == TensorElement::B6x16P32)
    return "expected elements without padding, the machine has no padded "
           "formats";
  if (mode == TensorMapMode::Im2ColW || mode == TensorMapMode::Im2ColW128)
    return "expected mode tiled or im2col, the machine doesn't have the wide "
           "im2col modes";
  // An address of the host isn't for a message.
  if (globalAddress % rules::kGlobalStrideGranule != 0)
    return ("expected a tensor aligned to 16 bytes, got one at " +
            Twine(globalAddress % rules::kGlobalStrideGranule) +
            " bytes past that")
        .str();
  // The rules have the outermost dimension first.
  auto reverse = [](const auto &list, int64_t size) {
    llvm::SmallVector<int64_t, 5> reversed(size);
    for (int64_t i = 0; i < size && i < int64_t(std::size(list)); ++i)
      reversed[size - 1 - i] = int64_t(list[i]);
    return reversed;
  };
  bool isTiled = mode == TensorMapMode::Tiled;
  int64_t corners = isTiled ? 0 : std::max(rank - 2, 0);
  auto extents = reverse(globalExtents, rank),
       strides = reverse(globalStrides, std::max(rank - 1, 0)),
       boxes = reverse(box, isTiled ? rank : 2),
       steps = reverse(elementStrides, rank),
       lower = reverse(lowerCorner, corners),
       upper = reverse(upperCorner, corners);
  rules::TensorMapFormat format = {element, mode,  interleave, swizzle, fill,
                                   rank,    boxes, steps,      lower,   upper};
  rules::TensorMapSource source = {rank, globalAddress, extents.data(),
                                   strides.data()};
  if (auto broken = rules::findBrokenRule(format, &source))
    return rules::describe(*broken, format, {"others", "", "", ""});
  return {};
}

uint64_t swizzleAddress(Swizzle swizzle, uint64_t address) {
  switch (swizzle) {
  case Swizzle::None:
    return address;
  case Swizzle::B32:
    return address ^ (address >> 3 & 0x10);
  case Swizzle::B64:
    return address ^ (address >> 3 & 0x30);
  case Swizzle::B128:
    return address ^ (address >> 3 & 0x70);
  case Swizzle::B128Atom32:
    return address ^ (address >> 2 & 0x60);
  case Swizzle::B128Atom32Flip8:
    // In every other line of 128 bytes, the two halves of each 16 bytes are
    // exchanged.
    return address ^ (address >> 2 & 0x60) ^ (address >> 4 & 0x8);
  case Swizzle::B128Atom64:
    return address ^ (address >> 1 & 0x40);
  }
  return address;
}

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
  /// Says which value a field has, for an error that adds the reason.
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
