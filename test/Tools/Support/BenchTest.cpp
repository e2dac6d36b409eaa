//===- BenchTest.cpp - statistics and progress ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantiles, bytes, batches and progress lines: the parts of a benchmark that
// need no device.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/support/Launch/Bench.h"
#include "../../../tools/support/Launch/Statistics.h"

#include <gtest/gtest.h>

#include <limits>

using namespace carousel::tools;
using carousel::runtime::ArgumentInfo;
using carousel::runtime::ElementType;
using carousel::runtime::KernelInfo;

namespace {

TEST(Statistics, NearestRank) {
  struct Case {
    size_t count;
    unsigned percent;
    double value;
  };
  // Samples are 1, 2, ..., count.
  for (const Case &c :
       {Case{1, 0, 1}, Case{1, 50, 1}, Case{1, 100, 1}, Case{2, 50, 1},
        Case{2, 51, 2}, Case{3, 50, 2}, Case{4, 50, 2}, Case{10, 10, 1},
        Case{10, 11, 2}, Case{10, 90, 9}, Case{10, 91, 10}, Case{100, 10, 10},
        Case{100, 50, 50}, Case{100, 90, 90}, Case{101, 50, 51},
        Case{5, 100, 5}}) {
    std::vector<double> samples;
    for (size_t i = 1; i <= c.count; ++i)
      samples.push_back(static_cast<double>(i));
    EXPECT_EQ(getQuantile(samples, c.percent), c.value)
        << c.count << " " << c.percent;
  }
}

TEST(Statistics, Summary) {
  Summary summary = summarize({9, 1, 8, 2, 7, 3, 6, 4, 5, 15});
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.p10, 1);
  EXPECT_EQ(summary.p90, 9);
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.most, 15);
  EXPECT_EQ(summary.mean, 6);
}

TEST(Statistics, Bytes) {
  KernelInfo kernel;
  auto add = [&](ArgumentInfo::Kind kind, ArgumentInfo::Access access,
                 ElementType element) {
    ArgumentInfo argument;
    argument.kind = kind;
    argument.access = access;
    argument.element = element;
    kernel.arguments.push_back(argument);
  };
  using Kind = ArgumentInfo::Kind;
  using Access = ArgumentInfo::Access;
  add(Kind::Tensor, Access::In, ElementType::F32);
  add(Kind::Tensor, Access::Out, ElementType::BF16);
  add(Kind::Tensor, Access::InOut, ElementType::F64);
  add(Kind::Scalar, Access::In, ElementType::Index);
  add(Kind::Tensor, Access::In, ElementType::F8E4M3FN);
  EXPECT_EQ(countBytes(kernel, {100, 10, 1, 1, 7}), 400u + 20u + 16u + 7u);
  EXPECT_EQ(countBytes(kernel, {0, 0, 0, 1, 0}), 0u);
  EXPECT_EQ(countBytes(kernel, {uint64_t(1) << 33, 0, 0, 1, 0}), uint64_t(1)
                                                                     << 35);
}

TEST(Statistics, Throughput) {
  EXPECT_EQ(getGigabytesPerSecond(4000, 1), 4);
  EXPECT_EQ(getGigabytesPerSecond(uint64_t(4) << 30, 1000), 4294.967296);
  EXPECT_EQ(getGigabytesPerSecond(4000, 0), 0);
}

TEST(Bench, Batches) {
  EXPECT_EQ(chooseBatch(1), 16u);
  EXPECT_EQ(chooseBatch(0), 16u);
  EXPECT_EQ(chooseBatch(3125), 16u);
  EXPECT_EQ(chooseBatch(10e3), 5u);
  EXPECT_EQ(chooseBatch(49e3), 1u);
  EXPECT_EQ(chooseBatch(10e6), 1u);
  EXPECT_EQ(chooseBatch(std::numeric_limits<double>::infinity()), 1u);
  EXPECT_EQ(getScratchBytes(0), uint64_t(64) << 20);
  EXPECT_EQ(getScratchBytes(uint64_t(60) << 20), uint64_t(120) << 20);
}

} // namespace
