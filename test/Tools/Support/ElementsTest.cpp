//===- ElementsTest.cpp - single elements ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every bit pattern of the types with up to 16 bits; rounding at every midpoint
// between two neighbours.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/support/Tensors/Elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace carousel::tools;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SmallFloats : public testing::TestWithParam<ElementType> {
protected:
  ElementType type = GetParam();
  uint64_t patterns = uint64_t(1) << (8 * carousel::runtime::getBytes(type));
};

INSTANTIATE_TEST_SUITE_P(
    Types, SmallFloats,
    testing::Values(ElementType::F16, ElementType::BF16, ElementType::F8E4M3FN,
                    ElementType::F8E5M2, ElementType::F8E8M0FNU),
    [](const auto &info) { return std::string(toString(info.param)); });

TEST_P(SmallFloats, EveryPatternComesBack) {
  for (uint64_t bits = 0; bits < patterns; ++bits) {
    double value = toDouble(type, bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(toDouble(type, fromDouble(type, value))));
    else
      ASSERT_EQ(fromDouble(type, value), bits) << value;
  }
}

TEST_P(SmallFloats, EveryPatternReadsBackFromItsText) {
  for (uint64_t bits = 0; bits < patterns; ++bits) {
    if (!std::isfinite(toDouble(type, bits)))
      continue;
    std::string text = formatElement(type, bits);
    ASSERT_EQ(fromDouble(type, std::strtod(text.c_str(), nullptr)), bits)
        << text;
  }
}

TEST_P(SmallFloats, MidpointsRoundToEven) {
  bool isSigned = type != ElementType::F8E8M0FNU;
  uint64_t positive = isSigned ? patterns / 2 : patterns;
  for (uint64_t bits = 0; bits + 1 < positive; ++bits) {
    double low = toDouble(type, bits), high = toDouble(type, bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high))
      continue;
    ASSERT_LT(low, high);
    double middle = low + (high - low) / 2;
    // E8M0 has one bit less to be even in: its midpoints go up.
    uint64_t even = isSigned && bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(fromDouble(type, middle), even) << middle;
    ASSERT_EQ(fromDouble(type, std::nextafter(middle, low)), bits);
    ASSERT_EQ(fromDouble(type, std::nextafter(middle, high)), bits + 1);
    if (isSigned) {
      ASSERT_EQ(fromDouble(type, -middle), even | patterns / 2);
    }
  }
}

TEST(Elements, KnownValues) {
  struct Case {
    ElementType type;
    uint64_t bits;
    double value;
  };
  for (const Case &c : {
           Case{ElementType::F16, 0x3C00, 1.0},
           Case{ElementType::F16, 0x7BFF, 65504.0},
           Case{ElementType::F16, 0x0001, 0x1p-24},
           Case{ElementType::F16, 0xFC00, -kInfinity},
           Case{ElementType::BF16, 0x3FC0, 1.5},
           Case{ElementType::BF16, 0x7F80, kInfinity},
           Case{ElementType::BF16, 0x0001, 0x1p-133},
           Case{ElementType::F8E4M3FN, 0x7E, 448.0},
           Case{ElementType::F8E4M3FN, 0x01, 0x1p-9},
           Case{ElementType::F8E4M3FN, 0xB8, -1.0},
           Case{ElementType::F8E5M2, 0x7B, 57344.0},
           Case{ElementType::F8E5M2, 0x7C, kInfinity},
           Case{ElementType::F8E5M2, 0x01, 0x1p-16},
           Case{ElementType::F8E8M0FNU, 0, 0x1p-127},
           Case{ElementType::F8E8M0FNU, 127, 1.0},
           Case{ElementType::F8E8M0FNU, 254, 0x1p127},
           Case{ElementType::F32, 0x40490FDB, 3.1415927410125732},
           Case{ElementType::F64, 0x3FF8000000000000, 1.5},
           Case{ElementType::I1, 0xA5, 165},
           Case{ElementType::I8, 0xA5, -91},
           Case{ElementType::I16, 0xFFFF, -1},
           Case{ElementType::I32, 0x80000000, -2147483648.0},
           Case{ElementType::I64, 0xFFFFFFFFFFFFFFFF, -1},
       })
    EXPECT_EQ(toDouble(c.type, c.bits), c.value)
        << toString(c.type) << " " << c.bits;
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E4M3FN, 0x7F)));
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E4M3FN, 0xFF)));
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E5M2, 0x7D)));
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F8E8M0FNU, 0xFF)));
  EXPECT_TRUE(std::isnan(toDouble(ElementType::F16, 0x7E00)));
}

