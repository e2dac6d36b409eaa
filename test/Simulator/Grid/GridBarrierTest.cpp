//===- GridBarrierTest.cpp - barriers and collectives ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers order threads and join what they know; threads that don't come, come
// twice or come to another place are found.
//
//===----------------------------------------------------------------------===//

#include "GridFixture.h"

using namespace carousel::sim;

namespace {

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(GridBarrier, OrdersAndJoinsUnderEveryPolicy) {
  for (Policy policy : getPolicies())
    for (uint64_t seed = 0; seed < 5; ++seed) {
      GridRun test(makeShape(3, 70), policy, seed);
      unsigned arrived[3][4] = {};
      std::vector<std::vector<Epoch>> wrote(3, std::vector<Epoch>(70));
      ASSERT_EQ(test.run([&](Thread &thread) {
        for (unsigned round = 0; round < 4; ++round) {
          for (unsigned i = 0; i < thread.index % 3; ++i)
            test.grid.step();
          wrote[thread.cta][thread.index] = thread.epoch();
          thread.cycles = 100 * round + thread.index;
          ++arrived[thread.cta][round];
          test.grid.barrierSync(0, round % 2 ? 96 : 0);
          EXPECT_EQ(arrived[thread.cta][round], 70u);
          EXPECT_EQ(thread.cycles, 100 * round + 69);
          for (Epoch epoch : wrote[thread.cta])
            EXPECT_TRUE(thread.view.order.covers(epoch));
          EXPECT_FALSE(thread.view.order.covers(thread.epoch()));
          EXPECT_FALSE(
              thread.view.order.covers(Epoch((thread.cta + 1) % 3, 0, 1)));
          test.grid.barrierSync(1, 0);
        }
      }),
                RunEnd::Finished);
      EXPECT_TRUE(test.log.empty());
    }
}

TEST(GridBarrier, ThousandSeeds) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    GridShape shape = makeShape(4, 64);
    shape.cluster = {2, 1, 1};
    GridRun test(shape, Policy(seed % kNumPolicies), seed);
    unsigned sum = 0, ends = 0;
    ASSERT_EQ(test.run([&](Thread &thread) {
      auto values = test.grid.exchange("shuffle", 0, thread.index);
      sum += unsigned(values[(thread.lane() + 1) % 32]);
      test.grid.barrierSync(0, 0);
      test.grid.clusterArrive(true);
      test.grid.clusterWait(true);
      test.grid.gather(
          "load", 0, 64, thread.index,
          [&](llvm::ArrayRef<uint64_t> values) { ends += values[63] == 63; });
    }),
              RunEnd::Finished)
        << seed;
    ASSERT_EQ(sum, 4 * 63 * 32u);
    ASSERT_EQ(ends, 4u);
    ASSERT_TRUE(test.log.empty());
  }
}

/// Warp 0 fills, warp 1 empties, by two named barriers.
TEST(GridBarrier, NamedBarriersProducerAndConsumer) {
  for (Policy policy : getPolicies()) {
    GridRun test(makeShape(2, 128), policy);
    int slot[2] = {}, filled[2] = {}, errors = 0;
    ASSERT_EQ(test.run([&](Thread &thread) {
      int &value = slot[thread.cta], &count = filled[thread.cta];
      if (thread.warp() > 1)
        return; // no participant of a named barrier
      for (int i = 1; i <= 20; ++i) {
        if (thread.warp() == 0) {
          test.grid.barrierSync(2, 64); // empty
          if (++count == 32) {
            value = i;
            count = 0;
          }
          test.grid.barrierArrive(1, 64); // full
        } else {
          test.grid.barrierArrive(2, 64);
          test.grid.barrierSync(1, 64);
          errors += value != i;
          EXPECT_TRUE(thread.view.order.covers(Epoch(thread.cta, 3, i)));
        }
      }
    }),
              RunEnd::Finished);
    EXPECT_EQ(errors, 0);
    EXPECT_TRUE(test.log.empty()) << test.text(FindingKind::BarrierDivergence);
  }
}

