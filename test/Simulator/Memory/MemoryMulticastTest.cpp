//===- MemoryMulticastTest.cpp - memory with several addresses ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses by a multicast address and by another one need an alias fence
// between them, by any thread on the way. The multicast address itself is no
// memory.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/Memory.h"

#include "gtest/gtest.h"

using namespace carousel::sim;

namespace {

class MemoryMulticastTest : public ::testing::Test {
protected:
  MemoryMulticastTest() : memory(log, {}) {
    memory.addRegion({Space::Global, 0, "part", reinterpret_cast<char *>(words),
                      sizeof(words), /*isWritten=*/true});
    memory.addRegion({Space::Global,
                      0,
                      "all",
                      reinterpret_cast<char *>(window),
                      sizeof(window),
                      /*isWritten=*/true,
                      {reinterpret_cast<char *>(words)}});
  }

  AccessResult run(uint32_t thread, AccessKind kind, bool isMulticast,
                   void *address) {
    Access access;
    access.kind = kind;
    access.isMulticast = isMulticast;
    access.epoch = Epoch(0, thread, 1);
    access.view = &views[thread];
    access.thread = thread;
    return memory.access(address, sizeof(uint32_t), access);
  }
  void write(uint32_t thread, bool isMulticast) {
    run(thread, AccessKind::Write, isMulticast, words);
  }
  void read(uint32_t thread) {
    run(thread, AccessKind::Read, /*isMulticast=*/false, words);
  }
  /// As a barrier or a signal does.
  void learn(uint32_t thread, uint32_t from) {
    views[from].order.observe(Epoch(0, from, 1));
    views[thread].join(views[from]);
  }
  void fence(uint32_t thread) {
    views[thread].order.observe(Epoch(0, thread, 1));
    views[thread].fencedAlias.join(views[thread].order);
  }
  void expectMissingFence() {
    ASSERT_EQ(log.getFindings().size(), 1u);
    EXPECT_EQ(log.getFindings()[0].kind, FindingKind::MissingProxyFence);
    ASSERT_EQ(log.getFindings()[0].notes.size(), 1u);
    EXPECT_NE(log.getFindings()[0].notes[0].find("alias"), std::string::npos);
  }

  FindingLog log;
  Memory memory;
  uint32_t words[4] = {}, window[4] = {};
  View views[4];
};

TEST_F(MemoryMulticastTest, ReadWithoutFence) {
  write(1, /*isMulticast=*/true);
  learn(2, 1);
  read(2);
  expectMissingFence();
}

TEST_F(MemoryMulticastTest, FenceOfTheWriter) {
  write(1, /*isMulticast=*/true);
  fence(1);
  learn(2, 1);
  read(2);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryMulticastTest, FenceOfAThreadBetween) {
  write(1, /*isMulticast=*/true);
  learn(2, 1);
  fence(2);
  learn(3, 2);
  read(3);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryMulticastTest, FenceOfAnotherThread) {
  write(1, /*isMulticast=*/true);
  fence(2); // knows nothing of the write
  learn(3, 1);
  learn(3, 2);
  read(3);
  expectMissingFence();
}

TEST_F(MemoryMulticastTest, WriteAfterRead) {
  read(1);
  learn(2, 1);
  write(2, /*isMulticast=*/true);
  expectMissingFence();
}

TEST_F(MemoryMulticastTest, WritesByTheSameAddress) {
  write(1, /*isMulticast=*/true);
  learn(2, 1);
  write(2, /*isMulticast=*/true);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryMulticastTest, WritesByTwoAddresses) {
  write(1, /*isMulticast=*/false);
  learn(2, 1);
  write(2, /*isMulticast=*/true);
  expectMissingFence();
}

TEST_F(MemoryMulticastTest, ARaceIsARace) {
  write(1, /*isMulticast=*/true);
  read(2);
  ASSERT_EQ(log.getFindings().size(), 1u);
  EXPECT_EQ(log.getFindings()[0].kind, FindingKind::DataRace);
}

TEST_F(MemoryMulticastTest, TheAddressIsNoMemory) {
  AccessResult result = run(1, AccessKind::Read, false, window + 1);
  EXPECT_FALSE(result.inBounds);
  ASSERT_EQ(log.getFindings().size(), 1u);
  EXPECT_EQ(log.getFindings()[0].kind, FindingKind::MulticastAccess);
  EXPECT_EQ(log.getFindings()[0].buffer, "all");
  EXPECT_EQ(log.getFindings()[0].beginByte, 4u);
}

} // namespace
