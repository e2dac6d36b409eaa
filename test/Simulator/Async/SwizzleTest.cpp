//===- SwizzleTest.cpp - swizzled tiles against tables --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of each byte is compared with the rule by rows and chunks: in
// lines of 128 bytes, chunk c of line r is found at chunk c xor a function of
// r.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Tensors/SimTensorMap.h"

#include "gtest/gtest.h"

#include <set>

using namespace carousel::sim;

namespace {

struct Rule {
  Swizzle swizzle;
  unsigned span, chunk; // bytes
};
constexpr Rule kRules[] = {
    {Swizzle::None, 16, 16},        {Swizzle::B32, 32, 16},
    {Swizzle::B64, 64, 16},         {Swizzle::B128, 128, 16},
    {Swizzle::B128Atom32, 128, 32}, {Swizzle::B128Atom64, 128, 64}};

uint64_t expected(const Rule &rule, uint64_t address) {
  uint64_t line = address / 128, chunks = rule.span / rule.chunk;
  uint64_t span = address / rule.span * rule.span;
  uint64_t chunk = address % rule.span / rule.chunk;
  // Spans shorter than a line: the lines of 128 bytes count, in steps of what
  // repeats.
  return span + (chunk ^ (line % chunks)) * rule.chunk + address % rule.chunk;
}

TEST(Swizzle, FollowsLinesAndChunks) {
  for (const Rule &rule : kRules)
    for (uint64_t address = 0; address < 8192; ++address)
      ASSERT_EQ(swizzleAddress(rule.swizzle, address), expected(rule, address))
          << "swizzle " << int(rule.swizzle) << ", address " << address;
}

TEST(Swizzle, FlipsHalvesInEveryOtherLine) {
  for (uint64_t address = 0; address < 8192; ++address) {
    uint64_t plain = swizzleAddress(Swizzle::B128Atom32, address);
    ASSERT_EQ(swizzleAddress(Swizzle::B128Atom32Flip8, address),
              address / 128 % 2 ? plain ^ 8 : plain);
  }
}

TEST(Swizzle, IsItsOwnInverseAndStaysInItsLine) {
  for (unsigned swizzle = 0; swizzle <= unsigned(Swizzle::B128Atom64);
       ++swizzle) {
    std::set<uint64_t> seen;
    for (uint64_t address = 1 << 20; address < (1 << 20) + 2048; ++address) {
      uint64_t to = swizzleAddress(Swizzle(swizzle), address);
      ASSERT_EQ(swizzleAddress(Swizzle(swizzle), to), address);
      ASSERT_EQ(to / 128, address / 128);
      seen.insert(to);
    }
    EXPECT_EQ(seen.size(), 2048u);
    EXPECT_EQ(getSharedAlignment(Swizzle(swizzle)) % 128, 0u);
  }
}

} // namespace
