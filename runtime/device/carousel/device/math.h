//===- math.h - arithmetic of scalars and vectors ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of printed kernels, besides the operators of C++. Integers are
// unsigned; a function that treats them as signed names the type:
// min_as<int>(a, b). Floating-point functions are CUDA's, of each lane of a
// vector, and of narrow floats by way of float.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_MATH_H
#define CAROUSEL_DEVICE_MATH_H

#include <carousel/device/float16.h>
#include <carousel/device/vector.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace detail {

/// The unsigned type of a signed one; any other type is itself.
template <typename Type> struct unsigned_of {
  using type = Type;
};
template <> struct unsigned_of<int8_t> {
  using type = uint8_t;
};
template <> struct unsigned_of<int16_t> {
  using type = uint16_t;
};
template <> struct unsigned_of<int32_t> {
  using type = uint32_t;
};
template <> struct unsigned_of<int64_t> {
  using type = uint64_t;
};
template <typename Type> using unsigned_of_t = typename unsigned_of<Type>::type;

/// Keeps a template argument from being found from it.
template <typename Type> struct as_given {
  using type = Type;
};
template <typename Type> using as_given_t = typename as_given<Type>::type;

} // namespace detail

// A function of two numbers that are taken as `Number`, and of two vectors.
#define CAROUSEL_AS(NAME, EXPRESSION)                                          \
  template <typename Number>                                                   \
  CAROUSEL_DEVICE detail::unsigned_of_t<Number> NAME(                          \
      detail::as_given_t<Number> a, detail::as_given_t<Number> b) {            \
    return static_cast<detail::unsigned_of_t<Number>>(EXPRESSION);             \
  }                                                                            \
  template <typename Number, typename Element, int Lanes>                      \
  CAROUSEL_DEVICE vec<Element, Lanes> NAME(const vec<Element, Lanes> &x,       \
                                           const vec<Element, Lanes> &y) {     \
    vec<Element, Lanes> result;                                                \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) {                        \
      const Number a = static_cast<Number>(x[i]),                              \
                   b = static_cast<Number>(y[i]);                              \
      result[i] = static_cast<Element>(EXPRESSION);                            \
    }                                                                          \
    return result;                                                             \
  }

CAROUSEL_AS(min_as, a < b ? a : b)
CAROUSEL_AS(max_as, a > b ? a : b)
CAROUSEL_AS(divide_as, a / b)
CAROUSEL_AS(remainder_as, a % b)
CAROUSEL_AS(shift_right_as, a >> b)

#undef CAROUSEL_AS

/// Lanes that are taken as `From`, as `To`.
template <typename To, typename From, typename Element, int Lanes>
CAROUSEL_DEVICE vec<detail::unsigned_of_t<To>, Lanes>
convert_from(const vec<Element, Lanes> &vector) {
  vec<detail::unsigned_of_t<To>, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = static_cast<detail::unsigned_of_t<To>>(
        static_cast<To>(static_cast<From>(vector[i])));
  return result;
}

/// The low and the high half of a product.
template <typename Number>
CAROUSEL_DEVICE detail::unsigned_of_t<Number>
multiply_low(detail::unsigned_of_t<Number> a, detail::unsigned_of_t<Number> b) {
  return static_cast<detail::unsigned_of_t<Number>>(uint64_t(a) * uint64_t(b));
}
template <typename Number>
CAROUSEL_DEVICE detail::unsigned_of_t<Number>
multiply_high(detail::as_given_t<Number> a, detail::as_given_t<Number> b) {
  using result = detail::unsigned_of_t<Number>;
  constexpr bool is_signed = static_cast<Number>(-1) < static_cast<Number>(1);
  if constexpr (sizeof(Number) == 8 && is_signed)
    return static_cast<result>(__mul64hi(a, b));
  else if constexpr (sizeof(Number) == 8)
    return static_cast<result>(__umul64hi(a, b));
  else if constexpr (is_signed)
    return static_cast<result>((int64_t(a) * int64_t(b)) >>
                               (8 * sizeof(Number)));
  else
    return static_cast<result>((uint64_t(a) * uint64_t(b)) >>
                               (8 * sizeof(Number)));
}

template <typename Number, typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> multiply_low(const vec<Element, Lanes> &x,
                                                 const vec<Element, Lanes> &y) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = multiply_low<Number>(x[i], y[i]);
  return result;
}
template <typename Number, typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes>
multiply_high(const vec<Element, Lanes> &x, const vec<Element, Lanes> &y) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = multiply_high<Number>(static_cast<Number>(x[i]),
                                      static_cast<Number>(y[i]));
  return result;
}

