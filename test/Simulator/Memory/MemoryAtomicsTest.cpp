//===- MemoryAtomicsTest.cpp - atomics and plain accesses to one place ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests which atomics are before a plain access because an atomic has seen
// them, and which ones race with each other.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/Memory.h"

#include "gtest/gtest.h"

using namespace carousel::sim;

namespace {

class MemoryAtomicsTest : public ::testing::Test {
protected:
  MemoryAtomicsTest() : memory(log, {}) {
    RegionId region = memory.addRegion(
        {Space::Global, 0, "x", reinterpret_cast<char *>(words), sizeof(words),
         /*isWritten=*/true});
    EXPECT_EQ(region, 0u);
  }

  void run(uint32_t thread, AccessKind kind, AtomicForm form, uint8_t bytes) {
    if (thread >= views.size())
      views.resize(thread + 1);
    Access access;
    access.kind = kind;
    access.form = form;
    access.elementBytes = form == AtomicForm::None ? 0 : bytes;
    access.epoch = Epoch(0, thread, 1);
    access.view = &views[thread];
    access.thread = thread;
    memory.access(words, bytes, access);
  }
  void atomic(uint32_t thread, AtomicForm form = AtomicForm::ReadModifyWrite,
              uint8_t bytes = 4) {
    run(thread, AccessKind::Atomic, form, bytes);
  }
  void write(uint32_t thread) {
    run(thread, AccessKind::Write, AtomicForm::None, 4);
  }
  void read(uint32_t thread) {
    run(thread, AccessKind::Read, AtomicForm::None, 4);
  }
  void learn(uint32_t thread, uint32_t from) {
    if (std::max(thread, from) >= views.size())
      views.resize(std::max(thread, from) + 1);
    views[thread].order.observe(Epoch(0, from, 1));
  }
  /// The thread whose access the one finding names as the other one.
  void expectRaceWith(uint32_t thread) {
    ASSERT_EQ(log.getFindings().size(), 1u);
    EXPECT_EQ(log.getFindings()[0].kind, FindingKind::DataRace);
    ASSERT_TRUE(log.getFindings()[0].other);
    EXPECT_EQ(log.getFindings()[0].other->thread, thread);
  }

  FindingLog log;
  Memory memory;
  alignas(8) uint32_t words[2] = {};
  std::vector<View> views;
};

TEST_F(MemoryAtomicsTest, AnAtomicHasSeenAllBeforeIt) {
  for (uint32_t thread = 0; thread < 1000; ++thread)
    atomic(thread);
  write(999);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryAtomicsTest, WhoKnowsOfTheAtomicKnowsWhatItHasSeen) {
  atomic(0);
  atomic(1);
  learn(2, 1);
  read(2);
  write(2);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryAtomicsTest, AnAtomicHasNotSeenWhatComesAfterIt) {
  atomic(0);
  atomic(1);
  write(0);
  expectRaceWith(1);
}

TEST_F(MemoryAtomicsTest, AReductionLetsOthersSeeButSeesNothing) {
  atomic(0);
  atomic(1, AtomicForm::Reduce);
  atomic(2);
  write(2);
  EXPECT_TRUE(log.empty());
  for (uint32_t thread : {3, 4})
    learn(thread, 2);
  atomic(3);
  atomic(4, AtomicForm::Reduce);
  write(4);
  expectRaceWith(3);
}

TEST_F(MemoryAtomicsTest, AStoreHidesWhatIsBeforeIt) {
  atomic(0);
  atomic(1, AtomicForm::Store);
  atomic(2);
  write(2);
  expectRaceWith(0);
}

TEST_F(MemoryAtomicsTest, ReadsDoNotConflict) {
  atomic(0, AtomicForm::Load);
  read(1);
  atomic(2, AtomicForm::Load);
  EXPECT_TRUE(log.empty());
  write(1);
  expectRaceWith(2);
}

TEST_F(MemoryAtomicsTest, ALoadDoesNotReplaceItsThreadsUpdate) {
  atomic(0);
  atomic(0, AtomicForm::Load);
  read(1);
  expectRaceWith(0);
}

TEST_F(MemoryAtomicsTest, AtomicsOfTwoSizesNeedAnOrder) {
  atomic(0);
  atomic(1, AtomicForm::ReadModifyWrite, 8);
  expectRaceWith(0);
}

TEST_F(MemoryAtomicsTest, AtomicsOfTwoSizesMayBeOrdered) {
  atomic(0);
  learn(1, 0);
  atomic(1, AtomicForm::ReadModifyWrite, 8);
  EXPECT_TRUE(log.empty());
}

} // namespace
