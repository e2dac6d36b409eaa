//===- float16.h - f16 and bf16 ---------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 16-bit floating-point types. CUDA's own headers for them take NVRTC 10 to
// 20 ms; these take a few, and have the same layout. Where cuda_fp16.h or
// cuda_bf16.h was included before, they convert to and from its types.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_FLOAT16_H
#define CAROUSEL_DEVICE_FLOAT16_H

#include <carousel/device/types.h>

namespace carousel {

/// IEEE binary16, laid out as CUDA's __half. Additions, subtractions and
/// products round once; the rest is computed as float and rounded.
struct alignas(2) f16 {
  uint16_t bits;

  f16() = default;
  CAROUSEL_DEVICE explicit f16(float value) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  CAROUSEL_DEVICE explicit f16(double value) {
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
  }
  /// Integers beyond 2^24, which float rounds, are infinite here.
  template <typename Value>
  CAROUSEL_DEVICE explicit f16(Value value) : f16(static_cast<float>(value)) {}

  CAROUSEL_DEVICE explicit operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
  template <typename Value> CAROUSEL_DEVICE explicit operator Value() const {
    return static_cast<Value>(static_cast<float>(*this));
  }

  CAROUSEL_DEVICE static f16 from_bits(uint16_t bits) {
    f16 value;
    value.bits = bits;
    return value;
  }

#ifdef __CUDA_FP16_TYPES_EXIST__
  CAROUSEL_DEVICE explicit f16(__half value)
      : bits(static_cast<__half_raw>(value).x) {}
  CAROUSEL_DEVICE operator __half() const {
    __half_raw raw;
    raw.x = bits;
    return raw;
  }
#endif
};

/// The upper half of a float, laid out as CUDA's __nv_bfloat16. Additions,
/// subtractions and products round once; the rest is computed as float and
/// rounded.
struct alignas(2) bf16 {
  uint16_t bits;

  bf16() = default;
  CAROUSEL_DEVICE explicit bf16(float value) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  /// Rounds once.
  CAROUSEL_DEVICE explicit bf16(double value) {
#if CAROUSEL_SM && CAROUSEL_SM < 90
    // Rounding to odd first keeps the second rounding right.
    float odd = __double2float_rz(value);
    if (static_cast<double>(odd) != value)
      odd = __uint_as_float(__float_as_uint(odd) | 1);
    *this = bf16(odd);
#else
    asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(bits) : "d"(value));
#endif
  }
  /// Integers that float rounds are rounded twice before sm_90, as LLVM does.
#if CAROUSEL_SM == 0 || CAROUSEL_SM >= 90
  CAROUSEL_DEVICE explicit bf16(int32_t value) {
    asm("cvt.rn.bf16.s32 %0, %1;" : "=h"(bits) : "r"(value));
  }
  CAROUSEL_DEVICE explicit bf16(uint32_t value) {
    asm("cvt.rn.bf16.u32 %0, %1;" : "=h"(bits) : "r"(value));
  }
  CAROUSEL_DEVICE explicit bf16(int64_t value) {
    asm("cvt.rn.bf16.s64 %0, %1;" : "=h"(bits) : "l"(value));
  }
  CAROUSEL_DEVICE explicit bf16(uint64_t value) {
    asm("cvt.rn.bf16.u64 %0, %1;" : "=h"(bits) : "l"(value));
  }
#endif
  template <typename Value>
  CAROUSEL_DEVICE explicit bf16(Value value)
      : bf16(static_cast<float>(value)) {}

  CAROUSEL_DEVICE explicit operator float() const {
    return __uint_as_float(static_cast<uint32_t>(bits) << 16);
  }
  template <typename Value> CAROUSEL_DEVICE explicit operator Value() const {
    return static_cast<Value>(static_cast<float>(*this));
  }

  CAROUSEL_DEVICE static bf16 from_bits(uint16_t bits) {
    bf16 value;
    value.bits = bits;
    return value;
  }

#ifdef __CUDA_BF16_TYPES_EXIST__
  CAROUSEL_DEVICE explicit bf16(__nv_bfloat16 value)
      : bits(static_cast<__nv_bfloat16_raw>(value).x) {}
  CAROUSEL_DEVICE operator __nv_bfloat16() const {
    __nv_bfloat16_raw raw;
    raw.x = bits;
    return raw;
  }
#endif
};

// Additions, subtractions and products, of one value and of the pairs that
// vectors are made of. bf16 has fma alone before sm_90: a * 1 + b, b * -1 + a
// and a * b + -0 give the same bits.
#define CAROUSEL_NATIVE(TYPE, NAME, INSTRUCTION)                               \
  CAROUSEL_DEVICE TYPE operator NAME(TYPE a, TYPE b) {                         \
    TYPE result;                                                               \
    asm(INSTRUCTION ".rn." #TYPE " %0, %1, %2;"                                \
        : "=h"(result.bits)                                                    \
        : "h"(a.bits), "h"(b.bits));                                           \
    return result;                                                             \
  }
#define CAROUSEL_NATIVE_PAIR(TYPE, NAME, INSTRUCTION)                          \
  CAROUSEL_DEVICE static uint32_t NAME(uint32_t a, uint32_t b) {               \
    uint32_t result;                                                           \
    asm(INSTRUCTION "." #TYPE "x2 %0, %1, %2;"                                 \
        : "=r"(result)                                                         \
        : "r"(a), "r"(b));                                                     \
    return result;                                                             \
  }