// A function of an unsigned integer, and of vectors of them.
#define CAROUSEL_OF_INTEGER(NAME, EXPRESSION)                                  \
  template <typename Number> CAROUSEL_DEVICE Number NAME(Number a) {           \
    [[maybe_unused]] constexpr int bits = 8 * sizeof(Number);                  \
    return static_cast<Number>(EXPRESSION);                                    \
  }                                                                            \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<Element, Lanes> NAME(const vec<Element, Lanes> &x) {     \
    vec<Element, Lanes> result;                                                \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] = NAME(x[i]);  \
    return result;                                                             \
  }

/// The magnitude of what is taken as signed.
CAROUSEL_OF_INTEGER(abs, (a >> (bits - 1)) != 0 ? Number(0) - a : a)
/// The result for 0 is the number of bits.
CAROUSEL_OF_INTEGER(count_leading_zeros,
                    bits == 64 ? __clzll(static_cast<int64_t>(a))
                               : __clz(static_cast<int32_t>(a)) - (32 - bits))
CAROUSEL_OF_INTEGER(count_trailing_zeros,
                    a == 0       ? bits
                    : bits == 64 ? __ffsll(static_cast<int64_t>(a)) - 1
                                 : __ffs(static_cast<int32_t>(a)) - 1)
CAROUSEL_OF_INTEGER(count_ones, __popcll(a))

#undef CAROUSEL_OF_INTEGER

//===----------------------------------------------------------------------===//
// Floating-point functions
//===----------------------------------------------------------------------===//

