//===- EngineTest.cpp - transfers that signal barriers --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, copies in a cluster, multicast and single values: the bytes that
// arrive, and for each rule a right use that is clean and a wrong twin that is
// found, under every policy.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/ResidentCTAs.h"
#include "AsyncFixture.h"

using namespace carousel::sim;

namespace {

constexpr uint64_t kFull = 0, kEmpty = 64, kData = 1024;
constexpr int64_t kTile = 2048;

PhaseName parity(uint64_t phase) { return PhaseName::parity(phase & 1); }

/// The fault of one step of the ring.
enum class Wrong {
  Nothing,
  ExpectMore,
  ExpectLess,
  NoWait,
  NoEmptyWait,
  NoFence,
  Twice,
  Flipped
};

/// A producer thread fills a ring of two slots for one consumer warp.
auto ring(Wrong wrong) {
  return [=](AsyncRun &run) {
    constexpr unsigned kTiles = 7, kSlots = 2;
    char *source = run.global(kTiles * kTile);
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      if (thread.index == 0) {
        for (unsigned slot = 0; slot < kSlots; ++slot) {
          machine.mbarriers.init(run.shared(kFull + slot * 8), 1);
          machine.mbarriers.init(run.shared(kEmpty + slot * 8), 32);
        }
        if (wrong != Wrong::NoFence)
          machine.fences.fenceMbarrierInit();
      }
      run.barrier();
      for (unsigned tile = 0; tile < kTiles; ++tile) {
        unsigned slot = tile % kSlots, round = tile / kSlots;
        char *full = run.shared(kFull + slot * 8),
             *empty = run.shared(kEmpty + slot * 8);
        char *data = run.shared(kData + slot * kTile);
        if (thread.index == 0) {
          if (wrong != Wrong::NoEmptyWait)
            machine.waits.wait(empty, parity(round + 1));
          ArriveOptions options;
          bool isLast = tile == kTiles - 1;
          options.expectBytes =
              kTile + (wrong == Wrong::ExpectMore && isLast   ? 16
                       : wrong == Wrong::ExpectLess && isLast ? -16
                                                              : 0);
          machine.arrivals.arrive(full, options);
          machine.bulkCopies.load(source + tile * kTile, data, kTile, full);
          if (wrong == Wrong::Twice && isLast)
            machine.bulkCopies.load(source + tile * kTile, data, kTile, full);
        } else if (thread.index >= 32) {
          if (wrong != Wrong::NoWait)
            machine.waits.wait(full, parity(round + (wrong == Wrong::Flipped)));
          unsigned offset = thread.lane() * 64;
          run.load(data + offset, 64);
          if (wrong == Wrong::Nothing) {
            EXPECT_EQ(
                std::memcmp(data + offset, source + tile * kTile + offset, 64),
                0);
          }
          machine.arrivals.arrive(empty, {});
        }
      }
    };
  };
}

TEST(Engine, Ring) { expectClean(makeShape(1, 64), 20, ring(Wrong::Nothing)); }

TEST(Engine, RingOfManyCTAs) {
  expectClean(makeShape(9, 64), 2, ring(Wrong::Nothing));
}

TEST(Engine, RingWrongTwins) {
  using K = FindingKind;
  expectFinding(makeShape(1, 64), 10, K::MissingBytes, ring(Wrong::ExpectMore));
  expectFinding(makeShape(1, 64), 10, K::ExcessBytes, ring(Wrong::ExpectLess));
  expectFinding(makeShape(1, 64), 10, K::EngineRace, ring(Wrong::NoWait));
  expectFinding(makeShape(1, 64), 10, K::EngineRace, ring(Wrong::NoEmptyWait));
  expectFinding(makeShape(1, 64), 10, K::InitNotVisible, ring(Wrong::NoFence));
  expectFinding(makeShape(1, 64), 10, K::ExcessBytes, ring(Wrong::Twice));
  underSchedules(makeShape(1, 64), 10, ring(Wrong::Flipped),
                 [](AsyncRun &run, RunEnd) { EXPECT_FALSE(run.log.empty()); });
}

