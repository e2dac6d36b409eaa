//===- MemoryTest.cpp - the rules for accesses, one by one ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right and wrong twins of every rule that Memory checks, by hazard.
// MemoryRandomTest.cpp compares whole histories with a naive model.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/Memory.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace carousel::sim;

namespace {

/// A thread or an operation of an engine, with what it knows.
struct Agent {
  View view;
  Access access;

  /// Takes over what the other knows and did, as a barrier or a completion
  /// does.
  void learn(Agent &other) {
    other.view.order.observe(other.access.epoch);
    view.join(other.view);
  }
  /// fence.proxy.async of shared memory.
  void fence() {
    view.order.observe(access.epoch);
    view.fencedShared.join(view.order);
    access.epoch = Epoch(access.epoch.cta(), access.epoch.agent(),
                         access.epoch.time() + 1);
  }
};

Agent makeThread(uint32_t thread) {
  Agent agent;
  agent.access.epoch = Epoch(0, thread, 1);
  agent.access.thread = thread;
  agent.access.site = 10 + thread;
  return agent;
}

class MemoryTest : public ::testing::Test {
protected:
  void makeMemory(MemoryRules rules = {}) {
    memory = std::make_unique<Memory>(log, rules);
    region = memory->addRegion(
        {Space::Shared, 0, "shared memory", bytes, sizeof(bytes), false});
    memory->setWritten(bytes, sizeof(bytes), true);
    load = memory->internOperation("tensor.load");
  }
  MemoryTest() { makeMemory(); }

  /// An operation of an engine, issued by `issuer`, in a slot of its own.
  Agent makeOperation(Agent &issuer) {
    Agent agent;
    agent.view = issuer.view;
    agent.view.order.observe(issuer.access.epoch);
    issuer.access.epoch =
        Epoch(0, issuer.access.thread, issuer.access.epoch.time() + 1);
    agent.access = issuer.access;
    agent.access.proxy = Proxy::Async;
    agent.access.operation = load;
    agent.access.operationId = ++lastOperation;
    agent.access.epoch = Epoch(0, 100 + lastOperation, 1);
    agent.access.site = 50;
    return agent;
  }
  AccessResult run(Agent &agent, AccessKind kind, uint64_t offset,
                   uint64_t size) {
    Access access = agent.access;
    access.kind = kind;
    access.view = &agent.view;
    // Also past the end, where pointers must not be counted on.
    auto address = reinterpret_cast<uintptr_t>(bytes) + offset;
    return memory->access(reinterpret_cast<void *>(address), size, access);
  }
  AccessResult read(Agent &agent, uint64_t offset = 0, uint64_t size = 16) {
    return run(agent, AccessKind::Read, offset, size);
  }
  AccessResult write(Agent &agent, uint64_t offset = 0, uint64_t size = 16) {
    return run(agent, AccessKind::Write, offset, size);
  }
  /// The one finding that there is.
  const Finding &finding() {
    static const Finding none{};
    EXPECT_EQ(log.getFindings().size(), 1u);
    return log.empty() ? none : log.getFindings()[0];
  }
  void expectOne(FindingKind kind, llvm::StringRef hazard) {
    EXPECT_EQ(getIdentifier(finding().kind), getIdentifier(kind));
    EXPECT_TRUE(llvm::StringRef(finding().message).starts_with(hazard))
        << finding().message;
  }