// One number takes CUDA's function, or goes by way of float; vectors go by
// lanes.
#define CAROUSEL_FUNCTION(NAME)                                                \
  CAROUSEL_DEVICE float NAME(float a) { return ::NAME##f(a); }                 \
  CAROUSEL_DEVICE double NAME(double a) { return ::NAME(a); }                  \
  CAROUSEL_DEVICE f16 NAME(f16 a) { return f16(::NAME##f(float(a))); }         \
  CAROUSEL_DEVICE bf16 NAME(bf16 a) { return bf16(::NAME##f(float(a))); }      \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<Element, Lanes> NAME(const vec<Element, Lanes> &x) {     \
    vec<Element, Lanes> result;                                                \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] = NAME(x[i]);  \
    return result;                                                             \
  }
/// Element by element.
#define CAROUSEL_OF_TWO_VECTORS(NAME)                                          \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<Element, Lanes> NAME(const vec<Element, Lanes> &x,       \
                                           const vec<Element, Lanes> &y) {     \
    vec<Element, Lanes> result;                                                \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] =              \
        NAME(x[i], y[i]);                                                      \
    return result;                                                             \
  }
#define CAROUSEL_FUNCTION_OF_TWO(NAME)                                         \
  CAROUSEL_DEVICE float NAME(float a, float b) { return ::NAME##f(a, b); }     \
  CAROUSEL_DEVICE double NAME(double a, double b) { return ::NAME(a, b); }     \
  CAROUSEL_DEVICE f16 NAME(f16 a, f16 b) {                                     \
    return f16(::NAME##f(float(a), float(b)));                                 \
  }                                                                            \
  CAROUSEL_DEVICE bf16 NAME(bf16 a, bf16 b) {                                  \
    return bf16(::NAME##f(float(a), float(b)));                                \
  }                                                                            \
  CAROUSEL_OF_TWO_VECTORS(NAME)

CAROUSEL_FUNCTION(fabs)
CAROUSEL_FUNCTION(acos)
CAROUSEL_FUNCTION(acosh)
CAROUSEL_FUNCTION(asin)
CAROUSEL_FUNCTION(asinh)
CAROUSEL_FUNCTION(atan)
CAROUSEL_FUNCTION(atanh)
CAROUSEL_FUNCTION(cbrt)
CAROUSEL_FUNCTION(ceil)
CAROUSEL_FUNCTION(cos)
CAROUSEL_FUNCTION(cosh)
CAROUSEL_FUNCTION(erf)
CAROUSEL_FUNCTION(erfc)
CAROUSEL_FUNCTION(exp)
CAROUSEL_FUNCTION(exp2)
CAROUSEL_FUNCTION(expm1)
CAROUSEL_FUNCTION(floor)
CAROUSEL_FUNCTION(log)
CAROUSEL_FUNCTION(log10)
CAROUSEL_FUNCTION(log1p)
CAROUSEL_FUNCTION(log2)
CAROUSEL_FUNCTION(rint)
CAROUSEL_FUNCTION(round)
CAROUSEL_FUNCTION(rsqrt)
CAROUSEL_FUNCTION(sin)
CAROUSEL_FUNCTION(sinh)
CAROUSEL_FUNCTION(sqrt)
CAROUSEL_FUNCTION(tan)
CAROUSEL_FUNCTION(tanh)
CAROUSEL_FUNCTION(trunc)
CAROUSEL_FUNCTION_OF_TWO(atan2)
CAROUSEL_FUNCTION_OF_TWO(copysign)
CAROUSEL_FUNCTION_OF_TWO(fmod)
CAROUSEL_FUNCTION_OF_TWO(pow)

#undef CAROUSEL_FUNCTION_OF_TWO
#undef CAROUSEL_FUNCTION

// Functions that are one instruction, of numbers and of vectors.
#define CAROUSEL_APPROXIMATION(NAME, INSTRUCTION)                              \
  CAROUSEL_DEVICE float approximate_##NAME(float a) {                          \
    float result;                                                              \
    asm(INSTRUCTION " %0, %1;" : "=f"(result) : "f"(a));                       \
    return result;                                                             \
  }                                                                            \
  template <int Lanes>                                                         \
  CAROUSEL_DEVICE vec<float, Lanes> approximate_##NAME(                        \
      const vec<float, Lanes> &x) {                                            \
    vec<float, Lanes> result;                                                  \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] =              \
        approximate_##NAME(x[i]);                                              \
    return result;                                                             \
  }

CAROUSEL_APPROXIMATION(exp2, "ex2.approx.ftz.f32")
CAROUSEL_APPROXIMATION(tanh, "tanh.approx.f32")

#undef CAROUSEL_APPROXIMATION

/// Within 2 ulp of float, and without a branch. Of bf16, this is the correctly
/// rounded quotient.
CAROUSEL_DEVICE float approximate_quotient(float a, float b) {
  float result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
template <typename Narrow>
CAROUSEL_DEVICE Narrow approximate_quotient(Narrow a, Narrow b) {
  return Narrow(approximate_quotient(float(a), float(b)));
}
CAROUSEL_OF_TWO_VECTORS(approximate_quotient)

// The larger or the smaller of two numbers, where -0 is smaller than +0. Where
// one is NaN: the other one of maxnum and minnum, NaN of maximum and minimum.
#define CAROUSEL_EXTREMUM(NAME, INSTRUCTION, TYPE, CONSTRAINT, FIELD)          \
  CAROUSEL_DEVICE TYPE NAME(TYPE a, TYPE b) {                                  \
    TYPE result;                                                               \
    asm(INSTRUCTION " %0, %1, %2;"                                             \
        : "=" CONSTRAINT(result FIELD)                                         \
        : CONSTRAINT(a FIELD), CONSTRAINT(b FIELD));                           \
    return result;                                                             \
  }
#define CAROUSEL_EXTREMUM_OF_VECTORS(NAME)                                     \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<Element, Lanes> NAME(const vec<Element, Lanes> &x,       \
                                           const vec<Element, Lanes> &y) {     \
    if constexpr (Lanes % 2 == 0 && detail::pairs_of<Element>::exist) {        \
      return detail::in_pairs<detail::pairs_of<Element>::NAME>(x, y);          \
    } else {                                                                   \
      vec<Element, Lanes> result;                                              \
      _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] =            \
          NAME(x[i], y[i]);                                                    \
      return result;                                                           \
    }                                                                          \
  }
#define CAROUSEL_EXTREMA(NAME, NAN_NAME, INSTRUCTION, OF_DOUBLES)              \
  CAROUSEL_DEVICE float NAME(float a, float b) {                               \
    return ::OF_DOUBLES##f(a, b);                                              \
  }                                                                            \
  CAROUSEL_DEVICE double NAME(double a, double b) {                            \
    return ::OF_DOUBLES(a, b);                                                 \
  }                                                                            \
  CAROUSEL_EXTREMUM(NAME, INSTRUCTION ".f16", f16, "h", .bits)                 \
  CAROUSEL_EXTREMUM(NAME, INSTRUCTION ".bf16", bf16, "h", .bits)               \
  CAROUSEL_EXTREMUM(NAN_NAME, INSTRUCTION ".NaN.f32", float, "f", )            \
  CAROUSEL_EXTREMUM(NAN_NAME, INSTRUCTION ".NaN.f16", f16, "h", .bits)         \
  CAROUSEL_EXTREMUM(NAN_NAME, INSTRUCTION ".NaN.bf16", bf16, "h", .bits)       \
  CAROUSEL_DEVICE double NAN_NAME(double a, double b) {                        \
    return a != a || b != b ? __longlong_as_double(0x7ff8000000000000)         \
                            : NAME(a, b);                                      \
  }                                                                            \
  CAROUSEL_EXTREMUM_OF_VECTORS(NAME)                                           \
  CAROUSEL_EXTREMUM_OF_VECTORS(NAN_NAME)