TEST(Engine, GenericWritesNeedAFenceBeforeALoadOverThem) {
  auto kernel = [](bool fence, bool wait) {
    return [=](AsyncRun &run) {
      char *source = run.global(kTile);
      return [=, &run](Thread &thread) {
        run.initBarriers(thread, {{kFull, 1}});
        run.fill(run.shared(kData + thread.index * 16), 16, 1);
        if (fence)
          run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
        run.barrier();
        if (thread.index == 0) {
          ArriveOptions options;
          options.expectBytes = kTile;
          run.machine.arrivals.arrive(run.shared(kFull), options);
          run.machine.bulkCopies.load(source, run.shared(kData), kTile,
                                      run.shared(kFull));
        }
        if (wait)
          run.machine.waits.wait(run.shared(kFull), parity(0));
      };
    };
  };
  expectClean(makeShape(1, 64), 3, kernel(true, true));
  expectFinding(makeShape(1, 64), 3, FindingKind::MissingProxyFence,
                kernel(false, true));
  // Nobody waits: whether it has landed at the exit of the CTA is luck.
  expectFinding(makeShape(1, 64), 3, FindingKind::InFlight,
                kernel(true, false));
}

TEST(Engine, ACompletionTellsNothingOfEarlierTransfers) {
  // The first load has landed when the second is issued, but nobody waits for
  // it.
  expectFinding(
      makeShape(1, 32), 3, FindingKind::EngineRace, [](AsyncRun &run) {
        char *source = run.global(kTile);
        return [=, &run](Thread &thread) {
          run.initBarriers(thread, {{kFull, 1}, {kEmpty, 1}});
          if (thread.index != 0)
            return;
          ArriveOptions options;
          options.expectBytes = kTile;
          for (uint64_t barrier : {kFull, kEmpty}) {
            run.machine.arrivals.arrive(run.shared(barrier), options);
            run.machine.bulkCopies.load(source,
                                        run.shared(kData + barrier * 256),
                                        kTile, run.shared(barrier));
            while (!run.machine.describeOutstanding().empty())
              run.grid.yield();
          }
          run.machine.waits.wait(run.shared(kEmpty), parity(0));
          run.load(run.shared(kData), 16);
        };
      });
}

TEST(Engine, InvalWithATransferInFlight) {
  auto kernel = [](bool wait) {
    return [=](AsyncRun &run) {
      char *source = run.global(kTile);
      return [=, &run](Thread &thread) {
        run.initBarriers(thread, {{kFull, 1}});
        if (thread.index != 0)
          return;
        ArriveOptions options;
        options.expectBytes = kTile;
        run.machine.arrivals.arrive(run.shared(kFull), options);
        run.machine.bulkCopies.load(source, run.shared(kData), kTile,
                                    run.shared(kFull));
        if (wait)
          run.machine.waits.wait(run.shared(kFull), parity(0));
        run.machine.mbarriers.inval(run.shared(kFull));
      };
    };
  };
  expectClean(makeShape(1, 32), 3, kernel(true));
  expectFinding(makeShape(1, 32), 3, FindingKind::InFlight, kernel(false));
}

TEST(Engine, OperandsAreChecked) {
  struct Case {
    int64_t source, destination, size;
  };
  for (Case it : {Case{8, 0, 64}, Case{0, 8, 64}, Case{0, 0, 24}, Case{0, 0, 0},
                  Case{0, 0, -16}}) {
    AsyncRun run(makeShape(1, 32));
    char *source = run.global(4096);
    RunEnd end = run.run([&](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}});
      run.machine.bulkCopies.load(source + it.source,
                                  run.shared(kData + it.destination), it.size,
                                  run.shared(kFull));
      ADD_FAILURE() << "the run goes on after a trap";
    });
    EXPECT_EQ(end, RunEnd::Aborted);
    EXPECT_TRUE(run.has(FindingKind::InvalidOperand)) << run.text();
  }
}

