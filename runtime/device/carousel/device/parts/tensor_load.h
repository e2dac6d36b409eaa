//===- tensor_load.h - cp.async.bulk.tensor, loads --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of a box of a tensor into shared memory, which complete on an mbarrier.
// One thread issues each.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TENSOR_LOAD_H
#define CAROUSEL_DEVICE_PARTS_TENSOR_LOAD_H

#include <carousel/device/parts/tensor_modes.h>

namespace carousel {

#define CAROUSEL_LOAD(DIM, TO, MODE, FLAGS, AT, TAIL, ...)                     \
  asm volatile("cp.async.bulk.tensor." DIM "." TO ".global." MODE              \
               ".mbarrier::complete_tx::bytes" FLAGS " [%0], [%1, " AT         \
               "], [%2]" TAIL ";"                                              \
               :                                                               \
               : "r"(destination), "l"(map), "r"(barrier), __VA_ARGS__         \
               : "memory")
#define CAROUSEL_WAYS(DIM, MODE, AT, BY, NEXT, LAST, GROUP, ...)               \
  if constexpr (To == goal::own && !Hint)                                      \
    CAROUSEL_LOAD(DIM, CAROUSEL_OWN, MODE, GROUP, AT, BY, __VA_ARGS__);        \
  else if constexpr (To == goal::own)                                          \
    CAROUSEL_LOAD(DIM, CAROUSEL_OWN, MODE, GROUP ".L2::cache_hint", AT,        \
                  BY NEXT, __VA_ARGS__, "l"(policy));                          \
  else if constexpr (To == goal::cluster && !Hint)                             \
    CAROUSEL_LOAD(DIM, "shared::cluster", MODE, GROUP, AT, BY, __VA_ARGS__);   \
  else if constexpr (To == goal::cluster)                                      \
    CAROUSEL_LOAD(DIM, "shared::cluster", MODE, ".L2::cache_hint" GROUP, AT,   \
                  BY NEXT, __VA_ARGS__, "l"(policy));                          \
  else if constexpr (!Hint)                                                    \
    CAROUSEL_LOAD(DIM, "shared::cluster", MODE, ".multicast::cluster" GROUP,   \
                  AT, BY NEXT, __VA_ARGS__, "h"(ctas));                        \
  else                                                                         \
    CAROUSEL_LOAD(DIM, "shared::cluster", MODE,                                \
                  ".multicast::cluster"                                        \
                  ".L2::cache_hint" GROUP,                                     \
                  AT, BY NEXT LAST, __VA_ARGS__, "h"(ctas), "l"(policy));
// cta_group is sm_100a's; elsewhere its statements would only take time.
#if CAROUSEL_SM == 0 || CAROUSEL_SM >= 100
#define CAROUSEL_SHAPE(DIM, MODE, AT, BY, NEXT, LAST, ...)                     \
  {                                                                            \
    if constexpr (CTAGroup == 0) {                                             \
      CAROUSEL_WAYS(DIM, MODE, AT, BY, NEXT, LAST, "", __VA_ARGS__)            \
    } else if constexpr (CTAGroup == 1) {                                      \
      CAROUSEL_WAYS(DIM, MODE, AT, BY, NEXT, LAST, ".cta_group::1",            \
                    __VA_ARGS__)                                               \
    } else {                                                                   \
      CAROUSEL_WAYS(DIM, MODE, AT, BY, NEXT, LAST, ".cta_group::2",            \
                    __VA_ARGS__)                                               \
    }                                                                          \
  }
#else
#define CAROUSEL_SHAPE(DIM, MODE, AT, BY, NEXT, LAST, ...)                     \
  {CAROUSEL_WAYS(DIM, MODE, AT, BY, NEXT, LAST, "", __VA_ARGS__)}
#endif
// As in bulk.h.
#if CAROUSEL_PTX >= 86
#define CAROUSEL_OWN "shared::cta"
#else
#define CAROUSEL_OWN "shared::cluster"
#endif

namespace detail {

/// Where a load goes.
enum class goal { own, cluster, multicast };

template <load_mode Mode, goal To, int CTAGroup, bool Hint, int Rank,
          int Offsets>
CAROUSEL_DEVICE void tensor_load(const void *map, const int32_t (&at)[Rank],
                                 [[maybe_unused]] const int16_t *by,
                                 uint32_t destination, uint32_t barrier,
                                 [[maybe_unused]] uint16_t ctas,
                                 [[maybe_unused]] uint64_t policy) {
  check_load_mode<Mode, Rank, Offsets, To == goal::own>();
  static_assert(CTAGroup >= 0 && CTAGroup <= 2,
                "expected a CTA group of 1 or 2, or 0 for none");
  static_assert(CTAGroup == 0 || target::on<CTAGroup>::has_family(100, 86),
                "cta_group needs sm_100a and PTX 8.6");
  if constexpr (Mode == load_mode::tile && Rank == 1)
    CAROUSEL_SHAPE("1d", "tile", "{%3}", "", ", %4", ", %5", CAROUSEL_AT_1)
  else if constexpr (Mode == load_mode::tile && Rank == 2)
    CAROUSEL_SHAPE("2d", "tile", "{%3, %4}", "", ", %5", ", %6", CAROUSEL_AT_2)
  else if constexpr (Mode == load_mode::tile && Rank == 3)
    CAROUSEL_SHAPE("3d", "tile", "{%3, %4, %5}", "", ", %6", ", %7",
                   CAROUSEL_AT_3)
  else if constexpr (Mode == load_mode::tile && Rank == 4)
    CAROUSEL_SHAPE("4d", "tile", "{%3, %4, %5, %6}", "", ", %7", ", %8",
                   CAROUSEL_AT_4)
  else if constexpr (Mode == load_mode::tile && Rank == 5)
    CAROUSEL_SHAPE("5d", "tile", "{%3, %4, %5, %6, %7}", "", ", %8", ", %9",
                   CAROUSEL_AT_5)
  else if constexpr (Mode == load_mode::im2col && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col", "{%3, %4, %5}", ", {%6}", ", %7", ", %8",
                   CAROUSEL_AT_3, CAROUSEL_BY_1)
  else if constexpr (Mode == load_mode::im2col && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col", "{%3, %4, %5, %6}", ", {%7, %8}", ", %9",
                   ", %10", CAROUSEL_AT_4, CAROUSEL_BY_2)
  else if constexpr (Mode == load_mode::im2col && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col", "{%3, %4, %5, %6, %7}", ", {%8, %9, %10}",
                   ", %11", ", %12", CAROUSEL_AT_5, CAROUSEL_BY_3)
  else
#if CAROUSEL_SM == 0 || CAROUSEL_SM >= 100
      if constexpr (Mode == load_mode::gather4 && Rank == 5)
    CAROUSEL_SHAPE("2d", "tile::gather4", "{%3, %4, %5, %6, %7}", "", ", %8",
                   ", %9", CAROUSEL_AT_ROWS)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col::w", "{%3, %4, %5}", ", {%6, %7}", ", %8",
                   ", %9", CAROUSEL_AT_3, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col::w", "{%3, %4, %5, %6}", ", {%7, %8}", ", %9",
                   ", %10", CAROUSEL_AT_4, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col::w", "{%3, %4, %5, %6, %7}", ", {%8, %9}",
                   ", %10", ", %11", CAROUSEL_AT_5, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 3)
    CAROUSEL_SHAPE("3d", "im2col::w::128", "{%3, %4, %5}", ", {%6, %7}", ", %8",
                   ", %9", CAROUSEL_AT_3, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 4)
    CAROUSEL_SHAPE("4d", "im2col::w::128", "{%3, %4, %5, %6}", ", {%7, %8}",
                   ", %9", ", %10", CAROUSEL_AT_4, CAROUSEL_BY_W)
  else if constexpr (Mode == load_mode::im2col_w_128 && Rank == 5)
    CAROUSEL_SHAPE("5d", "im2col::w::128", "{%3, %4, %5, %6, %7}", ", {%8, %9}",
                   ", %10", ", %11", CAROUSEL_AT_5, CAROUSEL_BY_W)
  else
#endif
  {
  }
}

template <space Space> CAROUSEL_CONSTANT goal get_goal() {
  return Space == space::cluster ? goal::cluster : goal::own;
}

} // namespace detail

