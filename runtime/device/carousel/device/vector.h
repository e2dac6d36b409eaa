//===- vector.h - vectors of values -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of scalar values in registers: what MLIR's vectors of one dimension
// are, with its operations, element by element. Loads and stores move up to 16
// bytes at a time where the alignment that the caller vouches for allows it. A
// vec<bool, N> is a mask; it isn't loaded or stored, since its layout in memory
// isn't MLIR's.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_VECTOR_H
#define CAROUSEL_DEVICE_VECTOR_H

#include <carousel/device/types.h>

namespace carousel {

namespace detail {

CAROUSEL_CONSTANT int round_to_power_of_two(int value) {
  int power = 1;
  while (power < value)
    power *= 2;
  return power;
}

template <typename One, typename Other> constexpr bool same = false;
template <typename One> constexpr bool same<One, One> = true;

} // namespace detail

/// `Lanes` values. Size and alignment are those of MLIR's vector: the elements'
/// bytes, rounded up to a power of two.
template <typename Element, int Lanes>
struct alignas(detail::round_to_power_of_two(
    Lanes *static_cast<int>(sizeof(Element)))) vec {
  static_assert(Lanes > 0, "expected a vector with elements");
  Element lane[Lanes];

  CAROUSEL_DEVICE Element &operator[](int i) { return lane[i]; }
  CAROUSEL_DEVICE const Element &operator[](int i) const { return lane[i]; }
};

//===----------------------------------------------------------------------===//
// Making and taking apart
//===----------------------------------------------------------------------===//

/// `Lanes` times the same value.
template <int Lanes, typename Element>
CAROUSEL_DEVICE vec<Element, Lanes> broadcast(Element value) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = value;
  return result;
}

/// 0, 1, 2, ...
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> step() {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = static_cast<Element>(i);
  return result;
}

/// The mask of the lanes before `count`.
template <int Lanes>
CAROUSEL_DEVICE vec<bool, Lanes> first_lanes(int64_t count) {
  vec<bool, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = i < count;
  return result;
}

/// `vector` with `value` in lane `i`.
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> insert(Element value,
                                           vec<Element, Lanes> vector, int i) {
  vector[i] = value;
  return vector;
}

/// Lanes `First` to `First + Count - 1`.
template <int First, int Count, typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Count>
extract_slice(const vec<Element, Lanes> &vector) {
  static_assert(First >= 0 && First + Count <= Lanes,
                "expected lanes in range");
  vec<Element, Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    result[i] = vector[First + i];
  return result;
}

/// `vector` with `part` from lane `First` on.
template <int First, typename Element, int Count, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes>
insert_slice(const vec<Element, Count> &part, vec<Element, Lanes> vector) {
  static_assert(First >= 0 && First + Count <= Lanes,
                "expected lanes in range");
#pragma unroll
  for (int i = 0; i < Count; ++i)
    vector[First + i] = part[i];
  return vector;
}

/// Lanes by number, of `a` and then of `b`; -1 is any.
template <int... Numbers, typename Element, int First, int Second>
CAROUSEL_DEVICE vec<Element, sizeof...(Numbers)>
shuffle(const vec<Element, First> &a, const vec<Element, Second> &b) {
  static_assert(((Numbers >= -1 && Numbers < First + Second) && ...),
                "expected numbers of lanes");
  if constexpr (sizeof(Element) == 1 && First == 4 && Second == 4 &&
                sizeof...(Numbers) == 4) {
    // A word for each, and an instruction: compilers take bytes apart.
    unsigned at = 0, selector = 0, words[2];
    ((selector |= unsigned(Numbers < 0 ? 0 : Numbers) << (4 * at++)), ...);
    memcpy(&words[0], &a, sizeof(a));
    memcpy(&words[1], &b, sizeof(b));
    unsigned permuted = __byte_perm(words[0], words[1], selector);
    vec<Element, 4> result;
    memcpy(&result, &permuted, sizeof(result));
    return result;
  }
  return {{(Numbers < 0       ? a[0]
            : Numbers < First ? a[Numbers < 0 || Numbers >= First ? 0 : Numbers]
                              : b[Numbers < First ? 0 : Numbers - First])...}};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// `function` of the lanes of each vector: `map([](float x) { return sqrtf(x);
/// }, v)`.
template <typename Function, typename First, int Lanes, typename... Others>
CAROUSEL_DEVICE auto map(Function function, const vec<First, Lanes> &first,
                         const vec<Others, Lanes> &...others) {
  vec<decltype(function(first[0], others[0]...)), Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = function(first[i], others[i]...);
  return result;
}

/// The lanes as another type, as static_cast has it.
template <typename To, typename Element, int Lanes>
CAROUSEL_DEVICE vec<To, Lanes> convert(const vec<Element, Lanes> &vector) {
  vec<To, Lanes> result;
  if constexpr (detail::same<Element, float> && detail::pairs_of<To>::exist &&
                Lanes % 2 == 0) {
#pragma unroll
    for (int i = 0; i < Lanes; i += 2)
      detail::pairs_of<To>::narrow(&result[i], vector[i], vector[i + 1]);
  } else {
#pragma unroll
    for (int i = 0; i < Lanes; ++i)
      result[i] = static_cast<To>(vector[i]);
  }
  return result;
}

/// The same bits as another type, a vec or not.
template <typename To, typename From>
CAROUSEL_DEVICE To bit_cast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "expected as many bits");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