  alignas(4096) char bytes[3 * 4096] = {};
  FindingLog log;
  std::unique_ptr<Memory> memory;
  RegionId region = 0;
  uint16_t load = 0;
  uint64_t lastOperation = 0;
  Agent a = makeThread(1), b = makeThread(2);
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, ThreadsRaw) {
  write(a);
  read(b, 4, 4);
  expectOne(FindingKind::DataRace, "raw: ");
  EXPECT_EQ(finding().actor.thread, 2u);
  EXPECT_EQ(finding().other->thread, 1u);
  EXPECT_EQ(finding().other->site, 11u);
  EXPECT_EQ(finding().beginByte, 4u);
  EXPECT_EQ(finding().endByte, 8u);
}

TEST_F(MemoryTest, ThreadsWar) {
  read(a);
  write(b);
  expectOne(FindingKind::DataRace, "war: ");
}

TEST_F(MemoryTest, ThreadsWaw) {
  write(a);
  write(b);
  expectOne(FindingKind::DataRace, "waw: ");
}

TEST_F(MemoryTest, ThreadsOrdered) {
  write(a);
  b.learn(a);
  read(b);
  write(b);
  a.learn(b);
  write(a);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, ThreadsOrderIsUpToTheEpoch) {
  b.learn(a);
  a.access.epoch = Epoch(0, 1, 2);
  write(a);
  read(b);
  expectOne(FindingKind::DataRace, "raw: ");
}

TEST_F(MemoryTest, NeighboursDontConflict) {
  for (uint64_t size : {1, 2, 4, 8, 16, 128}) {
    write(a, 2048, size);
    write(b, 2048 + size, size);
    b.learn(a);
    a.learn(b);
    a.access.epoch = Epoch(0, 1, a.access.epoch.time() + 1);
    b.access.epoch = Epoch(0, 2, b.access.epoch.time() + 1);
  }
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, WritesMeetAllReadersSince) {
  std::vector<Agent> readers;
  for (uint32_t i = 0; i < 40; ++i) {
    readers.push_back(makeThread(10 + i));
    read(readers.back());
  }
  // All but one are known.
  for (uint32_t i = 0; i < 40; ++i)
    if (i != 17)
      a.learn(readers[i]);
  write(a);
  expectOne(FindingKind::DataRace, "war: ");
  EXPECT_EQ(finding().other->thread, 27u);
}

TEST_F(MemoryTest, AtomicsRaceWithAllButAtomics) {
  run(a, AccessKind::Atomic, 0, 4);
  run(b, AccessKind::Atomic, 0, 4);
  EXPECT_TRUE(log.empty());
  // The last atomic is known, the first isn't.
  Agent c = makeThread(3);
  c.learn(b);
  read(c, 0, 4);
  expectOne(FindingKind::DataRace, "raw: ");
  EXPECT_EQ(finding().other->thread, 1u);
}

TEST_F(MemoryTest, ReductionsRaceWithAllButReductions) {
  Agent first = makeOperation(a), second = makeOperation(b);
  run(first, AccessKind::Reduce, 0, 64);
  run(second, AccessKind::Reduce, 32, 64);
  EXPECT_TRUE(log.empty());
  Agent c = makeThread(3);
  run(c, AccessKind::Atomic, 0, 4);
  expectOne(FindingKind::EngineRace, "waw: ");
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, EngineRawWithoutWait) {
  Agent operation = makeOperation(a);
  write(operation, 0, 128);
  read(a, 64, 4);
  expectOne(FindingKind::EngineRace, "raw: ");
  EXPECT_EQ(finding().actor.operation, "");
  EXPECT_EQ(finding().other->operation, "tensor.load");
  EXPECT_EQ(finding().other->thread, 1u);
}

TEST_F(MemoryTest, EngineRawAfterWait) {
  Agent operation = makeOperation(a);
  write(operation, 0, 128);
  a.learn(operation);
  EXPECT_FALSE(read(a, 64, 4).stale);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, EngineWar) {
  read(b);
  Agent operation = makeOperation(a);
  write(operation);
  expectOne(FindingKind::EngineRace, "war: ");
}

TEST_F(MemoryTest, EngineWarReleased) {
  read(b);
  a.learn(b);
  Agent operation = makeOperation(a);
  EXPECT_FALSE(write(operation).stale);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, EngineWarReleasedStrictly) {
  makeMemory({/*strictFences=*/true});
  read(b);
  a.learn(b);
  Agent operation = makeOperation(a);
  // A read leaves nothing stale.
  EXPECT_FALSE(write(operation).stale);
  expectOne(FindingKind::MissingProxyFence, "war: ");
}

// A later access stands for an earlier one only where its fence does, too.
TEST_F(MemoryTest, StrictFencesOfEachReader) {
  for (AccessKind kind : {AccessKind::Read, AccessKind::Atomic}) {
    log.getFindings().clear();
    makeMemory({/*strictFences=*/true});
    Agent first = makeThread(3), second = makeThread(4);
    run(first, kind, 0, 4);
    second.learn(first);
    run(second, kind, 0, 4);
    // Only its own past.
    second.view.order.observe(second.access.epoch);
    second.view.fencedShared.observe(second.access.epoch);
    Agent operation = makeOperation(second);
    write(operation);
    expectOne(FindingKind::MissingProxyFence, "wa");
    EXPECT_EQ(finding().other->thread, 3u);
  }
}

TEST_F(MemoryTest, EnginesWaw) {
  Agent first = makeOperation(a), second = makeOperation(a);
  write(first);
  write(second);
  expectOne(FindingKind::EngineRace, "waw: ");
}

TEST_F(MemoryTest, EngineSlotsOrderNothing) {
  Agent first = makeOperation(a), second = makeOperation(a);
  second.access.epoch = Epoch(0, first.access.epoch.agent(), 2);
  write(first);
  write(second);
  expectOne(FindingKind::EngineRace, "waw: ");
}

TEST_F(MemoryTest, EngineSlotsDontStandForEachOther) {
  Agent first = makeOperation(a), second = makeOperation(a);
  second.access.epoch = Epoch(0, first.access.epoch.agent(), 2);
  second.access.thread = 9;
  read(first);
  read(second);
  write(second);
  expectOne(FindingKind::EngineRace, "war: ");
  EXPECT_EQ(finding().other->thread, 1u);
}

TEST_F(MemoryTest, PiecesOfOneOperationDontRace) {
  Agent operation = makeOperation(a);
  write(operation);
  operation.access.epoch = Epoch(0, operation.access.epoch.agent(), 2);
  read(operation);
  write(operation);
  EXPECT_TRUE(log.empty());
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, FenceMissing) {
  write(b);
  a.learn(b);
  Agent operation = makeOperation(a);
  EXPECT_TRUE(read(operation).stale);
  expectOne(FindingKind::MissingProxyFence, "raw: ");
  EXPECT_EQ(finding().notes.size(), 1u);
}

TEST_F(MemoryTest, FenceMissingBeforeWrite) {
  write(a);
  Agent operation = makeOperation(a);
  EXPECT_TRUE(write(operation).stale);
  expectOne(FindingKind::MissingProxyFence, "waw: ");
}

TEST_F(MemoryTest, FenceByWriter) {
  write(b);
  b.fence();
  a.learn(b);
  Agent operation = makeOperation(a);
  EXPECT_FALSE(read(operation).stale);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, FenceBeforeTheWrite) {
  b.fence();
  write(b);
  a.learn(b);
  Agent operation = makeOperation(a);
  EXPECT_TRUE(read(operation).stale);
  expectOne(FindingKind::MissingProxyFence, "raw: ");
}

TEST_F(MemoryTest, FenceOfOtherSpace) {
  write(b);
  b.view.order.observe(b.access.epoch);
  b.view.fencedGlobal.join(b.view.order);
  a.learn(b);
  Agent operation = makeOperation(a);
  EXPECT_TRUE(read(operation).stale);
  expectOne(FindingKind::MissingProxyFence, "raw: ");
}

TEST_F(MemoryTest, FenceWithoutOrder) {
  write(b);
  Agent operation = makeOperation(a);
  EXPECT_TRUE(read(operation).stale);
  expectOne(FindingKind::EngineRace, "raw: ");
}

TEST_F(MemoryTest, FenceNotNeededByCpAsync) {
  write(b);
  a.learn(b);
  Agent operation = makeOperation(a);
  operation.access.proxy = Proxy::Generic;
  EXPECT_FALSE(write(operation).stale);
  EXPECT_TRUE(log.empty());
}

TEST_F(MemoryTest, HostWritesNeedNoFence) {
  Agent operation = makeOperation(a);
  EXPECT_FALSE(read(operation, 0, sizeof(bytes)).stale);
  EXPECT_TRUE(log.empty());
}

//===----------------------------------------------------------------------===//
// Bytes that were never written, or are nobody's
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, UnwrittenRead) {
  memory->setWritten(bytes + 4090, 20, false);
  EXPECT_FALSE(read(a, 4080, 10).unwritten);
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(read(a, 4000, 200).unwritten);
  expectOne(FindingKind::UnwrittenRead, "expected ");
  EXPECT_EQ(finding().beginByte, 4090u);
  EXPECT_EQ(finding().endByte, 4110u);
  EXPECT_FALSE(finding().other);
  write(a, 4090, 20);
  EXPECT_FALSE(read(a, 4000, 200).unwritten);
}