TEST(GridBarrier, ArriveGivesItsViewUpToTheArrive) {
  GridRun test(makeShape(1, 64));
  Epoch before[32], after[32];
  ASSERT_EQ(test.run([&](Thread &thread) {
    if (thread.warp() == 0) {
      before[thread.lane()] = thread.epoch();
      thread.view.fencedShared.observe(thread.epoch());
      test.grid.barrierArrive(1, 64);
      after[thread.lane()] = thread.epoch();
      EXPECT_NE(before[thread.lane()], after[thread.lane()]);
      test.grid.barrierArrive(2, 64);
      EXPECT_FALSE(thread.view.order.covers(Epoch(0, 40, 1)));
      return;
    }
    test.grid.barrierSync(1, 64);
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_TRUE(thread.view.order.covers(before[lane]));
      EXPECT_TRUE(thread.view.fencedShared.covers(before[lane]));
      EXPECT_FALSE(thread.view.fencedGlobal.covers(before[lane]));
      EXPECT_FALSE(thread.view.order.covers(Epoch(0, lane, 2)));
    }
    test.grid.barrierSync(2, 64);
    for (Epoch epoch : after)
      EXPECT_TRUE(thread.view.order.covers(epoch));
  }),
            RunEnd::Finished);
  EXPECT_TRUE(test.log.empty());
}

TEST(GridBarrier, LaterParticipantsKnowNothingOfEarlierOnes) {
  GridRun test(makeShape(1, 128));
  unsigned done = 0;
  ASSERT_EQ(test.run([&](Thread &thread) {
    while (thread.warp() > 1 && done < 64)
      test.grid.yield();
    test.grid.barrierSync(1, 64);
    ++done;
    EXPECT_TRUE(thread.view.order.covers(Epoch(0, thread.warp() * 32, 1)));
    EXPECT_EQ(thread.view.order.covers(Epoch(0, 0, 1)), thread.warp() < 2);
  }),
            RunEnd::Finished);
  EXPECT_TRUE(test.log.empty());
}

TEST(GridBarrier, ExitedThreadsDiverge) {
  // Thread 5 leaves before, or while, the others wait; the barrier completes.
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GridRun test(makeShape(1, 64), Policy::Random, seed);
    unsigned passed = 0;
    ASSERT_EQ(test.run([&](Thread &thread) {
      thread.site = thread.index == 5 ? 3 : 4;
      bool isLate = seed % 3 == (thread.index == 5 ? 1 : 2);
      for (unsigned i = 0; isLate && i < 100; ++i)
        test.grid.yield();
      if (thread.index == 5)
        return;
      test.grid.barrierSync(0, 0);
      ++passed;
    }),
              RunEnd::Finished);
    EXPECT_EQ(passed, 63u);
    ASSERT_EQ(test.log.getFindings().size(), 1u);
    const Finding &finding = test.log.getFindings().front();
    EXPECT_EQ(finding.kind, FindingKind::BarrierDivergence);
    EXPECT_EQ(finding.actor.site, 4u);
    ASSERT_TRUE(finding.other);
    EXPECT_EQ(finding.other->thread, 5u);
    EXPECT_EQ(finding.other->site, 3u);
    EXPECT_TRUE(has(finding.message, "found that 1 exited"));
  }
}

TEST(GridBarrier, CountsThatDiffer) {
  GridRun test(makeShape(1, 128));
  EXPECT_EQ(test.run([&](Thread &thread) {
    test.grid.barrierSync(3, thread.index < 64 ? 64 : 128);
  }),
            RunEnd::Aborted);
  EXPECT_TRUE(has(test.text(FindingKind::BarrierDivergence),
                  "expected one count at barrier 3, found "));
}

TEST(GridBarrier, InvalidNamesAndCounts) {
  GridRun test(makeShape(1, 64));
  EXPECT_EQ(test.run([&](Thread &) { test.grid.barrierSync(16, 0); }),
            RunEnd::Aborted);
  EXPECT_TRUE(has(test.text(FindingKind::InvalidOperand), "found 16"));

  GridRun odd(makeShape(1, 40));
  EXPECT_EQ(odd.run([&](Thread &) { odd.grid.barrierSync(1, 40); }),
            RunEnd::Finished);
  EXPECT_TRUE(has(odd.text(FindingKind::InvalidOperand),
                  "expected the count of barrier 1 to be a multiple of 32 up "
                  "to the 64 threads of the CTA, found 40"));

  GridRun large(makeShape(1, 64));
  EXPECT_EQ(large.run([&](Thread &) { large.grid.barrierSync(1, 96); }),
            RunEnd::Deadlock);
  EXPECT_EQ(large.count(FindingKind::InvalidOperand), 1u);
  EXPECT_TRUE(has(large.text(FindingKind::Deadlock),
                  "named barrier 1; missing: 32 of 96 arrivals"));
}

