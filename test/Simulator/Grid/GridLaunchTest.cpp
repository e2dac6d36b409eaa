//===- GridLaunchTest.cpp - several launches in one run -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When launches start, what their threads know of each other, and how a wait
// for a launch's end shows in a deadlock.
//
//===----------------------------------------------------------------------===//

#include "GridFixture.h"

using namespace carousel::sim;

namespace {

/// Launches of one run; what happened, in order.
struct LaunchRun {
  explicit LaunchRun(std::vector<GridLaunch> launches,
                     Policy policy = Policy::Random, uint64_t seed = 1)
      : schedule(createSchedule(policy, seed)),
        grid(std::move(launches), *schedule, log, [](Site site) {
          return site ? "k.mlir:" + std::to_string(site) : "";
        }) {}

  FindingLog log;
  std::unique_ptr<Schedule> schedule;
  Grid grid;
};

GridLaunch makeLaunch(uint32_t ctas, uint32_t threads, bool isDependent = false,
                      std::string name = "@k") {
  return {makeShape(ctas, threads), isDependent, std::move(name)};
}

template <typename Test> void forEachSchedule(Test test) {
  for (Policy policy : getPolicies())
    for (uint64_t seed = 0; seed < 8; ++seed)
      test(policy, seed);
}

TEST(GridLaunch, NumbersGoOn) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    GridLaunch second = makeLaunch(4, 70);
    second.shape.cluster = {2, 1, 1};
    LaunchRun test({makeLaunch(3, 5), second}, policy, seed);
    std::vector<unsigned> seen(7);
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      ++seen[thread.cta];
      EXPECT_EQ(thread.launch, thread.cta < 3 ? 0u : 1u);
      EXPECT_EQ(test.grid.getLaunchOf(thread.cta), thread.launch);
      EXPECT_EQ(test.grid.getShape().block.x, thread.launch ? 70u : 5u);
      uint32_t inGrid = thread.cta - (thread.launch ? 3 : 0);
      EXPECT_EQ(thread.ctaId.x, inGrid);
      EXPECT_EQ(thread.cluster, thread.launch ? 3 + inGrid / 2 : inGrid);
      EXPECT_EQ(test.grid.lookup(thread.cta, thread.index), &thread);
      test.grid.barrierSync(0, 0);
    }),
              RunEnd::Finished);
    EXPECT_EQ(seen, (std::vector<unsigned>{5, 5, 5, 70, 70, 70, 70}));
    EXPECT_TRUE(test.log.empty());
  });
}

TEST(GridLaunch, OneAfterTheOtherKnowsAll) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    LaunchRun test({makeLaunch(5, 3), makeLaunch(2, 40), makeLaunch(3, 4)},
                   policy, seed);
    unsigned running[3] = {};
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      ++running[thread.launch];
      for (uint32_t earlier = 0; earlier < thread.launch; ++earlier)
        EXPECT_EQ(running[earlier], 0u);
      // Neither waits nor starts anything.
      test.grid.launchDependents();
      test.grid.waitForPrerequisite();
      for (uint32_t cta = 0; cta < 10; ++cta) {
        bool isEarlier = test.grid.getLaunchOf(cta) < thread.launch;
        // An engine's agent, at some time.
        Epoch epoch(cta, 300, 12345);
        EXPECT_EQ(thread.view.order.covers(epoch), isEarlier);
        EXPECT_EQ(thread.view.fencedShared.covers(epoch), isEarlier);
        EXPECT_EQ(thread.view.fencedGlobal.covers(epoch), isEarlier);
      }
      test.grid.step();
      --running[thread.launch];
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  });
}

