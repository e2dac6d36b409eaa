//===- Product.cpp - one product in flight --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces that are adjacent in memory are read by one access. Transposed factors
// are turned when they are read. Factors are widened before they are
// multiplied: in its range, f32 has each product exactly, so each step rounds
// once, when it is added, in the order of k. Handles of registers are the
// number of a slot, and the generation of its value.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

namespace carousel::sim {

/// Fields count units of 16 bytes.
static constexpr uint32_t kUnit = 16;
/// The rows that one repetition of a swizzle permutes.
static constexpr uint32_t kGroup = 8;

static constexpr uint64_t kNotShared = uint64_t(1) << 60,
                          kMisaligned = uint64_t(1) << 61;

uint64_t MatrixDescriptor::getAddressBits(uint64_t offset, bool isShared) {
  constexpr uint64_t kLimit = kUnit << 14;
  if (!isShared || offset >= kLimit)
    return kNotShared;
  return offset / kUnit | (offset % kUnit ? kMisaligned : 0);
}

MatrixDescriptor::MatrixDescriptor(uint64_t bits)
    : isShared(!(bits & kNotShared)), isAligned(!(bits & kMisaligned)) {
  auto getField = [bits](unsigned shift) {
    return uint32_t(bits >> shift & 0x3fff) * kUnit;
  };
  address = getField(0);
  leading = getField(16);
  stride = getField(32);
  base = bits >> 49 & 7;
  mode = uint32_t(bits >> 62);
  // 0: none, 1: 128 bytes, 2: 64 bytes, 3: 32 bytes.
  span = mode == 0 ? kUnit : 256u >> mode;
}

std::string MatrixDescriptor::explain() const {
  if (!isShared)
    return "expected a matrix in the first 256 KiB of the CTA's shared memory, "
           "got one elsewhere";
  if (!isAligned)
    return "expected a matrix at a multiple of 16 bytes, got one that isn't";
  if (base != 0)
    return "expected a matrix with base offset 0, got " + std::to_string(base);
  uint32_t past = address % (kGroup * span) / span * span;
  if (mode == 0 || past == 0)
    return "";
  return "expected the first row of a matrix at a multiple of " +
         std::to_string(kGroup * span) + " bytes of shared memory, got one " +
         std::to_string(past) + " bytes past that";
}

uint64_t MatrixDescriptor::getOffset(bool isTransposed, uint32_t line,
                                     uint32_t piece) const {
  uint32_t group = line / kGroup, inGroup = line % kGroup;
  uint64_t at = address + inGroup * span;
  if (mode == 0)
    return at + (isTransposed ? uint64_t(group) * leading + piece * stride
                              : uint64_t(group) * stride + piece * leading);
  uint32_t pieces = span / kUnit;
  at += uint64_t(group) * stride + piece / pieces * leading +
        piece % pieces * kUnit;
  // Bits of the row's number, from bit 7 on, change the piece's number.
  return at ^ (at >> 3 & (span - kUnit));
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// A number of `mantissa` bits behind an exponent; no infinities and NaNs.
static float widenFinite(uint32_t magnitude, int mantissa, int bias) {
  int exponent = int(magnitude >> mantissa);
  int field = int(magnitude & ((1u << mantissa) - 1));
  if (exponent == 0)
    return std::ldexp(float(field), 1 - bias - mantissa);
  return std::ldexp(float(field + (1 << mantissa)), exponent - bias - mantissa);
}

float widenHalf(uint16_t bits) {
  constexpr int kMantissa = 10, kBias = 15;
  uint32_t magnitude = bits & 0x7fff;
  float value;
  if (magnitude < 0x7c00)
    value = widenFinite(magnitude, kMantissa, kBias);
  else
    value = magnitude == 0x7c00 ? std::numeric_limits<float>::infinity()
                                : std::numeric_limits<float>::quiet_NaN();
  return bits & 0x8000 ? -value : value;
}

/// f8E4M3FN has no infinities, and one NaN of each sign.
static float widenE4M3(uint8_t bits) {
  constexpr int kMantissa = 3, kBias = 7, kNaN = 0x7f;
  uint32_t magnitude = bits & 0x7f;
  float value = magnitude == kNaN ? std::numeric_limits<float>::quiet_NaN()
                                  : widenFinite(magnitude, kMantissa, kBias);
  return bits & 0x80 ? -value : value;
}

uint16_t roundToHalf(float value) {
  constexpr uint32_t kInfinity = 0x7f800000;
  // 65520, which is nearest to infinity, and 2^-14, the least normal number.
  constexpr uint32_t kTooLarge = 0x477ff000, kLeastNormal = 0x38800000;
  constexpr uint32_t kRebias = (127 - 15) << 23, kDropped = 13;
  uint32_t bits = toBits(value);
  auto sign = uint16_t(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > kInfinity)
    return 0x7fff;
  if (bits >= kTooLarge)
    return sign | 0x7c00;
  // The last bit of a number of f32 from 0.5 on is the unit of subnormals.
  if (bits < kLeastNormal)
    return uint16_t(sign | (toBits(fromBits(bits) + 0.5f) - toBits(0.5f)));
  bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  return uint16_t(sign | ((bits - kRebias) >> kDropped));
}

namespace {

/// The values of all numbers of 16 and of 8 bits.
struct FloatTables {
  FloatTables() {
    for (uint32_t i = 0; i < std::size(half); ++i)
      half[i] = widenHalf(uint16_t(i));
    for (uint32_t i = 0; i < std::size(e4m3); ++i)
      e4m3[i] = widenE4M3(uint8_t(i));
  }
  float half[1 << 16], e4m3[1 << 8];

  static const FloatTables &get() {
    static const FloatTables kTables;
    return kTables;
  }
};

} // namespace

template <typename T> static T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// Element `k` of a row.
static float widen(FactorType type, const char *row, uint32_t k,
                   const FloatTables &tables) {
  switch (type) {
  case FactorType::F16:
    return tables.half[load<uint16_t>(row + 2 * k)];
  case FactorType::BF16:
    return fromBits(uint32_t(load<uint16_t>(row + 2 * k)) << 16);
  case FactorType::TF32: {
    // The instruction ignores the bits that tf32 lacks.
    constexpr uint32_t kIgnored = (1 << 13) - 1;
    return fromBits(load<uint32_t>(row + 4 * k) & ~kIgnored);
  }
  case FactorType::E4M3:
    return tables.e4m3[load<uint8_t>(row + k)];
  case FactorType::E5M2:
    // The upper half of a number of f16.
    return tables.half[uint16_t(load<uint8_t>(row + k) << 8)];
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void SumMatrix::set(SumPlace place, const char *element) {
  uint32_t &word = words[place.row * columns + place.column];
  word = type == SumType::F16 ? toBits(widenHalf(load<uint16_t>(element)))
                              : load<uint32_t>(element);
}

void SumMatrix::get(SumPlace place, char *element) const {
  uint32_t word = words[place.row * columns + place.column];
  if (type != SumType::F16) {
    std::memcpy(element, &word, sizeof(word));
    return;
  }
  uint16_t half = roundToHalf(fromBits(word));
  std::memcpy(element, &half, sizeof(half));
}

/// Columns are computed in blocks that fit the host's registers.
static constexpr uint32_t kBlock = 8;

void SumMatrix::addFloats(const ProductForm &form, const char *a,
                          const char *b) {
  const FloatTables &tables = FloatTables::get();
  uint32_t depth = form.getDepth();
  std::vector<float> columnsOfB(size_t(depth) * columns);
  for (uint32_t column = 0; column < columns; ++column)
    for (uint32_t k = 0; k < depth; ++k) {
      float value =
          widen(form.b, b + size_t(column) * ProductForm::kRowBytes, k, tables);
      columnsOfB[size_t(k) * columns + column] = form.negateB ? -value : value;
    }
  for (uint32_t row = 0; row < ProductForm::kRows; ++row) {
    float factors[ProductForm::kRowBytes];
    for (uint32_t k = 0; k < depth; ++k) {
      float value =
          widen(form.a, a + size_t(row) * ProductForm::kRowBytes, k, tables);
      factors[k] = form.negateA ? -value : value;
    }
    for (uint32_t first = 0; first < columns; first += kBlock) {
      float sums[kBlock];
      char *at = reinterpret_cast<char *>(&words[row * columns + first]);
      std::memcpy(sums, at, sizeof(sums));
      for (uint32_t k = 0; k < depth; ++k) {
        const float *factorsOfB = &columnsOfB[size_t(k) * columns + first];
        for (uint32_t i = 0; i < kBlock; ++i)
          sums[i] += factors[k] * factorsOfB[i];
      }
      std::memcpy(at, sums, sizeof(sums));
    }
  }
}

void SumMatrix::addIntegers(const ProductForm &form, const char *a,
                            const char *b) {
  auto widenByte = [](FactorType type, char byte) -> int32_t {
    return type == FactorType::U8 ? int32_t(uint8_t(byte))
                                  : int32_t(int8_t(byte));
  };
  constexpr uint32_t kDepth = ProductForm::kRowBytes;
  std::vector<int32_t> rowsOfB(size_t(columns) * kDepth);
  for (size_t i = 0; i < rowsOfB.size(); ++i)
    rowsOfB[i] = widenByte(form.b, b[i]);
  for (uint32_t row = 0; row < ProductForm::kRows; ++row) {
    int32_t factors[kDepth];
    for (uint32_t k = 0; k < kDepth; ++k)
      factors[k] = widenByte(form.a, a[size_t(row) * kDepth + k]);
    for (uint32_t column = 0; column < columns; ++column) {
      // 32 products of two bytes fit a word.
      int32_t product = 0;
      for (uint32_t k = 0; k < kDepth; ++k)
        product += factors[k] * rowsOfB[size_t(column) * kDepth + k];
      uint32_t &word = words[row * columns + column];
      int64_t sum = int64_t(int32_t(word)) + product;
      if (form.saturate)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      word = uint32_t(sum);
    }
  }
}

void SumMatrix::add(const ProductForm &form, const char *a, const char *b) {
  if (form.sum == SumType::S32)
    addIntegers(form, a, b);
  else
    addFloats(form, a, b);
}

static uint64_t makeHandle(uint32_t slot, uint32_t generation) {
  return uint64_t(generation) << 32 | slot;
}

RegisterFile::Slot *RegisterFile::lookUp(uint64_t handle) {
  auto number = uint32_t(handle);
  if (number >= slots.size())
    return nullptr;
  Slot &slot = slots[number];
  return slot.isUsed && slot.generation == handle >> 32 ? &slot : nullptr;
}

uint64_t RegisterFile::keep(const char *value, uint32_t bytes,
                            const char *poison, uint32_t elements) {
  if (freeSlots.empty()) {
    freeSlots.push_back(uint32_t(slots.size()));
    slots.emplace_back();
  }
  uint32_t number = freeSlots.back();
  freeSlots.pop_back();
  Slot &slot = slots[number];
  slot.isUsed = true;
  slot.registers = ProductRegisters();
  slot.registers.bytes.assign(value, value + bytes);
  if (poison)
    slot.registers.poison.assign(poison, poison + elements);
  return makeHandle(number, slot.generation);
}

ProductRegisters *RegisterFile::find(uint64_t handle) {
  Slot *slot = lookUp(handle);
  return slot ? &slot->registers : nullptr;
}

uint64_t RegisterFile::renew(uint64_t handle) {
  Slot *slot = lookUp(handle);
  return slot ? makeHandle(uint32_t(handle), ++slot->generation) : handle;
}

void RegisterFile::free(uint64_t handle) {
  Slot *slot = lookUp(handle);
  if (!slot)
    return;
  slot->isUsed = false;
  ++slot->generation;
  freeSlots.push_back(uint32_t(handle));
}

static constexpr uint32_t kPiece = ProductForm::kPieceBytes;
static constexpr uint32_t kRowBytes = ProductForm::kRowBytes;
static constexpr uint32_t kPiecesOfRow = kRowBytes / kPiece;
/// Transposed factors have elements of 16 bits.
static constexpr uint32_t kElementsOfPiece = kPiece / 2;

Product::Product(ProductForm form, uint64_t a, uint64_t b, bool accumulates,
                 uint32_t group)
    : form(form), a(form.aInRegisters ? 0 : a), b(b), accumulates(accumulates),
      group(group),
      piecesOfA(form.aInRegisters ? 0 : ProductForm::kRows * kPiecesOfRow),
      piecesOfB(form.n * kPiecesOfRow), rowsOfA(ProductForm::kRows * kRowBytes),
      rowsOfB(form.n * kRowBytes) {}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The line and the piece in it.
static std::pair<uint32_t, uint32_t> getLine(bool isTransposed, uint32_t rows,
                                             uint32_t number) {
  uint32_t ofLine = isTransposed ? rows / kElementsOfPiece : kPiecesOfRow;
  return {number / ofLine, number % ofLine};
}

Product::Place Product::getPlace(uint32_t number) const {
  if (number >= piecesOfA) {
    auto [line, piece] =
        getLine(form.isTransposedB, form.n, number - piecesOfA);
    return {b.getOffset(form.isTransposedB, line, piece), ProductForm::kWarps,
            number};
  }
  auto [line, piece] = getLine(form.isTransposedA, ProductForm::kRows, number);
  uint32_t row = form.isTransposedA ? piece * kElementsOfPiece : line;
  return {a.getOffset(form.isTransposedA, line, piece),
          row / ProductForm::kRowsOfWarp, number};
}

void Product::put(uint32_t number, const char *from) {
  bool isOfB = number >= piecesOfA;
  char *rows = isOfB ? rowsOfB.data() : rowsOfA.data();
  bool isTransposed = isOfB ? form.isTransposedB : form.isTransposedA;
  auto [line, piece] =
      getLine(isTransposed, isOfB ? form.n : ProductForm::kRows,
              isOfB ? number - piecesOfA : number);
  if (!isTransposed) {
    std::memcpy(rows + line * kRowBytes + piece * kPiece, from, kPiece);
    return;
  }
  for (uint32_t i = 0; i < kElementsOfPiece; ++i)
    std::memcpy(rows + (piece * kElementsOfPiece + i) * kRowBytes + line * 2,
                from + i * 2, 2);
}

void Product::read(AsyncContext &context, char *shared,
                   const AsyncOperation &operation, const Pieces &pieces) {
  llvm::SmallVector<Place, 0> places;
  pieces.forEachRun([&](uint32_t begin, uint32_t end) {
    for (uint32_t number = begin; number < end; ++number)
      places.push_back(getPlace(number));
  });
  llvm::sort(places, [](const Place &left, const Place &right) {
    return std::tie(left.warp, left.offset, left.number) <
           std::tie(right.warp, right.offset, right.number);
  });
  Access access;
  access.proxy = Proxy::Async;
  access.epoch = operation.readEpoch;
  access.thread = operation.issuer.thread;
  access.operation = operation.nameIndex;
  access.site = operation.issuer.site;
  access.operationId = operation.id;
  for (size_t first = 0, next; first < places.size(); first = next) {
    const Place &place = places[first];
    uint64_t end = place.offset + kPiece;
    for (next = first + 1;
         next < places.size() && places[next].warp == place.warp &&
         places[next].offset <= end;
         ++next)
      end = places[next].offset + kPiece;
    bool isAll = place.warp == ProductForm::kWarps;
    bool isInside = true, isStale = false;
    for (uint32_t warp = isAll ? 0 : place.warp;
         warp < (isAll ? ProductForm::kWarps : place.warp + 1) && isInside;
         ++warp) {
      access.view = &views[warp];
      AccessResult result = context.memory.access(shared + place.offset,
                                                  end - place.offset, access);
      isInside = result.inBounds;
      isStale |= result.stale;
    }
    bool isKnown = isInside &&
                   !(isStale && context.schedule.pick(Decision::Bytes, 2) == 1);
    for (size_t i = first; i < next; ++i) {
      if (isKnown) {
        put(places[i].number, shared + places[i].offset);
        continue;
      }
      char unknown[kPiece];
      poison(unknown, kPiece);
      put(places[i].number, unknown);
    }
  }
}

void Product::takeFactors() {
  constexpr uint32_t kRegisters = 4, kBytes = 4;
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread)
    for (uint32_t i = 0; i < kRegisters; ++i) {
      FactorPlace place(thread, i);
      std::memcpy(&rowsOfA[place.row * kRowBytes + place.byte],
                  &factors[thread]->bytes[i * kBytes], kBytes);
    }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Sums of rows with a factor in registers that is poison are poison, and those
/// that were poison, unless they begin at zero.
static void movePoison(Product &product) {
  std::array<bool, ProductForm::kRows> ofRows = {};
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread) {
    const ProductRegisters *factors = product.factors[thread];
    for (size_t i = 0; factors && i < factors->poison.size(); ++i)
      if (factors->poison[i])
        ofRows[FactorPlace(thread, uint32_t(i * 4 / factors->poison.size()))
                   .row] = true;
  }
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread) {
    std::vector<bool> &bits = product.sums[thread]->poison;
    if (!product.accumulates)
      bits.clear();
    for (uint32_t i = 0; i < product.form.getSumCount(); ++i)
      if (ofRows[SumPlace(thread, i).row]) {
        bits.resize(product.form.getSumCount());
        bits[i] = true;
      }
  }
}

void Product::compute() {
  if (form.aInRegisters)
    takeFactors();
  SumMatrix matrix(form.sum, form.n);
  uint32_t bytes = form.getSumBytes(), count = form.getSumCount();
  for (uint32_t thread = 0; accumulates && thread < ProductForm::kThreads;
       ++thread)
    for (uint32_t i = 0; i < count; ++i)
      matrix.set(SumPlace(thread, i), &sums[thread]->bytes[i * bytes]);
  matrix.add(form, rowsOfA.data(), rowsOfB.data());
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread)
    for (uint32_t i = 0; i < count; ++i)
      matrix.get(SumPlace(thread, i), &sums[thread]->bytes[i * bytes]);
  for (ProductRegisters *registers : sums)
    registers->isPending = false;
  movePoison(*this);
}

} // namespace carousel::sim
