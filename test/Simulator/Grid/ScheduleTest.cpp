//===- ScheduleTest.cpp - policies, records and replay --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the picks of policies, and that a record gives the same picks again or
// says why it does not.
//
//===----------------------------------------------------------------------===//

#include "GridFixture.h"

#include <set>

using namespace carousel::sim;

namespace {

TEST(Schedule, PolicyNamesRoundTrip) {
  std::set<std::string> names;
  for (Policy policy : getPolicies()) {
    names.insert(getName(policy).str());
    EXPECT_EQ(parsePolicy(getName(policy)), policy);
  }
  EXPECT_EQ(names.size(), kNumPolicies);
  EXPECT_EQ(parsePolicy("Random"), std::nullopt);
  EXPECT_EQ(parsePolicy(""), std::nullopt);
}

TEST(Schedule, PicksAreInRangeAndFollowTheSeed) {
  for (Policy policy : getPolicies()) {
    std::vector<uint32_t> runs[3];
    uint64_t seeds[] = {7, 7, 8};
    for (unsigned i = 0; i < 3; ++i) {
      auto schedule = createSchedule(policy, seeds[i]);
      schedule->begin(4, 8);
      for (unsigned k = 0; k < 2000; ++k) {
        uint32_t n = 1 + k % 300;
        Decision decision = Decision(k % kNumDecisions);
        runs[i].push_back(schedule->pick(decision, n));
        ASSERT_LT(runs[i].back(), n);
      }
    }
    EXPECT_EQ(runs[0], runs[1]) << getName(policy).str();
    EXPECT_NE(runs[0], runs[2]) << getName(policy).str();
  }
}

TEST(Schedule, RandomReachesEveryChoice) {
  auto schedule = createSchedule(Policy::Random, 3);
  std::set<uint32_t> lanes, steps;
  for (unsigned i = 0; i < 20000; ++i) {
    lanes.insert(schedule->pick(Decision::Lane, 32));
    steps.insert(schedule->pick(Decision::Steps, 256));
  }
  EXPECT_EQ(lanes.size(), 32u);
  EXPECT_EQ(steps.size(), 256u);
}

TEST(Schedule, EagerReusePicksTheWoken) {
  auto schedule = createSchedule(Policy::EagerReuse, 5);
  Candidate candidates[] = {{0, false}, {1, true}, {2, false}, {3, true}};
  std::set<uint32_t> picks;
  for (unsigned i = 0; i < 100; ++i)
    picks.insert(schedule->pick(Decision::Lane, 4, candidates));
  EXPECT_EQ(picks, (std::set<uint32_t>{1, 3}));
  EXPECT_EQ(schedule->pick(Decision::Steps, 256), 255u);
}

TEST(Schedule, StarvedWarpIsPickedOnlyAlone) {
  std::set<uint32_t> starved;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    auto schedule = createSchedule(Policy::StarvedWarp, seed);
    schedule->begin(2, 4);
    Candidate warps[] = {
        {0, false, 0}, {1, false, 0}, {2, false, 0}, {3, false, 0}};
    std::set<uint32_t> picks;
    for (unsigned i = 0; i < 200; ++i)
      picks.insert(schedule->pick(Decision::Warp, 4, warps));
    ASSERT_EQ(picks.size(), 3u);
    uint32_t warp = 0;
    while (picks.count(warp))
      ++warp;
    starved.insert(warp);
    // The CTA in which nothing else can run is left out as well.
    Candidate ctas[] = {{0, false, 1u << warp}, {1, false, 15}};
    EXPECT_EQ(schedule->pick(Decision::CTA, 2, ctas), 1u);
    Candidate alone[] = {{0, false, 1u << warp}, {1, false, 1u << warp}};
    EXPECT_LT(schedule->pick(Decision::CTA, 2, alone), 2u);
  }
  EXPECT_EQ(starved.size(), 4u);
}

TEST(Schedule, OrderedCTAs) {
  Candidate ctas[] = {{4, false, 1}, {9, false, 1}, {2, false, 1}};
  auto reverse = createSchedule(Policy::ReverseCTAs, 1);
  EXPECT_EQ(reverse->pick(Decision::CTA, 3, ctas), 1u);
  EXPECT_EQ(reverse->pick(Decision::LaunchOrder, 5), 4u);
  auto one = createSchedule(Policy::OneCTA, 1);
  EXPECT_EQ(one->pick(Decision::CTA, 3, ctas), 2u);
  EXPECT_EQ(one->pick(Decision::LaunchOrder, 5), 0u);
}

/// Decisions with long rows of equal ones.
std::vector<uint32_t> pickMany(Schedule &schedule) {
  std::vector<uint32_t> picks;
  for (unsigned i = 0; i < 3000; ++i) {
    picks.push_back(schedule.pick(Decision::EngineEvent, 1 + i * 1000));
    for (unsigned k = 0; k < i % 5; ++k)
      picks.push_back(schedule.pick(Decision::Agent, 2));
  }
  return picks;
}

