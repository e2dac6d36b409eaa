//===- MemoryRandomTest.cpp - whole histories against a naive model -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small world of threads and engine operations that synchronise, fence and
// access memory at random. The model keeps every byte by itself, with every
// access since its last write, and plain maps for clocks; each access has to
// give the same findings and the same result.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/Memory.h"

#include "gtest/gtest.h"

#include <chrono>
#include <map>
#include <random>
#include <set>

using namespace carousel::sim;

namespace {

/// Times by agent of the grid.
using Times = std::map<uint64_t, uint32_t>;

void joinTimes(Times &into, const Times &from) {
  for (auto [agent, time] : from)
    into[agent] = std::max(into[agent], time);
}

bool knows(const Times &times, Epoch epoch) {
  auto found = times.find(epoch.getAgent());
  return found != times.end() && found->second >= epoch.time();
}

/// The knowledge of an agent, twice.
struct Knowledge {
  View view;
  Times order, fenced[2];

  void join(const Knowledge &other) {
    view.join(other.view);
    joinTimes(order, other.order);
    for (int space : {0, 1})
      joinTimes(fenced[space], other.fenced[space]);
  }
  void observe(Epoch epoch) {
    view.order.observe(epoch);
    order[epoch.getAgent()] = std::max(order[epoch.getAgent()], epoch.time());
  }
};

struct Thread {
  uint32_t cta, index, time = 1;
  Knowledge knowledge;
  Epoch epoch() const { return Epoch(cta, index, time); }
  void tick() {
    knowledge.observe(epoch());
    ++time;
  }
};

struct Operation {
  Access access;
  Knowledge knowledge;
};

struct NaiveAccess {
  Epoch epoch;
  AccessKind kind;
  Proxy proxy;
  uint64_t operationId;
  Site site;
};

struct NaiveByte {
  bool isWritten = false;
  std::vector<NaiveAccess> past; // since the last write, with it
};

/// The expected results of an access.
struct Expected {
  AccessResult result;
  struct Range {
    uint64_t begin, end;
    std::set<Site> others; // of the first byte
  };
  std::map<FindingKind, Range> findings;
};

class NaiveMemory {
public:
  NaiveMemory(uint64_t size, int space, bool strict)
      : bytes(size), space(space), strict(strict) {}

  Expected access(uint64_t begin, uint64_t size, const Access &access,
                  const Knowledge &knowledge) {
    Expected expected;
    if (begin + size > bytes.size()) {
      expected.result.inBounds = false;
      expected.findings[FindingKind::OutOfBounds] = {};
      return expected;
    }
    for (uint64_t i = begin; i < begin + size; ++i)
      visit(i, access, knowledge, expected);
    return expected;
  }

private:
  static bool isUpdate(AccessKind kind) {
    return kind == AccessKind::Atomic || kind == AccessKind::Reduce;
  }
  void add(Expected &expected, FindingKind kind, uint64_t byte, Site other) {
    auto [entry, isNew] =
        expected.findings.insert({kind, {byte, byte + 1, {}}});
    entry->second.end = byte + 1;
    if (entry->second.begin == byte)
      entry->second.others.insert(other);
  }
  void visit(uint64_t i, const Access &now, const Knowledge &knowledge,
             Expected &expected) {
    NaiveByte &byte = bytes[i];
    if (now.kind != AccessKind::Write && !byte.isWritten) {
      expected.result.unwritten = true;
      add(expected, FindingKind::UnwrittenRead, i, 0);
    }
    for (const NaiveAccess &old : byte.past) {
      bool bothRead =
          old.kind == AccessKind::Read && now.kind == AccessKind::Read;
      bool bothUpdate =
          isUpdate(old.kind) && old.kind == now.kind && old.proxy == now.proxy;
      bool sameOperation =
          old.operationId && old.operationId == now.operationId;
      if (bothRead || bothUpdate || sameOperation)
        continue;
      bool isOwn = !old.operationId && !now.operationId &&
                   old.epoch.getAgent() == now.epoch.getAgent();
      bool isOfOtherCTA = space == 1 && old.epoch.cta() != now.epoch.cta();
      bool isFenced = (old.proxy == Proxy::Async && !isOfOtherCTA) ||
                      now.proxy == Proxy::Generic ||
                      (old.kind == AccessKind::Read && !strict) ||
                      knows(knowledge.fenced[space], old.epoch);
      if (!isFenced && old.kind != AccessKind::Read &&
          old.proxy == Proxy::Generic)
        expected.result.stale = true;
      if (!isOwn && !knows(knowledge.order, old.epoch))
        add(expected,
            old.operationId || now.operationId ? FindingKind::EngineRace
                                               : FindingKind::DataRace,
            i, old.site);
      else if (!isFenced)
        add(expected, FindingKind::MissingProxyFence, i, old.site);
    }
    if (now.kind == AccessKind::Write)
      byte.past.clear();
    if (now.kind != AccessKind::Read)
      byte.isWritten = true;
    byte.past.push_back(
        {now.epoch, now.kind, now.proxy, now.operationId, now.site});
  }

