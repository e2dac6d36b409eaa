//===- float8.h - f8e4m3 and f8e5m2 -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 8-bit floating-point types: what lies in memory, and conversions. They
// are laid out as CUDA's __nv_fp8_e4m3 and __nv_fp8_e5m2, and converted as
// those are: round to nearest even, and to the largest finite value what is
// larger. Printed kernels convert pairs, and correct what is larger: MLIR's
// conversions don't saturate.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_FLOAT8_H
#define CAROUSEL_DEVICE_FLOAT8_H

#include <carousel/device/float16.h>
#include <carousel/device/vector.h>

namespace carousel {

// A conversion handles a pair; the other value is zero.
#define CAROUSEL_FLOAT8(NAME, PTX)                                             \
  struct NAME {                                                                \
    uint8_t bits;                                                              \
                                                                               \
    NAME() = default;                                                          \
    template <typename Value> CAROUSEL_DEVICE explicit NAME(Value value) {     \
      static_assert(target::on<sizeof(Value)>::has(89, 81),                    \
                    "conversions of " #NAME " need sm_89 and PTX 8.1");        \
      uint16_t pair;                                                           \
      asm("cvt.rn.satfinite." PTX "x2.f32 %0, %1, %2;"                         \
          : "=h"(pair)                                                         \
          : "f"(0.0f), "f"(static_cast<float>(value)));                        \
      bits = static_cast<uint8_t>(pair);                                       \
    }                                                                          \
    template <typename Value>                                                  \
    CAROUSEL_DEVICE explicit operator Value() const {                          \
      static_assert(target::on<sizeof(Value)>::has(89, 81),                    \
                    "conversions of " #NAME " need sm_89 and PTX 8.1");        \
      uint32_t pair;                                                           \
      asm("cvt.rn.f16x2." PTX "x2 %0, %1;"                                     \
          : "=r"(pair)                                                         \
          : "h"(static_cast<uint16_t>(bits)));                                 \
      return static_cast<Value>(f16::from_bits(static_cast<uint16_t>(pair)));  \
    }                                                                          \
    CAROUSEL_DEVICE static NAME from_bits(uint8_t bits) {                      \
      NAME value;                                                              \
      value.bits = bits;                                                       \
      return value;                                                            \
    }                                                                          \
  };

/// 4 bits of exponent and 3 of mantissa; no infinity.
CAROUSEL_FLOAT8(f8e4m3, "e4m3")
/// 5 bits of exponent and 2 of mantissa.
CAROUSEL_FLOAT8(f8e5m2, "e5m2")

#undef CAROUSEL_FLOAT8

/// Two numbers as the bits of two of `Float8`, the first one in the low byte:
/// what the instruction makes of them, which saturates.
template <typename Float8>
CAROUSEL_DEVICE uint16_t narrow_pair(float high, float low);
template <typename Float8> CAROUSEL_DEVICE uint16_t narrow_pair(vec<f16, 2> of);
/// The numbers whose bits two bytes are.
template <typename Float8>
CAROUSEL_DEVICE vec<f16, 2> widen_pair(const vec<uint8_t, 2> &bits);

#define CAROUSEL_PAIRS(NAME, PTX)                                              \
  template <>                                                                  \
  CAROUSEL_DEVICE uint16_t narrow_pair<NAME>(float high, float low) {          \
    uint16_t pair;                                                             \
    asm("cvt.rn.satfinite." PTX "x2.f32 %0, %1, %2;"                           \
        : "=h"(pair)                                                           \
        : "f"(high), "f"(low));                                                \
    return pair;                                                               \
  }                                                                            \
  template <> CAROUSEL_DEVICE uint16_t narrow_pair<NAME>(vec<f16, 2> of) {     \
    uint16_t pair;                                                             \
    asm("cvt.rn.satfinite." PTX "x2.f16x2 %0, %1;"                             \
        : "=h"(pair)                                                           \
        : "r"(bit_cast<uint32_t>(of)));                                        \
    return pair;                                                               \
  }                                                                            \
  template <>                                                                  \
  CAROUSEL_DEVICE vec<f16, 2> widen_pair<NAME>(const vec<uint8_t, 2> &bits) {  \
    uint32_t pair;                                                             \
    asm("cvt.rn.f16x2." PTX "x2 %0, %1;"                                       \
        : "=r"(pair)                                                           \
        : "h"(bit_cast<uint16_t>(bits)));                                      \
    return bit_cast<vec<f16, 2>>(pair);                                        \
  }

#if CAROUSEL_SM == 0 || CAROUSEL_SM >= 89
CAROUSEL_PAIRS(f8e4m3, "e4m3")
CAROUSEL_PAIRS(f8e5m2, "e5m2")
#endif

#undef CAROUSEL_PAIRS

} // namespace carousel

#endif // CAROUSEL_DEVICE_FLOAT8_H
