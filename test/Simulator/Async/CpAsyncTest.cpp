//===- CpAsyncTest.cpp - the asynchronous copies of threads ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of 4, 8 and 16 bytes with zero fill, groups, and arrives on barriers;
// what is known to whom, and what is wrong.
//
//===----------------------------------------------------------------------===//

#include "AsyncFixture.h"

using namespace carousel::sim;

namespace {

constexpr uint64_t kFull = 0, kData = 1024;

enum class Wrong { Nothing, NoWait, TooManyPending, NoBarrier, NoCommit };

/// Three stages of copies, each waited for while the next are under way.
auto pipeline(Wrong wrong) {
  return [=](AsyncRun &run) {
    char *source = run.global(3 * 512);
    return [=, &run](Thread &thread) {
      for (unsigned stage = 0; stage < 3; ++stage) {
        unsigned at = stage * 512 + thread.index * 16;
        run.machine.cpAsync.copy(source + at, run.shared(kData + at), 16, 16);
        if (wrong != Wrong::NoCommit)
          run.machine.cpAsync.commitGroup();
      }
      for (unsigned stage = 0; stage < 3; ++stage) {
        if (wrong != Wrong::NoWait)
          run.machine.cpAsync.waitGroup(
              2 - stage + (wrong == Wrong::TooManyPending && stage < 2));
        if (wrong != Wrong::NoBarrier)
          run.barrier();
        // The neighbour's bytes.
        unsigned at = stage * 512 + (31 - thread.index) * 16;
        run.load(run.shared(kData + at), 16);
        if (wrong == Wrong::Nothing) {
          EXPECT_EQ(std::memcmp(run.shared(kData + at), source + at, 16), 0);
        }
      }
      if (wrong == Wrong::NoWait)
        return;
      run.machine.cpAsync.waitAll();
    };
  };
}

TEST(CpAsync, Groups) {
  expectClean(makeShape(1, 32), 10, pipeline(Wrong::Nothing));
}

TEST(CpAsync, GroupsWrongTwins) {
  using K = FindingKind;
  GridShape shape = makeShape(1, 32);
  expectFinding(shape, 5, K::EngineRace, pipeline(Wrong::NoWait));
  expectFinding(shape, 5, K::InFlight, pipeline(Wrong::NoWait));
  expectFinding(shape, 5, K::EngineRace, pipeline(Wrong::TooManyPending));
  expectFinding(shape, 5, K::EngineRace, pipeline(Wrong::NoBarrier));
  expectFinding(shape, 5, K::EngineRace, pipeline(Wrong::NoCommit));
}

TEST(CpAsync, SizesAndZeroFill) {
  expectClean(makeShape(1, 1), 5, [](AsyncRun &run) {
    char *source = run.global(64);
    return [=, &run](Thread &) {
      run.machine.cpAsync.copy(source + 4, run.shared(kData), 4, 4);
      run.machine.cpAsync.copy(source + 8, run.shared(kData + 8), 8, 3);
      run.machine.cpAsync.copy(source + 16, run.shared(kData + 16), 16, 0);
      run.machine.cpAsync.copy(source + 32, run.shared(kData + 32), 16, 9);
      run.machine.cpAsync.waitAll();
      EXPECT_EQ(std::memcmp(run.shared(kData), source + 4, 4), 0);
      char zeros[16] = {};
      EXPECT_EQ(std::memcmp(run.shared(kData + 8), source + 8, 3), 0);
      EXPECT_EQ(std::memcmp(run.shared(kData + 11), zeros, 5), 0);
      EXPECT_EQ(std::memcmp(run.shared(kData + 16), zeros, 16), 0);
      EXPECT_EQ(std::memcmp(run.shared(kData + 32), source + 32, 9), 0);
      EXPECT_EQ(std::memcmp(run.shared(kData + 41), zeros, 7), 0);
      run.load(run.shared(kData + 8), 8);
    };
  });
}

TEST(CpAsync, OperandsAreChecked) {
  auto trap = [](int64_t source, int64_t destination, uint32_t size,
                 uint32_t valid) {
    AsyncRun run(makeShape(1, 1));
    char *from = run.global(64);
    EXPECT_EQ(run.run([&](Thread &) {
      run.machine.cpAsync.copy(from + source, run.shared(kData + destination),
                               size, valid);
    }),
              RunEnd::Aborted);
    EXPECT_TRUE(run.has(FindingKind::InvalidOperand));
  };
  trap(0, 0, 12, 12);
  trap(0, 0, 8, 9);
  trap(0, 8, 16, 16);
  trap(4, 0, 8, 8);
}

/// The arrive belongs to the copies: with `noinc` init counts it, without it is
/// neutral.
auto arrive(bool noIncrement, uint32_t count, bool alsoArrives) {
  return [=](AsyncRun &run) {
    char *source = run.global(1024);
    return [=, &run](Thread &thread) {
      run.initBarriers(thread, {{kFull, count}});
      unsigned at = thread.index * 32;
      run.machine.cpAsync.copy(source + at, run.shared(kData + at), 16, 16);
      run.machine.cpAsync.copy(source + at + 16, run.shared(kData + at + 16),
                               16, 16);
      run.machine.copyArrives.arrive(run.shared(kFull), noIncrement);
      if (alsoArrives)
        run.machine.arrivals.arrive(run.shared(kFull), {});
      run.machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
      unsigned other = (31 - thread.index) * 32;
      run.load(run.shared(kData + other), 32);
      EXPECT_EQ(std::memcmp(run.shared(kData + other), source + other, 32), 0);
    };
  };
}

TEST(CpAsync, ArrivesOnABarrier) {
  expectClean(makeShape(1, 32), 10, arrive(true, 32, false));
  expectClean(makeShape(1, 32), 10, arrive(false, 32, true));
}

TEST(CpAsync, AnArriveCoversOnlyWhatIsBeforeIt) {
  auto kernel = [](bool later) {
    return [=](AsyncRun &run) {
      char *source = run.global(1024);
      return [=, &run](Thread &thread) {
        run.initBarriers(thread, {{kFull, 1}});
        if (thread.index == 0) {
          run.machine.cpAsync.copy(source, run.shared(kData), 16, 16);
          if (later)
            run.machine.copyArrives.arrive(run.shared(kFull), true);
          run.machine.cpAsync.copy(source + 16, run.shared(kData + 16), 16, 16);
          if (!later)
            run.machine.copyArrives.arrive(run.shared(kFull), true);
        }
        run.machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
        run.load(run.shared(kData), 32);
        if (thread.index == 0)
          run.machine.cpAsync.waitAll();
      };
    };
  };
  expectClean(makeShape(1, 32), 5, kernel(false));
  expectFinding(makeShape(1, 32), 5, FindingKind::EngineRace, kernel(true));
}

TEST(CpAsync, AnEngineThatReadsCopiesNeedsAFence) {
  auto kernel = [](bool fence) {
    return [=](AsyncRun &run) {
      char *source = run.global(512), *target = run.global(512, false, "%y");
      return [=, &run](Thread &thread) {
        unsigned at = thread.index * 16;
        run.machine.cpAsync.copy(source + at, run.shared(kData + at), 16, 16);
        run.machine.cpAsync.waitAll();
        if (fence)
          run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
        run.barrier();
        if (thread.index != 0)
          return;
        run.machine.bulkCopies.store(run.shared(kData), target, 512);
        run.machine.bulkGroups.commit();
        run.machine.bulkGroups.wait(true, 0);
      };
    };
  };
  expectClean(makeShape(1, 32), 3, kernel(true));
  expectFinding(makeShape(1, 32), 3, FindingKind::MissingProxyFence,
                kernel(false));
}

TEST(CpAsync, StrictFencesCoverTheThreadsOwnCopies) {
  AsyncRun run(makeShape(1, 32), 1, Policy::Random, /*strict=*/true);
  char *source = run.global(512), *target = run.global(512, false, "%y");
  run.run([&](Thread &thread) {
    unsigned at = thread.index * 16;
    run.machine.cpAsync.copy(source + at, run.shared(kData + at), 16, 16);
    run.machine.cpAsync.waitAll();
    run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
    run.barrier();
    if (thread.index != 0)
      return;
    run.machine.bulkCopies.store(run.shared(kData), target, 512);
    run.machine.bulkGroups.commit();
    run.machine.bulkGroups.wait(true, 0);
  });
  EXPECT_TRUE(run.log.empty()) << run.text();
}

} // namespace