  std::vector<NaiveByte> bytes;
  int space;
  bool strict;
};

class World {
public:
  World(uint32_t seed, bool strict)
      : random(seed), strict(strict), space(seed % 2), memory(log, {strict}),
        buffer(kBytes + 64), naive(kBytes, space, strict), shared(kObjects) {
    memory.addRegion({space ? Space::Global : Space::Shared, 0, "%x",
                      buffer.data(), kBytes, false});
    for (uint32_t cta = 0; cta < 2; ++cta)
      for (uint32_t index = 0; index < kThreads; ++index)
        threads.push_back({cta, index, 1, {}});
    // Seeds differ in how much they synchronise, so that some histories are
    // nearly clean.
    accessShare = 30 + draw(60);
  }

  void step() {
    Thread &thread = threads[draw(threads.size())];
    if (draw(100) < accessShare)
      return makeAccess(thread);
    switch (draw(6)) {
    case 0: // release
      thread.tick();
      return shared[draw(kObjects)].join(thread.knowledge);
    case 1: // acquire
      return thread.knowledge.join(shared[draw(kObjects)]);
    case 2:
      return fence(thread, draw(4) == 0 ? 1 - space : space);
    case 3:
      return barrier(thread.cta);
    case 4:
      return issue(thread);
    default: // an operation completes, and the thread sees it
      if (operations.empty())
        return;
      uint32_t which = draw(operations.size());
      Operation &done = operations[which];
      thread.knowledge.join(done.knowledge);
      thread.knowledge.observe(
          Epoch(done.access.epoch.cta(), done.access.epoch.agent(), 2));
      operations.erase(operations.begin() + which);
    }
  }

  bool hasSeen(FindingKind kind) const { return seen.count(kind); }

private:
  static constexpr uint32_t kThreads = 5, kObjects = 3, kBytes = 2 * 4096 + 52;

  uint32_t draw(uint32_t n) { return random() % n; }

  void fence(Thread &thread, int which) {
    thread.tick();
    View &view = thread.knowledge.view;
    Clock &fenced = which ? view.fencedGlobal : view.fencedShared;
    Times &times = thread.knowledge.fenced[which];
    if (strict) {
      Epoch own(thread.cta, thread.index, thread.time - 1);
      fenced.observe(own);
      times[own.getAgent()] = own.time();
      return;
    }
    fenced.join(view.order);
    joinTimes(times, thread.knowledge.order);
  }
  void barrier(uint32_t cta) {
    Knowledge all;
    for (Thread &thread : threads) {
      if (thread.cta == cta) {
        thread.tick();
        all.join(thread.knowledge);
      }
    }
    for (Thread &thread : threads)
      if (thread.cta == cta)
        thread.knowledge.join(all);
  }
  void issue(Thread &thread) {
    thread.tick();
    Operation operation;
    operation.knowledge = thread.knowledge;
    operation.access.operationId = ++lastOperation;
    operation.access.operation = memory.internOperation("engine");
    operation.access.proxy = draw(4) == 0 ? Proxy::Generic : Proxy::Async;
    operation.access.thread = thread.index;
    operation.access.epoch = Epoch(thread.cta, kThreads + lastOperation, 1);
    operations.push_back(operation);
  }

