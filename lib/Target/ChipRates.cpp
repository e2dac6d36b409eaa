//===- ChipRates.cpp - bandwidths, latencies and issue rates --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/ChipRates.h"

using namespace carousel;

// clang-format off
// Measured on an H200: bandwidth by the copy ring beside cudaMemcpyAsync, that
// of an SM by sums of 32 CTAs, the overhead by short kernels after a flush of
// L2. Latencies, barrier and slot are those with which the predictions meet a
// sweep of the examples best. Data sheets give SMs, clocks and bandwidths of
// the others, of which a copy reaches about 0.89 as on the H200, and an SM 2.2
// times its share.
static constexpr ChipRates kRates[] = {
    // product         measured SMs  GHz   B/ns   of SM  load   store  launch  barrier slot issue special shared arith shared special
    {"A100 80GB SXM",  false,   108, 1.41, 1815.0, 37.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0,  0.5,    128.0, 4.5,  24.0,  20.0},
    {"A40",            false,    84, 1.74,  619.0, 16.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0,  0.5,    128.0, 4.5,  24.0,  20.0},
    {"L40S",           false,   142, 2.52,  769.0, 12.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0,  0.5,    128.0, 4.5,  24.0,  20.0},
    {"H200 SXM",       true,    132, 1.755, 4214.0, 70.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0, 0.5,    128.0, 4.5,  24.0,  20.0},
    {"B200",           false,   148, 1.85, 7100.0, 105.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0, 0.5,    128.0, 4.5,  24.0,  20.0},
    {"RTX PRO 6000",   false,   188, 2.3,  1595.0, 19.0, 500.0, 500.0, 5300.0, 40.0, 120.0, 4.0,  0.5,    128.0, 4.5,  24.0,  20.0},
};
// clang-format on

const ChipRates &carousel::getChipRates(const TargetInfo &info) {
  switch (info.sm) {
  case 80:
    return kRates[0];
  case 86:
    return kRates[1];
  case 89:
    return kRates[2];
  case 90:
    return kRates[3];
  case 100:
    return kRates[4];
  case 120:
    return kRates[5];
  }
  llvm_unreachable("a chip of the table of TargetInfo");
}
