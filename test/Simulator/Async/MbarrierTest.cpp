//===- MbarrierTest.cpp - phases, arrivals, waits and their misuse --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule of an mbarrier with a right use that is clean under every policy,
// and a wrong twin that is found under every policy.
//
//===----------------------------------------------------------------------===//

#include "AsyncFixture.h"

using namespace carousel::sim;

namespace {

constexpr uint64_t kFull = 0, kEmpty = 8, kData = 1024;

PhaseName parity(uint64_t phase) { return PhaseName::parity(phase & 1); }

/// Thread 0 writes, thread 32 reads, many times over one slot.
auto handshake(MemSemantics arrive, MemSemantics wait, bool fences = false) {
  return [=](AsyncRun &run) {
    return [=, &run](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}, {kEmpty, 1}});
      ArriveOptions options;
      options.semantics = arrive;
      for (unsigned round = 0; round < 6; ++round) {
        if (thread.index == 0) {
          run.machine.waits.wait(run.shared(kEmpty), parity(round + 1));
          run.fill(run.shared(kData), 64, char(round));
          if (fences)
            run.machine.fences.fenceThread(MemSemantics::Release,
                                           MemScope::CTA);
          run.machine.arrivals.arrive(run.shared(kFull), options);
        } else if (thread.index == 32) {
          run.machine.waits.wait(run.shared(kFull), parity(round), wait);
          if (fences)
            run.machine.fences.fenceThread(MemSemantics::Acquire,
                                           MemScope::CTA);
          run.load(run.shared(kData), 64);
          EXPECT_EQ(run.shared(kData)[5], char(round));
          run.machine.arrivals.arrive(run.shared(kEmpty), {});
        }
      }
    };
  };
}

TEST(Mbarrier, ReleaseAndAcquireCarryOrder) {
  expectClean(makeShape(1, 64), 5,
              handshake(MemSemantics::Release, MemSemantics::Acquire));
}

TEST(Mbarrier, RelaxedCarriesNothingWithoutFences) {
  expectFinding(makeShape(1, 64), 5, FindingKind::DataRace,
                handshake(MemSemantics::Relaxed, MemSemantics::Acquire));
  expectFinding(makeShape(1, 64), 5, FindingKind::DataRace,
                handshake(MemSemantics::Release, MemSemantics::Relaxed));
  expectClean(
      makeShape(1, 64), 5,
      handshake(MemSemantics::Relaxed, MemSemantics::Relaxed, /*fences=*/true));
}

TEST(Mbarrier, StatesNamePhasesAndCountPending) {
  AsyncRun run(makeShape(1, 32));
  run.run([&](Thread &thread) {
    if (thread.index != 0)
      return;
    char *barrier = run.shared();
    run.machine.mbarriers.init(barrier, 3);
    ArriveOptions two;
    two.count = 2;
    uint64_t first = run.machine.arrivals.arrive(barrier, two);
    EXPECT_EQ(MbarrierArrivals::getPendingCount(first), 3u);
    EXPECT_FALSE(run.machine.waits.testWait(barrier, PhaseName::state(first)));
    uint64_t second = run.machine.arrivals.arrive(barrier, {});
    EXPECT_EQ(MbarrierArrivals::getPendingCount(second), 1u);
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::state(first)));
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::state(second)));
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::parity(false)));
    // Leaving: two arrivals complete each later phase.
    ArriveOptions drop;
    drop.drop = true;
    run.machine.arrivals.arrive(barrier, drop);
    uint64_t third = run.machine.arrivals.arrive(barrier, two);
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::state(third)));
    uint64_t fourth = run.machine.arrivals.arrive(barrier, two);
    EXPECT_EQ(MbarrierArrivals::getPendingCount(fourth), 2u);
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::state(fourth)));
    EXPECT_TRUE(run.log.empty()) << run.text();
    // A state of two phases ago.
    run.machine.waits.testWait(barrier, PhaseName::state(first));
    EXPECT_TRUE(run.has(FindingKind::MissedPhase));
    run.machine.mbarriers.inval(barrier);
  });
  EXPECT_EQ(run.log.getFindings().size(), 1u) << run.text();
}

