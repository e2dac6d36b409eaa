//===- StepOrderTest.cpp --------------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch/StepOrder.h"

#include <gtest/gtest.h>

namespace carousel::runtime {
namespace {

using Order = std::vector<std::vector<size_t>>;

StepAccess access(uint64_t address, int64_t bytes, bool isWrite) {
  StepAccess made;
  made.view.extents = {bytes};
  made.view.strides = {1};
  made.address = address;
  made.isWrite = isWrite;
  return made;
}
StepAccess read(uint64_t address, int64_t bytes = 16) {
  return access(address, bytes, false);
}
StepAccess write(uint64_t address, int64_t bytes = 16) {
  return access(address, bytes, true);
}

TEST(StepOrderTest, ReadersAreSideBySide) {
  EXPECT_EQ(orderSteps({{{write(0)}},
                        {{read(0), write(16)}},
                        {{read(0), write(32)}},
                        {{read(16), read(32), write(48)}}}),
            (Order{{}, {0}, {0}, {2, 1}}));
}

TEST(StepOrderTest, MemoryIsUsedAgain) {
  // A write waits for what reads and what writes the elements before it.
  EXPECT_EQ(orderSteps({{{read(0), write(16)}},
                        {{read(16), write(32)}},
                        {{write(0)}},
                        {{write(8)}},
                        {{write(40)}}}),
            (Order{{}, {0}, {0}, {2, 1}, {1}}));
}

TEST(StepOrderTest, ColumnsShareNoElements) {
  StepAccess left = write(0), right = write(8);
  for (StepAccess *half : {&left, &right}) {
    half->view.extents = {4, 8};
    half->view.strides = {16, 1};
  }
  EXPECT_EQ(orderSteps({{{left}}, {{right}}, {{read(0, 64)}}}),
            (Order{{}, {}, {1, 0}}));
}

TEST(StepOrderTest, EmptyViewsShareNothing) {
  EXPECT_EQ(orderSteps({{{write(0, 0)}}, {{write(0)}}, {{read(0, 0)}}}),
            (Order{{}, {}, {}}));
}

TEST(StepOrderTest, KernelsShareWorkspaces) {
  int first = 0, second = 0;
  std::vector<StepAccesses> steps = {
      {{write(0)}, &first}, {{write(16)}, &second}, {{write(32)}, &first}};
  EXPECT_EQ(orderSteps(steps), (Order{{}, {}, {0}}));
}

TEST(StepOrderTest, AloneIsBesideNone) {
  std::vector<StepAccesses> steps = {
      {{write(0)}}, {{write(16)}}, {{write(32)}}, {{write(48)}}};
  steps[2].isAlone = true;
  EXPECT_EQ(orderSteps(steps), (Order{{}, {}, {1, 0}, {2}}));
}

} // namespace
} // namespace carousel::runtime