#undef CAROUSEL_OWN
#undef CAROUSEL_SHAPE
#undef CAROUSEL_WAYS
#undef CAROUSEL_LOAD

/// Copies a box of the tensor that `map` describes, a tensor_map or the
/// driver's CUtensorMap, to shared memory and lowers the barrier's pending
/// bytes by those of the whole box. Coordinates are the first element's, the
/// outermost first; for gather4 `{row, row, row, row, column}`.
/// With `space::cluster` tile and barrier are in the cluster's window. A
/// `CTAGroup` of 2 lets the barrier lie in the CTA's peer of a pair.
/// PTX: cp.async.bulk.tensor.{1d .. 5d}.shared::{cta, cluster}.global
///      .{tile, tile::gather4}.mbarrier::complete_tx::bytes{, .cta_group::1,
///      .cta_group::2} [destination], [map, {coordinates}], [barrier]; sm_90;
///      gather4: sm_100a, sm_120a; gather4 to the cluster, cta_group: sm_100a
template <load_mode Mode = load_mode::tile, space Space = space::shared,
          int CTAGroup = 0, int Rank>
CAROUSEL_DEVICE void tensor_load(const void *map,
                                 const int32_t (&coordinates)[Rank],
                                 void *destination, mbarrier *barrier) {
  detail::tensor_load<Mode, detail::get_goal<Space>(), CTAGroup, false, Rank,
                      0>(map, coordinates, nullptr,
                         detail::to_window<Space>(destination),
                         detail::to_window<Space>(barrier), 0, 0);
}