TEST(GridLaunch, DependentsStartWhenEachCTASignalledOrEnded) {
  unsigned early = 0, late = 0;
  forEachSchedule([&](Policy policy, uint64_t seed) {
    LaunchRun test({makeLaunch(4, 33), makeLaunch(3, 33, true)}, policy, seed);
    uint32_t reached = 0, ended = 0;
    std::vector<bool> isReached(4);
    CTAEvents events;
    events.exit = [&](uint32_t cta) {
      reached += cta < 4 && !isReached[cta];
      ended += cta < 4;
    };
    test.grid.setEvents(events);
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.launch == 1) {
        EXPECT_EQ(reached, 4u);
        (ended == 4 ? late : early) += thread.index == 0;
        // Order of time is no order.
        EXPECT_FALSE(thread.view.order.covers(Epoch(0, 0, 1)));
        test.grid.waitForPrerequisite();
        EXPECT_EQ(ended, 4u);
        for (uint32_t cta = 0; cta < 5; ++cta)
          EXPECT_EQ(thread.view.fencedGlobal.covers(Epoch(cta, 99, 7)),
                    cta < 4);
        return;
      }
      for (unsigned i = 0; i < 20; ++i)
        test.grid.step();
      // One thread of a CTA will do; the last CTA only ends.
      if (thread.index == 32 && thread.cta < 3) {
        if (!isReached[thread.cta])
          ++reached;
        isReached[thread.cta] = true;
        test.grid.launchDependents();
        test.grid.launchDependents();
      }
      for (unsigned i = 0; i < 20; ++i)
        test.grid.step();
    }),
              RunEnd::Finished);
    EXPECT_TRUE(test.log.empty());
  });
  EXPECT_GT(early, 0u);
  EXPECT_GT(late, 0u);
}

TEST(GridLaunch, DependentKnowsWhatTheFirstStartedWith) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    LaunchRun test({makeLaunch(1, 1), makeLaunch(1, 1), makeLaunch(1, 1, true)},
                   policy, seed);
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      test.grid.launchDependents();
      if (thread.launch == 2) {
        EXPECT_TRUE(thread.view.order.covers(Epoch(0, 0, 1)));
        EXPECT_FALSE(thread.view.order.covers(Epoch(1, 0, 1)));
      }
    }),
              RunEnd::Finished);
  });
}

TEST(GridLaunch, WaitKnowsOnlyWhatThePrerequisiteWaitedFor) {
  for (bool middleWaits : {false, true})
    forEachSchedule([&](Policy policy, uint64_t seed) {
      LaunchRun test(
          {makeLaunch(1, 2), makeLaunch(1, 2, true), makeLaunch(1, 1, true)},
          policy, seed);
      ASSERT_EQ(test.grid.run([&](Thread &thread) {
        test.grid.launchDependents();
        if (thread.launch == 1 && middleWaits && thread.index == 1)
          test.grid.waitForPrerequisite();
        if (thread.launch == 2) {
          test.grid.waitForPrerequisite();
          EXPECT_TRUE(thread.view.order.covers(Epoch(1, 0, 1)));
          EXPECT_EQ(thread.view.order.covers(Epoch(0, 0, 1)), middleWaits);
        }
      }),
                RunEnd::Finished);
    });
}

/// One landing of launch 0, after all of its threads ended.
class OneLanding : public Background {
public:
  uint32_t ready() const override { return isDone ? 0 : 1; }
  void run(uint32_t, Schedule &) override { isDone = true; }
  bool isIdle(uint32_t launch) const override { return launch || isDone; }
  uint64_t getLastCycles(uint32_t launch) const override {
    return launch ? 0 : 500;
  }
  bool isDone = false;
};

TEST(GridLaunch, EndsWithItsTransfers) {
  for (bool isDependent : {false, true})
    forEachSchedule([&](Policy policy, uint64_t seed) {
      LaunchRun test({makeLaunch(1, 1), makeLaunch(1, 1, isDependent)}, policy,
                     seed);
      OneLanding engine;
      test.grid.setBackground(&engine);
      ASSERT_EQ(test.grid.run([&](Thread &thread) {
        if (thread.launch == 0)
          return;
        test.grid.waitForPrerequisite();
        EXPECT_TRUE(engine.isDone);
        EXPECT_GE(thread.cycles, 500u);
      }),
                RunEnd::Finished);
    });
}

