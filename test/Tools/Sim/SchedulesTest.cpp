//===- SchedulesTest.cpp - which schedule ends a search -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The answer doesn't depend on the threads, and all below it were run.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-sim/Schedules.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

using namespace carousel::simtool;

TEST(Schedules, RunsEachOnce) {
  for (unsigned jobs : {1, 2, 7}) {
    std::mutex mutex;
    std::multiset<uint64_t> seen;
    EXPECT_EQ(findFirst(100, jobs,
                        [&](uint64_t i) {
                          std::lock_guard<std::mutex> lock(mutex);
                          seen.insert(i);
                          return false;
                        }),
              std::nullopt);
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(std::set<uint64_t>(seen.begin(), seen.end()).size(), 100u);
  }
}

TEST(Schedules, NoneOfNone) {
  EXPECT_EQ(findFirst(0, 4, [](uint64_t) { return true; }), std::nullopt);
}

TEST(Schedules, LeastOfThoseThatEnd) {
  // The least one is the slowest: others end while it runs.
  for (unsigned jobs : {1, 2, 4, 16}) {
    auto first = findFirst(64, jobs, [](uint64_t i) {
      if (i == 5)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return i >= 5;
    });
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(*first, 5u);
  }
}

TEST(Schedules, StopsSoon) {
  std::atomic<uint64_t> count = 0;
  EXPECT_EQ(findFirst(1u << 30, 2,
                      [&](uint64_t i) {
                        ++count;
                        return i == 3;
                      }),
            std::optional<uint64_t>(3));
  EXPECT_GE(count, 4u);
  EXPECT_LT(count, 1u << 28);
}
