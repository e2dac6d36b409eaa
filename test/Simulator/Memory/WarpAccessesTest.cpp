//===- WarpAccessesTest.cpp - tests of WarpAccesses.h ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests which lanes access together, whatever the order in which they come.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/WarpAccesses.h"

#include "gtest/gtest.h"

using namespace carousel::sim;

namespace {

class WarpAccessesTest : public ::testing::Test {
protected:
  /// A thread of a CTA accesses 4 bytes in the bank of its CTA's number, each
  /// thread another word.
  void access(uint32_t thread, uint32_t op, uint64_t iteration = 0,
              uint32_t cta = 0) {
    accesses.add({cta, thread, threads}, op, iteration,
                 uint64_t(128 * thread + 4 * cta), 4);
  }
  void expect(uint32_t op, uint64_t executions, uint64_t wavefronts) {
    ASSERT_LT(op, accesses.getCounts().size());
    const WarpAccessCount &count = accesses.getCounts()[op];
    EXPECT_EQ(count.executions, executions);
    EXPECT_EQ(count.wavefronts, wavefronts);
    EXPECT_EQ(count.least, executions);
  }

  WarpAccesses accesses;
  uint32_t threads = 32;
};

TEST_F(WarpAccessesTest, WholeWarps) {
  for (uint32_t thread = 0; thread < 31; ++thread)
    access(thread, 1);
  EXPECT_TRUE(accesses.getCounts().empty());
  // The last lane completes the access.
  access(31, 1);
  expect(1, 1, 32);
}

TEST_F(WarpAccessesTest, ThreadsOneAfterTheOther) {
  for (uint32_t thread = 0; thread < 32; ++thread)
    for (uint64_t iteration : {0, 1, 2})
      access(thread, 1, iteration);
  expect(1, 3, 96);
}

TEST_F(WarpAccessesTest, IterationsSeparate) {
  // Odd lanes execute the op in other iterations than even ones.
  for (uint32_t thread = 0; thread < 32; ++thread)
    for (uint64_t turn : {0, 2})
      access(thread, 1, turn + thread % 2);
  accesses.ctaExit(0);
  expect(1, 4, 64);
}

TEST_F(WarpAccessesTest, OpsSeparate) {
  // Two branches.
  for (uint32_t thread = 0; thread < 32; ++thread)
    access(thread, thread < 10 ? 1 : 2);
  accesses.ctaExit(0);
  expect(1, 1, 10);
  expect(2, 1, 22);
}

TEST_F(WarpAccessesTest, TimesInOneIteration) {
  // Lane 0 executes the op three times, the others once. The lanes' first times
  // are one execution.
  for (int time : {0, 1, 2}) {
    (void)time;
    access(0, 1);
  }
  for (uint32_t thread = 1; thread < 32; ++thread)
    access(thread, 1);
  accesses.ctaExit(0);
  expect(1, 3, 32 + 1 + 1);
}

TEST_F(WarpAccessesTest, WarpsAndCTAsSeparate) {
  threads = 40;
  for (uint32_t cta : {0, 1})
    for (uint32_t thread = 0; thread < threads; ++thread)
      access(thread, 1, 0, cta);
  // The second warp has 8 lanes, and is whole with them.
  expect(1, 4, 80);
  accesses.finish();
  expect(1, 4, 80);
}

TEST_F(WarpAccessesTest, LanesWithoutAddress) {
  for (uint32_t thread = 0; thread < 32; ++thread) {
    std::optional<uint64_t> address;
    if (thread < 8)
      address = thread * 128;
    accesses.add({0, thread, threads}, 1, 0, address, 16);
    accesses.add({0, thread, threads}, 2, 0, std::nullopt, 16);
  }
  expect(1, 1, 8);
  // No lane of op 2 accesses shared memory.
  EXPECT_EQ(accesses.getCounts().size(), 2u);
}

TEST_F(WarpAccessesTest, RunsThatEndEarly) {
  access(3, 1);
  access(4, 1);
  accesses.finish();
  expect(1, 1, 2);
}

} // namespace
