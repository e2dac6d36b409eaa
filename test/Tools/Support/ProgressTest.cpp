//===- ProgressTest.cpp - what is shown of a step -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/support/Process/Progress.h"

#include <gtest/gtest.h>

using namespace carousel::tools;

namespace {

TEST(Progress, Text) {
  EXPECT_EQ(formatProgress("loading x.npy", uint64_t(1) << 30,
                           uint64_t(4) << 30, ProgressUnit::Bytes, 2),
            "loading x.npy: 25 % of 4.0 GiB");
  EXPECT_EQ(formatProgress("writing x.npy", 7, 5, ProgressUnit::Bytes, 2),
            "writing x.npy: 100 % of 5 B");
  EXPECT_EQ(formatProgress("timing copy", 10, 40, ProgressUnit::Count, 2),
            "timing copy: 25 % of 40");
  EXPECT_EQ(formatProgress("compiling copy", 0, 0, ProgressUnit::None, 12.4),
            "compiling copy: 12 s");
  EXPECT_EQ(formatProgress("timing copy", 10, 0, ProgressUnit::Count, 3),
            "timing copy: 3 s");
}

} // namespace
