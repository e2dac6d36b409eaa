//===- GridTest.cpp - threads, CTAs and the end of runs -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread runs once under every policy, residency is kept, spinning does
// not starve others, and a run that can't go on says where its threads stand.
//
//===----------------------------------------------------------------------===//

#include "GridFixture.h"

#include <chrono>
#include <set>

using namespace carousel::sim;

namespace {

TEST(Grid, EveryThreadRunsOnceWithItsNumbers) {
  for (Policy policy : getPolicies()) {
    GridShape shape;
    shape.grid = {4, 2, 3};
    shape.block = {5, 3, 3};
    shape.cluster = {2, 1, 3};
    shape.residentCTAs = 13;
    GridRun test(shape, policy);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    ASSERT_EQ(test.run([&](Thread &thread) {
      EXPECT_EQ(&test.grid.current(), &thread);
      EXPECT_TRUE(seen.insert({thread.cta, thread.index}).second);
      EXPECT_EQ(thread.index, thread.threadId.x + 5 * thread.threadId.y +
                                  15 * thread.threadId.z);
      EXPECT_EQ(thread.cta,
                thread.ctaId.x + 4 * thread.ctaId.y + 8 * thread.ctaId.z);
      EXPECT_EQ(thread.ctaId.x, thread.clusterId.x * 2 + thread.idInCluster.x);
      EXPECT_EQ(thread.ctaId.y, thread.clusterId.y);
      EXPECT_EQ(thread.ctaId.z, thread.idInCluster.z);
      EXPECT_EQ(thread.rankInCluster,
                thread.idInCluster.x + 2 * thread.idInCluster.z);
      EXPECT_EQ(thread.cluster, thread.clusterId.x + 2 * thread.clusterId.y);
      EXPECT_EQ(thread.time, 1u);
      for (unsigned i = 0; i < 5; ++i)
        test.grid.step();
    }),
              RunEnd::Finished);
    EXPECT_EQ(seen.size(), 24u * 45);
    EXPECT_EQ(test.grid.getSteps(), 24u * 45 * 5);
    EXPECT_TRUE(test.log.empty());
  }
}

TEST(Grid, ResidencyAndEvents) {
  for (Policy policy : getPolicies()) {
    GridShape shape = makeShape(24, 40);
    shape.cluster = {4, 1, 1};
    shape.residentCTAs = 11; // two clusters
    GridRun test(shape, policy);
    std::set<uint32_t> resident;
    std::vector<unsigned> running(24), exits(24);
    std::vector<uint32_t> starts;
    size_t most = 0;
    CTAEvents events;
    events.start = [&](uint32_t cta) {
      starts.push_back(cta);
      resident.insert(cta);
      for (uint32_t other : starts)
        EXPECT_EQ(test.grid.lookup(other, 0) != nullptr,
                  resident.count(other) != 0);
      most = std::max(most, resident.size());
      EXPECT_TRUE(test.grid.lookup(cta, 39));
    };
    events.exit = [&](uint32_t cta) {
      EXPECT_EQ(running[cta], 40u);
      EXPECT_EQ(exits[cta], 40u);
      EXPECT_TRUE(test.grid.lookup(cta, 0));
      resident.erase(cta);
    };
    events.threadExit = [&](Thread &thread) { ++exits[thread.cta]; };
    test.grid.setEvents(events);
    ASSERT_EQ(test.run([&](Thread &thread) {
      ++running[thread.cta];
      EXPECT_TRUE(resident.count(thread.cta));
      Thread *peer = test.grid.lookup(thread.cta / 4 * 4 + 1, 7);
      // The whole cluster is there when its first thread starts.
      EXPECT_TRUE(peer || running[thread.cta / 4 * 4 + 1] == 40);
      if (peer) {
        EXPECT_EQ(peer->index, 7u);
        EXPECT_EQ(peer->rankInCluster, 1u);
      }
      EXPECT_EQ(test.grid.lookup(thread.cta, 40), nullptr);
      EXPECT_EQ(test.grid.lookup(24, 0), nullptr);
      test.grid.step();
    }),
              RunEnd::Finished);
    EXPECT_EQ(most, 8u);
    EXPECT_EQ(starts.size(), 24u);
    EXPECT_TRUE(resident.empty());
    if (policy == Policy::ReverseCTAs)
      EXPECT_EQ(starts.front(), 20u);
    if (policy == Policy::OneCTA)
      EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  }
}

TEST(Grid, BadShapes) {
  auto fails = [](GridShape shape) {
    GridRun test(shape);
    RunEnd end = test.run([](Thread &) { FAIL(); });
    return end == RunEnd::Aborted && test.count(FindingKind::InvalidOperand);
  };
  GridShape shape = makeShape(6, 32);
  shape.cluster = {4, 1, 1};
  EXPECT_TRUE(fails(shape));
  EXPECT_TRUE(fails(makeShape(1, 1025)));
  EXPECT_TRUE(fails(makeShape(0, 32)));
  EXPECT_TRUE(fails(makeShape(1, 0)));
  shape = makeShape(1, 32);
  shape.grid = {1u << 31, 1u << 31, 1u << 31};
  EXPECT_TRUE(fails(shape));
}

/// A spinning thread waits for one that has much to do, in each order, by polls
/// with and without a yield.
TEST(Grid, SpinningDoesNotStarveOthers) {
  for (Policy policy : getPolicies())
    for (bool isYielding : {false, true})
      for (uint32_t setter : {0u, 5u, 50u, 95u, 4 * 96u - 1})
        for (uint64_t seed = 0; seed < 4; ++seed) {
          GridShape shape = makeShape(4, 96);
          shape.stepLimit = 1u << 26;
          GridRun test(shape, policy, seed);
          bool flag = false;
          ASSERT_EQ(test.run([&](Thread &thread) {
            if (thread.cta * 96 + thread.index == setter) {
              for (unsigned i = 0; i < 3000; ++i)
                test.grid.step();
              flag = true;
            }
            while (!flag)
              isYielding ? test.grid.yield() : test.grid.step();
          }),
                    RunEnd::Finished)
              << getName(policy).str() << " setter " << setter;
        }
}

/// Each thread polls a flag that the one before sets, or nobody.
TEST(Grid, PollsOfWhatNobodyWritesEndTheRun) {
  for (Policy policy : getPolicies())
    for (bool isYielding : {false, true})
      for (uint32_t missing : {0u, 3u, 8u, ~0u}) {
        GridShape shape = makeShape(2, 5);
        shape.isCoresident = true;
        shape.stepLimit = 1u << 26;
        GridRun test(shape, policy);
        std::vector<uint32_t> flags(10);
        RunEnd end = test.run([&](Thread &thread) {
          uint32_t number = thread.cta * 5 + thread.index;
          for (bool isSet = number == 0; !isSet;) {
            ++thread.cycles;
            isYielding ? test.grid.yield() : test.grid.step();
            test.grid.notePoll(&flags[number], sizeof(flags[number]));
            isSet = flags[number] != 0;
            test.grid.noteTurn(0);
          }
          for (unsigned i = 0; i < 9000; ++i) {
            ++thread.cycles;
            test.grid.step();
          }
          if (number != missing && number + 1 < flags.size())
            flags[number + 1] = 1;
        });
        EXPECT_EQ(end, missing == ~0u ? RunEnd::Finished : RunEnd::Deadlock)
            << getName(policy).str() << " missing " << missing;
      }
}

/// Each thread polls this many words in turn, of which nobody writes the last,
/// and has a way out after some polls, or none.
TEST(Grid, PollsThatEndAreNoDeadlock) {
  for (Policy policy : getPolicies())
    for (uint32_t words : {1u, 2u, 5u})
      for (bool isBounded : {false, true}) {
        GridShape shape = makeShape(2, 5);
        shape.stepLimit = 1u << 26;
        GridRun test(shape, policy);
        std::vector<uint32_t> flags(words);
        RunEnd end = test.run([&](Thread &thread) {
          for (uint32_t tries = 0; tries < 60000 || !isBounded; ++tries) {
            ++thread.cycles;
            test.grid.step();
            test.grid.notePoll(&flags[tries % words], sizeof(uint32_t));
            test.grid.noteTurn(isBounded ? tries : tries % words);
          }
        });
        EXPECT_EQ(end, isBounded ? RunEnd::Finished : RunEnd::Deadlock)
            << getName(policy).str() << " words " << words;
      }
}

/// Two threads undo each other's exchanges, of which each finds one value.
TEST(Grid, ExchangesThatAlternateAreNoPolls) {
  for (Policy policy : getPolicies()) {
    GridShape shape = makeShape(1, 2);
    shape.stepLimit = 1u << 18;
    GridRun test(shape, policy);
    uint32_t word = 0;
    EXPECT_EQ(test.run([&](Thread &thread) {
      while (true) {
        ++thread.cycles;
        // As if the threads had taken turns.
        word = thread.index;
        test.grid.notePoll(&word, sizeof(word));
        test.grid.noteTurn(0);
        test.grid.step();
      }
    }),
              RunEnd::StepLimit)
        << getName(policy).str();
  }
}

/// Spinning where the pollers meet at barriers, which goes on forever.
TEST(Grid, SpinningWithBarriersDoesNotStarveOthers) {
  for (Policy policy : getPolicies())
    for (bool isWarpBarrier : {false, true})
      for (uint64_t seed = 0; seed < 6; ++seed) {
        GridShape shape = makeShape(2, 96);
        shape.stepLimit = 1u << 26;
        GridRun test(shape, policy, seed);
        bool flag = false, seen[2] = {};
        ASSERT_EQ(test.run([&](Thread &thread) {
          if (thread.warp() == 2) {
            for (unsigned i = 0; i < 500; ++i)
              test.grid.step();
            if (thread.cta == 1)
              flag = true;
            return;
          }
          bool isDone = false;
          while (!isDone) {
            if (isWarpBarrier) {
              isDone = test.grid.exchange("poll", 0, flag)[0];
            } else {
              test.grid.gather("poll", 0, 64, 0, [&](llvm::ArrayRef<uint64_t>) {
                seen[thread.cta] = flag;
              });
              isDone = seen[thread.cta];
            }
          }
        }),
                  RunEnd::Finished)
            << getName(policy).str();
      }
}

/// A thread that yields comes to run again though the others never rest.
TEST(Grid, YieldingDoesNotStarveTheThread) {
  for (Policy policy : getPolicies()) {
    GridShape shape = makeShape(2, 64);
    shape.stepLimit = 1u << 26;
    GridRun test(shape, policy);
    bool flag = false;
    EXPECT_EQ(test.run([&](Thread &thread) {
      if (thread.cta == 1 && thread.index == 40) {
        for (unsigned i = 0; i < 20; ++i)
          test.grid.yield();
        flag = true;
      }
      while (!flag)
        test.grid.step();
    }),
              RunEnd::Finished)
        << getName(policy).str();
  }
}

struct Flag : Waitable {
  bool isSet = false;
  WaitDescription describe(const Thread &waiter) const override {
    return {"flag", "1 of 1 sets", {"CTA 0 thread 0"}};
  }
};

/// Lands `left` pieces, then sets a flag.
struct Engine : Background {
  Grid *grid = nullptr;
  Flag flag;
  uint32_t left = 0, landed = 0;
  uint32_t ready() const override { return std::min(left, 16u); }
  void run(uint32_t which, Schedule &schedule) override {
    EXPECT_LT(which, ready());
    ++landed;
    if (--left == 0) {
      flag.isSet = true;
      grid->wake(flag);
    }
  }
};

TEST(Grid, EnginesActBetweenThreads) {
  for (Policy policy : getPolicies())
    for (unsigned polls : {0, 1, 2}) { // by wait, yield, step
      GridShape shape = makeShape(2, 64);
      shape.stepLimit = 1u << 26;
      GridRun test(shape, policy);
      Engine engine;
      engine.grid = &test.grid;
      test.grid.setBackground(&engine);
      uint32_t landedAtIssue = 0, landedEarly = 0;
      ASSERT_EQ(test.run([&](Thread &thread) {
        if (thread.cta == 0 && thread.index == 0) {
          engine.left = 3000;
          landedAtIssue = engine.landed;
        }
        for (unsigned i = 0; i < 400; ++i)
          test.grid.step();
        landedEarly = engine.landed;
        while (!engine.flag.isSet)
          polls == 0   ? test.grid.wait(engine.flag)
          : polls == 1 ? test.grid.yield()
                       : test.grid.step();
      }),
                RunEnd::Finished)
          << getName(policy).str();
      EXPECT_EQ(engine.landed, 3000u);
      EXPECT_EQ(landedAtIssue, 0u);
      if (policy == Policy::LateLanding && polls == 0)
        EXPECT_EQ(landedEarly, 0u);
      if (policy == Policy::EarlyLanding)
        EXPECT_EQ(landedEarly, 3000u);
    }
}

TEST(Grid, RunsEnginesUntilIdle) {
  GridRun test(makeShape(1, 1), Policy::LateLanding);
  Engine engine;
  engine.grid = &test.grid;
  test.grid.setBackground(&engine);
  EXPECT_EQ(test.run([&](Thread &) { engine.left = 77; }), RunEnd::Finished);
  EXPECT_EQ(engine.landed, 77u);
}

TEST(Grid, WakeMakesAllWaitersRun) {
  GridRun test(makeShape(3, 33));
  Flag flag;
  unsigned woken = 0;
  EXPECT_EQ(test.run([&](Thread &thread) {
    if (thread.cta == 2 && thread.index == 32) {
      test.grid.step();
      flag.isSet = true;
      test.grid.wake(flag);
      return;
    }
    while (!flag.isSet)
      test.grid.wait(flag);
    ++woken;
  }),
            RunEnd::Finished);
  EXPECT_EQ(woken, 98u);
}

TEST(Grid, DeadlockShowsWhoWaits) {
  GridRun test(makeShape(3, 64));
  Flag flag;
  EXPECT_EQ(test.run([&](Thread &thread) {
    thread.site = thread.warp() ? 20 : 10;
    if (thread.warp())
      test.grid.wait(flag);
    else
      test.grid.barrierSync(0, 0);
  }),
            RunEnd::Deadlock);
  EXPECT_EQ(
      test.text(FindingKind::Deadlock),
      "expected a thread that can go on or a transfer in flight, found that "
      "all of 192 threads of 3 CTAs wait\n"
      "CTAs 0-2, warp 0 (threads 0-31) waits at k.mlir:10 on CTA barrier 0; "
      "missing: 32 of 64 arrivals; could come from: threads 32-63 (waiting at "
      "k.mlir:20)\n"
      "CTAs 0-2, warp 1 (threads 32-63) waits at k.mlir:20 on flag; missing: 1 "
      "of 1 sets; could come from: CTA 0 thread 0\n");
}

TEST(Grid, DeadlockTextIsBounded) {
  GridRun test(makeShape(4, 1024));
  Flag flag;
  EXPECT_EQ(test.run([&](Thread &thread) {
    thread.site = 1 + thread.index + thread.cta * 1024;
    test.grid.wait(flag);
  }),
            RunEnd::Deadlock);
  ASSERT_EQ(test.count(FindingKind::Deadlock), 1u);
  const Finding &finding = test.log.getFindings().front();
  EXPECT_EQ(finding.notes.size(), 49u);
  EXPECT_EQ(finding.notes.back(), "and 4048 more groups of threads");
}

TEST(Grid, StepLimitShowsWhereThreadsStand) {
  for (Policy policy : getPolicies()) {
    GridShape shape = makeShape(2, 40);
    shape.stepLimit = policy == Policy::Random ? 1000000 : 20000;
    GridRun test(shape, policy);
    Flag flag;
    EXPECT_EQ(test.run([&](Thread &thread) {
      thread.site = thread.warp() ? 7 : 6;
      if (thread.warp())
        test.grid.wait(flag);
      for (;;)
        thread.index ? test.grid.yield() : test.grid.step();
    }),
              RunEnd::StepLimit);
    EXPECT_EQ(test.grid.getSteps(), shape.stepLimit);
    std::string text = test.text(FindingKind::StepLimit);
    EXPECT_NE(text.find("warp 0 (threads 0-31) runs at k.mlir:6\n"),
              std::string::npos)
        << text;
    // With OneCTA and its like a warp may not have come to its wait.
    if (policy == Policy::Random)
      EXPECT_NE(text.find("CTAs 0, 1, warp 1 (threads 32-39) waits at k.mlir:7 "
                          "on flag"),
                std::string::npos)
          << text;
  }
}

TEST(Grid, AbortEndsTheRunAtOnce) {
  GridRun test(makeShape(4, 128));
  unsigned after = 0;
  bool isAborted = false;
  EXPECT_EQ(test.run([&](Thread &thread) {
    after += isAborted;
    for (unsigned i = 0; i < 100; ++i)
      test.grid.step();
    after += isAborted;
    if (thread.cta == 3 && thread.index == 127) {
      isAborted = true;
      test.grid.abort();
    }
    test.grid.barrierSync(0, 0);
  }),
            RunEnd::Aborted);
  EXPECT_TRUE(isAborted);
  EXPECT_EQ(after, 0u);
  EXPECT_TRUE(test.log.empty());
}

TEST(Grid, FullLogAndRequestEndTheRun) {
  for (bool isRequest : {false, true}) {
    GridRun test(makeShape(1, 32));
    EXPECT_EQ(test.run([&](Thread &thread) {
      for (Site site = 1;; ++site) {
        thread.site = site;
        if (isRequest)
          test.grid.requestAbort();
        else
          test.grid.clusterWait(true); // a finding each
        test.grid.step();
      }
    }),
              RunEnd::Aborted);
    EXPECT_EQ(test.log.isFull(), !isRequest);
  }
}

TEST(Grid, StackOverflowHitsTheGuard) {
  GridShape shape = makeShape(1, 1);
  shape.stackBytes = 16 * 1024;
  GridRun test(shape);
  EXPECT_DEATH(test.run([&](Thread &) {
    // Page by page, as frames grow.
    volatile char *here = static_cast<char *>(__builtin_frame_address(0));
    for (unsigned i = 0; i < 8; ++i)
      here[-int(i * 4096)] = 1;
    _exit(0);
  }),
               "");
}

TEST(Grid, MillionsOfSwitchesPerSecond) {
  GridShape shape = makeShape(132, 256);
  shape.stepLimit = 1ull << 32;
  GridRun test(shape);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(test.run([&](Thread &thread) {
    for (unsigned i = 0; i < 60; ++i)
      test.grid.yield();
    for (unsigned i = 0; i < 1000; ++i)
      test.grid.step();
  }),
            RunEnd::Finished);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_EQ(test.grid.getSteps(), 132u * 256 * 1060);
  // 2 million yields and 34 million steps; slow machines have time.
  EXPECT_LT(seconds, 20);
}

} // namespace
