//===- Draw.h - random choices that a seed fixes ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same choices on every machine: distributions of the standard library
// differ between implementations. Values that break arithmetic are drawn often.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_DRAW_H
#define CAROUSEL_TEST_FUZZ_DRAW_H

#include <array>
#include <cstdint>
#include <random>

namespace carousel::fuzz {

inline constexpr std::array<int64_t, 26> kOddValues = {
    0,         1,
    -1,        2,
    3,         -2,
    5,         7,
    8,         16,
    33,        63,
    64,        127,
    1024,      65535,
    65536,     INT32_MAX,
    1ll << 31, INT32_MIN,
    1ll << 32, 1ll << 40,
    1ll << 61, INT64_MAX,
    INT64_MIN, INT64_MIN + 1};

class Draw {
public:
  Draw(uint64_t seed, uint64_t number)
      : engine(seed * 0x9E3779B97F4A7C15ull + number) {
    engine.discard(8);
  }

  /// 0 to count - 1; `count` isn't 0.
  size_t below(size_t count) { return engine() % count; }
  bool oneIn(size_t count) { return below(count) == 0; }
  int64_t oddValue() { return kOddValues[below(kOddValues.size())]; }
  template <typename Range> auto &from(Range &range) {
    return range[below(range.size())];
  }

private:
  std::mt19937_64 engine;
};

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_DRAW_H
