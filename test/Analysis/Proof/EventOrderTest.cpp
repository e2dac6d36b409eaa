//===- EventOrderTest.cpp - tests of EventOrder.h -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to words of shared memory, and what orders them.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Analysis/Proof/EventOrder.h"

#include "gtest/gtest.h"

using namespace carousel::proof;

namespace {

struct EventOrderTest : testing::Test {
  /// Whether an access is ordered behind all that conflict with it.
  bool access(int32_t thread, unsigned owner, uint32_t epoch, bool isWrite,
              uint64_t begin = 0, uint64_t end = 4) {
    Access own;
    own.thread = thread;
    own.owner = owner;
    own.epoch = epoch;
    own.line = line++;
    own.isWrite = isWrite;
    own.isAsync = isAsync;
    Observer observer = {knowledge, warpEpochs, operations, thread, isAsync};
    return !words.access(begin, end, own, observer);
  }

  SharedWords words{64};
  Knowledge knowledge;
  WarpEpochs warpEpochs;
  std::vector<Operation> operations;
  unsigned line = 0;
  bool isAsync = false;
};

TEST_F(EventOrderTest, ThreadsKnowTheirOwnAccesses) {
  EXPECT_TRUE(access(3, 0, 1, /*isWrite=*/true));
  EXPECT_TRUE(access(3, 0, 1, /*isWrite=*/false));
  // The same thread in another class.
  EXPECT_TRUE(access(3, 1, 1, /*isWrite=*/true));
  EXPECT_FALSE(access(4, 0, 1, /*isWrite=*/false));
}

TEST_F(EventOrderTest, OthersNeedARelease) {
  EXPECT_TRUE(access(3, 0, 2, /*isWrite=*/true));
  knowledge.known.setEpoch(0, 1);
  EXPECT_FALSE(access(40, 1, 1, /*isWrite=*/false));
  knowledge.known.setEpoch(0, 2);
  EXPECT_TRUE(access(40, 1, 1, /*isWrite=*/false));
}

TEST_F(EventOrderTest, ReadsDoNotConflict) {
  EXPECT_TRUE(access(1, 0, 1, /*isWrite=*/false));
  EXPECT_TRUE(access(2, 1, 1, /*isWrite=*/false));
  EXPECT_FALSE(access(2, 1, 1, /*isWrite=*/true));
}

TEST_F(EventOrderTest, BytesOfAWordAreApart) {
  EXPECT_TRUE(access(1, 0, 1, /*isWrite=*/true, 0, 2));
  EXPECT_TRUE(access(2, 1, 1, /*isWrite=*/true, 2, 4));
  EXPECT_FALSE(access(3, 2, 1, /*isWrite=*/false, 3, 4));
  EXPECT_EQ(words.getFaultAt(), 3u);
}

TEST_F(EventOrderTest, LanesOfAWarpNeedABarrierOfTheWarp) {
  EXPECT_TRUE(access(1, 0, 1, /*isWrite=*/true));
  EXPECT_FALSE(access(2, 0, 2, /*isWrite=*/false));
  warpEpochs.push_back({0, 1});
  EXPECT_TRUE(access(2, 0, 2, /*isWrite=*/false));
  EXPECT_FALSE(access(33, 0, 2, /*isWrite=*/false));
}

TEST_F(EventOrderTest, OperationsNeedAFenceBehindWrites) {
  EXPECT_TRUE(access(1, 0, 1, /*isWrite=*/true));
  operations.emplace_back();
  isAsync = true;
  EXPECT_FALSE(access(1, 0, 0, /*isWrite=*/false));
  knowledge.proxied.setEpoch(0, 1);
  EXPECT_TRUE(access(1, 0, 0, /*isWrite=*/false));
}

TEST_F(EventOrderTest, OperationsEndWhereTheyAreWaitedFor) {
  operations.emplace_back();
  isAsync = true;
  EXPECT_TRUE(access(5, 0, 0, /*isWrite=*/false));
  isAsync = false;
  EXPECT_FALSE(access(5, 0, 1, /*isWrite=*/true));
  // Its own thread has waited for what it reads.
  llvm::BitVector members(64);
  members.set(5);
  operations[0].ends.push_back({0, 1, members, /*isOfRead=*/true});
  EXPECT_TRUE(access(5, 0, 1, /*isWrite=*/true));
}

TEST_F(EventOrderTest, OperationsEndOnBarriers) {
  operations.emplace_back();
  isAsync = true;
  EXPECT_TRUE(access(5, 0, 0, /*isWrite=*/true));
  isAsync = false;
  EXPECT_FALSE(access(7, 1, 1, /*isWrite=*/false));
  Clock::set(knowledge.known.done, 0);
  EXPECT_TRUE(access(7, 1, 1, /*isWrite=*/false));
}

} // namespace
