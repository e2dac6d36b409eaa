//===- GridPeersTest.cpp - launches on several GPUs -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs run at the same time and know nothing of each other, one may stop, and
// waits with a deadline end in the order of their deadlines.
//
//===----------------------------------------------------------------------===//

#include "GridFixture.h"

using namespace carousel::sim;

namespace {

struct Event final : Waitable {
  WaitDescription describe(const Thread &) const override {
    return {"event", "it hasn't happened", {}};
  }
};

/// Launches of one run, each of 2 CTAs of 3 threads.
struct PeersRun {
  PeersRun(std::vector<uint32_t> gpus, Policy policy, uint64_t seed)
      : schedule(createSchedule(policy, seed)),
        grid(makeLaunches(gpus), *schedule, log,
             [](Site) { return std::string(); }) {}

  static std::vector<GridLaunch>
  makeLaunches(const std::vector<uint32_t> &gpus) {
    std::vector<GridLaunch> launches;
    for (uint32_t gpu : gpus)
      launches.push_back({makeShape(2, 3), /*isDependent=*/false,
                          "@k on GPU " + std::to_string(gpu), gpu});
    return launches;
  }

  FindingLog log;
  std::unique_ptr<Schedule> schedule;
  Grid grid;
};

template <typename Test> void forEachSchedule(Test test) {
  for (Policy policy : getPolicies())
    for (uint64_t seed = 0; seed < 8; ++seed)
      test(policy, seed);
}

TEST(GridPeers, KnowOwnLaunchesOnly) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0, 0, 1, 1}, policy, seed);
    EXPECT_EQ(test.grid.getNumGPUs(), 2u);
    EXPECT_EQ(test.grid.getFirstCTAs(), (std::vector<uint32_t>{0, 4}));
    unsigned started = 0;
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      ++started;
      EXPECT_EQ(thread.gpu, thread.cta / 4);
      EXPECT_EQ(test.grid.getGPU(thread.cta), thread.gpu);
      for (uint32_t cta = 0; cta < 8; ++cta) {
        bool isEarlier = cta / 4 == thread.gpu && cta / 2 < thread.launch;
        EXPECT_EQ(thread.view.order.covers(Epoch(cta, 300, 12345)), isEarlier);
      }
    }),
              RunEnd::Finished);
    EXPECT_EQ(started, 24u);
  });
}

TEST(GridPeers, RunAtTheSameTime) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0, 1}, policy, seed);
    // The first thread of each GPU waits for that of the other one.
    Event events[2];
    bool happened[2] = {};
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.cta % 2 != 0 || thread.index != 0)
        return;
      happened[thread.gpu] = true;
      test.grid.wake(events[thread.gpu]);
      while (!happened[1 - thread.gpu])
        test.grid.wait(events[1 - thread.gpu]);
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  });
}

TEST(GridPeers, OneStops) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0, 1}, policy, seed);
    test.grid.setStop({/*gpu=*/1, /*within=*/20});
    unsigned ended[2] = {};
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      for (unsigned step = 0; step < 1000; ++step)
        test.grid.step();
      ++ended[thread.gpu];
    }),
              RunEnd::Finished);
    EXPECT_EQ(ended[0], 6u);
    EXPECT_EQ(ended[1], 0u);
    EXPECT_EQ(test.grid.describeStop().rfind("GPU 1 stopped at step ", 0), 0u);
  });
}

TEST(GridPeers, StoppedThreadIsNotWoken) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0, 1}, policy, seed);
    test.grid.setStop({/*gpu=*/1, /*within=*/50});
    Event event;
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.gpu == 1) {
        test.grid.waitFor(event, 1000000);
        for (unsigned step = 0; step < 1000; ++step)
          test.grid.step();
        ADD_FAILURE() << "a thread of a GPU that has stopped";
        return;
      }
      for (unsigned step = 0; step < 500; ++step)
        test.grid.step();
      test.grid.wake(event);
    }),
              RunEnd::Finished);
  });
}

TEST(GridPeers, WaitsEndInTheOrderOfTheirDeadlines) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0}, policy, seed);
    Event event;
    std::vector<uint32_t> order;
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.cta != 0)
        return;
      EXPECT_FALSE(test.grid.waitFor(event, 100 * (3 - thread.index)));
      EXPECT_GE(thread.cycles, 100u * (3 - thread.index));
      order.push_back(thread.index);
    }),
              RunEnd::Finished);
    EXPECT_EQ(order, (std::vector<uint32_t>{2, 1, 0}));
  });
}

TEST(GridPeers, WokenWaitHasNotExpired) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    PeersRun test({0}, policy, seed);
    Event event;
    bool happened = false;
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.cta != 0 || thread.index == 2)
        return;
      if (thread.index == 1) {
        test.grid.step();
        happened = true;
        return test.grid.wake(event);
      }
      bool expired = false;
      while (!happened && !expired)
        expired = !test.grid.waitFor(event, 1);
      EXPECT_TRUE(happened);
    }),
              RunEnd::Finished);
  });
}

} // namespace
