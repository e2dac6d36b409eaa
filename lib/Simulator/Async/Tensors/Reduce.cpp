//===- Reduce.cpp - arithmetic of copies ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 16-bit formats are added in double precision, and rounded again. A double
// has more than twice their bits plus two, so only the second rounding matters.
// Elements of f32 are rounded in place, whole ones only.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace carousel::sim {

static constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000;

template <typename Change>
static void changeElements(char *bytes, uint64_t size, Change change) {
  for (uint64_t at = 0; at + sizeof(uint32_t) <= size; at += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, bytes + at, sizeof(bits));
    bits = change(bits);
    std::memcpy(bytes + at, &bits, sizeof(bits));
  }
}

void flushSubnormals(char *bytes, uint64_t size) {
  changeElements(bytes, size, [](uint32_t bits) {
    return (bits & kInfinity) == 0 ? bits & kSign : bits;
  });
}

void roundToTF32(char *bytes, uint64_t size) {
  changeElements(bytes, size, [](uint32_t bits) {
    constexpr uint32_t kNaN = 0x7fffe000, kUnit = 1 << 13;
    if ((bits & ~kSign) > kInfinity)
      return kNaN;
    uint32_t lower = bits / kUnit, dropped = bits % kUnit;
    bool isUpper = dropped > kUnit / 2 || (dropped == kUnit / 2 && lower % 2);
    return (lower + isUpper) * kUnit;
  });
}

unsigned getElementBytes(ReduceType type) {
  switch (type) {
  case ReduceType::F16:
  case ReduceType::BF16:
    return 2;
  case ReduceType::U64:
  case ReduceType::S64:
  case ReduceType::B64:
  case ReduceType::F64:
    return 8;
  default:
    return 4;
  }
}

bool isReduction(ReduceKind kind, ReduceType type, bool inSharedMemory) {
  switch (kind) {
  case ReduceKind::Add:
    return type == ReduceType::U32 || type == ReduceType::S32 ||
           type == ReduceType::U64 ||
           (!inSharedMemory &&
            (type == ReduceType::F16 || type == ReduceType::BF16 ||
             type == ReduceType::F32 || type == ReduceType::F32FTZ ||
             type == ReduceType::F64));
  case ReduceKind::Min:
  case ReduceKind::Max:
    return type == ReduceType::U32 || type == ReduceType::S32 ||
           (!inSharedMemory &&
            (type == ReduceType::U64 || type == ReduceType::S64 ||
             type == ReduceType::F16 || type == ReduceType::BF16));
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return type == ReduceType::U32;
  case ReduceKind::And:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return type == ReduceType::B32 ||
           (!inSharedMemory && type == ReduceType::B64);
  }
  return false;
}

std::optional<ReduceType> getReduceType(ReduceKind kind,
                                        TensorElement element) {
  ReduceType type;
  switch (element) {
  case TensorElement::U32:
    type = ReduceType::U32;
    break;
  case TensorElement::S32:
    type = ReduceType::S32;
    break;
  case TensorElement::U64:
    type = ReduceType::U64;
    break;
  case TensorElement::S64:
    type = ReduceType::S64;
    break;
  case TensorElement::F16:
    type = ReduceType::F16;
    break;
  case TensorElement::BF16:
    type = ReduceType::BF16;
    break;
  case TensorElement::F32:
    type = ReduceType::F32;
    break;
  case TensorElement::F32FTZ:
    type = ReduceType::F32FTZ;
    break;
  case TensorElement::F64:
    type = ReduceType::F64;
    break;
  default:
    return std::nullopt;
  }
  if (kind >= ReduceKind::And) {
    // Bitwise reductions use integer types of maps. With s64 they are an
    // illegal instruction on an H200.
    if (type >= ReduceType::S64)
      return std::nullopt;
    type = getElementBytes(type) == 8 ? ReduceType::B64 : ReduceType::B32;
  }
  if (!isReduction(kind, type, /*inSharedMemory=*/false))
    return std::nullopt;
  return type;
}

//===----------------------------------------------------------------------===//
// The 16-bit formats
//===----------------------------------------------------------------------===//

namespace {
struct Half {
  static constexpr int kMantissa = 10, kBias = 15;
};
struct BFloat {
  static constexpr int kMantissa = 7, kBias = 127;
};

} // namespace

/// The payload of every NaN that a floating-point reduction makes.
static constexpr uint16_t kNaN16 = 0x7fff;
static constexpr uint32_t kNaN32 = 0x7fffffff;

template <typename Format> static double decode(uint16_t bits) {
  constexpr int kExponentMask = (1 << (15 - Format::kMantissa)) - 1;
  int exponent = bits >> Format::kMantissa & kExponentMask;
  int mantissa = bits & ((1 << Format::kMantissa) - 1);
  double value;
  if (exponent == kExponentMask)
    value = mantissa ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - Format::kBias - Format::kMantissa);
  else
    value = std::ldexp(mantissa + (1 << Format::kMantissa),
                       exponent - Format::kBias - Format::kMantissa);
  return bits & 0x8000 ? -value : value;
}

