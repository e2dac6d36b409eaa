//===- tensor_modes.h - coordinates and modes of tensor copies --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The needs of the modes of tensor copies, and their coordinates as operands.
// Included by the headers of the copies.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TENSOR_MODES_H
#define CAROUSEL_DEVICE_PARTS_TENSOR_MODES_H

#include <carousel/device/types.h>

namespace carousel {

// Coordinates and offsets are in memref order, outermost first; PTX's order is
// innermost first. The rows of gather4 and scatter4 keep their order after the
// column, and im2col_w's offsets are [halo, offset] in both.
#define CAROUSEL_AT_1 "r"(at[0])
#define CAROUSEL_AT_2 "r"(at[1]), CAROUSEL_AT_1
#define CAROUSEL_AT_3 "r"(at[2]), CAROUSEL_AT_2
#define CAROUSEL_AT_4 "r"(at[3]), CAROUSEL_AT_3
#define CAROUSEL_AT_5 "r"(at[4]), CAROUSEL_AT_4
#define CAROUSEL_AT_ROWS                                                       \
  "r"(at[4]), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
#define CAROUSEL_BY_1 "h"(by[0])
#define CAROUSEL_BY_2 "h"(by[1]), CAROUSEL_BY_1
#define CAROUSEL_BY_3 "h"(by[2]), CAROUSEL_BY_2
#define CAROUSEL_BY_W "h"(by[0]), "h"(by[1])

namespace detail {

/// Checks a mode's needs of coordinates, offsets and the target. `Own`: the
/// tile is in this CTA's memory, and only there.
template <load_mode Mode, int Rank, int Offsets, bool Own>
CAROUSEL_DEVICE void check_load_mode() {
  constexpr bool tiled = Mode == load_mode::tile || Mode == load_mode::gather4;
  static_assert(Rank >= 1 && Rank <= 5, "expected 1 to 5 coordinates");
  static_assert(Mode != load_mode::gather4 || Rank == 5,
                "expected four rows and a column");
  static_assert(tiled || Rank >= 3, "expected 3 to 5 coordinates for im2col");
  static_assert(!tiled || Offsets == 0, "tile and gather4 have no offsets");
  static_assert(Mode != load_mode::im2col || Offsets == Rank - 2,
                "expected an offset for each spatial dimension");
  static_assert(tiled || Mode == load_mode::im2col || Offsets == 2,
                "expected two offsets, [halo, offset]");
  if constexpr (Mode == load_mode::tile || Mode == load_mode::im2col) {
    static_assert(target::on<Mode>::has(90, 80), "tensor copies need sm_90");
  } else if constexpr (Own && Mode != load_mode::im2col_w_128) {
    static_assert(target::on<Mode>::has_specific(100, 86),
                  "gather4 and im2col_w need sm_100a or sm_120a and PTX 8.6");
  } else {
    static_assert(target::on<Mode>::has_family(100, 86),
                  "im2col_w_128, and gather4 and im2col_w to the cluster or "
                  "into L2, need sm_100a and PTX 8.6");
  }
}

template <store_mode Mode, int Rank> CAROUSEL_DEVICE void check_store_mode() {
  static_assert(Rank >= 1 && Rank <= 5, "expected 1 to 5 coordinates");
  static_assert(Mode != store_mode::scatter4 || Rank == 5,
                "expected four rows and a column");
  static_assert(Mode != store_mode::im2col_no_offs || Rank >= 3,
                "expected 3 to 5 coordinates for im2col");
  static_assert(target::on<Mode>::has(90, 80), "tensor copies need sm_90");
  static_assert(Mode != store_mode::scatter4 ||
                    target::on<Mode>::has_family(100, 86),
                "scatter4 needs sm_100a and PTX 8.6");
}

} // namespace detail

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TENSOR_MODES_H
