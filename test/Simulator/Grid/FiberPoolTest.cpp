//===- FiberPoolTest.cpp --------------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Grid/FiberPool.h"

#include "gtest/gtest.h"

#include <fstream>
#include <set>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace carousel::sim;

namespace {

constexpr size_t kStackBytes = size_t(64) << 10;

TEST(FiberPool, StacksAreDistinctAndWritable) {
  FiberPool pool(kStackBytes);
  std::set<char *> lows;
  for (int i = 0; i < 200; ++i) {
    FiberPool::Stack stack = pool.acquire();
    ASSERT_TRUE(stack);
    EXPECT_TRUE(lows.insert(stack.low).second);
    EXPECT_GE(size_t(stack.top - stack.low), kStackBytes - 16 * 128);
    *stack.low = 1;
    stack.top[-1] = 1;
  }
}

TEST(FiberPool, ReservesAsManyAsTheHostHas) {
  FiberPool pool(kStackBytes);
  EXPECT_TRUE(pool.reserve(200));
  size_t count = pool.getNumStacks();
  EXPECT_GE(count, 200u);
  EXPECT_TRUE(pool.reserve(count));
  EXPECT_EQ(pool.getNumStacks(), count);
}

TEST(FiberPool, LeavesAsMuchAsItTakes) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (size_t(2) << 30);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  FiberPool pool(kStackBytes);
  bool isReserved = pool.reserve(size_t(1) << 24);
  size_t taken = pool.getNumStacks() * pool.getUsableBytes();
  void *others = mmap(nullptr, taken, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_FALSE(isReserved);
  EXPECT_GE(taken, size_t(256) << 20);
  ASSERT_NE(others, MAP_FAILED);
  munmap(others, taken);
}

TEST(FiberPool, ReclaimTakesBackWhatWasNotReleased) {
  FiberPool pool(kStackBytes);
  FiberPool::Stack first = pool.acquire();
  for (size_t i = 1; i < pool.getNumStacks(); ++i)
    pool.acquire();
  size_t count = pool.getNumStacks();
  pool.reclaim();
  EXPECT_EQ(pool.acquire().low, first.low);
  for (size_t i = 1; i < count; ++i)
    pool.acquire();
  EXPECT_EQ(pool.getNumStacks(), count);
  pool.acquire();
  EXPECT_GT(pool.getNumStacks(), count);
}

TEST(FiberPool, TheNextRunOfAThreadGetsItsStacks) {
  char *low = nullptr;
  {
    FiberPoolLease lease(kStackBytes);
    low = lease->acquire().low;
  }
  FiberPoolLease again(kStackBytes);
  EXPECT_EQ(again->acquire().low, low);
  // A second run at the same time has stacks of its own.
  FiberPoolLease other(kStackBytes);
  EXPECT_NE(other->acquire().low, low);
}

TEST(FiberPool, ALeaseOfAnotherSizeIsNew) {
  {
    FiberPoolLease lease(kStackBytes);
  }
  FiberPoolLease larger(4 * kStackBytes);
  FiberPool::Stack stack = larger->acquire();
  EXPECT_GT(size_t(stack.top - stack.low), 3 * kStackBytes);
}

} // namespace
