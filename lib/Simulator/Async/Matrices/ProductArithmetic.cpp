//===- ProductArithmetic.cpp - products and sums --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors are widened first. In its range, f32 has each product exactly, so
// each step rounds once, when it is added.
//
//===----------------------------------------------------------------------===//

#include "ProductArithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace carousel::sim {

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

} // namespace carousel::sim
