//===- ClockTest.cpp - who knows of what ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Memory/Clock.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <utility>

using namespace carousel::sim;

namespace {

TEST(EpochTest, HoldsItsLimits) {
  Epoch last((1u << Epoch::kCTABits) - 1, (1u << Epoch::kAgentBits) - 1,
             (1u << Epoch::kTimeBits) - 1);
  EXPECT_EQ(last.cta(), (1u << Epoch::kCTABits) - 1);
  EXPECT_EQ(last.agent(), (1u << Epoch::kAgentBits) - 1);
  EXPECT_EQ(last.time(), (1u << Epoch::kTimeBits) - 1);
  EXPECT_TRUE(Epoch(3, 4, 1).isSameAgent(Epoch(3, 4, 9)));
  EXPECT_FALSE(Epoch(3, 4, 1).isSameAgent(Epoch(4, 3, 1)));
}

TEST(ClockTest, TheZeroEpochIsKnown) {
  Clock clock;
  EXPECT_TRUE(clock.covers(Epoch()));
  EXPECT_FALSE(clock.covers(Epoch(0, 0, 1)));
}

TEST(ClockTest, ObservingCoversWhatTheAgentDidBefore) {
  Clock clock;
  clock.observe(Epoch(2, 5, 7));
  EXPECT_TRUE(clock.covers(Epoch(2, 5, 7)));
  EXPECT_TRUE(clock.covers(Epoch(2, 5, 1)));
  EXPECT_FALSE(clock.covers(Epoch(2, 5, 8)));
  EXPECT_FALSE(clock.covers(Epoch(2, 4, 1)));
  EXPECT_FALSE(clock.covers(Epoch(1, 5, 1)));
  clock.clear();
  EXPECT_FALSE(clock.covers(Epoch(2, 5, 1)));
}

TEST(ClockTest, CopiesDontSeeEachOther) {
  Clock first;
  for (uint32_t agent = 0; agent < 40; ++agent)
    first.observe(Epoch(0, agent, 1));
  Clock second = first;
  EXPECT_TRUE(second.sharesParts(first));
  second.observe(Epoch(0, 3, 2));
  second.observe(Epoch(0, 4, 2));
  first.observe(Epoch(0, 5, 2));
  EXPECT_FALSE(first.covers(Epoch(0, 3, 2)));
  EXPECT_FALSE(first.covers(Epoch(0, 4, 2)));
  EXPECT_FALSE(second.covers(Epoch(0, 5, 2)));
  EXPECT_TRUE(second.covers(Epoch(0, 39, 1)));
}

// A barrier: all give their clocks to one, and take that one. In every round
// each thread has moved on by itself, and after every round all stand on one
// part again.
TEST(ClockTest, ThreadsShareTheirPartAfterABarrier) {
  constexpr uint32_t kThreads = 100;
  std::vector<Clock> threads(kThreads);
  for (uint32_t round = 1; round <= 5; ++round) {
    Clock barrier;
    for (uint32_t i = 0; i < kThreads; ++i) {
      threads[i].observe(Epoch(7, i, round));
      EXPECT_FALSE(threads[i].covers(Epoch(7, (i + 1) % kThreads, round)));
      // One step ahead of the part it shares with the others, no thread has
      // copied it.
      if (round > 1)
        EXPECT_TRUE(threads[i].sharesParts(threads[0]));
      barrier.join(threads[i]);
    }
    for (Clock &thread : threads) {
      thread.join(barrier);
      EXPECT_TRUE(thread.sharesParts(barrier));
      for (uint32_t i = 0; i < kThreads; ++i) {
        EXPECT_TRUE(thread.covers(Epoch(7, i, round)));
        EXPECT_FALSE(thread.covers(Epoch(7, i, round + 1)));
      }
    }
  }
}

TEST(ClockTest, AListObservesTogether) {
  Clock joined;
  for (uint32_t agent = 0; agent < 3; ++agent)
    joined.observe(Epoch(1, agent, 5));
  Clock a = joined, b = joined, stranger, done;
  b.observe(Epoch(1, 0, 9)); // b is ahead in one agent
  done.observe(Epoch(1, 7, 4));
  Clock::observe({&a, &b, &stranger, &done}, Epoch(1, 7, 3));
  for (Clock *clock : {&a, &b, &stranger, &done}) {
    EXPECT_TRUE(clock->covers(Epoch(1, 7, 3)));
    EXPECT_EQ(clock->covers(Epoch(1, 7, 4)), clock == &done);
    EXPECT_EQ(clock->covers(Epoch(1, 2, 5)), clock == &a || clock == &b);
    EXPECT_EQ(clock->covers(Epoch(1, 0, 9)), clock == &b);
  }
  EXPECT_TRUE(a.sharesParts(b));
  EXPECT_FALSE(joined.covers(Epoch(1, 7, 1)));
}

TEST(ClockTest, JoinTakesOverAPartThatKnowsMore) {
  Clock producer, consumer;
  for (uint32_t agent = 0; agent < 10; ++agent) {
    producer.observe(Epoch(0, agent, 3));
    consumer.observe(Epoch(0, agent, 2));
  }
  consumer.join(producer);
  EXPECT_TRUE(consumer.sharesParts(producer));
  // The other direction has nothing to learn.
  Clock later = consumer;
  later.observe(Epoch(0, 0, 9));
  later.observe(Epoch(0, 1, 9));
  later.join(producer);
  EXPECT_TRUE(later.covers(Epoch(0, 0, 9)));
  EXPECT_TRUE(later.covers(Epoch(0, 9, 3)));
}

TEST(ClockTest, JoinOfItselfChangesNothing) {
  Clock clock;
  clock.observe(Epoch(1, 1, 1));
  clock.join(clock);
  EXPECT_TRUE(clock.covers(Epoch(1, 1, 1)));
  EXPECT_FALSE(clock.covers(Epoch(1, 1, 2)));
}

// Against a map from agents to times.
TEST(ClockTest, AgreesWithAMapOfTimes) {
  using Model = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto draw = [&](uint32_t n) { return uint32_t(random() % n); };
    uint32_t numCTAs = 1 + draw(4), numAgents = 1 + draw(12);
    constexpr uint32_t kClocks = 5;
    std::vector<Clock> clocks(kClocks);
    std::vector<Model> models(kClocks);
    for (uint32_t step = 0; step < 300; ++step) {
      uint32_t a = draw(kClocks), b = draw(kClocks);
      uint32_t cta = draw(numCTAs), agent = draw(numAgents), time = draw(20);
      switch (draw(8)) {
      case 0:
        clocks[a] = clocks[b];
        models[a] = Model(models[b]);
        break;
      case 1:
        clocks[a].clear();
        models[a].clear();
        break;
      case 2:
      case 3:
      case 4:
        clocks[a].join(clocks[b]);
        for (auto [key, known] : Model(models[b]))
          models[a][key] = std::max(models[a][key], known);
        break;
      default:
        clocks[a].observe(Epoch(cta, agent, time));
        models[a][{cta, agent}] = std::max(models[a][{cta, agent}], time);
      }
      for (uint32_t i = 0; i < numCTAs; ++i) {
        for (uint32_t j = 0; j < numAgents; ++j) {
          uint32_t known = models[a][{i, j}];
          ASSERT_TRUE(clocks[a].covers(Epoch(i, j, known)))
              << "seed " << seed << ", step " << step;
          ASSERT_FALSE(clocks[a].covers(Epoch(i, j, known + 1)))
              << "seed " << seed << ", step " << step;
        }
      }
    }
  }
}

} // namespace
