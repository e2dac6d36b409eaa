//===- BulkGroupTest.cpp - stores, reductions and their groups ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk stores and reductions, what a wait covers and for whom, semaphores that
// must not be released too early, and exits that come too early.
//
//===----------------------------------------------------------------------===//

#include "AsyncFixture.h"

using namespace carousel::sim;

namespace {

constexpr uint64_t kData = 1024;
constexpr int64_t kTile = 1024;

enum class Wrong {
  Nothing,
  NoFence,
  LateFence,
  ReadForComplete,
  NoWait,
  OtherThreadWaits,
  NoBarrier,
  NoCommit,
  TooManyPending
};

/// All threads write a tile, thread 0 stores it twice over one buffer of shared
/// memory, then the threads read back the result.
auto storeTwice(Wrong wrong) {
  return [=](AsyncRun &run) {
    char *target = run.global(2 * kTile, false, "%y");
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      for (unsigned round = 0; round < 2; ++round) {
        run.fill(run.shared(kData + thread.index * 16), 16, char(round + 1));
        if (wrong == Wrong::LateFence || wrong == Wrong::NoFence) {
          run.barrier();
          if (wrong == Wrong::LateFence && thread.index != 0)
            machine.fences.fenceProxy(ProxyKind::Async);
        } else {
          machine.fences.fenceProxy(ProxyKind::Async);
          run.barrier();
        }
        if (thread.index == 0) {
          machine.bulkCopies.store(run.shared(kData), target + round * kTile,
                                   kTile);
          if (wrong != Wrong::NoCommit)
            machine.bulkGroups.commit();
        }
        bool isRead = round == 0 || wrong == Wrong::ReadForComplete;
        thread.site = 100 + thread.index;
        if (wrong == Wrong::OtherThreadWaits) {
          run.barrier();
          if (thread.index == 1)
            machine.bulkGroups.wait(isRead, 0);
        } else if (thread.index == 0 && wrong != Wrong::NoWait) {
          machine.bulkGroups.wait(isRead,
                                  wrong == Wrong::TooManyPending && round == 0);
        }
        thread.site = 0;
        if (wrong != Wrong::NoBarrier)
          run.barrier();
      }
      run.load(target + thread.index * 32, 32);
      if (wrong == Wrong::Nothing) {
        EXPECT_EQ(target[thread.index * 32], char(thread.index < 32 ? 1 : 2));
      }
    };
  };
}

TEST(BulkGroup, Stores) {
  expectClean(makeShape(1, 64), 10, storeTwice(Wrong::Nothing));
}

TEST(BulkGroup, StoresWrongTwins) {
  using K = FindingKind;
  GridShape shape = makeShape(1, 64);
  expectFinding(shape, 5, K::MissingProxyFence, storeTwice(Wrong::NoFence));
  expectFinding(shape, 5, K::MissingProxyFence, storeTwice(Wrong::LateFence));
  expectFinding(shape, 5, K::EngineRace, storeTwice(Wrong::ReadForComplete));
  expectFinding(shape, 5, K::EngineRace, storeTwice(Wrong::NoWait));
  expectFinding(shape, 5, K::InFlight, storeTwice(Wrong::NoWait));
  expectFinding(shape, 5, K::ForeignGroupWait,
                storeTwice(Wrong::OtherThreadWaits));
  expectFinding(shape, 5, K::EngineRace, storeTwice(Wrong::OtherThreadWaits));
  expectFinding(shape, 5, K::EngineRace, storeTwice(Wrong::NoBarrier));
  expectFinding(shape, 5, K::UncommittedTransfer, storeTwice(Wrong::NoCommit));
  expectFinding(shape, 5, K::EngineRace, storeTwice(Wrong::TooManyPending));
}