TEST(Mbarrier, TransactionBytesHoldThePhase) {
  AsyncRun run(makeShape(1, 1));
  run.run([&](Thread &) {
    char *barrier = run.shared();
    run.machine.mbarriers.init(barrier, 1);
    // Bytes may land before they are expected.
    run.machine.arrivals.completeTx(barrier, 48);
    ArriveOptions options;
    options.expectBytes = 64;
    uint64_t state = run.machine.arrivals.arrive(barrier, options);
    EXPECT_FALSE(run.machine.waits.testWait(barrier, PhaseName::state(state)));
    run.machine.arrivals.completeTx(barrier, 16);
    EXPECT_TRUE(run.machine.waits.testWait(barrier, PhaseName::state(state)));
    run.machine.mbarriers.inval(barrier);
  });
  EXPECT_TRUE(run.log.empty()) << run.text();
}

/// One thread that does one wrong thing.
template <typename Body> void expectAlone(FindingKind kind, Body body) {
  AsyncRun run(makeShape(1, 1));
  run.run([&](Thread &) { body(run, run.shared()); });
  EXPECT_TRUE(run.has(kind)) << getIdentifier(kind).str() << " expected, got\n"
                             << run.text();
}

TEST(Mbarrier, Misuse) {
  using K = FindingKind;
  expectAlone(K::UseBeforeInit, [](AsyncRun &run, char *barrier) {
    run.machine.arrivals.arrive(barrier, {});
  });
  expectAlone(K::UseAfterInval, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.mbarriers.inval(barrier);
    run.machine.arrivals.arrive(barrier, {});
  });
  expectAlone(K::LiveInit, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.mbarriers.init(barrier, 1);
  });
  expectAlone(K::CountOutOfRange, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1 << 20);
  });
  expectAlone(K::CountOutOfRange, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 0);
  });
  expectAlone(K::CountOutOfRange, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.arrivals.expectTx(barrier, 1 << 20);
  });
  expectAlone(K::CountOutOfRange, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.arrivals.expectTx(barrier, (1 << 20) - 1);
    run.machine.arrivals.expectTx(barrier, 16);
  });
  expectAlone(K::ArrivalOverflow, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 2);
    ArriveOptions options;
    options.count = 3;
    run.machine.arrivals.arrive(barrier, options);
  });
  expectAlone(K::ArrivalOverflow, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    ArriveOptions options;
    options.noComplete = true;
    run.machine.arrivals.arrive(barrier, options);
  });
  // 16 bytes too few, and too many, when all have arrived.
  expectAlone(K::ExcessBytes, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.arrivals.completeTx(barrier, 64);
    ArriveOptions options;
    options.expectBytes = 48;
    run.machine.arrivals.arrive(barrier, options);
  });
  expectAlone(K::MissingBytes, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.arrivals.expectTx(barrier, 16);
    run.machine.mbarriers.inval(barrier);
  });
  expectAlone(K::MissingBytes, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.machine.arrivals.expectTx(barrier, 16);
  });
  expectAlone(K::InvalidOperand, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier + 4, 1);
  });
  // The memory of a live barrier isn't data.
  expectAlone(K::UseBeforeInit, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.fill(barrier, 8, 0);
    run.machine.arrivals.arrive(barrier, {});
  });
  expectAlone(K::UnwrittenRead, [](AsyncRun &run, char *barrier) {
    run.machine.mbarriers.init(barrier, 1);
    run.load(barrier, 8);
  });
}

TEST(Mbarrier, InitHasToBeSeen) {
  auto use = [](bool sync) {
    return [=](AsyncRun &run) {
      return [=, &run](Thread &thread) {
        if (thread.index == 0)
          run.machine.mbarriers.init(run.shared(), 64);
        if (sync)
          run.barrier();
        else
          while (!*reinterpret_cast<uint64_t *>(run.shared()) ||
                 std::memcmp(run.shared(), "reirrabm", 8) != 0)
            run.grid.yield();
        run.machine.arrivals.arrive(run.shared(), {});
        run.machine.waits.wait(run.shared(), parity(0));
      };
    };
  };
  expectClean(makeShape(1, 64), 3, use(true));
  expectFinding(makeShape(1, 64), 3, FindingKind::InitNotVisible, use(false));
}