TEST(Elements, BeyondTheLargest) {
  EXPECT_EQ(fromDouble(ElementType::F16, 65520), 0x7C00u);
  EXPECT_EQ(fromDouble(ElementType::F16, 65519), 0x7BFFu);
  EXPECT_EQ(fromDouble(ElementType::BF16, -1e39), 0xFF80u);
  EXPECT_EQ(fromDouble(ElementType::F8E5M2, 1e6), 0x7Cu);
  EXPECT_EQ(fromDouble(ElementType::F8E4M3FN, 464), 0x7Eu);
  EXPECT_EQ(fromDouble(ElementType::F8E4M3FN, 465), 0x7Fu);
  EXPECT_EQ(fromDouble(ElementType::F8E4M3FN, -kInfinity), 0xFFu);
  EXPECT_EQ(fromDouble(ElementType::F8E8M0FNU, 1e39), 0xFFu);
  EXPECT_EQ(fromDouble(ElementType::F8E8M0FNU, 0), 0xFFu);
  EXPECT_EQ(fromDouble(ElementType::F8E8M0FNU, -1), 0xFFu);
  EXPECT_EQ(fromDouble(ElementType::F8E8M0FNU, 1e-300), 0u);
}

TEST(Elements, Distance) {
  EXPECT_EQ(getDistance(ElementType::F32, 0x3F800000, 0x3F800001), 1u);
  EXPECT_EQ(getDistance(ElementType::F32, 0x00000000, 0x80000000), 0u);
  EXPECT_EQ(getDistance(ElementType::F32, 0x00000001, 0x80000001), 2u);
  EXPECT_EQ(getDistance(ElementType::F16, 0x7BFF, 0x7C00), 1u);
  EXPECT_EQ(getDistance(ElementType::F8E8M0FNU, 127, 200), 73u);
  EXPECT_EQ(getDistance(ElementType::I8, 0x7F, 0x80), 255u);
  EXPECT_EQ(
      getDistance(ElementType::I64, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000),
      0xFFFFFFFFFFFFFFFFu);
  EXPECT_EQ(
      getDistance(ElementType::F64, 0x7FF0000000000000, 0xFFF0000000000000),
      0xFFE0000000000000u);
}

TEST(Elements, Text) {
  EXPECT_EQ(formatElement(ElementType::F32, 0x3DCCCCCD), "0.1");
  EXPECT_EQ(formatElement(ElementType::F32, 0x7F800000), "inf");
  EXPECT_EQ(formatElement(ElementType::F32, 0xFFC00000), "nan");
  EXPECT_EQ(formatElement(ElementType::F64, 0x3FB999999999999A), "0.1");
  EXPECT_EQ(formatElement(ElementType::BF16, 0x3DCD), "0.100097656");
  EXPECT_EQ(formatElement(ElementType::F8E4M3FN, 0x7E), "448");
  EXPECT_EQ(formatElement(ElementType::F16, 0xFC00), "-inf");
  EXPECT_EQ(formatElement(ElementType::I8, 0xFF), "-1");
  EXPECT_EQ(formatElement(ElementType::I64, 0x8000000000000000),
            "-9223372036854775808");
}

} // namespace
