//===- tensor_prefetch.h - cp.async.bulk.prefetch.tensor --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetches of boxes of a tensor into L2.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TENSOR_PREFETCH_H
#define CAROUSEL_DEVICE_PARTS_TENSOR_PREFETCH_H

#include <carousel/device/parts/tensor_modes.h>

namespace carousel {

#define CAROUSEL_PREFETCH(DIM, MODE, AT, TAIL, ...)                            \
  asm volatile("cp.async.bulk.prefetch.tensor." DIM ".L2.global." MODE         \
               " [%0, " AT "]" TAIL ";"                                        \
               :                                                               \
               : "l"(map), __VA_ARGS__                                         \
               : "memory")
#define CAROUSEL_SHAPE(DIM, MODE, AT, BY, NEXT, LAST, ...)                     \
  {                                                                            \
    if constexpr (Hint)                                                        \
      CAROUSEL_PREFETCH(DIM, MODE ".L2::cache_hint", AT, BY NEXT, __VA_ARGS__, \
                        "l"(policy));                                          \
    else                                                                       \
      CAROUSEL_PREFETCH(DIM, MODE, AT, BY, __VA_ARGS__);                       \
  }

namespace detail {

template <load_mode Mode, bool Hint, int Rank, int Offsets>
CAROUSEL_DEVICE void tensor_prefetch(const void *map, const int32_t (&at)[Rank],
                                     [[maybe_unused]] const int16_t *by,
                                     [[maybe_unused]] uint64_t policy) {
  check_load_mode<Mode, Rank, Offsets, false>();
  if constexpr (Mode == load_mode::tile && Rank == 1)
    CAROUSEL_SHAPE("1d", "tile", "{%1}", "", ", %2", ", %3", CAROUSEL_AT_1)
  else if constexpr (Mode == load_mode::tile && Rank == 2)
    CAROUSEL_SHAPE("2d", "tile", "{%1, %2}", "", ", %3", ", %4", CAROUSEL_AT_2)
  else if constexpr (Mode == load_mode::tile && Rank == 3)
    CAROUSEL_SHAPE("3d", "tile", "{%1, %2, %3}", "", ", %4", ", %5",
                   CAROUSEL_AT_3)
  else if constexpr (Mode == load_mode::tile && Rank == 4)
    CAROUSEL_SHAPE("4d", "tile", "{%1, %2, %3, %4}", "", ", %5", ", %6",
                   CAROUSEL_AT_4)
  else if constexpr (Mode == load_mode::tile && Rank == 5)
    CAROUSEL_SHAPE("5d", "tile", "{%1, %2, %3, %4, %5}", "", ", %6", ", %7",
                   CAROUSEL_AT_5)
  else if constexpr (Mode == load_mode::im2col && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col", "{%1, %2, %3}", ", {%4}", ", %5", ", %6",
                   CAROUSEL_AT_3, CAROUSEL_BY_1)
  else if constexpr (Mode == load_mode::im2col && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col", "{%1, %2, %3, %4}", ", {%5, %6}", ", %7",
                   ", %8", CAROUSEL_AT_4, CAROUSEL_BY_2)
  else if constexpr (Mode == load_mode::im2col && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col", "{%1, %2, %3, %4, %5}", ", {%6, %7, %8}",
                   ", %9", ", %10", CAROUSEL_AT_5, CAROUSEL_BY_3)
  else
#if CAROUSEL_SM == 0 || CAROUSEL_SM >= 100
      if constexpr (Mode == load_mode::gather4 && Rank == 5)
    CAROUSEL_SHAPE("2d", "tile::gather4", "{%1, %2, %3, %4, %5}", "", ", %6",
                   ", %7", CAROUSEL_AT_ROWS)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col::w", "{%1, %2, %3}", ", {%4, %5}", ", %6",
                   ", %7", CAROUSEL_AT_3, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col::w", "{%1, %2, %3, %4}", ", {%5, %6}", ", %7",
                   ", %8", CAROUSEL_AT_4, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col::w", "{%1, %2, %3, %4, %5}", ", {%6, %7}",
                   ", %8", ", %9", CAROUSEL_AT_5, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col::w::128", "{%1, %2, %3}", ", {%4, %5}", ", %6",
                   ", %7", CAROUSEL_AT_3, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col::w::128", "{%1, %2, %3, %4}", ", {%5, %6}",
                   ", %7", ", %8", CAROUSEL_AT_4, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col::w::128", "{%1, %2, %3, %4, %5}", ", {%6, %7}",
                   ", %8", ", %9", CAROUSEL_AT_5, CAROUSEL_BY_W)
  else
#endif
  {
  }
}

} // namespace detail

#undef CAROUSEL_SHAPE
#undef CAROUSEL_PREFETCH
/// Brings a box into L2; a hint. Modes, coordinates and offsets are those of
/// tensor_load.
/// PTX: cp.async.bulk.prefetch.tensor.{1d .. 5d}.L2.global
///      .{tile, tile::gather4} [map, {coordinates}]; sm_90; gather4: sm_100a
template <load_mode Mode = load_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_prefetch(const void *map,
                                     const int32_t (&coordinates)[Rank]) {
  detail::tensor_prefetch<Mode, false, Rank, 0>(map, coordinates, nullptr, 0);
}

/// PTX: ....L2::cache_hint [map, {coordinates}], policy
template <load_mode Mode = load_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_prefetch(const void *map,
                                     const int32_t (&coordinates)[Rank],
                                     uint64_t policy) {
  detail::tensor_prefetch<Mode, true, Rank, 0>(map, coordinates, nullptr,
                                               policy);
}

/// PTX: cp.async.bulk.prefetch.tensor.{3d, 4d, 5d}.L2.global.{im2col,
///      im2col::w, im2col::w::128} [map, {coordinates}], {offsets}; im2col:
///      sm_90; others: sm_100a
template <load_mode Mode, int Rank, int Offsets>
CAROUSEL_DEVICE void tensor_prefetch(const void *map,
                                     const int32_t (&coordinates)[Rank],
                                     const int16_t (&offsets)[Offsets]) {
  detail::tensor_prefetch<Mode, false, Rank, Offsets>(map, coordinates, offsets,
                                                      0);
}

/// PTX: ....L2::cache_hint [map, {coordinates}], {offsets}, policy
template <load_mode Mode, int Rank, int Offsets>
CAROUSEL_DEVICE void
tensor_prefetch(const void *map, const int32_t (&coordinates)[Rank],
                const int16_t (&offsets)[Offsets], uint64_t policy) {
  detail::tensor_prefetch<Mode, true, Rank, Offsets>(map, coordinates, offsets,
                                                     policy);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TENSOR_PREFETCH_H