TEST(Mbarrier, RemoteArrives) {
  GridShape shape = makeShape(2, 32);
  shape.cluster = {2, 1, 1};
  auto kernel = [](bool fence, bool relaxed) {
    return [=](AsyncRun &run) {
      return [=, &run](Thread &thread) {
        if (thread.index == 0) {
          run.machine.mbarriers.init(run.shared(kFull), 64);
          if (fence)
            run.machine.fences.fenceMbarrierInit();
        }
        // The fence makes even a relaxed arrive carry the init.
        run.machine.fences.clusterArrive(!relaxed);
        run.grid.clusterWait(true);
        run.fill(run.shared(kData + thread.index * 16), 16, 1);
        for (uint32_t rank = 0; rank < 2; ++rank) {
          auto *remote = run.machine.ctas.mapShared(run.shared(kFull), rank);
          EXPECT_EQ(run.machine.ctas.rankOf(remote), rank);
          ArriveOptions options;
          options.scope = MemScope::Cluster;
          run.machine.arrivals.arrive(remote, options);
        }
        run.machine.waits.wait(run.shared(kFull), parity(0),
                               MemSemantics::Acquire, MemScope::Cluster);
        run.load(run.sharedOf(1 - thread.cta, kData), 16 * 32);
        run.grid.clusterArrive(true);
        run.grid.clusterWait(true);
      };
    };
  };
  expectClean(shape, 3, kernel(true, true));
  expectClean(shape, 3, kernel(true, false));
  expectFinding(shape, 3, FindingKind::InitNotVisible, kernel(false, false));
  expectFinding(shape, 3, FindingKind::InitNotVisible, kernel(false, true));
}

TEST(Mbarrier, FencesBeforeRelaxedClusterArrives) {
  GridShape shape = makeShape(2, 32);
  shape.cluster = {2, 1, 1};
  // One thread writes before and after a fence; the other CTA looks at either.
  auto kernel = [](bool threadFence, uint64_t look) {
    return [=](AsyncRun &run) {
      return [=, &run](Thread &thread) {
        if (thread.cta == 0 && thread.index == 0) {
          run.fill(run.shared(kData), 16, 1);
          if (threadFence)
            run.machine.fences.fenceThread(MemSemantics::Release,
                                           MemScope::Cluster);
          else
            run.machine.fences.fenceMbarrierInit();
          run.fill(run.shared(kData + 16), 16, 1);
        }
        run.machine.fences.clusterArrive(false);
        run.grid.clusterWait(true);
        if (thread.cta == 1 && thread.index == 0)
          run.load(run.sharedOf(0, kData + look), 16);
        run.grid.clusterArrive(true);
        run.grid.clusterWait(true);
      };
    };
  };
  expectClean(shape, 3, kernel(true, 0));
  expectFinding(shape, 3, FindingKind::DataRace, kernel(true, 16));
  expectFinding(shape, 3, FindingKind::DataRace, kernel(false, 0));
}

TEST(Mbarrier, AWaiterThatIsTwoPhasesBehind) {
  // Thread 0 runs through four phases that thread 32 takes no part in.
  auto kernel = [](bool late) {
    return [=](AsyncRun &run) {
      return [=, &run](Thread &thread) {
        run.initBarriers(thread, {{kFull, 1}, {kEmpty, 1}});
        if (thread.index == 0) {
          run.machine.arrivals.arrive(run.shared(kFull), {});
          for (unsigned phase = 1; phase < 4; ++phase) {
            if (!late)
              run.machine.waits.wait(run.shared(kEmpty), parity(phase - 1));
            run.machine.arrivals.arrive(run.shared(kFull), {});
          }
          // A plain flag that orders nothing: the other thread is late for
          // certain.
          run.shared(kData)[0] = 1;
        } else if (thread.index == 32) {
          while (late && run.shared(kData)[0] != 1)
            run.grid.yield();
          for (unsigned phase = 0; phase < 4; ++phase) {
            run.machine.waits.wait(run.shared(kFull), parity(phase));
            if (!late)
              run.machine.arrivals.arrive(run.shared(kEmpty), {});
          }
        }
      };
    };
  };
  expectClean(makeShape(1, 64), 5, kernel(false));
  expectFinding(makeShape(1, 64), 5, FindingKind::MissedPhase, kernel(true));
}

