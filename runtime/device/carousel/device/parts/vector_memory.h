//===- vector_memory.h - loads and stores of vectors ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves vectors between registers and memory of any space, in as few
// instructions as the alignment that the caller vouches for allows: of 16, 8,
// 4, 2 and 1 bytes. Included by vector.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_VECTOR_MEMORY_H
#define CAROUSEL_DEVICE_PARTS_VECTOR_MEMORY_H

#include <carousel/device/vector.h>

namespace carousel {

namespace detail {

template <int Bytes> struct chunk;
template <> struct chunk<16> {
  using type = uint4;
};
template <> struct chunk<8> {
  using type = uint2;
};
template <> struct chunk<4> {
  using type = uint32_t;
};
template <> struct chunk<2> {
  using type = uint16_t;
};
template <> struct chunk<1> {
  using type = uint8_t;
};

/// The bytes of the next access, of those that are left.
CAROUSEL_CONSTANT int get_chunk(int alignment, int left) {
  int bytes = 16;
  while (bytes > alignment || bytes > left)
    bytes /= 2;
  return bytes;
}

template <int Alignment, int At, int Bytes>
CAROUSEL_DEVICE void load_bytes(const char *from, char *to) {
  if constexpr (At < Bytes) {
    constexpr int size = get_chunk(Alignment, Bytes - At);
    using type = typename chunk<size>::type;
    const type part = *reinterpret_cast<const type *>(from + At);
    memcpy(to + At, &part, size);
    load_bytes<Alignment, At + size, Bytes>(from, to);
  }
}

template <int Alignment, int At, int Bytes>
CAROUSEL_DEVICE void store_bytes(const char *from, char *to) {
  if constexpr (At < Bytes) {
    constexpr int size = get_chunk(Alignment, Bytes - At);
    using type = typename chunk<size>::type;
    type part;
    memcpy(&part, from + At, size);
    *reinterpret_cast<type *>(to + At) = part;
    store_bytes<Alignment, At + size, Bytes>(from, to);
  }
}

template <typename Element, int Alignment> CAROUSEL_DEVICE void check_access() {
  static_assert(!same<Element, bool>,
                "masks have no layout in memory: convert them to integers");
  static_assert(Alignment > 0 && (Alignment & (Alignment - 1)) == 0,
                "expected a power of two");
  static_assert(Alignment >= static_cast<int>(alignof(Element)),
                "expected the alignment of an element at least");
}

} // namespace detail

/// The consecutive elements from `source` on, which is aligned to `Alignment`
/// bytes: `load<4>(p)`, or `load<4, 16>(p)` where p is known to be at a
/// multiple of 16 bytes.
template <int Lanes, int Alignment = 0, typename Element>
CAROUSEL_DEVICE vec<Element, Lanes> load(const Element *source) {
  constexpr int alignment =
      Alignment ? Alignment : static_cast<int>(alignof(Element));
  detail::check_access<Element, alignment>();
  vec<Element, Lanes> result;
  detail::load_bytes<alignment, 0, Lanes *static_cast<int>(sizeof(Element))>(
      reinterpret_cast<const char *>(source),
      reinterpret_cast<char *>(result.lane));
  return result;
}

/// Stores all lanes from `destination` on: `store<16>(v, p)`.
template <int Alignment = 0, typename Element, int Lanes>
CAROUSEL_DEVICE void store(const vec<Element, Lanes> &value,
                           Element *destination) {
  constexpr int alignment =
      Alignment ? Alignment : static_cast<int>(alignof(Element));
  detail::check_access<Element, alignment>();
  detail::store_bytes<alignment, 0, Lanes *static_cast<int>(sizeof(Element))>(
      reinterpret_cast<const char *>(value.lane),
      reinterpret_cast<char *>(destination));
}

/// Loads the lanes of the mask, each on its own; the others are `rest`'s.
template <typename Element, int Lanes>
CAROUSEL_DEVICE vec<Element, Lanes> load(const Element *source,
                                         const vec<bool, Lanes> &mask,
                                         const vec<Element, Lanes> &rest) {
  vec<Element, Lanes> result = rest;
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    if (mask[i])
      result[i] = source[i];
  return result;
}

/// Stores the lanes of the mask, each on its own.
template <typename Element, int Lanes>
CAROUSEL_DEVICE void store(const vec<Element, Lanes> &value,
                           Element *destination, const vec<bool, Lanes> &mask) {
#pragma unroll
  for (int i = 0; i < Lanes; ++i)
    if (mask[i])
      destination[i] = value[i];
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_VECTOR_MEMORY_H