TEST_F(MemoryTest, UnwrittenUpdate) {
  memory->setWritten(bytes, 64, false);
  EXPECT_TRUE(run(a, AccessKind::Atomic, 0, 4).unwritten);
  Agent operation = makeOperation(b);
  EXPECT_TRUE(run(operation, AccessKind::Reduce, 16, 16).unwritten);
  EXPECT_FALSE(run(a, AccessKind::Atomic, 0, 4).unwritten);
}

TEST_F(MemoryTest, OutOfBoundsAcrossTheEnd) {
  EXPECT_FALSE(read(a, sizeof(bytes) - 8, 16).inBounds);
  expectOne(FindingKind::OutOfBounds, "expected ");
  EXPECT_NE(finding().message.find("16 bytes at offset 12280 of shared memory, "
                                   "which has 12288 bytes"),
            std::string::npos)
      << finding().message;
}

TEST_F(MemoryTest, OutOfBoundsPastTheEnd) {
  EXPECT_FALSE(write(a, sizeof(bytes) + 4, 4).inBounds);
  expectOne(FindingKind::OutOfBounds, "expected ");
  EXPECT_EQ(finding().buffer, "shared memory");
  EXPECT_EQ(finding().beginByte, sizeof(bytes) + 4);
}

TEST_F(MemoryTest, OutOfBoundsFarAway) {
  Access access = a.access;
  access.view = &a.view;
  EXPECT_FALSE(memory->access(reinterpret_cast<void *>(8), 8, access).inBounds);
  EXPECT_FALSE(memory->access(bytes + 16, ~uint64_t(0), access).inBounds);
  EXPECT_EQ(log.getFindings().size(), 2u);
  EXPECT_EQ(log.getFindings()[0].buffer, "");
}