TEST(Mbarrier, TryWaitMayGiveUpAndTimesOut) {
  unsigned gaveUp = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    AsyncRun run(makeShape(1, 64), seed);
    RunEnd end = run.run([&](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}});
      if (thread.index == 0) {
        // Nobody arrives before this returns: it has to time out.
        while (run.machine.waits.tryWait(run.shared(kFull), parity(0)))
          ADD_FAILURE() << "no phase has completed";
        run.machine.arrivals.arrive(run.shared(kFull), {});
      } else if (thread.index == 32) {
        while (!run.machine.waits.tryWait(run.shared(kFull), parity(0)))
          ++gaveUp;
      }
    });
    EXPECT_EQ(end, RunEnd::Finished);
    EXPECT_TRUE(run.log.empty()) << run.text();
  }
  EXPECT_GT(gaveUp, 0u);
}

TEST(Mbarrier, DeadlockShowsWhatIsMissing) {
  for (bool tries : {false, true}) {
    AsyncRun run(makeShape(1, 64));
    run.machine.setSiteNames(
        [](Site site) { return site ? "k.mlir:" + std::to_string(site) : ""; });
    RunEnd end = run.run([&](Thread &thread) {
      run.initBarriers(thread, {{kFull, 2}});
      thread.site = 7;
      if (thread.index == 0) {
        ArriveOptions options;
        options.expectBytes = 4096;
        run.machine.arrivals.arrive(run.shared(kFull), options);
      }
      if (thread.index == 32) {
        if (tries)
          while (!run.machine.waits.tryWait(run.shared(kFull), parity(0)))
            run.grid.step();
        else
          run.machine.waits.wait(run.shared(kFull), parity(0));
      }
    });
    EXPECT_EQ(end, RunEnd::Deadlock);
    EXPECT_NE(run.text().find("missing: 1 of 2 arrivals and 4096 bytes;"),
              std::string::npos)
        << run.text();
    EXPECT_NE(run.text().find("CTA 0 thread 0 at k.mlir:7"), std::string::npos)
        << run.text();
  }
}

TEST(Mbarrier, WhatOnlyTheOwnCTAMayDo) {
  enum Use { Wait, TryWait, Inval, CopiesArrive };
  for (Use use : {Wait, TryWait, Inval, CopiesArrive}) {
    GridShape shape = makeShape(2, 1);
    shape.cluster = {2, 1, 1};
    shape.residentCTAs = 2;
    AsyncRun run(shape);
    run.run([&](Thread &thread) {
      if (thread.cta == 0) {
        run.machine.mbarriers.init(run.shared(), 1);
        run.machine.fences.fenceMbarrierInit();
      }
      run.grid.clusterArrive(true);
      run.grid.clusterWait(true);
      void *barrier = run.sharedOf(0);
      if (thread.cta == 1 && use == Wait)
        run.machine.waits.wait(barrier, PhaseName::parity(false));
      if (thread.cta == 1 && use == TryWait)
        run.machine.waits.tryWait(barrier, PhaseName::parity(false));
      if (thread.cta == 1 && use == Inval)
        run.machine.mbarriers.inval(barrier);
      if (thread.cta == 1 && use == CopiesArrive)
        run.machine.copyArrives.arrive(barrier, /*noIncrement=*/true);
      run.grid.clusterArrive(true);
      run.grid.clusterWait(true);
    });
    EXPECT_EQ(run.count(FindingKind::InvalidOperand), 1u) << run.text();
    EXPECT_EQ(run.log.getFindings().size(), 1u) << run.text();
  }
}

} // namespace