template <typename Value>
CAROUSEL_DEVICE Value select(bool condition, const Value &yes,
                             const Value &no) {
  return condition ? yes : no;
}
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> select(const vec<bool, Lanes> &mask,
                                           const vec<Element, Lanes> &yes,
                                           const vec<Element, Lanes> &no) {
  vec<Element, Lanes> result;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    result[i] = mask[i] ? yes[i] : no[i];
  return result;
}

#define CAROUSEL_LANES(RESULT, VALUE)                                          \
  vec<RESULT, Lanes> result;                                                   \
  _Pragma("unroll") for (int i = 0; i < Lanes; ++i) result[i] =                \
      static_cast<RESULT>(VALUE);                                              \
  return result;

#define CAROUSEL_BINARY(RESULT, NAME)                                          \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<RESULT, Lanes> operator NAME(                            \
      const vec<Element, Lanes> &a, const vec<Element, Lanes> &b) {            \
    CAROUSEL_LANES(RESULT, a[i] NAME b[i])                                     \
  }
namespace detail {

/// Computes two lanes at once.
template <uint32_t (*Compute)(uint32_t, uint32_t), typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> in_pairs(const vec<Element, Lanes> &a,
                                             const vec<Element, Lanes> &b) {
  using pairs = vec<uint32_t, Lanes / 2>;
  pairs x = bit_cast<pairs>(a), y = bit_cast<pairs>(b);
#pragma unroll
  for (int i = 0; i < Lanes / 2; ++i)
    x[i] = Compute(x[i], y[i]);
  return bit_cast<vec<Element, Lanes>>(x);
}

} // namespace detail

// f16 and bf16 are computed in pairs.
#define CAROUSEL_BINARY_IN_PAIRS(NAME, PAIR)                                   \
  template <typename Element, int Lanes>                                       \
  CAROUSEL_DEVICE vec<Element, Lanes> operator NAME(                           \
      const vec<Element, Lanes> &a, const vec<Element, Lanes> &b) {            \
    if constexpr (Lanes % 2 == 0 && detail::pairs_of<Element>::exist) {        \
      return detail::in_pairs<detail::pairs_of<Element>::PAIR>(a, b);          \
    } else {                                                                   \
      CAROUSEL_LANES(Element, a[i] NAME b[i])                                  \
    }                                                                          \
  }

CAROUSEL_BINARY_IN_PAIRS(+, add)
CAROUSEL_BINARY_IN_PAIRS(-, sub)
CAROUSEL_BINARY_IN_PAIRS(*, mul)
CAROUSEL_BINARY(Element, /)
CAROUSEL_BINARY(Element, %)
CAROUSEL_BINARY(Element, &)
CAROUSEL_BINARY(Element, |)
CAROUSEL_BINARY(Element, ^)
CAROUSEL_BINARY(Element, <<)
CAROUSEL_BINARY(Element, >>)
CAROUSEL_BINARY(bool, ==)
CAROUSEL_BINARY(bool, !=)
CAROUSEL_BINARY(bool, <)
CAROUSEL_BINARY(bool, <=)
CAROUSEL_BINARY(bool, >)
CAROUSEL_BINARY(bool, >=)

template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> operator-(const vec<Element, Lanes> &a) {
  CAROUSEL_LANES(Element, -a[i])
}
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> operator~(const vec<Element, Lanes> &a) {
  static_assert(!detail::same<Element, bool>, "expected ! of a mask");
  CAROUSEL_LANES(Element, ~a[i])
}
template <int Lanes>
CAROUSEL_DEVICE vec<bool, Lanes> operator!(const vec<bool, Lanes> &a) {
  CAROUSEL_LANES(bool, !a[i])
}

#undef CAROUSEL_BINARY_IN_PAIRS
#undef CAROUSEL_BINARY
#undef CAROUSEL_LANES

/// function(...function(function(lane 0, lane 1), lane 2)..., last lane).
template <typename Function, typename Element, int Lanes>
CAROUSEL_DEVICE Element fold(Function function,
                             const vec<Element, Lanes> &vector) {
  Element result = vector[0];
#pragma unroll
  for (int i = 1; i < Lanes; ++i)
    result = function(result, vector[i]);
  return result;
}

/// The same from `start` on.
template <typename Function, typename Element, int Lanes>
CAROUSEL_DEVICE Element fold(Function function, Element start,
                             const vec<Element, Lanes> &vector) {
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    start = function(start, vector[i]);
  return start;
}

} // namespace carousel

#include <carousel/device/parts/vector_memory.h>

#endif // CAROUSEL_DEVICE_VECTOR_H