CAROUSEL_EXTREMA(maxnum, maximum, "max", fmax)
CAROUSEL_EXTREMA(minnum, minimum, "min", fmin)

#undef CAROUSEL_OF_TWO_VECTORS
#undef CAROUSEL_EXTREMA
#undef CAROUSEL_EXTREMUM_OF_VECTORS
#undef CAROUSEL_EXTREMUM

/// a * b + c, rounded once.
CAROUSEL_DEVICE float fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
CAROUSEL_DEVICE double fma(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
CAROUSEL_DEVICE f16 fma(f16 a, f16 b, f16 c) {
  f16 result;
  asm("fma.rn.f16 %0, %1, %2, %3;"
      : "=h"(result.bits)
      : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return result;
}
CAROUSEL_DEVICE bf16 fma(bf16 a, bf16 b, bf16 c) {
  bf16 result;
  asm("fma.rn.bf16 %0, %1, %2, %3;"
      : "=h"(result.bits)
      : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return result;
}
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> fma(const vec<Element, Lanes> &x,
                                        const vec<Element, Lanes> &y,
                                        const vec<Element, Lanes> &z) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = fma(x[i], y[i], z[i]);
  return result;
}

/// The same of narrow floats in float, rounded twice: what the functions of
/// libdevice make of `math.fma`.
template <typename Number>
CAROUSEL_DEVICE Number fma_in_float(Number a, Number b, Number c) {
  return Number(__fmaf_rn(float(a), float(b), float(c)));
}
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> fma_in_float(const vec<Element, Lanes> &x,
                                                 const vec<Element, Lanes> &y,
                                                 const vec<Element, Lanes> &z) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = fma_in_float(x[i], y[i], z[i]);
  return result;
}

// Whether a number is of a kind.
#define CAROUSEL_TEST(NAME, EXPRESSION)                                        \
  template <typename Number> CAROUSEL_DEVICE bool NAME(Number a) {             \
    return EXPRESSION;                                                         \
  }                                                                            \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<bool, Lanes> NAME(const vec<Element, Lanes> &x) {        \
    vec<bool, Lanes> result;                                                   \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] = NAME(x[i]);  \
    return result;                                                             \
  }

CAROUSEL_TEST(is_nan, a != a)
CAROUSEL_TEST(is_inf, a == a && a - a != a - a)
CAROUSEL_TEST(is_finite, a - a == a - a)

#undef CAROUSEL_TEST

//===----------------------------------------------------------------------===//
// Reductions of a vector
//===----------------------------------------------------------------------===//

// From the first lane to the last, from `start` on if there is one.
#define CAROUSEL_REDUCE(NAME, START, EXPRESSION)                               \
  template <typename Number, typename Element, int Lanes>                      \
  CAROUSEL_DEVICE Element NAME(const vec<Element, Lanes> &x,                   \
                               detail::as_given_t<Element> start) {            \
    _Pragma("unroll") for (int i = 0; i < Lanes; ++i) {                        \
      const Number a = static_cast<Number>(start),                             \
                   b = static_cast<Number>(x[i]);                              \
      start = static_cast<Element>(EXPRESSION);                                \
    }                                                                          \
    return start;                                                              \
  }                                                                            \
  template <typename Number, typename Element, int Lanes>                      \
  CAROUSEL_DEVICE Element NAME(const vec<Element, Lanes> &x) {                 \
    return NAME<Number>(x, START);                                             \
  }

CAROUSEL_REDUCE(reduce_add, static_cast<Element>(0.0f), a + b)
CAROUSEL_REDUCE(reduce_mul, static_cast<Element>(1.0f), a *b)
CAROUSEL_REDUCE(reduce_and, x[0], a &b)
CAROUSEL_REDUCE(reduce_or, x[0], a | b)
CAROUSEL_REDUCE(reduce_xor, static_cast<Element>(0), a ^ b)
CAROUSEL_REDUCE(reduce_min, x[0], a < b ? a : b)
CAROUSEL_REDUCE(reduce_max, x[0], a > b ? a : b)
CAROUSEL_REDUCE(reduce_minnum, x[0], minnum(a, b))
CAROUSEL_REDUCE(reduce_maxnum, x[0], maxnum(a, b))
CAROUSEL_REDUCE(reduce_minimum, x[0], minimum(a, b))
CAROUSEL_REDUCE(reduce_maximum, x[0], maximum(a, b))

#undef CAROUSEL_REDUCE

} // namespace carousel

#include <carousel/device/parts/thread.h>

#endif // CAROUSEL_DEVICE_MATH_H