#define CAROUSEL_EXTREMUM_PAIRS(TYPE)                                          \
  CAROUSEL_NATIVE_PAIR(TYPE, maxnum, "max")                                    \
  CAROUSEL_NATIVE_PAIR(TYPE, minnum, "min")                                    \
  CAROUSEL_NATIVE_PAIR(TYPE, maximum, "max.NaN")                               \
  CAROUSEL_NATIVE_PAIR(TYPE, minimum, "min.NaN")
/// Two floats at once, each rounded once.
#define CAROUSEL_NARROW_PAIR(TYPE)                                             \
  CAROUSEL_DEVICE static void narrow(TYPE *to, float low, float high) {        \
    asm("{\n\t.reg .b32 pair;\n\tcvt.rn." #TYPE "x2.f32 pair, %3, %2;\n\t"     \
        "mov.b32 {%0, %1}, pair;\n\t}"                                         \
        : "=h"(to[0].bits), "=h"(to[1].bits)                                   \
        : "f"(low), "f"(high));                                                \
  }
#define CAROUSEL_FUSED(NAME, OPERANDS, CONSTANT)                               \
  CAROUSEL_DEVICE bf16 operator NAME(bf16 a, bf16 b) {                         \
    bf16 result;                                                               \
    asm("fma.rn.bf16 %0, " OPERANDS ";"                                        \
        : "=h"(result.bits)                                                    \
        : "h"(a.bits), "h"(b.bits), "h"(static_cast<uint16_t>(CONSTANT)));     \
    return result;                                                             \
  }
#define CAROUSEL_FUSED_PAIR(NAME, OPERANDS, CONSTANT)                          \
  CAROUSEL_DEVICE static uint32_t NAME(uint32_t a, uint32_t b) {               \
    uint32_t result;                                                           \
    asm("fma.rn.bf16x2 %0, " OPERANDS ";"                                      \
        : "=r"(result)                                                         \
        : "r"(a), "r"(b), "r"(CONSTANT * 0x10001u));                           \
    return result;                                                             \
  }

CAROUSEL_NATIVE(f16, +, "add")
CAROUSEL_NATIVE(f16, -, "sub")
CAROUSEL_NATIVE(f16, *, "mul")
#if CAROUSEL_SM && CAROUSEL_SM < 90
CAROUSEL_FUSED(+, "%1, %3, %2", 0x3f80)
CAROUSEL_FUSED(-, "%2, %3, %1", 0xbf80)
CAROUSEL_FUSED(*, "%1, %2, %3", 0x8000)
#else
CAROUSEL_NATIVE(bf16, +, "add")
CAROUSEL_NATIVE(bf16, -, "sub")
CAROUSEL_NATIVE(bf16, *, "mul")
#endif

namespace detail {

template <> struct pairs_of<f16> {
  enum : bool { exist = true };
  CAROUSEL_NATIVE_PAIR(f16, add, "add.rn")
  CAROUSEL_NATIVE_PAIR(f16, sub, "sub.rn")
  CAROUSEL_NATIVE_PAIR(f16, mul, "mul.rn")
  CAROUSEL_EXTREMUM_PAIRS(f16)
  CAROUSEL_NARROW_PAIR(f16)
};
template <> struct pairs_of<bf16> {
  enum : bool { exist = true };
#if CAROUSEL_SM && CAROUSEL_SM < 90
  CAROUSEL_FUSED_PAIR(add, "%1, %3, %2", 0x3f80u)
  CAROUSEL_FUSED_PAIR(sub, "%2, %3, %1", 0xbf80u)
  CAROUSEL_FUSED_PAIR(mul, "%1, %2, %3", 0x8000u)
#else
  CAROUSEL_NATIVE_PAIR(bf16, add, "add.rn")
  CAROUSEL_NATIVE_PAIR(bf16, sub, "sub.rn")
  CAROUSEL_NATIVE_PAIR(bf16, mul, "mul.rn")
#endif
  CAROUSEL_EXTREMUM_PAIRS(bf16)
  CAROUSEL_NARROW_PAIR(bf16)
};

} // namespace detail

#undef CAROUSEL_NARROW_PAIR
#undef CAROUSEL_EXTREMUM_PAIRS
#undef CAROUSEL_FUSED_PAIR
#undef CAROUSEL_FUSED
#undef CAROUSEL_NATIVE_PAIR
#undef CAROUSEL_NATIVE

#define CAROUSEL_COMPARISON(TYPE, NAME)                                        \
  CAROUSEL_DEVICE bool operator NAME(TYPE a, TYPE b) {                         \
    return static_cast<float>(a) NAME static_cast<float>(b);                   \
  }
#define CAROUSEL_REST(TYPE)                                                    \
  CAROUSEL_DEVICE TYPE operator/(TYPE a, TYPE b) {                             \
    return TYPE(static_cast<float>(a) / static_cast<float>(b));                \
  }                                                                            \
  CAROUSEL_DEVICE TYPE operator-(TYPE a) {                                     \
    return TYPE::from_bits(static_cast<uint16_t>(a.bits ^ 0x8000));            \
  }                                                                            \
  CAROUSEL_COMPARISON(TYPE, ==)                                                \
  CAROUSEL_COMPARISON(TYPE, !=)                                                \
  CAROUSEL_COMPARISON(TYPE, <)                                                 \
  CAROUSEL_COMPARISON(TYPE, <=)                                                \
  CAROUSEL_COMPARISON(TYPE, >)                                                 \
  CAROUSEL_COMPARISON(TYPE, >=)

CAROUSEL_REST(f16)
CAROUSEL_REST(bf16)

#undef CAROUSEL_REST
#undef CAROUSEL_COMPARISON

} // namespace carousel

#endif // CAROUSEL_DEVICE_FLOAT16_H
