//===- CompareTest.cpp - comparing tensors --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches, mismatches and the worst element, for every element type and layout.
//
//===----------------------------------------------------------------------===//

#include "NpyFiles.h"

#include "../../../tools/support/Tensors/Compare.h"
#include "../../../tools/support/Tensors/OutputReport.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace carousel::tools;
using namespace carousel::tools::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Bits of elements in memory.
std::vector<std::byte> pack(ElementType type,
                            const std::vector<uint64_t> &elements) {
  size_t size = carousel::runtime::getBytes(type);
  std::vector<std::byte> bytes(elements.size() * size);
  for (size_t i = 0; i < elements.size(); ++i)
    std::memcpy(bytes.data() + i * size, &elements[i], size);
  return bytes;
}

Comparison compareBits(ElementType type, const std::vector<uint64_t> &got,
                       const std::vector<uint64_t> &want,
                       const Tolerance &tolerance = {},
                       const char *gotShape = nullptr,
                       const char *wantShape = nullptr) {
  Quiet progress;
  std::string flat = std::to_string(got.size());
  Layout gotLayout = *parseLayout(gotShape ? gotShape : flat);
  Layout wantLayout = *parseLayout(wantShape ? wantShape : flat);
  return compare(type, gotLayout, pack(type, got).data(), wantLayout,
                 pack(type, want).data(), tolerance, progress);
}

Comparison compareNumbers(ElementType type, const std::vector<double> &got,
                          const std::vector<double> &want,
                          const Tolerance &tolerance = {}) {
  std::vector<uint64_t> gotBits, wantBits;
  for (double value : got)
    gotBits.push_back(fromDouble(type, value));
  for (double value : want)
    wantBits.push_back(fromDouble(type, value));
  return compareBits(type, gotBits, wantBits, tolerance);
}

class CompareTypes : public testing::TestWithParam<ElementType> {};

INSTANTIATE_TEST_SUITE_P(
    Types, CompareTypes,
    testing::Values(ElementType::I1, ElementType::I8, ElementType::I16,
                    ElementType::I32, ElementType::I64, ElementType::F16,
                    ElementType::BF16, ElementType::F32, ElementType::F64,
                    ElementType::F8E4M3FN, ElementType::F8E5M2,
                    ElementType::F8E8M0FNU),
    [](const auto &info) { return std::string(toString(info.param)); });

/// One bit of one element, at every place of a row longer than a piece.
TEST_P(CompareTypes, OneBit) {
  std::vector<uint64_t> want(5000, isInteger(GetParam()) ? 0 : 0x10);
  for (size_t place :
       {size_t(0), size_t(1), size_t(4095), size_t(4096), size_t(4999)}) {
    std::vector<uint64_t> got = want;
    got[place] ^= 1;
    Comparison comparison = compareBits(GetParam(), got, want);
    EXPECT_EQ(comparison.elements, 5000u);
    EXPECT_EQ(comparison.mismatches, 1u);
    ASSERT_TRUE(comparison.worst);
    EXPECT_EQ(comparison.worst->index,
              std::vector<int64_t>{static_cast<int64_t>(place)});
    EXPECT_EQ(comparison.worst->got, got[place]);
    EXPECT_EQ(comparison.worst->want, want[place]);
    EXPECT_EQ(comparison.worst->ulps, 1u);
  }
  Comparison same = compareBits(GetParam(), want, want);
  EXPECT_EQ(same.mismatches, 0u);
  EXPECT_FALSE(same.worst);
}

TEST(Compare, NaNAndInfinities) {
  struct Case {
    double got, want;
    bool matches;
  };
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64,
        ElementType::F8E5M2})
    for (const Case &c :
         {Case{kNaN, kNaN, true}, Case{kNaN, 1, false}, Case{1, kNaN, false},
          Case{kInfinity, kInfinity, true}, Case{kInfinity, -kInfinity, false},
          Case{1, kInfinity, false}, Case{kInfinity, 1, false},
          Case{kNaN, kInfinity, false}, Case{0.0, -0.0, true}}) {
      // No tolerance makes them equal.
      Comparison comparison =
          compareNumbers(type, {c.got}, {c.want}, {1e30, 1e300});
      EXPECT_EQ(comparison.mismatches, c.matches ? 0u : 1u)
          << toString(type) << " " << c.got << " " << c.want;
      EXPECT_EQ(comparison.worst.has_value(), !c.matches);
      if (comparison.worst) {
        EXPECT_EQ(comparison.worst->absolute, kInfinity);
        EXPECT_EQ(comparison.worst->ulps.has_value(),
                  !std::isnan(c.got) && !std::isnan(c.want));
      }
    }
  // Two NaNs of different bits.
  EXPECT_EQ(
      compareBits(ElementType::F32, {0x7FC00000}, {0xFF800001}).mismatches, 0u);
}

TEST(Compare, Tolerances) {
  auto mismatches = [](double got, double want, Tolerance tolerance) {
    return compareNumbers(ElementType::F64, {got}, {want}, tolerance)
        .mismatches;
  };
  EXPECT_EQ(mismatches(1.25, 1, {0, 0.25}), 0u); // the bound belongs to it
  EXPECT_EQ(mismatches(std::nextafter(1.25, 2), 1, {0, 0.25}), 1u);
  EXPECT_EQ(mismatches(2.5, 2, {0.25, 0}), 0u); // of the expected value
  EXPECT_EQ(mismatches(2, 2.5, {0.2, 0}), 0u);
  EXPECT_EQ(mismatches(2, 2.5, {0.19, 0}), 1u);
  EXPECT_EQ(mismatches(-2.5, -2, {0.25, 0}), 0u);
  EXPECT_EQ(mismatches(2.75, 2, {0.25, 0.25}), 0u); // they add up
  EXPECT_EQ(mismatches(0.1, 0, {1, 0}), 1u);
}