TEST(Engine, ReadsPastABuffer) {
  AsyncRun run(makeShape(1, 32));
  char *source = run.global(4096);
  run.run([&](Thread &thread) {
    run.initBarriers(thread, {{kFull, 1}});
    if (thread.index != 0)
      return;
    ArriveOptions options;
    options.expectBytes = kTile;
    run.machine.arrivals.arrive(run.shared(kFull), options);
    run.machine.bulkCopies.load(source + 4096 - kTile + 16, run.shared(kData),
                                kTile, run.shared(kFull));
    run.machine.waits.wait(run.shared(kFull), parity(0));
    thread.site = 2;
    run.machine.bulkCopies.prefetch(source + 4096 - 16, 32);
  });
  EXPECT_GE(run.count(FindingKind::OutOfBounds), 2u) << run.text();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Both CTAs initialise; then `body(thread)` runs, then both wait for phase 0
/// and for each other.
template <typename Body> auto inCluster(uint32_t arrivals, Body body) {
  return [=](AsyncRun &run) {
    auto test = body(run);
    return [=, &run](Thread &thread) {
      if (thread.index == 0) {
        run.machine.mbarriers.init(run.shared(kFull), arrivals);
        run.machine.fences.fenceMbarrierInit();
      }
      run.grid.clusterArrive(true);
      run.grid.clusterWait(true);
      test(thread);
      run.machine.waits.wait(run.shared(kFull), parity(0));
      run.grid.clusterArrive(true);
      run.grid.clusterWait(true);
    };
  };
}

GridShape makeCluster(uint32_t ctas) {
  GridShape shape = makeShape(ctas, 32);
  shape.cluster = {2, 1, 1};
  return shape;
}

TEST(Engine, Multicast) {
  expectClean(makeCluster(4), 4, inCluster(1, [](AsyncRun &run) {
                char *source = run.global(kTile);
                return [=, &run](Thread &thread) {
                  if (thread.index != 0)
                    return;
                  // Each CTA loads one half for both.
                  ArriveOptions options;
                  options.expectBytes = kTile;
                  run.machine.arrivals.arrive(run.shared(kFull), options);
                  uint64_t half = thread.rankInCluster * kTile / 2;
                  run.machine.bulkCopies.load(source + half,
                                              run.shared(kData + half),
                                              kTile / 2, run.shared(kFull), 3);
                  run.machine.waits.wait(run.shared(kFull), parity(0));
                  run.load(run.shared(kData), kTile);
                  EXPECT_EQ(std::memcmp(run.shared(kData), source, kTile), 0);
                };
              }));
}

/// Thread 0 of each CTA sends to the other one.
auto exchange(bool expects, bool fences) {
  return inCluster(1, [=](AsyncRun &run) {
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      run.fill(run.shared(kData + thread.index * 64), 64, char(thread.cta + 1));
      if (fences)
        machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
      run.barrier();
      if (thread.index != 0)
        return;
      ArriveOptions options;
      options.expectBytes = expects ? kTile : 0;
      machine.arrivals.arrive(run.shared(kFull), options);
      auto *remote = static_cast<char *>(
          machine.ctas.mapShared(run.shared(), 1 - thread.rankInCluster));
      machine.bulkCopies.copyCluster(
          run.shared(kData), remote + 2 * kData + kTile, kTile, remote + kFull);
      machine.waits.wait(run.shared(kFull), parity(0));
      if (!expects || !fences)
        return;
      run.load(run.shared(2 * kData + kTile), kTile);
      EXPECT_EQ(run.shared(2 * kData + kTile)[77], char((thread.cta ^ 1) + 1));
    };
  });
}

TEST(Engine, CopiesInTheCluster) {
  expectClean(makeCluster(2), 5, exchange(true, true));
  expectFinding(makeCluster(2), 5, FindingKind::ExcessBytes,
                exchange(false, true));
  expectFinding(makeCluster(2), 5, FindingKind::MissingProxyFence,
                exchange(true, false));
}

TEST(Engine, SingleValuesAndReductionsInTheCluster) {
  expectClean(
      makeCluster(2), 5, inCluster(32, [](AsyncRun &run) {
        return [&run](Thread &thread) {
          AsyncMachine &machine = run.machine;
          uint32_t zero = 100;
          if (thread.index == 0) {
            run.store(run.shared(kData), &zero, 4);
            machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
          }
          run.grid.clusterArrive(true);
          run.grid.clusterWait(true);
          ArriveOptions options;
          options.expectBytes = 4 + 16;
          machine.arrivals.arrive(run.shared(kFull), options);
          auto *remote = static_cast<char *>(
              machine.ctas.mapShared(run.shared(), 1 - thread.rankInCluster));
          uint32_t values[4] = {thread.index, 1, 2, 3};
          machine.values.reduce(ReduceKind::Add, ReduceType::U32, values,
                                remote + kData, remote + kFull);
          machine.values.store(values, 16,
                               remote + 2 * kData + thread.index * 16,
                               remote + kFull);
          machine.waits.wait(run.shared(kFull), parity(0));
          run.load(run.shared(kData), 4);
          uint32_t sum, stored;
          std::memcpy(&sum, run.shared(kData), 4);
          EXPECT_EQ(sum, 100u + 31 * 16);
          run.load(run.shared(2 * kData + thread.index * 16), 16);
          std::memcpy(&stored, run.shared(2 * kData + thread.index * 16), 4);
          EXPECT_EQ(stored, thread.index);
        };
      }));
}