TEST(BulkGroup, AFenceByTheIssuerIsEnoughUnlessStrict) {
  for (bool strict : {false, true}) {
    AsyncRun run(makeShape(1, 64), 1, Policy::Random, strict);
    char *target = run.global(kTile, false, "%y");
    run.run([&](Thread &thread) {
      run.fill(run.shared(kData + thread.index * 16), 16, 1);
      run.barrier();
      if (thread.index != 0)
        return;
      run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
      run.machine.bulkCopies.store(run.shared(kData), target, kTile);
      run.machine.bulkGroups.commit();
      run.machine.bulkGroups.wait(false, 0);
    });
    EXPECT_EQ(run.has(FindingKind::MissingProxyFence), strict) << run.text();
  }
}

TEST(BulkGroup, AWaitThatAllThreadsExecute) {
  // The elected thread's wait and the harmless ones of the others are one
  // instruction.
  expectClean(makeShape(1, 32), 5, [](AsyncRun &run) {
    char *target = run.global(kTile, false, "%y");
    return [=, &run](Thread &thread) {
      run.fill(run.shared(kData + thread.index * 32), 32, 1);
      run.machine.fences.fenceProxy(ProxyKind::Async);
      run.grid.barrierWarp(~0u);
      if (thread.index == 3) {
        run.machine.bulkCopies.store(run.shared(kData), target, kTile);
        run.machine.bulkGroups.commit();
      }
      run.grid.barrierWarp(~0u);
      thread.site = 5;
      run.machine.bulkGroups.wait(false, 0);
      run.grid.barrierWarp(~0u);
      run.load(target, kTile);
    };
  });
}

TEST(BulkGroup, WaitsOfAllThreadsAtSeveralPlaces) {
  // Lanes that are ahead of the elected thread, or behind it, wait for what
  // that thread waits for as well.
  expectClean(makeShape(1, 32), 20, [](AsyncRun &run) {
    char *target = run.global(4 * kTile, false, "%y");
    return [=, &run](Thread &thread) {
      for (unsigned round = 0; round < 4; ++round) {
        char *slot = run.shared(kData + round % 2 * kTile);
        run.fill(slot + thread.index * 32, 32, 1);
        run.machine.fences.fenceProxy(ProxyKind::Async);
        run.grid.barrierWarp(~0u);
        if (thread.index == 3)
          run.machine.bulkCopies.store(slot, target + round * kTile, kTile);
        run.machine.bulkGroups.commit();
        run.grid.barrierWarp(~0u);
        thread.site = 5;
        run.machine.bulkGroups.wait(true, 1);
        run.grid.barrierWarp(~0u);
      }
      thread.site = 6;
      run.machine.bulkGroups.wait(true, 0);
      run.grid.step();
      thread.site = 7;
      run.machine.bulkGroups.wait(false, 0);
    };
  });
}

TEST(BulkGroup, AForeignWaitAfterTheOwnerHasEnded) {
  // The owner waits for the reads, which is enough to end. The other thread
  // wants the writes, commits a group of nothing or none at all, and gets none.
  for (bool commits : {false, true})
    expectFinding(makeShape(1, 64), 10, FindingKind::ForeignGroupWait,
                  [=](AsyncRun &run) {
                    char *target = run.global(kTile, false, "%y");
                    return [=, &run](Thread &thread) {
                      run.fill(run.shared(kData + thread.index * 16), 16, 1);
                      run.machine.fences.fenceProxy(ProxyKind::Async);
                      run.barrier();
                      if (thread.index == 0) {
                        run.machine.bulkCopies.store(run.shared(kData), target,
                                                     kTile);
                        run.machine.bulkGroups.commit();
                        thread.site = 5;
                        run.machine.bulkGroups.wait(true, 0);
                      }
                      run.barrier();
                      if (thread.index != 33)
                        return;
                      for (unsigned i = 0; i < 200; ++i)
                        run.grid.yield();
                      thread.site = 6;
                      if (commits)
                        run.machine.bulkGroups.commit();
                      run.machine.bulkGroups.wait(false, 0);
                    };
                  });
}

