//===- tensor_store.h - cp.async.bulk.tensor, stores ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores of a box of shared memory into a tensor, which complete in a bulk
// group (group.h). One thread issues each.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TENSOR_STORE_H
#define CAROUSEL_DEVICE_PARTS_TENSOR_STORE_H

#include <carousel/device/parts/tensor_modes.h>

namespace carousel {

#define CAROUSEL_STORE(DIM, MODE, FLAGS, AT, TAIL, ...)                        \
  asm volatile("cp.async.bulk.tensor." DIM ".global.shared::cta." MODE         \
               ".bulk_group" FLAGS " [%0, " AT "], [%1]" TAIL ";"              \
               :                                                               \
               : "l"(map), "r"(source), __VA_ARGS__                            \
               : "memory")
#define CAROUSEL_SHAPE(DIM, MODE, AT, BY, NEXT, LAST, ...)                     \
  {                                                                            \
    if constexpr (Hint)                                                        \
      CAROUSEL_STORE(DIM, MODE, ".L2::cache_hint", AT, NEXT, __VA_ARGS__,      \
                     "l"(policy));                                             \
    else                                                                       \
      CAROUSEL_STORE(DIM, MODE, "", AT, "", __VA_ARGS__);                      \
  }

namespace detail {

template <store_mode Mode, bool Hint, int Rank>
CAROUSEL_DEVICE void tensor_store(uint32_t source, const void *map,
                                  const int32_t (&at)[Rank],
                                  [[maybe_unused]] uint64_t policy) {
  check_store_mode<Mode, Rank>();
  if constexpr (Mode == store_mode::tile && Rank == 1)
    CAROUSEL_SHAPE("1d", "tile", "{%2}", "", ", %3", ", %4", CAROUSEL_AT_1)
  else if constexpr (Mode == store_mode::tile && Rank == 2)
    CAROUSEL_SHAPE("2d", "tile", "{%2, %3}", "", ", %4", ", %5", CAROUSEL_AT_2)
  else if constexpr (Mode == store_mode::tile && Rank == 3)
    CAROUSEL_SHAPE("3d", "tile", "{%2, %3, %4}", "", ", %5", ", %6",
                   CAROUSEL_AT_3)
  else if constexpr (Mode == store_mode::tile && Rank == 4)
    CAROUSEL_SHAPE("4d", "tile", "{%2, %3, %4, %5}", "", ", %6", ", %7",
                   CAROUSEL_AT_4)
  else if constexpr (Mode == store_mode::tile && Rank == 5)
    CAROUSEL_SHAPE("5d", "tile", "{%2, %3, %4, %5, %6}", "", ", %7", ", %8",
                   CAROUSEL_AT_5)
  else if constexpr (Mode == store_mode::im2col_no_offs && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col_no_offs", "{%2, %3, %4}", "", ", %5", ", %6",
                   CAROUSEL_AT_3)
  else if constexpr (Mode == store_mode::im2col_no_offs && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col_no_offs", "{%2, %3, %4, %5}", "", ", %6",
                   ", %7", CAROUSEL_AT_4)
  else if constexpr (Mode == store_mode::im2col_no_offs && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col_no_offs", "{%2, %3, %4, %5, %6}", "", ", %7",
                   ", %8", CAROUSEL_AT_5)
  else if constexpr (Mode == store_mode::scatter4 && Rank == 5)
    CAROUSEL_SHAPE("2d", "tile::scatter4", "{%2, %3, %4, %5, %6}", "", ", %7",
                   ", %8", CAROUSEL_AT_ROWS)
  else {
  }
}

} // namespace detail

#undef CAROUSEL_SHAPE
#undef CAROUSEL_STORE
/// Copies a box from shared memory into the tensor that `map` describes, as
/// part of the bulk group that this thread commits next. Coordinates are the
/// first element's, the outermost first; for scatter4 `{row, row, row, row,
/// column}`, for im2col_no_offs `{n, (d, h,) w, c}`.
/// PTX: cp.async.bulk.tensor.{1d .. 5d}.global.shared::cta.{tile,
///      tile::scatter4, im2col_no_offs}.bulk_group [map, {coordinates}],
///      [source]; sm_90; scatter4: sm_100a
template <store_mode Mode = store_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_store(const void *source, const void *map,
                                  const int32_t (&coordinates)[Rank]) {
  detail::tensor_store<Mode, false>(detail::to_shared(source), map, coordinates,
                                    0);
}

/// PTX: ....L2::cache_hint [map, {coordinates}], [source], policy
template <store_mode Mode = store_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_store(const void *source, const void *map,
                                  const int32_t (&coordinates)[Rank],
                                  uint64_t policy) {
  detail::tensor_store<Mode, true>(detail::to_shared(source), map, coordinates,
                                   policy);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TENSOR_STORE_H