TEST(Schedule, RecordReplays) {
  for (Policy policy : {Policy::Random, Policy::LateLanding}) {
    auto schedule = createSchedule(policy, 11);
    RecordingSchedule recording(*schedule);
    std::vector<uint32_t> picks = pickMany(recording);
    std::string error;
    auto replay = ReplaySchedule::create(recording.getRecord(), error);
    ASSERT_TRUE(replay) << error;
    EXPECT_FALSE(replay->isComplete());
    EXPECT_EQ(pickMany(*replay), picks);
    EXPECT_EQ(replay->getError(), "");
    EXPECT_TRUE(replay->isComplete());

    EXPECT_EQ(replay->pick(Decision::Lane, 2), 0u);
    EXPECT_NE(replay->getError().find("is not in the record"),
              std::string::npos);
    EXPECT_EQ(replay->pick(Decision::Fair, 2), 1u);
  }
}

TEST(Schedule, EqualDecisionsAreCounted) {
  auto schedule = createSchedule(Policy::LateLanding, 1);
  RecordingSchedule recording(*schedule);
  for (unsigned i = 0; i < 100000; ++i)
    recording.pick(Decision::Agent, 2);
  EXPECT_LT(recording.getRecord().size(), 60u);
}

TEST(Schedule, ReplayOfAnotherRun) {
  auto schedule = createSchedule(Policy::ReverseCTAs, 11);
  RecordingSchedule recording(*schedule);
  recording.pick(Decision::LaunchOrder, 10);
  recording.pick(Decision::LaunchOrder, 10);
  std::string error;
  auto other = ReplaySchedule::create(recording.getRecord(), error);
  EXPECT_EQ(other->pick(Decision::LaunchOrder, 10), 9u);
  EXPECT_EQ(other->pick(Decision::Lane, 32), 0u);
  EXPECT_NE(other->getError().find(
                "decision 2 is of kind lane, recorded was launch order"),
            std::string::npos)
      << other->getError();

  auto smaller = ReplaySchedule::create(recording.getRecord(), error);
  EXPECT_EQ(smaller->pick(Decision::LaunchOrder, 9), 0u);
  EXPECT_NE(smaller->getError().find("is among 9, recorded was 9"),
            std::string::npos)
      << smaller->getError();
  EXPECT_FALSE(smaller->isComplete());
}

TEST(Schedule, MalformedRecords) {
  auto schedule = createSchedule(Policy::Random, 11);
  RecordingSchedule recording(*schedule);
  pickMany(recording);
  std::string good = recording.getRecord(), error;
  ASSERT_TRUE(ReplaySchedule::create(good + "\n", error));

  std::vector<std::string> bad = {"",
                                  ":",
                                  "carousel-schedule-2",
                                  "x:0:0:",
                                  "carousel-schedule-2:1:0:",
                                  "carousel-schedule-2:-1:0:",
                                  "carousel-schedule-2:0:zz:",
                                  "carousel-schedule-2:0:0:*",
                                  "carousel-schedule-1" + good.substr(19),
                                  good + ":",
                                  good + "A"};
  for (size_t length = 0; length < good.size(); length += 97)
    bad.push_back(good.substr(0, length));
  for (size_t i = 20; i < good.size(); i += 53) {
    bad.push_back(good);
    bad.back()[i] = good[i] == '0' ? '1' : '0';
  }
  for (const std::string &record : bad) {
    error.clear();
    EXPECT_FALSE(ReplaySchedule::create(record, error)) << record.substr(0, 60);
    EXPECT_NE(error, "");
  }
  EXPECT_TRUE(ReplaySchedule::create("carousel-schedule-2:0:0:", error));
}

TEST(Schedule, RecordedGridRunReplays) {
  for (Policy policy : getPolicies()) {
    // The order of the threads shows the whole schedule.
    auto runWith = [](Schedule &schedule) {
      FindingLog log;
      GridShape shape = makeShape(6, 70);
      shape.residentCTAs = 3;
      Grid grid(shape, schedule, log, nullptr);
      std::vector<uint64_t> order;
      EXPECT_EQ(grid.run([&](Thread &thread) {
        for (unsigned i = 0; i < 6; ++i) {
          order.push_back(uint64_t(thread.cta) << 32 | thread.index);
          grid.step();
          if (i == 3)
            grid.barrierSync(0, 0);
          if (i == 4)
            grid.yield();
        }
      }),
                RunEnd::Finished);
      return order;
    };
    auto schedule = createSchedule(policy, 99);
    RecordingSchedule recording(*schedule);
    std::vector<uint64_t> order = runWith(recording);
    std::string error;
    auto replay = ReplaySchedule::create(recording.getRecord(), error);
    ASSERT_TRUE(replay) << error;
    EXPECT_EQ(runWith(*replay), order) << getName(policy).str();
    EXPECT_TRUE(replay->isComplete()) << replay->getError();
    auto again = createSchedule(policy, 99);
    EXPECT_EQ(runWith(*again), order);
  }
}

} // namespace