TEST(GridBarrier, ArriveTwice) {
  GridRun test(makeShape(1, 32));
  test.run([&](Thread &thread) {
    if (thread.index == 7)
      test.grid.barrierArrive(1, 32);
    test.grid.barrierArrive(1, 32);
  });
  EXPECT_TRUE(has(test.text(FindingKind::BarrierDivergence),
                  "arrive once at barrier 1 of 32 threads until it completes"));
}

TEST(GridBarrier, DeadlockNamesWhoIsMissing) {
  GridRun test(makeShape(1, 128));
  EXPECT_EQ(test.run([&](Thread &thread) {
    thread.site = 1 + thread.warp();
    if (thread.warp() == 3)
      return;
    test.grid.barrierSync(thread.warp() ? 1 : 2, 96);
  }),
            RunEnd::Deadlock);
  std::string text = test.text(FindingKind::Deadlock);
  EXPECT_TRUE(has(text, "CTA 0, warp 1 (threads 32-63) waits at k.mlir:2 on "
                        "named barrier 1; missing: 32 of 96 arrivals; could "
                        "come from: threads 0-31 (waiting at k.mlir:1)\n"))
      << text;
}

TEST(GridBarrier, WarpBarrierOrdersItsLanes) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GridRun test(makeShape(2, 48), Policy::Random, seed);
    unsigned arrived[2][2] = {};
    ASSERT_EQ(test.run([&](Thread &thread) {
      uint32_t half = thread.lane() < 8 ? 0xff : 0xffffff00;
      // Other parts of the warp meet at the same time.
      test.grid.barrierWarp(half);
      Epoch mine = thread.epoch();
      ++arrived[thread.cta][thread.warp()];
      test.grid.barrierWarp(thread.lane() % 2 ? 0 : 0xffffffff);
      EXPECT_EQ(arrived[thread.cta][thread.warp()], thread.warp() ? 16u : 32u);
      EXPECT_TRUE(thread.view.order.covers(mine));
      EXPECT_TRUE(
          thread.view.order.covers(Epoch(thread.cta, thread.warp() * 32, 2)));
      EXPECT_FALSE(thread.view.order.covers(
          Epoch(thread.cta, 32 - thread.warp() * 32, 1)));
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  }
}

TEST(GridBarrier, WarpDivergence) {
  auto find = [](uint32_t threads, RunEnd end,
                 std::function<void(Grid &, Thread &)> body) {
    std::string text;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      GridRun test(makeShape(1, threads), Policy::Random, seed);
      EXPECT_EQ(test.run([&](Thread &thread) { body(test.grid, thread); }),
                end);
      text = test.text(FindingKind::BarrierDivergence);
      EXPECT_NE(text, "") << seed;
    }
    return text;
  };
  EXPECT_TRUE(has(find(32, RunEnd::Finished,
                       [](Grid &grid, Thread &thread) {
                         if (thread.index == 9)
                           grid.barrierWarp(0xf);
                       }),
                  "expected the mask of a 'warp barrier' to have the lane "
                  "itself, found lane 9 and mask 0xf"));
  EXPECT_TRUE(has(find(32, RunEnd::Aborted,
                       [](Grid &grid, Thread &thread) {
                         grid.barrierWarp(thread.lane() < 16 ? 0xffffffff
                                                             : 0xfffffff0);
                       }),
                  "at a 'warp barrier'"));
  EXPECT_TRUE(has(find(32, RunEnd::Aborted,
                       [](Grid &grid, Thread &thread) {
                         grid.exchange(thread.lane() ? "shuffle" : "vote", 0,
                                       1);
                       }),
                  "expected the lanes of a warp to meet at one collective"));
  EXPECT_TRUE(has(find(64, RunEnd::Finished,
                       [](Grid &grid, Thread &thread) {
                         if (thread.index == 33)
                           return;
                         auto values = grid.exchange("vote", 0, 1);
                         EXPECT_EQ(values[1], thread.warp() ? 0u : 1u);
                       }),
                  "found that lane 1 exited"));
}

