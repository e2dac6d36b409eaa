//===- Elements.cpp - single elements: bits, numbers, text ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between the bits of an element and doubles. A double holds every
// value of every float type here exactly, so each conversion rounds at most
// once.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace carousel;
using namespace carousel::tools;

static constexpr SmallFloat kF16 = {5, 10, 15, true, true};
static constexpr SmallFloat kBF16 = {8, 7, 127, true, true};
static constexpr SmallFloat kE4M3FN = {4, 3, 7, true, false};
static constexpr SmallFloat kE5M2 = {5, 2, 15, true, true};
static constexpr SmallFloat kE8M0FNU = {8, 0, 127, false, false};

const SmallFloat &tools::getSmallFloat(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return kF16;
  case ElementType::BF16:
    return kBF16;
  case ElementType::F8E4M3FN:
    return kE4M3FN;
  case ElementType::F8E5M2:
    return kE5M2;
  default:
    assert(type == ElementType::F8E8M0FNU && "not a small float");
    return kE8M0FNU;
  }
}

static double decode(const SmallFloat &format, uint64_t bits) {
  uint64_t mantissaMask = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t exponentMask = (uint64_t(1) << format.exponentBits) - 1;
  uint64_t mantissa = bits & mantissaMask;
  uint64_t exponent = (bits >> format.mantissaBits) & exponentMask;
  bool negative =
      format.isSigned &&
      ((bits >> (format.mantissaBits + format.exponentBits)) & 1) != 0;
  double value;
  if (exponent == exponentMask && format.hasInfinity) {
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  } else if (exponent == exponentMask && mantissa == mantissaMask) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (!format.isSigned) {
    value = std::ldexp(1.0, static_cast<int>(exponent) - format.bias);
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa),
                       1 - format.bias - static_cast<int>(format.mantissaBits));
  } else {
    value = std::ldexp(static_cast<double>(mantissa | (mantissaMask + 1)),
                       static_cast<int>(exponent) - format.bias -
                           static_cast<int>(format.mantissaBits));
  }
  return negative ? -value : value;
}

static uint64_t encode(const SmallFloat &format, double value) {
  unsigned magnitudeBits = format.mantissaBits + format.exponentBits;
  uint64_t all = (uint64_t(1) << magnitudeBits) - 1;
  uint64_t mantissaMask = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t sign =
      format.isSigned && std::signbit(value) ? uint64_t(1) << magnitudeBits : 0;
  uint64_t infinity = all & ~mantissaMask;
  uint64_t nan = format.hasInfinity ? infinity | (mantissaMask + 1) >> 1 : all;
  if (std::isnan(value) || (!format.isSigned && !(value > 0)))
    return sign | nan;
  double magnitude = std::fabs(value);
  if (!std::isfinite(magnitude))
    return sign | (format.hasInfinity ? infinity : nan);
  if (magnitude == 0)
    return sign;
  int exponent;
  std::frexp(magnitude, &exponent); // magnitude in [2^(e-1), 2^e)
  int least = (format.isSigned ? 1 : 0) - format.bias;
  int scale = std::max(exponent - 1, least);
  // Counted in units of the last place; carries into the exponent by itself.
  auto units = static_cast<uint64_t>(std::nearbyint(
      std::ldexp(magnitude, static_cast<int>(format.mantissaBits) - scale)));
  if (!format.isSigned) // 1 or 2 units; no subnormal numbers
    return std::min<uint64_t>(scale + format.bias + (units == 2 ? 1 : 0), nan);
  uint64_t bits =
      (static_cast<uint64_t>(scale - least) << format.mantissaBits) + units;
  uint64_t limit = format.hasInfinity ? infinity : nan;
  return sign | std::min(bits, limit);
}

int64_t tools::toInteger(ElementType type, uint64_t bits) {
  switch (type) {
  case ElementType::I1:
    return static_cast<uint8_t>(bits);
  case ElementType::I8:
    return static_cast<int8_t>(bits);
  case ElementType::I16:
    return static_cast<int16_t>(bits);
  case ElementType::I32:
    return static_cast<int32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

double tools::toDouble(ElementType type, uint64_t bits) {
  if (isInteger(type))
    return static_cast<double>(toInteger(type, bits));
  if (type == ElementType::F64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (type == ElementType::F32) {
    auto low = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &low, sizeof(value));
    return value;
  }
  if (type == ElementType::BF16) // the upper half of an f32
    return toDouble(ElementType::F32, bits << 16);
  return decode(getSmallFloat(type), bits);
}

uint64_t tools::fromDouble(ElementType type, double value) {
  assert(!isInteger(type) && "only float types");
  if (type == ElementType::F64)
    return loadBits(&value, sizeof(value));
  if (type == ElementType::F32) {
    auto single = static_cast<float>(value);
    return loadBits(&single, sizeof(single));
  }
  return encode(getSmallFloat(type), value);
}

/// Maps elements to integers in the order of their numbers.
static int64_t toOrdered(ElementType type, uint64_t bits) {
  if (isInteger(type))
    return toInteger(type, bits);
  if (type == ElementType::F8E8M0FNU)
    return static_cast<int64_t>(bits);
  uint64_t sign = uint64_t(1) << (8 * runtime::getBytes(type) - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

uint64_t tools::getDistance(ElementType type, uint64_t left, uint64_t right) {
  int64_t a = toOrdered(type, left), b = toOrdered(type, right);
  return a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
               : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}

std::string tools::formatElement(ElementType type, uint64_t bits) {
  if (isInteger(type))
    return fmt::format("{}", toInteger(type, bits));
  double value = toDouble(type, bits);
  if (std::isnan(value))
    return "nan";
  if (type == ElementType::F64)
    return fmt::format("{}", value);
  return fmt::format("{}", static_cast<float>(value)); // exact
}
