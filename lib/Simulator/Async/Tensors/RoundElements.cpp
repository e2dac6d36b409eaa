//===- RoundElements.cpp - elements that loads change ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RoundElements.h.
//
//===----------------------------------------------------------------------===//

#include "RoundElements.h"

#include <cstring>

namespace carousel::sim {

static constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000;

template <typename Change>
static void changeElements(char *bytes, uint64_t size, Change change) {
  for (uint64_t at = 0; at + sizeof(uint32_t) <= size; at += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, bytes + at, sizeof(bits));
    bits = change(bits);
    std::memcpy(bytes + at, &bits, sizeof(bits));
  }
}

void flushSubnormals(char *bytes, uint64_t size) {
  changeElements(bytes, size, [](uint32_t bits) {
    return (bits & kInfinity) == 0 ? bits & kSign : bits;
  });
}

void roundToTF32(char *bytes, uint64_t size) {
  changeElements(bytes, size, [](uint32_t bits) {
    constexpr uint32_t kNaN = 0x7fffe000, kUnit = 1 << 13;
    if ((bits & ~kSign) > kInfinity)
      return kNaN;
    uint32_t lower = bits / kUnit, dropped = bits % kUnit;
    bool isUpper = dropped > kUnit / 2 || (dropped == kUnit / 2 && lower % 2);
    return (lower + isUpper) * kUnit;
  });
}

} // namespace carousel::sim
