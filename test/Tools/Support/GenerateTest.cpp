//===- GenerateTest.cpp - generated tensors -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated tensors: the same everywhere, whatever the layout; in range.
//
//===----------------------------------------------------------------------===//

#include "NpyFiles.h"

#include "../../../tools/support/Tensors/Arguments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace carousel::tools;
using namespace carousel::tools::test;

namespace {

constexpr ElementType kFloats[] = {ElementType::F16,      ElementType::BF16,
                                   ElementType::F32,      ElementType::F64,
                                   ElementType::F8E4M3FN, ElementType::F8E5M2};

/// The elements' bits, as they lie in memory.
std::vector<uint64_t> generate(const char *text, ElementType type) {
  Quiet progress;
  auto value = parseTensor(text, type);
  EXPECT_TRUE(value) << text;
  auto buffer = makeContents(*value, type, progress);
  EXPECT_TRUE(buffer) << text;
  size_t size = carousel::runtime::getBytes(type);
  EXPECT_EQ(buffer->getBytes(), value->layout.storage * size);
  std::vector<uint64_t> bits;
  for (uint64_t at = 0; at < buffer->getBytes(); at += size)
    bits.push_back(loadBits(buffer->getData() + at, size));
  return bits;
}

/// Written down once: files made on another machine must compare equal.
TEST(Generate, RandomNeverChanges) {
  EXPECT_EQ(generate("random:2", ElementType::I64),
            (std::vector<uint64_t>{0x91CC7D8E626B5DFD, 0x8630C2BA6DAAB072}));
  EXPECT_EQ(generate("random:2:7", ElementType::I64),
            (std::vector<uint64_t>{0xA3B13014F91F33D1, 0x1721C8A9F288D5C5}));
  EXPECT_EQ(generate("random:3", ElementType::F32),
            (std::vector<uint64_t>{0x3E0E63EC, 0x3D461857, 0x3EC99DDB}));
  EXPECT_EQ(generate("random:3", ElementType::BF16),
            (std::vector<uint64_t>{0x3E0E, 0x3D46, 0x3ECA}));
}

TEST(Generate, RandomDependsOnTheSeed) {
  EXPECT_EQ(generate("random:100:5", ElementType::F32),
            generate("random:100:5", ElementType::F32));
  EXPECT_NE(generate("random:100:5", ElementType::F32),
            generate("random:100:6", ElementType::F32));
  EXPECT_EQ(generate("random:100", ElementType::F32),
            generate("random:100:0", ElementType::F32));
}

TEST(Generate, RandomFloatsAreBelowOne) {
  for (ElementType type : kFloats) {
    double least = 1, most = -1, sum = 0;
    std::vector<uint64_t> all = generate("random:20000", type);
    for (uint64_t bits : all) {
      double value = toDouble(type, bits);
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    EXPECT_GE(least, -1) << toString(type);
    EXPECT_LT(most, 1) << toString(type);
    EXPECT_LT(least, -0.9) << toString(type);
    EXPECT_GT(most, 0.8) << toString(type);
    // The mean of n numbers deviates by 1 / sqrt(3 n) = 0.004, and by half a
    // quantum of the coarsest type, whose top rounds to -1.
    EXPECT_LT(std::fabs(sum / static_cast<double>(all.size())), 0.08)
        << toString(type);
  }
}

TEST(Generate, RandomIntegersFillTheirRange) {
  std::set<uint64_t> bytes, booleans, scales;
  for (uint64_t bits : generate("random:10000", ElementType::I8))
    bytes.insert(bits);
  for (uint64_t bits : generate("random:100", ElementType::I1))
    booleans.insert(bits);
  for (uint64_t bits : generate("random:1000", ElementType::F8E8M0FNU))
    scales.insert(bits);
  EXPECT_EQ(bytes.size(), 256u);
  EXPECT_EQ(booleans, (std::set<uint64_t>{0, 1}));
  EXPECT_EQ(scales.size(), 16u);
  EXPECT_EQ(toDouble(ElementType::F8E8M0FNU, *scales.begin()), 0x1p-8);
  EXPECT_EQ(toDouble(ElementType::F8E8M0FNU, *scales.rbegin()), 0x1p7);
}

TEST(Generate, LayoutDoesNotMatter) {
  std::vector<uint64_t> rows = generate("random:3x5:9", ElementType::I32);
  std::vector<uint64_t> columns =
      generate("random:3x5@1x3:9", ElementType::I32);
  std::vector<uint64_t> padded = generate("random:3x5@8x1:9", ElementType::I32);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(columns[i + 3 * j], rows[5 * i + j]);
      EXPECT_EQ(padded[8 * i + j], rows[5 * i + j]);
    }
  EXPECT_EQ(padded[5], 0xA5A5A5A5u); // a gap
}

TEST(Generate, IotaStartsAgainWhereTheTypeEnds) {
  struct Case {
    ElementType type;
    uint64_t count;
  };
  for (const Case &c :
       {Case{ElementType::F16, 2048}, Case{ElementType::BF16, 256},
        Case{ElementType::F8E4M3FN, 16}, Case{ElementType::F8E5M2, 8},
        Case{ElementType::I8, 256}, Case{ElementType::I1, 2}}) {
    std::vector<uint64_t> all = generate("iota:5000", c.type);
    for (uint64_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(toDouble(c.type, all[i]),
                c.type == ElementType::I8
                    ? static_cast<double>(static_cast<int8_t>(i))
                    : static_cast<double>(i % c.count))
          << toString(c.type) << " " << i;
  }
  EXPECT_EQ(generate("iota:3", ElementType::I64),
            (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(generate("iota:5:3", ElementType::I8),
            (std::vector<uint64_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(generate("iota:3", ElementType::F32),
            (std::vector<uint64_t>{0, 0x3F800000, 0x40000000}));
  EXPECT_EQ(generate("iota:256", ElementType::F8E8M0FNU)[255], 0u);
}

TEST(Generate, EmptyAndZeros) {
  EXPECT_EQ(generate("empty:2", ElementType::I16),
            (std::vector<uint64_t>{0xA5A5, 0xA5A5}));
  EXPECT_EQ(generate("zeros:2x1@3x1", ElementType::I16),
            (std::vector<uint64_t>{0, 0, 0, 0}));
  EXPECT_EQ(generate("random:0", ElementType::F32).size(), 0u);
  EXPECT_EQ(generate("iota:[]", ElementType::F32).size(), 1u);
}

} // namespace
