//===- RoundElementsTest.cpp - elements that loads change -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits that tensor copies of an H100 write.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Tensors/Reduce.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace carousel::sim;

namespace {

uint32_t roundBits(uint32_t bits) {
  char bytes[4];
  std::memcpy(bytes, &bits, 4);
  roundToTF32(bytes, 4);
  std::memcpy(&bits, bytes, 4);
  return bits;
}

TEST(RoundElements, NearestNumbersOfTF32) {
  EXPECT_EQ(roundBits(0x3f800fff), 0x3f800000u);
  EXPECT_EQ(roundBits(0x3f801001), 0x3f802000u);
  EXPECT_EQ(roundBits(0x3f802fff), 0x3f802000u);
  EXPECT_EQ(roundBits(0x7f7fefff), 0x7f7fe000u);
  // Subnormal numbers, and one that becomes normal.
  EXPECT_EQ(roundBits(0x00000fff), 0x00000000u);
  EXPECT_EQ(roundBits(0x00001001), 0x00002000u);
  EXPECT_EQ(roundBits(0x807fffff), 0x80800000u);
}

TEST(RoundElements, TiesAreEven) {
  EXPECT_EQ(roundBits(0x3f801000), 0x3f800000u);
  EXPECT_EQ(roundBits(0x3f803000), 0x3f804000u);
  EXPECT_EQ(roundBits(0x3f805000), 0x3f804000u);
  EXPECT_EQ(roundBits(0xbf801000), 0xbf800000u);
  EXPECT_EQ(roundBits(0xbf803000), 0xbf804000u);
  EXPECT_EQ(roundBits(0x00001000), 0x00000000u);
  EXPECT_EQ(roundBits(0x00003000), 0x00004000u);
}

TEST(RoundElements, WhatIsNotFinite) {
  EXPECT_EQ(roundBits(0x7f7fffff), 0x7f800000u);
  EXPECT_EQ(roundBits(0x7f800000), 0x7f800000u);
  EXPECT_EQ(roundBits(0xff800000), 0xff800000u);
  for (uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xffc01234u})
    EXPECT_EQ(roundBits(bits), 0x7fffe000u);
}

TEST(RoundElements, WholeElements) {
  uint32_t words[3] = {0x3f801001, 0x3f801001, 0x3f801001};
  roundToTF32(reinterpret_cast<char *>(words), 8);
  EXPECT_EQ(words[1], 0x3f802000u);
  EXPECT_EQ(words[2], 0x3f801001u);
}

TEST(RoundElements, SubnormalNumbersFlush) {
  uint32_t words[3] = {0x807fffff, 0x00800000, 0x7fc00000};
  flushSubnormals(reinterpret_cast<char *>(words), 12);
  EXPECT_EQ(words[0], 0x80000000u);
  EXPECT_EQ(words[1], 0x00800000u);
  EXPECT_EQ(words[2], 0x7fc00000u);
}

} // namespace