  void makeAccess(Thread &thread) {
    Access access;
    const Knowledge *knowledge = &thread.knowledge;
    AccessKind update = AccessKind::Atomic;
    if (!operations.empty() && draw(2)) {
      Operation &operation = operations[draw(operations.size())];
      access = operation.access;
      knowledge = &operation.knowledge;
      update = AccessKind::Reduce;
    } else {
      access.epoch = thread.epoch();
      access.thread = thread.index;
    }
    uint32_t which = draw(8);
    access.kind = which < 4   ? AccessKind::Read
                  : which < 7 ? AccessKind::Write
                              : update;
    if (access.operationId)
      access.epoch = Epoch(access.epoch.cta(), access.epoch.agent(),
                           access.kind == AccessKind::Read ? 1 : 2);
    access.view = &knowledge->view;
    access.site = 1 + draw(1000);

    static constexpr uint32_t kSizes[] = {1, 2, 4, 8, 16, 32, 64, 24, 7, 4160};
    uint32_t size = kSizes[draw(draw(4) ? 7 : std::size(kSizes))];
    // Around the start, a page's border, and the end.
    static constexpr uint32_t kPlaces[] = {0, 4096 - 64, kBytes - 52};
    uint32_t offset = kPlaces[draw(3)] + draw(96);
    if (draw(8))
      offset -= offset % std::min(size, 16u);
    check(offset, size, access, *knowledge);
  }

  void check(uint32_t offset, uint32_t size, const Access &access,
             const Knowledge &knowledge) {
    Expected expected = naive.access(offset, size, access, knowledge);
    AccessResult result = memory.access(buffer.data() + offset, size, access);
    ASSERT_EQ(result.inBounds, expected.result.inBounds);
    ASSERT_EQ(result.stale, expected.result.stale);
    ASSERT_EQ(result.unwritten, expected.result.unwritten);
    // The last of one agent's alike accesses may stand for all: where it races,
    // an earlier one that only lacks a fence needn't be reported.
    bool races = expected.findings.count(FindingKind::DataRace) ||
                 expected.findings.count(FindingKind::EngineRace);
    std::set<FindingKind> reported;
    for (const Finding &finding : log.getFindings()) {
      ASSERT_TRUE(reported.insert(finding.kind).second);
      ASSERT_TRUE(expected.findings.count(finding.kind))
          << getIdentifier(finding.kind).str();
      ASSERT_EQ(finding.actor.site, access.site);
      if (finding.kind == FindingKind::OutOfBounds ||
          (races && finding.kind == FindingKind::MissingProxyFence))
        continue;
      const Expected::Range &range = expected.findings[finding.kind];
      ASSERT_EQ(finding.beginByte, range.begin);
      ASSERT_EQ(finding.endByte, range.end);
      if (finding.kind == FindingKind::UnwrittenRead)
        ASSERT_FALSE(finding.other);
      else
        ASSERT_TRUE(range.others.count(finding.other->site));
    }
    for (const auto &[kind, range] : expected.findings)
      if (!races || kind != FindingKind::MissingProxyFence)
        ASSERT_TRUE(reported.count(kind)) << getIdentifier(kind).str();
    seen.insert(reported.begin(), reported.end());
    log.getFindings().clear();
  }

  std::mt19937 random;
  bool strict;
  int space;
  uint32_t accessShare = 0;
  FindingLog log;
  Memory memory;
  std::vector<char> buffer;
  NaiveMemory naive;
  std::vector<Thread> threads;
  std::vector<Knowledge> shared;
  std::vector<Operation> operations;
  uint64_t lastOperation = 0;
  std::set<FindingKind> seen;
};

class MemoryRandomTest : public ::testing::TestWithParam<bool> {};

TEST_P(MemoryRandomTest, AgreesWithTheNaiveModel) {
  std::set<FindingKind> missing = {
      FindingKind::DataRace, FindingKind::EngineRace,
      FindingKind::MissingProxyFence, FindingKind::UnwrittenRead,
      FindingKind::OutOfBounds};
  for (uint32_t seed = 0; seed < 60; ++seed) {
    World world(seed, GetParam());
    for (uint32_t step = 0; step < 500; ++step) {
      world.step();
      if (HasFatalFailure())
        FAIL() << "seed " << seed << ", step " << step;
    }
    for (auto kind = missing.begin(); kind != missing.end();)
      kind = world.hasSeen(*kind) ? missing.erase(kind) : std::next(kind);
  }
  EXPECT_TRUE(missing.empty()) << "the histories show too little";
}

INSTANTIATE_TEST_SUITE_P(Fences, MemoryRandomTest, ::testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Strict" : "Default";
                         });