TEST(Engine, CyclesFollowTheModel) {
  AsyncRun run(makeShape(1, 32));
  char *source = run.global(kTile);
  uint64_t cycles = 0;
  run.run([&](Thread &thread) {
    run.initBarriers(thread, {{kFull, 1}});
    if (thread.index != 0)
      return;
    uint64_t before = thread.cycles;
    ArriveOptions options;
    options.expectBytes = kTile;
    run.machine.arrivals.arrive(run.shared(kFull), options);
    run.machine.bulkCopies.load(source, run.shared(kData), kTile,
                                run.shared(kFull));
    run.machine.waits.wait(run.shared(kFull), parity(0));
    cycles = thread.cycles - before;
  });
  EXPECT_EQ(cycles, 2 * kBarrierCycles + kIssueCycles +
                        kTile / kEngineBytesPerCycle + kGlobalLatency);
  EXPECT_EQ(run.machine.getFigures().transfers, 1u);
  EXPECT_EQ(run.machine.getFigures().transferredBytes, uint64_t(kTile));
}

TEST(Engine, ABarrierInTheWrongCTA) {
  AsyncRun run(makeCluster(2));
  EXPECT_EQ(run.run([&](Thread &thread) {
    if (thread.index == 0) {
      run.machine.mbarriers.init(run.shared(kFull), 1);
      run.machine.fences.fenceMbarrierInit();
    }
    run.grid.clusterArrive(true);
    run.grid.clusterWait(true);
    if (thread.cta == 0 && thread.index == 0) {
      uint32_t value = 1;
      run.machine.values.store(&value, 4, run.sharedOf(1, kData),
                               run.shared(kFull));
    }
    run.grid.clusterArrive(true);
    run.grid.clusterWait(true);
  }),
            RunEnd::Aborted);
  EXPECT_NE(
      run.text().find("expected the barrier in the CTA of the destination"),
      std::string::npos)
      << run.text();
}

TEST(Engine, OneSeedIsOneRun) {
  auto describe = [](uint64_t seed) {
    AsyncRun run(makeShape(5, 64), seed);
    auto kernel = ring(Wrong::NoWait)(run);
    run.run([&](Thread &thread) { kernel(thread); });
    return run.text() + std::to_string(run.grid.getSteps()) + " " +
           std::to_string(run.machine.getFigures().lastCycles);
  };
  EXPECT_EQ(describe(3), describe(3));
  EXPECT_NE(describe(3), describe(4));
}

// The host issues in an order that isn't that of cycles.
TEST(Engine, EarlierOperationsTakeWhatIsFree) {
  EngineTime engine;
  EXPECT_EQ(engine.pass(100, 320), 110u);
  EXPECT_EQ(engine.pass(0, 320), 10u);
  // Five cycles before 100 are too few.
  EXPECT_EQ(engine.pass(95, 320), 120u);
  EXPECT_EQ(engine.pass(5, 640), 30u);
  // From 30 to 100, all of it; then there is no gap left.
  EXPECT_EQ(engine.pass(0, 70 * 32), 100u);
  EXPECT_EQ(engine.pass(0, 32), 121u);
  EXPECT_EQ(engine.pass(50, 0), 50u);
}

struct CountingTrace : AsyncTrace {
  void transferIssued(const Transfer &transfer) override {
    issued += transfer.bytes;
    EXPECT_EQ(transfer.operation, "bulk.load");
    EXPECT_LT(transfer.issueCycles, transfer.landCycles);
    EXPECT_TRUE(transfer.barrier);
  }
  void transferLanded(const Transfer &transfer) override {
    landed += transfer.bytes;
  }
  void phaseCompleted(const void *, uint64_t, uint64_t) override { ++phases; }
  uint64_t issued = 0, landed = 0, phases = 0;
};

TEST(Engine, TraceSeesTransfersAndPhases) {
  CountingTrace trace;
  AsyncRun run(makeShape(1, 64), 1, Policy::Random, false, &trace);
  auto kernel = ring(Wrong::Nothing)(run);
  EXPECT_EQ(run.run([&](Thread &thread) { kernel(thread); }), RunEnd::Finished);
  EXPECT_EQ(trace.issued, uint64_t(7 * kTile));
  EXPECT_EQ(trace.landed, trace.issued);
  EXPECT_EQ(trace.phases, 14u);
}

} // namespace