TEST(GridLaunch, DependentsLeaveThePrimariesTheirRoom) {
  forEachSchedule([](Policy policy, uint64_t seed) {
    // Two CTAs fit of the first, four of the second.
    GridLaunch first = makeLaunch(6, 1), second = makeLaunch(9, 1, true);
    first.shape.residentCTAs = 2;
    second.shape.residentCTAs = 4;
    LaunchRun test({first, second}, policy, seed);
    double used = 0;
    CTAEvents events;
    events.start = [&](uint32_t cta) {
      used += cta < 6 ? 1. / 2 : 1. / 4;
      EXPECT_LE(used, 1.001);
    };
    events.exit = [&](uint32_t cta) { used -= cta < 6 ? 1. / 2 : 1. / 4; };
    test.grid.setEvents(events);
    unsigned ends = 0;
    ASSERT_EQ(test.grid.run([&](Thread &thread) {
      if (thread.launch == 0)
        test.grid.launchDependents();
      else
        test.grid.waitForPrerequisite();
      ++ends;
    }),
              RunEnd::Finished);
    EXPECT_EQ(ends, 15u);
    EXPECT_NEAR(used, 0, 1e-9);
  });
}

/// Something that never happens.
class Never : public Waitable {
public:
  WaitDescription describe(const Thread &) const override {
    return {"a flag", "", {}};
  }
};

TEST(GridLaunch, DeadlockShowsTheWaitForALaunch) {
  LaunchRun test({makeLaunch(2, 2, false, "@a"), makeLaunch(3, 1, true, "@b"),
                  makeLaunch(1, 1, false, "@c")},
                 Policy::ReverseCTAs);
  Never never;
  EXPECT_EQ(test.grid.run([&](Thread &thread) {
    thread.site = 1 + thread.launch;
    test.grid.launchDependents();
    if (thread.launch == 1)
      test.grid.waitForPrerequisite();
    else if (thread.cta == 1)
      test.grid.wait(never);
  }),
            RunEnd::Deadlock);
  ASSERT_EQ(test.log.getFindings().size(), 1u);
  const Finding &finding = test.log.getFindings()[0];
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_EQ(
      finding.notes,
      (std::vector<std::string>{
          "CTA 1 of @a, warp 0 (threads 0, 1) waits at k.mlir:1 on a flag",
          "CTAs 0-2 of @b, warp 0 (thread 0) waits at k.mlir:2 on the end "
          "of @a; missing: 1 of 2 CTAs; could come from: threads 0, 1 "
          "(waiting at k.mlir:1)",
          "@c has not started: it waits for @b"}));
}

TEST(GridLaunch, ActorsAreNamed) {
  LaunchRun one({makeLaunch(2, 1)}),
      two({makeLaunch(2, 1, false, "@a"), makeLaunch(2, 1, false, "@b")});
  Actor actor;
  actor.cta = 1;
  one.grid.nameLaunch(actor);
  EXPECT_EQ(describe(actor), "CTA 1, thread 0");
  actor.cta = 3;
  two.grid.nameLaunch(actor);
  EXPECT_EQ(describe(actor), "CTA 1 of @b, thread 0");
  EXPECT_EQ(two.grid.describeCTA(2), "CTA 0 of @b");
}

TEST(GridLaunch, TooManyCTAsTogether) {
  LaunchRun test({makeLaunch(1 << 20, 1), makeLaunch(1, 1)});
  EXPECT_EQ(test.grid.run([](Thread &) {}), RunEnd::Aborted);
  ASSERT_EQ(test.log.getFindings().size(), 1u);
  EXPECT_EQ(test.log.getFindings()[0].message,
            "expected at most 1048576 CTAs in all launches, found 1048577");
}

} // namespace