TEST(Compare, Integers) {
  // Equal as doubles.
  EXPECT_EQ(compareBits(ElementType::I64, {(uint64_t(1) << 53) + 1},
                        {uint64_t(1) << 53})
                .mismatches,
            1u);
  EXPECT_EQ(compareBits(ElementType::I32, {7}, {5}, {0, 2}).mismatches, 0u);
  EXPECT_EQ(compareBits(ElementType::I32, {8}, {5}, {0, 2}).mismatches, 1u);
  Comparison far =
      compareBits(ElementType::I64, {0x8000000000000000}, {0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(far.worst->absolute, 0x1p64);
  // An unwritten boolean is neither true nor false.
  EXPECT_EQ(compareBits(ElementType::I1, {0xA5}, {1}).mismatches, 1u);
}

TEST(Compare, WorstElement) {
  // Without tolerances: the largest error, of equals the first.
  Comparison exact =
      compareNumbers(ElementType::F32, {1, 2.5, 3, 4.5, 5.25}, {1, 2, 3, 4, 5});
  EXPECT_EQ(exact.mismatches, 3u);
  EXPECT_EQ(exact.worst->index, std::vector<int64_t>{1});
  EXPECT_EQ(exact.worst->absolute, 0.5);
  EXPECT_EQ(exact.worst->relative, 0.25);
  EXPECT_EQ(exact.worst->ulps, uint64_t(1) << 21);
  // With tolerances: the one that exceeds its own most.
  Comparison relative =
      compareNumbers(ElementType::F32, {1.125, 1010}, {1, 1000}, {0.001, 0});
  EXPECT_EQ(relative.mismatches, 2u);
  EXPECT_EQ(relative.worst->index, std::vector<int64_t>{0});
  // Among matches: the one that is closest to its bound.
  Comparison close =
      compareNumbers(ElementType::F32, {1.125, 1010}, {1, 1000}, {0.5, 0});
  EXPECT_EQ(close.mismatches, 0u);
  EXPECT_EQ(close.worst->index, std::vector<int64_t>{0});
  // Where the error and its bound both overflow, others still count.
  Comparison overflow =
      compareNumbers(ElementType::F64, {1.7e308, 9}, {-1.7e308, 1}, {2, 0});
  EXPECT_EQ(overflow.mismatches, 1u);
  EXPECT_EQ(overflow.worst->index, std::vector<int64_t>{1});
  // Infinite errors are worst, the first of them.
  Comparison infinite =
      compareNumbers(ElementType::F32, {1e38, kNaN, kInfinity}, {-1e38, 1, 1});
  EXPECT_EQ(infinite.worst->index, std::vector<int64_t>{1});
}

TEST(Compare, Layouts) {
  // The same numbers, row-major and column-major, with one mismatch.
  Comparison comparison = compareBits(ElementType::I32, {1, 2, 3, 4, 5, 6},
                                      {1, 4, 2, 9, 3, 6}, {}, "2x3", "2x3@1x2");
  EXPECT_EQ(comparison.mismatches, 1u);
  EXPECT_EQ(comparison.worst->index, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(comparison.worst->want, 9u);
  // Gaps aren't looked at.
  Comparison gaps = compareBits(ElementType::I32, {1, 2, 77, 3, 4},
                                {1, 2, 3, 4}, {}, "2x2@3x1", "2x2");
  EXPECT_EQ(gaps.elements, 4u);
  EXPECT_EQ(gaps.mismatches, 0u);
  // Nor are they where both have them.
  EXPECT_EQ(compareBits(ElementType::I32, {1, 2, 77, 3, 4}, {1, 2, 88, 3, 4},
                        {}, "2x2@3x1", "2x2@3x1")
                .mismatches,
            0u);
  EXPECT_EQ(compareBits(ElementType::I32, {1, 2, 3, 4, 5, 6, 7, 8},
                        {1, 2, 3, 4, 5, 6, 7, 0}, {}, "2x2x2", "2x2x2")
                .worst->index,
            (std::vector<int64_t>{1, 1, 1}));
  Comparison scalar = compareBits(ElementType::I32, {1}, {2}, {}, "[]", "[]");
  EXPECT_EQ(scalar.mismatches, 1u);
  EXPECT_TRUE(scalar.worst->index.empty());
  EXPECT_EQ(compareBits(ElementType::I32, {}, {}, {}, "3x0", "3x0").elements,
            0u);
}

TEST(Compare, Text) {
  ComparisonReport report;
  report.argument = "y";
  report.expected = "ref.npy";
  report.element = ElementType::F32;
  report.comparison = compareNumbers(ElementType::F32, {1, 2.5, 3}, {1, 2, 3});
  EXPECT_EQ(formatText(report),
            "y: 1 of 3 elements differ from ref.npy; worst at [1]: got 2.5, "
            "want 2, error 0.5, relative 0.25, 2097152 ulp");
  report.comparison = compareNumbers(ElementType::F32, {1}, {1});
  EXPECT_EQ(formatText(report), "y: all 1 elements match ref.npy");
  report.element = ElementType::I8;
  report.comparison = compareBits(ElementType::I8, {0xFF}, {1});
  EXPECT_EQ(formatText(report), "y: 1 of 1 elements differ from ref.npy; worst "
                                "at [0]: got -1, want 1, error 2, relative 2");
  report.element = ElementType::F32;
  report.comparison = compareNumbers(ElementType::F32, {kNaN}, {0});
  EXPECT_EQ(formatText(report),
            "y: 1 of 1 elements differ from ref.npy; worst at [0]: got nan, "
            "want 0, error inf, relative inf");
}

} // namespace