TEST_F(MemoryTest, OutOfBoundsAfterRemoval) {
  EXPECT_TRUE(read(a).inBounds);
  memory->removeRegion(region);
  memory->removeRegion(region);
  EXPECT_FALSE(read(a).inBounds);
  EXPECT_EQ(memory->find(bytes), nullptr);
  // A new region at the place starts without a past.
  region = memory->addRegion({Space::Shared, 1, "again", bytes, 64, false});
  EXPECT_TRUE(write(b).inBounds);
  ASSERT_NE(memory->find(bytes + 63), nullptr);
  EXPECT_EQ(memory->find(bytes + 63)->name, "again");
  EXPECT_EQ(memory->find(bytes + 64), nullptr);
  EXPECT_EQ(log.getFindings().size(), 1u);
}

TEST_F(MemoryTest, NothingIsNoAccess) {
  EXPECT_TRUE(read(a, sizeof(bytes) + 100, 0).inBounds);
  EXPECT_TRUE(log.empty());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, TheInnermostNameWins) {
  memory->nameRange(region, 1024, 4096, "ring", 1024);
  memory->nameRange(region, 2048, 64, "full", 8);
  memory->nameRange(region, 8000, 1 << 20, "tail", 0);
  auto describe = [&](uint64_t offset, uint64_t size) {
    Finding finding;
    memory->describe(bytes + offset, size, finding);
    std::string text = finding.buffer;
    if (finding.slot)
      text += "[" + std::to_string(*finding.slot) + "]";
    return text + " " + std::to_string(finding.beginByte) + ".." +
           std::to_string(finding.endByte);
  };
  EXPECT_EQ(describe(2064, 8), "full[2] 16..24");
  EXPECT_EQ(describe(2100, 64), "ring[1] 1076..1140");
  // Across an end only the outer buffer holds it all.
  EXPECT_EQ(describe(2104, 16), "ring[1] 1080..1096");
  EXPECT_EQ(describe(1000, 100), "shared memory 1000..1100");
  EXPECT_EQ(describe(8004, 4), "tail 4..8");
  write(a, 2072, 8);
  read(b, 2072, 8);
  EXPECT_EQ(finding().buffer, "full");
  EXPECT_EQ(finding().slot, 3u);
}

TEST(PoisonTest, IsNoNumber) {
  alignas(16) char bytes[16];
  poison(bytes, sizeof(bytes));
  float asFloat[4];
  double asDouble[2];
  std::memcpy(asFloat, bytes, sizeof(bytes));
  std::memcpy(asDouble, bytes, sizeof(bytes));
  EXPECT_TRUE(std::isnan(asFloat[0]) && std::isnan(asFloat[3]));
  EXPECT_TRUE(std::isnan(asDouble[0]) && std::isnan(asDouble[1]));
}

} // namespace