/// As above, with a cache policy.
/// PTX: ....L2::cache_hint [destination], [map, {coordinates}], [barrier],
///      policy
template <load_mode Mode = load_mode::tile, space Space = space::shared,
          int CTAGroup = 0, int Rank>
CAROUSEL_DEVICE void
tensor_load(const void *map, const int32_t (&coordinates)[Rank],
            void *destination, mbarrier *barrier, uint64_t policy) {
  detail::tensor_load<Mode, detail::get_goal<Space>(), CTAGroup, true, Rank, 0>(
      map, coordinates, nullptr, detail::to_window<Space>(destination),
      detail::to_window<Space>(barrier), 0, policy);
}

/// To the same offset in each CTA of the mask, whose barrier at the same offset
/// is signalled. Tile and barrier are given in the CTA's own memory.
/// PTX: ....shared::cluster.....multicast::cluster{, .cta_group} [destination],
///      [map, {coordinates}], [barrier], ctas
template <load_mode Mode = load_mode::tile, space Space = space::shared,
          int CTAGroup = 0, int Rank>
CAROUSEL_DEVICE void
tensor_load(const void *map, const int32_t (&coordinates)[Rank],
            void *destination, mbarrier *barrier, multicast mask) {
  static_assert(Space == space::shared,
                "a multicast takes memory of the CTA itself");
  detail::tensor_load<Mode, detail::goal::multicast, CTAGroup, false, Rank, 0>(
      map, coordinates, nullptr, detail::to_shared(destination),
      detail::to_shared(barrier), mask.ctas, 0);
}

/// PTX: ....multicast::cluster{, .cta_group}.L2::cache_hint [destination],
///      [map, {coordinates}], [barrier], ctas, policy
template <load_mode Mode = load_mode::tile, space Space = space::shared,
          int CTAGroup = 0, int Rank>