/// Rounds to nearest, ties to even; beyond the largest value, to infinity.
template <typename Format> static uint16_t encode(double value) {
  if (std::isnan(value))
    return kNaN16;
  constexpr uint16_t kInfinity = ((1 << (15 - Format::kMantissa)) - 1)
                                 << Format::kMantissa;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | kInfinity;
  int exponent;
  std::frexp(magnitude, &exponent);
  --exponent; // magnitude is in [2^exponent, 2^(exponent+1))
  constexpr int kLeast = 1 - Format::kBias;
  int biased = std::max(exponent, kLeast);
  auto mantissa = int64_t(
      std::nearbyint(std::ldexp(magnitude, Format::kMantissa - biased)));
  // A subnormal's field is 0 and its mantissa has no hidden bit; a carry makes
  // it normal.
  int64_t bits = exponent < kLeast
                     ? mantissa
                     : (int64_t(biased + Format::kBias) << Format::kMantissa) +
                           (mantissa - (1 << Format::kMantissa));
  return sign | uint16_t(std::min<int64_t>(bits, kInfinity));
}

template <typename Format>
static uint16_t reduce16(ReduceKind kind, uint16_t left, uint16_t right) {
  double a = decode<Format>(left), b = decode<Format>(right);
  if (kind == ReduceKind::Add)
    return encode<Format>(a + b);
  // min and max: a number is preferred to a NaN, and -0 is less than +0.
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? kNaN16
           : std::isnan(a)                ? right
                                          : left;
  bool leftIsLess = a != b ? a < b : std::signbit(a);
  return (kind == ReduceKind::Min) == leftIsLess ? left : right;
}

//===----------------------------------------------------------------------===//
// The other types
//===----------------------------------------------------------------------===//

static float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

template <bool flushes> static uint32_t addF32(uint32_t left, uint32_t right) {
  float a, b;
  std::memcpy(&a, &left, 4);
  std::memcpy(&b, &right, 4);
  float sum = flushes ? flush(flush(a) + flush(b)) : a + b;
  if (std::isnan(sum))
    return kNaN32;
  uint32_t bits;
  std::memcpy(&bits, &sum, 4);
  return bits;
}

template <typename Unsigned, typename Signed>
static Unsigned reduceInteger(ReduceKind kind, bool isSigned, Unsigned left,
                              Unsigned right) {
  switch (kind) {
  case ReduceKind::Add:
    return left + right;
  case ReduceKind::Min:
    return isSigned ? Unsigned(std::min(Signed(left), Signed(right)))
                    : std::min(left, right);
  case ReduceKind::Max:
    return isSigned ? Unsigned(std::max(Signed(left), Signed(right)))
                    : std::max(left, right);
  case ReduceKind::Inc:
    return left >= right ? 0 : left + 1;
  case ReduceKind::Dec:
    return left == 0 || left > right ? right : left - 1;
  case ReduceKind::And:
    return left & right;
  case ReduceKind::Or:
    return left | right;
  case ReduceKind::Xor:
    return left ^ right;
  }
  return left;
}

template <typename Bits, typename Function>
static void forEach(void *destination, const void *source, uint64_t bytes,
                    Function function) {
  auto *to = static_cast<char *>(destination);
  const auto *from = static_cast<const char *>(source);
  for (uint64_t at = 0; at + sizeof(Bits) <= bytes; at += sizeof(Bits)) {
    Bits left, right;
    std::memcpy(&left, to + at, sizeof(Bits));
    std::memcpy(&right, from + at, sizeof(Bits));
    left = function(left, right);
    std::memcpy(to + at, &left, sizeof(Bits));
  }
}

void reduce(ReduceKind kind, ReduceType type, void *destination,
            const void *source, uint64_t bytes) {
  switch (type) {
  case ReduceType::F16:
    return forEach<uint16_t>(
        destination, source, bytes,
        [&](uint16_t a, uint16_t b) { return reduce16<Half>(kind, a, b); });
  case ReduceType::BF16:
    return forEach<uint16_t>(
        destination, source, bytes,
        [&](uint16_t a, uint16_t b) { return reduce16<BFloat>(kind, a, b); });
  case ReduceType::F32:
    return forEach<uint32_t>(destination, source, bytes, addF32<false>);
  case ReduceType::F32FTZ:
    return forEach<uint32_t>(destination, source, bytes, addF32<true>);
  case ReduceType::F64:
    return forEach<double>(destination, source, bytes,
                           [](double a, double b) { return a + b; });
  case ReduceType::U64:
  case ReduceType::S64:
  case ReduceType::B64:
    return forEach<uint64_t>(destination, source, bytes,
                             [&](uint64_t a, uint64_t b) {
                               return reduceInteger<uint64_t, int64_t>(
                                   kind, type == ReduceType::S64, a, b);
                             });
  case ReduceType::U32:
  case ReduceType::S32:
  case ReduceType::B32:
    return forEach<uint32_t>(destination, source, bytes,
                             [&](uint32_t a, uint32_t b) {
                               return reduceInteger<uint32_t, int32_t>(
                                   kind, type == ReduceType::S32, a, b);
                             });
  }
}

} // namespace carousel::sim
