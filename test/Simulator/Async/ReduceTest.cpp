//===- ReduceTest.cpp - the arithmetic of reductions ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Known values with ties, carries, overflows, subnormals and NaNs; additions of
// the 16-bit formats on random bits against APFloat.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Tensors/Reduce.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace carousel::sim;

namespace {

template <typename Bits>
Bits run(ReduceKind kind, ReduceType type, Bits left, Bits right) {
  EXPECT_EQ(getElementBytes(type), sizeof(Bits));
  reduce(kind, type, &left, &right, sizeof(Bits));
  return left;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

TEST(Reduce, Integers) {
  using K = ReduceKind;
  using T = ReduceType;
  EXPECT_EQ(run<uint32_t>(K::Add, T::U32, 0xffffffff, 2), 1u);
  EXPECT_EQ(run<uint32_t>(K::Min, T::U32, 0xffffffff, 2), 2u);
  EXPECT_EQ(run<uint32_t>(K::Min, T::S32, 0xffffffff, 2), 0xffffffffu);
  EXPECT_EQ(run<uint32_t>(K::Max, T::S32, 0xffffffff, 2), 2u);
  EXPECT_EQ(run<uint64_t>(K::Max, T::S64, ~0ull, 2), 2ull);
  EXPECT_EQ(run<uint64_t>(K::Max, T::U64, ~0ull, 2), ~0ull);
  EXPECT_EQ(run<uint64_t>(K::Add, T::U64, 1ull << 40, 1ull << 40), 1ull << 41);
  EXPECT_EQ(run<uint32_t>(K::Inc, T::U32, 4, 5), 5u);
  EXPECT_EQ(run<uint32_t>(K::Inc, T::U32, 5, 5), 0u);
  EXPECT_EQ(run<uint32_t>(K::Dec, T::U32, 4, 5), 3u);
  EXPECT_EQ(run<uint32_t>(K::Dec, T::U32, 0, 5), 5u);
  EXPECT_EQ(run<uint32_t>(K::Dec, T::U32, 6, 5), 5u);
  EXPECT_EQ(run<uint32_t>(K::And, T::B32, 12, 10), 8u);
  EXPECT_EQ(run<uint32_t>(K::Or, T::B32, 12, 10), 14u);
  EXPECT_EQ(run<uint64_t>(K::Xor, T::B64, 12, 10), 6u);
}

TEST(Reduce, HalvesRoundToEven) {
  auto add = [](uint16_t a, uint16_t b) {
    return run(ReduceKind::Add, ReduceType::F16, a, b);
  };
  EXPECT_EQ(add(0x3c00, 0x3c00), 0x4000); // 1 + 1
  EXPECT_EQ(add(0x3c00, 0x1000), 0x3c00); // 1 + half an ulp: a tie, to even
  EXPECT_EQ(add(0x3c01, 0x1000), 0x3c02); // a tie, to even
  EXPECT_EQ(add(0x3c00, 0x1001), 0x3c01); // just above the tie
  EXPECT_EQ(add(0x7bff, 0x4c00), 0x7c00); // 65504 + 16: a tie, to infinity
  EXPECT_EQ(add(0x7bff, 0x4bff), 0x7bff); // just below it
  EXPECT_EQ(add(0x03ff, 0x0001), 0x0400); // subnormals are kept
  EXPECT_EQ(add(0x0001, 0x0001), 0x0002);
  EXPECT_EQ(add(0x8000, 0x8000), 0x8000); // -0
  EXPECT_EQ(add(0x3c00, 0xbc00), 0x0000);
  EXPECT_EQ(add(0x7c00, 0xfc00), 0x7fff); // NaN
}

TEST(Reduce, SixteenBitsAgainstAPFloat) {
  std::mt19937 random(7);
  for (ReduceType type : {ReduceType::F16, ReduceType::BF16}) {
    const llvm::fltSemantics &semantics = type == ReduceType::F16
                                              ? llvm::APFloat::IEEEhalf()
                                              : llvm::APFloat::BFloat();
    for (unsigned i = 0; i < 200000; ++i) {
      auto left = uint16_t(random()), right = uint16_t(random());
      if (i % 2)
        right = uint16_t((left ^ 0x8000) + int(random() % 4096) -
                         2048); // cancellation
      llvm::APFloat a(semantics, llvm::APInt(16, left)),
          b(semantics, llvm::APInt(16, right));
      a.add(b, llvm::APFloat::rmNearestTiesToEven);
      uint16_t want =
          a.isNaN() ? 0x7fff : uint16_t(a.bitcastToAPInt().getZExtValue());
      ASSERT_EQ(run(ReduceKind::Add, type, left, right), want)
          << left << " + " << right;
    }
  }
}

TEST(Reduce, MinAndMaxOfHalves) {
  auto min = [](uint16_t a, uint16_t b) {
    return run(ReduceKind::Min, ReduceType::F16, a, b);
  };
  auto max = [](uint16_t a, uint16_t b) {
    return run(ReduceKind::Max, ReduceType::F16, a, b);
  };
  EXPECT_EQ(min(0x3c00, 0xbc00), 0xbc00);
  EXPECT_EQ(max(0x3c00, 0xbc00), 0x3c00);
  EXPECT_EQ(min(0x0000, 0x8000), 0x8000);
  EXPECT_EQ(max(0x8000, 0x0000), 0x0000);
  EXPECT_EQ(min(0x7e00, 0x3c00), 0x3c00); // a number beats a NaN
  EXPECT_EQ(max(0x3c00, 0x7e00), 0x3c00);
}

TEST(Reduce, SinglesOfThreadsFlushSubnormals) {
  auto add = [](uint32_t a, uint32_t b) {
    return run(ReduceKind::Add, ReduceType::F32FTZ, a, b);
  };
  EXPECT_EQ(add(bitsOf(1.5f), bitsOf(2.25f)), bitsOf(3.75f));
  EXPECT_EQ(add(0x00400000, 0x00400000), 0u); // subnormal inputs are zero
  EXPECT_EQ(add(0x80400000, 0x80000000), 0x80000000u); // with their sign
  EXPECT_EQ(add(0x00800001, 0x80800000), 0u); // so is a subnormal result
  EXPECT_EQ(add(bitsOf(16777216.0f), bitsOf(1.0f)),
            bitsOf(16777216.0f)); // a tie, to even
  EXPECT_EQ(add(bitsOf(16777218.0f), bitsOf(1.0f)), bitsOf(16777220.0f));
  EXPECT_EQ(add(0x7f800000, 0xff800000), 0x7fffffffu);
}

TEST(Reduce, SinglesOfCopiesKeepSubnormals) {
  EXPECT_EQ(getReduceType(ReduceKind::Add, TensorElement::F32),
            ReduceType::F32);
  EXPECT_EQ(getReduceType(ReduceKind::Add, TensorElement::F32FTZ),
            ReduceType::F32FTZ);
  auto add = [](uint32_t a, uint32_t b) {
    return run(ReduceKind::Add, ReduceType::F32, a, b);
  };
  EXPECT_EQ(add(0x00400000, 0x00400000), 0x00800000u);
  EXPECT_EQ(add(0x00800001, 0x80800000), 1u);
}

TEST(Reduce, DoublesKeepSubnormals) {
  double left = 4.9e-324, right = 4.9e-324;
  reduce(ReduceKind::Add, ReduceType::F64, &left, &right, 8);
  EXPECT_EQ(left, 2 * 4.9e-324);
}

TEST(Reduce, WhatThereIs) {
  EXPECT_TRUE(isReduction(ReduceKind::Add, ReduceType::F32, false));
  EXPECT_FALSE(isReduction(ReduceKind::Add, ReduceType::F32, true));
  EXPECT_FALSE(isReduction(ReduceKind::Inc, ReduceType::S32, false));
  EXPECT_EQ(getReduceType(ReduceKind::Add, TensorElement::F32FTZ),
            ReduceType::F32FTZ);
  for (ReduceKind kind : {ReduceKind::And, ReduceKind::Or, ReduceKind::Xor}) {
    EXPECT_EQ(getReduceType(kind, TensorElement::S32), ReduceType::B32);
    EXPECT_EQ(getReduceType(kind, TensorElement::U64), ReduceType::B64);
    EXPECT_EQ(getReduceType(kind, TensorElement::S64), std::nullopt);
  }
  EXPECT_EQ(getReduceType(ReduceKind::Min, TensorElement::S64),
            ReduceType::S64);
  EXPECT_EQ(getReduceType(ReduceKind::Min, TensorElement::F32), std::nullopt);
  EXPECT_EQ(getReduceType(ReduceKind::Or, TensorElement::F32), std::nullopt);
  EXPECT_EQ(getReduceType(ReduceKind::Add, TensorElement::U8), std::nullopt);
  EXPECT_EQ(getReduceType(ReduceKind::Inc, TensorElement::U64), std::nullopt);
}

} // namespace