CAROUSEL_DEVICE void tensor_load(const void *map,
                                 const int32_t (&coordinates)[Rank],
                                 void *destination, mbarrier *barrier,
                                 multicast mask, uint64_t policy) {
  static_assert(Space == space::shared,
                "a multicast takes memory of the CTA itself");
  detail::tensor_load<Mode, detail::goal::multicast, CTAGroup, true, Rank, 0>(
      map, coordinates, nullptr, detail::to_shared(destination),
      detail::to_shared(barrier), mask.ctas, policy);
}

/// The im2col modes: coordinates `{n, (d, h,) w, c}`, and offsets: one for each
/// spatial dimension (im2col), or `{halo, offset}` (im2col_w, im2col_w_128).
/// PTX: cp.async.bulk.tensor.{3d, 4d, 5d}.shared::{cta, cluster}.global
///      .{im2col, im2col::w, im2col::w::128}.mbarrier::complete_tx::bytes
///      {, .cta_group} [destination], [map, {coordinates}], [barrier],
///      {offsets}; im2col: sm_90; im2col_w: sm_100a, sm_120a; im2col_w_128,
///      im2col_w to the cluster: sm_100a
template <load_mode Mode, space Space = space::shared, int CTAGroup = 0,
          int Rank, int Offsets>
CAROUSEL_DEVICE void tensor_load(const void *map,
                                 const int32_t (&coordinates)[Rank],
                                 const int16_t (&offsets)[Offsets],
                                 void *destination, mbarrier *barrier) {
  detail::tensor_load<Mode, detail::get_goal<Space>(), CTAGroup, false, Rank,
                      Offsets>(map, coordinates, offsets,
                               detail::to_window<Space>(destination),
                               detail::to_window<Space>(barrier), 0, 0);
}

/// PTX: ....L2::cache_hint ..., policy
template <load_mode Mode, space Space = space::shared, int CTAGroup = 0,
          int Rank, int Offsets>
CAROUSEL_DEVICE void
tensor_load(const void *map, const int32_t (&coordinates)[Rank],
            const int16_t (&offsets)[Offsets], void *destination,
            mbarrier *barrier, uint64_t policy) {
  detail::tensor_load<Mode, detail::get_goal<Space>(), CTAGroup, true, Rank,
                      Offsets>(map, coordinates, offsets,
                               detail::to_window<Space>(destination),
                               detail::to_window<Space>(barrier), 0, policy);
}

/// PTX: ....multicast::cluster{, .cta_group} ..., ctas
template <load_mode Mode, space Space = space::shared, int CTAGroup = 0,
          int Rank, int Offsets>
CAROUSEL_DEVICE void
tensor_load(const void *map, const int32_t (&coordinates)[Rank],
            const int16_t (&offsets)[Offsets], void *destination,
            mbarrier *barrier, multicast mask) {
  static_assert(Space == space::shared,
                "a multicast takes memory of the CTA itself");
  detail::tensor_load<Mode, detail::goal::multicast, CTAGroup, false, Rank,
                      Offsets>(map, coordinates, offsets,
                               detail::to_shared(destination),
                               detail::to_shared(barrier), mask.ctas, 0);
}

/// PTX: ....multicast::cluster{, .cta_group}.L2::cache_hint ..., ctas, policy
template <load_mode Mode, space Space = space::shared, int CTAGroup = 0,
          int Rank, int Offsets>
CAROUSEL_DEVICE void
tensor_load(const void *map, const int32_t (&coordinates)[Rank],
            const int16_t (&offsets)[Offsets], void *destination,
            mbarrier *barrier, multicast mask, uint64_t policy) {
  static_assert(Space == space::shared,
                "a multicast takes memory of the CTA itself");
  detail::tensor_load<Mode, detail::goal::multicast, CTAGroup, true, Rank,
                      Offsets>(map, coordinates, offsets,
                               detail::to_shared(destination),
                               detail::to_shared(barrier), mask.ctas, policy);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TENSOR_LOAD_H