TEST(BulkGroup, ByteMask) {
  expectClean(makeShape(1, 32), 2, [](AsyncRun &run) {
    char *target = run.global(64, false, "%y");
    return [=, &run](Thread &thread) {
      if (thread.index != 0)
        return;
      run.fill(run.shared(kData), 64, 5);
      run.machine.fences.fenceProxy(ProxyKind::Async);
      run.machine.bulkCopies.store(run.shared(kData), target, 64, 0x8003);
      run.machine.bulkGroups.commit();
      run.machine.bulkGroups.wait(false, 0);
      for (unsigned i = 0; i < 64; ++i) {
        bool isWritten = i % 16 < 2 || i % 16 == 15;
        EXPECT_EQ(target[i], isWritten ? 5 : char(0xee)) << i;
      }
    };
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

auto reduceOnce(bool duplicate) {
  return [=](AsyncRun &run) {
    char *target = run.global(kTile, true, "%sum");
    std::memset(target, 0, kTile);
    return [=, &run](Thread &thread) {
      for (unsigned i = thread.index; i < kTile / 4; i += 32) {
        float value = 1.5f * float(i);
        run.store(run.shared(kData + i * 4), &value, 4);
      }
      run.machine.fences.fenceProxy(ProxyKind::Async);
      run.barrier();
      thread.site = 9;
      if (thread.index == 0 || (duplicate && thread.index == 7)) {
        run.machine.bulkCopies.reduce(ReduceKind::Add, ReduceType::F32,
                                      run.shared(kData), target, kTile);
        run.machine.bulkGroups.commit();
        run.machine.bulkGroups.wait(false, 0);
      }
    };
  };
}

TEST(BulkGroup, Reductions) {
  auto check = [](AsyncRun &run, RunEnd) {
    EXPECT_TRUE(run.log.empty());
    std::vector<float> sums(kTile / 4);
    std::memcpy(sums.data(), run.buffers[0].get(), kTile);
    // Four CTAs add the same.
    for (unsigned i = 0; i < sums.size(); ++i)
      ASSERT_EQ(sums[i], 6.0f * float(i));
  };
  underSchedules(makeShape(4, 32), 3, reduceOnce(false), check);
  expectFinding(makeShape(1, 32), 3, FindingKind::DuplicateReduction,
                reduceOnce(true));
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

enum class Turn { Right, NoWait, ReadWait, OtherThread, NoRelease, PlainRead };

/// Each CTA adds its number to a tile that the CTA before has left.
auto inTurn(Turn turn) {
  return [=](AsyncRun &run) {
    char *tile = run.global(kTile, true, "%y");
    std::memset(tile, 0, kTile);
    auto *semaphore =
        reinterpret_cast<int32_t *>(run.global(16, true, "%semaphore"));
    std::memset(static_cast<void *>(semaphore), 0, 16);
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      if (thread.index == 0 && turn != Turn::NoRelease)
        machine.semaphores.wait(semaphore, int32_t(thread.cta));
      run.barrier();
      run.load(tile + thread.index * 32, 32);
      char sum = tile[thread.index * 32] + char(thread.cta + 1);
      run.fill(run.shared(kData + thread.index * 32), 32, sum);
      machine.fences.fenceProxy(ProxyKind::Async);
      run.barrier();
      if (thread.index == 0) {
        machine.bulkCopies.store(run.shared(kData), tile, kTile);
        machine.bulkGroups.commit();
        if (turn != Turn::NoWait)
          machine.bulkGroups.wait(turn == Turn::ReadWait, 0);
        if (turn != Turn::OtherThread)
          machine.semaphores.release(semaphore, int32_t(thread.cta) + 1);
        // Without a wait before it, the exit is wrong as well; here the release
        // is.
        machine.bulkGroups.wait(false, 0);
      }
      run.grid.barrierWarp(~0u);
      if (thread.index == 1 && turn == Turn::OtherThread)
        machine.semaphores.release(semaphore, int32_t(thread.cta) + 1);
    };
  };
}

TEST(BulkGroup, SemaphoresOrderCTAs) {
  underSchedules(makeShape(5, 32), 3, inTurn(Turn::Right),
                 [](AsyncRun &run, RunEnd end) {
                   EXPECT_EQ(end, RunEnd::Finished);
                   EXPECT_TRUE(run.log.empty());
                   EXPECT_EQ(run.buffers[0].get()[100], 15);
                 });
  expectClean(makeShape(3, 32), 3, inTurn(Turn::OtherThread));
  expectFinding(makeShape(3, 32), 3, FindingKind::ReleaseInFlight,
                inTurn(Turn::NoWait));
  expectFinding(makeShape(3, 32), 3, FindingKind::ReleaseInFlight,
                inTurn(Turn::ReadWait));
  expectFinding(makeShape(3, 32), 3, FindingKind::EngineRace,
                inTurn(Turn::NoRelease));
}

/// A thread stores a part of a tile, and the first one takes a turn.
auto storeBesideTurn(uint32_t issuer, bool isInTurn, bool isReadByNext,
                     bool isReleasedAgain = false) {
  return [=](AsyncRun &run) {
    char *tile = run.global(2 * kTile, true, "%y");
    std::memset(tile, 0, 2 * kTile);
    auto *semaphore =
        reinterpret_cast<int32_t *>(run.global(16, true, "%semaphore"));
    std::memset(static_cast<void *>(semaphore), 0, 16);
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      auto wait = [&] {
        if (thread.index == 0)
          machine.semaphores.wait(semaphore, int32_t(thread.cta));
      };
      if (isInTurn)
        wait();
      run.fill(run.shared(kData + thread.index * 32), 32, 7);
      machine.fences.fenceProxy(ProxyKind::Async);
      run.barrier();
      if (thread.index == issuer) {
        machine.bulkCopies.store(run.shared(kData), tile + thread.cta * kTile,
                                 kTile);
        machine.bulkGroups.commit();
      }
      run.barrier();
      if (!isInTurn)
        wait();
      if (thread.index == 0 && thread.cta == 1 && isReadByNext)
        run.load(tile, 32);
      if (thread.index == 0)
        machine.semaphores.release(semaphore, int32_t(thread.cta) + 1);
      if (thread.index == 0 && isReleasedAgain)
        machine.semaphores.release(semaphore, int32_t(thread.cta) + 1);
      if (thread.index == issuer)
        machine.bulkGroups.wait(false, 0);
    };
  };
}

TEST(BulkGroup, ATurnAnnouncesWhatIsIssuedInIt) {
  for (uint32_t issuer : {0, 1}) {
    expectClean(makeShape(2, 32), 3, storeBesideTurn(issuer, false, false));
    expectFinding(makeShape(2, 32), 3, FindingKind::ReleaseInFlight,
                  storeBesideTurn(issuer, true, false));
    expectFinding(makeShape(2, 32), 3, FindingKind::EngineRace,
                  storeBesideTurn(issuer, false, true));
    // A second release is of no turn.
    expectFinding(makeShape(1, 32), 3, FindingKind::ReleaseInFlight,
                  storeBesideTurn(issuer, false, false, true));
  }
}

TEST(BulkGroup, AReleaseReplacesWhatNobodyWrote) {
  auto useUnwritten = [](bool isWait) {
    return [=](AsyncRun &run) {
      auto *semaphore =
          reinterpret_cast<int32_t *>(run.global(4, false, "%semaphore"));
      return [=, &run](Thread &thread) {
        if (isWait)
          run.machine.semaphores.wait(semaphore, *semaphore);
        run.machine.semaphores.release(semaphore, 1);
        run.machine.semaphores.wait(semaphore, 1);
      };
    };
  };
  expectClean(makeShape(1, 1), 1, useUnwritten(false));
  expectFinding(makeShape(1, 1), 1, FindingKind::UnwrittenRead,
                useUnwritten(true));
}

TEST(BulkGroup, ASemaphoreThatNobodyReleases) {
  AsyncRun run(makeShape(1, 32));
  auto *semaphore =
      reinterpret_cast<int32_t *>(run.global(16, true, "%semaphore"));
  std::memset(static_cast<void *>(semaphore), 0, 16);
  EXPECT_EQ(run.run([&](Thread &thread) {
    if (thread.index == 0)
      run.machine.semaphores.wait(semaphore, 3);
  }),
            RunEnd::Deadlock);
  EXPECT_NE(run.text().find("turn 3"), std::string::npos) << run.text();
}

TEST(BulkGroup, AtomicsReleaseAndAcquire) {
  auto kernel = [](bool release, bool acquire, bool fences) {
    return [=](AsyncRun &run) {
      char *data = run.global(16, true, "%data");
      char *flag = run.global(16, true, "%flag");
      flag[0] = 0;
      return [=, &run](Thread &thread) {
        if (thread.index != 0)
          return;
        if (thread.cta == 0) {
          run.fill(data, 16, 3);
          if (fences)
            run.machine.fences.fenceThread(MemSemantics::AcqRel, MemScope::GPU);
          run.touch(flag, 4, AccessKind::Atomic);
          flag[0] = 1;
          run.machine.atomics.write(flag, release, false);
          return;
        }
        do {
          run.touch(flag, 4, AccessKind::Atomic);
          run.machine.atomics.read(flag, acquire);
          if (flag[0] != 1)
            run.grid.yield();
        } while (flag[0] != 1);
        run.machine.atomics.read(flag, acquire);
        if (fences)
          run.machine.fences.fenceThread(MemSemantics::AcqRel, MemScope::GPU);
        run.load(data, 16);
      };
    };
  };
  expectClean(makeShape(2, 32), 3, kernel(true, true, false));
  expectClean(makeShape(2, 32), 3, kernel(false, false, true));
  expectFinding(makeShape(2, 32), 3, FindingKind::DataRace,
                kernel(false, true, false));
  expectFinding(makeShape(2, 32), 3, FindingKind::DataRace,
                kernel(true, false, false));
}

TEST(BulkGroup, FencesOrderIfEachScopeHasTheOtherThread) {
  auto kernel = [](MemScope release, MemScope acquire, uint32_t readingCTA) {
    return [=](AsyncRun &run) {
      char *data = run.global(16, true, "%data");
      char *flag = run.global(16, true, "%flag");
      flag[0] = 0;
      return [=, &run](Thread &thread) {
        if (thread.cta == 0 && thread.index == 0) {
          run.fill(data, 16, 3);
          run.machine.fences.fenceThread(MemSemantics::Release, release);
          run.touch(flag, 4, AccessKind::Atomic);
          flag[0] = 1;
          run.machine.atomics.write(flag, /*release=*/false, true);
        }
        if (thread.cta != readingCTA || thread.index != 32)
          return;
        while (true) {
          run.touch(flag, 4, AccessKind::Atomic);
          run.machine.atomics.read(flag, /*acquire=*/false);
          if (flag[0] == 1)
            break;
          run.grid.yield();
        }
        run.machine.fences.fenceThread(MemSemantics::Acquire, acquire);
        run.load(data, 16);
      };
    };
  };
  GridShape shape = makeShape(2, 64), clusters = shape;
  clusters.cluster = {2, 1, 1};
  const MemScope scopes[] = {MemScope::CTA, MemScope::Cluster, MemScope::GPU,
                             MemScope::System};
  for (MemScope release : scopes) {
    for (MemScope acquire : scopes) {
      MemScope least = std::min(release, acquire);
      expectClean(shape, 2, kernel(release, acquire, 0));
      if (least >= MemScope::GPU)
        expectClean(shape, 2, kernel(release, acquire, 1));
      else
        expectFinding(shape, 2, FindingKind::DataRace,
                      kernel(release, acquire, 1));
      if (least >= MemScope::Cluster)
        expectClean(clusters, 2, kernel(release, acquire, 1));
      else
        expectFinding(clusters, 2, FindingKind::DataRace,
                      kernel(release, acquire, 1));
    }
  }
}

} // namespace