TEST(GridBarrier, ExchangeGivesAllValues) {
  for (Policy policy : getPolicies()) {
    GridRun test(makeShape(1, 52), policy);
    ASSERT_EQ(test.run([&](Thread &thread) {
      for (unsigned round = 0; round < 5; ++round) {
        thread.cycles += thread.lane();
        auto values = test.grid.exchange("shuffle", 0xffffffff,
                                         thread.index * 10 + round);
        for (unsigned lane = 0; lane < 32; ++lane) {
          uint32_t index = thread.warp() * 32 + lane;
          EXPECT_EQ(values[lane], index < 52 ? index * 10 + round : 0u);
        }
        EXPECT_FALSE(thread.view.order.covers(
            Epoch(0, thread.index ^ 1, 1))); // no memory order
        EXPECT_EQ(thread.cycles, (thread.warp() ? 19u : 31u) * (round + 1));
      }
      if (thread.index < 8) {
        auto some = test.grid.exchange("shuffle", 0xff, 5);
        EXPECT_EQ(some[7], 5u);
        EXPECT_EQ(some[8], 0u);
      }
      auto single = test.grid.exchange("elect", 1u << thread.lane(), 3);
      EXPECT_EQ(single[thread.lane()], 3u);
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  }
}

TEST(GridBarrier, GatherRunsItsActionOnce) {
  for (Policy policy : getPolicies()) {
    GridRun test(makeShape(2, 256), policy);
    unsigned actions = 0;
    ASSERT_EQ(test.run([&](Thread &thread) {
      for (unsigned round = 0; round < 3; ++round) {
        uint32_t first = thread.index / 128 * 128;
        unsigned before = 0;
        test.grid.gather("load", first, 128, thread.index,
                         [&](llvm::ArrayRef<uint64_t> values) {
                           ASSERT_EQ(values.size(), 128u);
                           for (unsigned i = 0; i < 128; ++i)
                             EXPECT_EQ(values[i], first + i);
                           test.grid.yield(); // others stay blocked
                           before = ++actions;
                         });
        EXPECT_GT(actions, 0u);
        test.grid.gather("store", 0, 256, round, [&](llvm::ArrayRef<uint64_t>) {
          EXPECT_GE(actions, 2 * (round + 1));
        });
      }
    }),
              RunEnd::Finished);
    EXPECT_EQ(actions, 2u * 2 * 3);
    EXPECT_TRUE(test.log.empty());
  }
}

TEST(GridBarrier, GatherDivergence) {
  auto find = [](std::function<void(Grid &, Thread &)> body) {
    GridRun test(makeShape(1, 64));
    EXPECT_EQ(test.run([&](Thread &thread) { body(test.grid, thread); }),
              RunEnd::Aborted);
    return test.text(FindingKind::BarrierDivergence) +
           test.text(FindingKind::InvalidOperand);
  };
  auto none = [](llvm::ArrayRef<uint64_t>) { FAIL(); };
  EXPECT_TRUE(has(find([&](Grid &grid, Thread &thread) {
                    grid.gather(thread.index == 20 ? "load" : "store", 0, 64, 0,
                                none);
                  }),
                  "expected threads to meet at one collective"));
  EXPECT_TRUE(has(find([&](Grid &grid, Thread &thread) {
                    if (thread.index != 20)
                      grid.gather("store", 0, 64, 0, none);
                  }),
                  "found that thread 20 exited"));
  EXPECT_TRUE(has(find([&](Grid &grid, Thread &thread) {
                    grid.gather("store", 0, 65, 0, none);
                  }),
                  "from 0 up to 65"));
}

TEST(GridBarrier, ClusterBarrierCarriesReleasedViews) {
  for (bool isRelaxed : {false, true})
    for (uint64_t seed = 0; seed < 30; ++seed) {
      GridShape shape = makeShape(8, 33);
      shape.cluster = {4, 1, 1};
      GridRun test(shape, Policy::Random, seed);
      unsigned arrived[2][3] = {};
      ASSERT_EQ(test.run([&](Thread &thread) {
        for (unsigned round = 0; round < 3; ++round) {
          Epoch mine = thread.epoch();
          thread.cycles = round * 1000 + thread.cta % 4;
          ++arrived[thread.cluster][round];
          test.grid.clusterArrive(!isRelaxed);
          EXPECT_EQ(thread.view.order.covers(mine), !isRelaxed);
          test.grid.step();
          test.grid.clusterWait(true);
          EXPECT_EQ(arrived[thread.cluster][round], 4u * 33);
          EXPECT_EQ(thread.cycles, round * 1000 + 3);
          uint32_t peer = thread.cta / 4 * 4 + (thread.cta + 1) % 4;
          EXPECT_EQ(thread.view.order.covers(Epoch(peer, 32, round + 1)),
                    !isRelaxed);
          EXPECT_FALSE(
              thread.view.order.covers(Epoch((thread.cta + 4) % 8, 0, 1)));
        }
      }),
                RunEnd::Finished);
      EXPECT_TRUE(test.log.empty());
    }
}

TEST(GridBarrier, ClusterBarrierWithoutAcquireJoinsNothing) {
  GridShape shape = makeShape(2, 32);
  shape.cluster = {2, 1, 1};
  GridRun test(shape);
  ASSERT_EQ(test.run([&](Thread &thread) {
    test.grid.clusterArrive(/*release=*/true);
    test.grid.clusterWait(/*acquire=*/false);
    EXPECT_FALSE(thread.view.order.covers(Epoch(1 - thread.cta, 0, 1)));
    // A release at the phase before gives nothing at this one.
    test.grid.clusterArrive(/*release=*/false);
    test.grid.clusterWait(/*acquire=*/true);
    EXPECT_FALSE(thread.view.order.covers(Epoch(1 - thread.cta, 0, 1)));
  }),
            RunEnd::Finished);
  EXPECT_TRUE(test.log.empty());
}

TEST(GridBarrier, ClusterBarrierCountsExitedThreads) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GridShape shape = makeShape(2, 32);
    shape.cluster = {2, 1, 1};
    GridRun test(shape, Policy::Random, seed);
    EXPECT_EQ(test.run([&](Thread &thread) {
      if (thread.index == 3)
        return;
      test.grid.clusterArrive(true);
      if (thread.index == 4)
        return; // arrived, does not wait
      test.grid.clusterWait(true);
      test.grid.clusterArrive(true);
      test.grid.clusterWait(true);
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  }
}

TEST(GridBarrier, ClusterBarrierMisuse) {
  GridRun test(makeShape(1, 32));
  EXPECT_EQ(test.run([&](Thread &thread) {
    thread.site = 1;
    if (thread.index == 0)
      test.grid.clusterWait(true);
    thread.site = 2;
    test.grid.clusterArrive(true);
    if (thread.index == 1)
      test.grid.clusterArrive(true);
    test.grid.clusterWait(true);
  }),
            RunEnd::Finished);
  std::string text = test.text(FindingKind::BarrierDivergence);
  EXPECT_TRUE(has(text, "expected an arrive at the cluster barrier before"));
  EXPECT_TRUE(has(text, "found a second arrive"));

  GridShape shape = makeShape(2, 32);
  shape.cluster = {2, 1, 1};
  GridRun stuck(shape);
  struct Never : Waitable {
    WaitDescription describe(const Thread &) const override {
      return {"never"};
    }
  } never;
  EXPECT_EQ(stuck.run([&](Thread &thread) {
    thread.site = 5 + thread.cta;
    if (thread.cta)
      stuck.grid.wait(never);
    stuck.grid.clusterArrive(true);
    stuck.grid.clusterWait(true);
  }),
            RunEnd::Deadlock);
  EXPECT_TRUE(has(stuck.text(FindingKind::Deadlock),
                  "CTA 0, warp 0 (threads 0-31) waits at k.mlir:5 on cluster "
                  "barrier; missing: 32 of 64 arrivals; could come from: CTA 1 "
                  "threads 0-31 (waiting at k.mlir:6)"))
      << stuck.text(FindingKind::Deadlock);
}

} // namespace
