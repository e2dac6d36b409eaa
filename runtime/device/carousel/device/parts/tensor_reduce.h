//===- tensor_reduce.h - cp.reduce.async.bulk.tensor ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a box of shared memory into a tensor, which complete in a bulk
// group (group.h). One thread issues each: a second issue counts twice.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TENSOR_REDUCE_H
#define CAROUSEL_DEVICE_PARTS_TENSOR_REDUCE_H

#include <carousel/device/parts/tensor_modes.h>

namespace carousel {

#define CAROUSEL_KIND(KIND, TEXT, DIM, MODE, FLAGS, AT, TAIL, ...)             \
  if constexpr (Kind == reduce::KIND)                                          \
    asm volatile("cp.reduce.async.bulk.tensor." DIM                            \
                 ".global.shared::cta." TEXT "." MODE ".bulk_group" FLAGS      \
                 " [%0, " AT "], [%1]" TAIL ";"                                \
                 :                                                             \
                 : "l"(map), "r"(source), __VA_ARGS__                          \
                 : "memory");
#define CAROUSEL_KINDS(...)                                                    \
  CAROUSEL_KIND(add, "add", __VA_ARGS__)                                       \
  CAROUSEL_KIND(min, "min", __VA_ARGS__)                                       \
  CAROUSEL_KIND(max, "max", __VA_ARGS__)                                       \
  CAROUSEL_KIND(inc, "inc", __VA_ARGS__)                                       \
  CAROUSEL_KIND(dec, "dec", __VA_ARGS__)                                       \
  CAROUSEL_KIND(and_, "and", __VA_ARGS__)                                      \
  CAROUSEL_KIND(or_, "or", __VA_ARGS__)                                        \
  CAROUSEL_KIND(xor_, "xor", __VA_ARGS__)
#define CAROUSEL_SHAPE(DIM, MODE, AT, BY, NEXT, LAST, ...)                     \
  {                                                                            \
    if constexpr (Hint) {                                                      \
      CAROUSEL_KINDS(DIM, MODE, ".L2::cache_hint", AT, NEXT, __VA_ARGS__,      \
                     "l"(policy))                                              \
    } else {                                                                   \
      CAROUSEL_KINDS(DIM, MODE, "", AT, "", __VA_ARGS__)                       \
    }                                                                          \
  }

namespace detail {

template <reduce Kind, store_mode Mode, bool Hint, int Rank>
CAROUSEL_DEVICE void tensor_reduce(uint32_t source, const void *map,
                                   const int32_t (&at)[Rank],
                                   [[maybe_unused]] uint64_t policy) {
  check_store_mode<Mode, Rank>();
  static_assert(Mode != store_mode::scatter4, "scatter4 is for stores only");
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
  else {
  }
}

} // namespace detail

#undef CAROUSEL_SHAPE
#undef CAROUSEL_KINDS
#undef CAROUSEL_KIND
/// Makes each element of the box Kind(element, source), atomically and relaxed
/// at gpu scope, as part of the bulk group that this thread commits next. The
/// type of the elements is the map's.
/// PTX: cp.reduce.async.bulk.tensor.{1d .. 5d}.global.shared::cta.kind.{tile,
///      im2col_no_offs}.bulk_group [map, {coordinates}], [source]; sm_90
template <reduce Kind, store_mode Mode = store_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_reduce(const void *source, const void *map,
                                   const int32_t (&coordinates)[Rank]) {
  detail::tensor_reduce<Kind, Mode, false>(detail::to_shared(source), map,
                                           coordinates, 0);
}

/// PTX: ....L2::cache_hint [map, {coordinates}], [source], policy
template <reduce Kind, store_mode Mode = store_mode::tile, int Rank>
CAROUSEL_DEVICE void tensor_reduce(const void *source, const void *map,
                                   const int32_t (&coordinates)[Rank],
                                   uint64_t policy) {
  detail::tensor_reduce<Kind, Mode, true>(detail::to_shared(source), map,
                                          coordinates, policy);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TENSOR_REDUCE_H