// More moments than are kept at once: what no byte refers to is dropped, what
// one does stays.
TEST(MemoryLongTest, ForgetsOnlyWhatNothingRefersTo) {
  std::vector<char> buffer(4096);
  FindingLog log;
  Memory memory(log, {});
  memory.addRegion(
      {Space::Shared, 0, "%x", buffer.data(), buffer.size(), true});
  View nothing;
  auto access = [&](uint64_t offset, AccessKind kind, Epoch epoch,
                    const View &view) {
    Access access;
    access.kind = kind;
    access.epoch = epoch;
    access.thread = epoch.agent();
    access.view = &view;
    access.site = 5;
    memory.access(buffer.data() + offset, 16, access);
  };
  for (uint32_t reader = 1; reader <= 20; ++reader)
    access(0, AccessKind::Read, Epoch(0, reader, 1), nothing);
  access(16, AccessKind::Read, Epoch(0, 21, 1), nothing);
  // One record comes and goes, many others are made in between.
  View afterFirst;
  afterFirst.order.observe(Epoch(0, 40, 1));
  View afterSecond;
  afterSecond.order.observe(Epoch(0, 41, 1));
  for (uint32_t time = 1; time < 2'000'000; ++time) {
    access(32, AccessKind::Write, Epoch(0, 40, 1), afterSecond);
    access(64, AccessKind::Write, Epoch(0, 0, 2 * time), nothing);
    access(32, AccessKind::Write, Epoch(0, 41, 1), afterFirst);
    access(64, AccessKind::Read, Epoch(0, 0, 2 * time + 1), nothing);
  }
  EXPECT_TRUE(log.empty());
  // All readers but one are known.
  View view;
  for (uint32_t reader = 1; reader <= 20; ++reader)
    if (reader != 7)
      view.order.observe(Epoch(0, reader, 1));
  access(0, AccessKind::Write, Epoch(0, 30, 1), view);
  ASSERT_EQ(log.getFindings().size(), 1u);
  EXPECT_EQ(log.getFindings()[0].other->thread, 7u);
  log.getFindings().clear();
  access(16, AccessKind::Write, Epoch(0, 30, 1), view);
  ASSERT_EQ(log.getFindings().size(), 1u);
  EXPECT_EQ(log.getFindings()[0].other->thread, 21u);
}

// A ring of four slots: an operation fills a slot in pieces of 16 bytes, 256
// threads read it as elements of 4 bytes. The bound is two orders above what is
// usual.
TEST(MemoryLongTest, StreamsARing) {
  constexpr uint32_t kSlotBytes = 16384, kSlots = 4, kRounds = 64,
                     kThreads = 256;
  std::vector<char> buffer(kSlots * kSlotBytes);
  FindingLog log;
  Memory memory(log, {});
  memory.addRegion(
      {Space::Shared, 0, "ring", buffer.data(), buffer.size(), false});
  uint16_t load = memory.internOperation("tensor.load");
  View view;
  auto start = std::chrono::steady_clock::now();
  for (uint32_t round = 1; round <= kRounds; ++round) {
    char *slot = buffer.data() + round % kSlots * kSlotBytes;
    Access fill;
    fill.kind = AccessKind::Write;
    fill.proxy = Proxy::Async;
    fill.operation = load;
    fill.operationId = round;
    fill.epoch = Epoch(0, kThreads + round % kSlots, round);
    fill.view = &view;
    for (uint32_t offset = 0; offset < kSlotBytes; offset += 16)
      memory.access(slot + offset, 16, fill);
    view.order.observe(fill.epoch);
    Access read;
    read.view = &view;
    for (uint32_t offset = 0; offset < kSlotBytes; offset += 4) {
      read.thread = offset / 4 % kThreads;
      read.epoch = Epoch(0, read.thread, round);
      memory.access(slot + offset, 4, read);
    }
    for (uint32_t thread = 0; thread < kThreads; ++thread)
      view.order.observe(Epoch(0, thread, round));
  }
  EXPECT_TRUE(log.empty());
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 5.0);
}

} // namespace
