//===- SyncTurnsTest.cpp - turns, tickets and signals ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncPlanTest.h"

using namespace mlir;
using namespace carousel;

namespace {

static std::string inTurn(StringRef body, StringRef before = "",
                          StringRef behind = "") {
  return (before + R"mlir(
    carousel.serialize %semaphores[%c0] turn %i of %n (%first, %last) {)mlir" +
          body + "\n} : !semaphores\n" + behind)
      .str();
}

TEST_F(SyncPlanTest, IssuersWaitForTheirTurns) {
  SyncPlan turn = plan(inTurn(kStoreA));
  EXPECT_EQ(getSteps(turn),
            Steps({"fence.proxy async_global", "ring.wait_stores complete 0"}));
}

TEST_F(SyncPlanTest, TilesAreHandedOverBeforeTheTurn) {
  SyncPlan turn = plan(inTurn(kStoreA, "memref.store %v, %a[%t] : !t"));
  ASSERT_EQ(getSteps(turn),
            Steps({"fence.proxy async_shared_cta", "ring.sync",
                   "fence.proxy async_global", "ring.wait_stores complete 0"}));
  EXPECT_TRUE(isa<SerializeOp>(turn.steps[0].before));
  EXPECT_TRUE(isa<SerializeOp>(turn.steps[1].before));
  EXPECT_TRUE(isa<RingSubmitOp>(turn.steps[2].before));
  EXPECT_TRUE(isa<PassTurnOp>(turn.steps[3].before));
}

TEST_F(SyncPlanTest, ThreadsMeetAtBothEndsOfTurns) {
  StringRef update = R"mlir(
    %w = memref.load %y[%t] : !g
    memref.store %w, %y[%t] : !g)mlir";
  SyncPlan turn = plan(inTurn(update, kStoreB));
  EXPECT_EQ(getSteps(turn),
            Steps({"ring.sync", "ring.sync", "ring.wait_stores read 0"}));
}

TEST_F(SyncPlanTest, TurnsPublishWhatIsWrittenInTurns) {
  SyncPlan read = plan(
      inTurn("%w = memref.load %y[%t] : !g", "memref.store %v, %y[%t] : !g"));
  EXPECT_TRUE(read.isEmpty());
  SyncPlan other = plan(inTurn(R"mlir(
    %w = memref.load %y[%t] : !g
    memref.store %w, %a[%t] : !t)mlir"));
  EXPECT_TRUE(other.isEmpty());
}

TEST_F(SyncPlanTest, OlderGroupsAreNoConcernOfTurns) {
  SyncPlan older = plan(inTurn("", kStoreA));
  EXPECT_EQ(getSteps(older), Steps({"ring.wait_stores read 0"}));
  SyncPlan both = plan(inTurn(kStoreA, kStoreB));
  EXPECT_EQ(getSteps(both),
            Steps({"fence.proxy async_global", "ring.wait_stores complete 0"}));
}

TEST_F(SyncPlanTest, WhatIsBehindATurnSeesIt) {
  SyncPlan threads = plan(inTurn(kStoreA, "", "%w = memref.load %y[%t] : !g"));
  EXPECT_EQ(getSteps(threads),
            Steps({"fence.proxy async_global", "ring.wait_stores complete 0",
                   "ring.sync"}));
  SyncPlan engine = plan(inTurn(kStoreA, "", R"mlir(
    carousel.ring.produce %ring[%c0] : !r {
      carousel.ring.load %y[%i] to %b engine<bulk> : !g, !t
    }
    carousel.ring.wait %ring[%c0] : !r)mlir"));
  EXPECT_EQ(getSteps(engine),
            Steps({"fence.proxy async_global", "ring.wait_stores complete 0"}));
}

TEST_F(SyncPlanTest, TicketsAreBarriers) {
  SyncPlan ticket = plan((R"mlir(
    memref.store %v, %a[%t] : !t
    %ticket = carousel.grid.ticket %semaphores[%c0] of %n : !semaphores)mlir" +
                          kStoreA)
                             .str());
  EXPECT_EQ(getSteps(ticket),
            Steps({"fence.proxy async_shared_cta", "ring.wait_stores read 0"}));
  EXPECT_TRUE(isa<GridTicketOp>(ticket.steps[0].before));
}

TEST_F(SyncPlanTest, TransfersInTurnsAreOfTheCTA) {
  SyncPlan warp = plan(inTurn(R"mlir(
    carousel.ring.submit scope(warp) {
      carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
    })mlir"));
  ASSERT_TRUE(warp.fault);
  EXPECT_EQ(warp.fault->kind, SyncFaultKind::Issuer);
  EXPECT_TRUE(isa<RingStoreOp>(warp.fault->at));
  EXPECT_TRUE(isa<SerializeOp>(warp.fault->under));
}

TEST_F(SyncPlanTest, SignalsRelease) {
  auto planSignal = [&](StringRef before) {
    return getSteps(plan((Twine("%v32 = arith.constant 1 : i32\n") + before +
                          "carousel.signal %semaphores[%i] add %v32 : "
                          "!semaphores\n")
                             .str()));
  };
  // Stores of the issuing thread must be complete, and no more.
  EXPECT_EQ(planSignal("carousel.ring.submit {\n"
                       "carousel.ring.store %a to %x[%i] in_bounds "
                       "engine<bulk> : !t, !g\n}\n"),
            (Steps{"ring.wait_stores complete 0"}));
  // Reads and stores of the threads need a barrier.
  EXPECT_EQ(planSignal("memref.store %v, %x[%t] : !g\n"), (Steps{"ring.sync"}));
  EXPECT_EQ(planSignal("%w = memref.load %x[%t] : !g\n"
                       "memref.store %w, %a[%t] : !t\n"),
            (Steps{"ring.sync"}));
  // A tile isn't what a signal releases.
  EXPECT_EQ(planSignal("memref.store %v, %a[%t] : !t\n"), Steps{});
}

TEST_F(SyncPlanTest, WaitsForSignalsAcquire) {
  auto planWait = [&](StringRef after) {
    return getSteps(plan((Twine("%v32 = arith.constant 1 : i32\n") +
                          "carousel.wait_signal %semaphores[%i] at_least %v32 "
                          ": !semaphores\n" +
                          after)
                             .str()));
  };
  EXPECT_EQ(planWait("memref.store %v, %x[%t] : !g\n"), (Steps{"ring.sync"}));
  EXPECT_EQ(planWait("carousel.ring.produce %ring[%c0] : !r {\n"
                     "carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t\n"
                     "}\ncarousel.ring.wait %ring[%c0] : !r\n"),
            (Steps{"fence.proxy async_global"}));
  EXPECT_EQ(planWait("memref.store %v, %a[%t] : !t\n"), Steps{});
}

TEST_F(SyncPlanTest, NothingIsOrderedBeforeAWaitForASignal) {
  const char *wait = "%v32 = arith.constant 1 : i32\n"
                     "carousel.wait_signal %semaphores[%i] at_least %v32 : "
                     "!semaphores\n";
  EXPECT_EQ(getSteps(plan((kStoreA + "\n" + wait).str())),
            (Steps{"ring.wait_stores read 0"}));
  EXPECT_EQ(
      getSteps(plan(("memref.store %v, %x[%t] : !g\n" + Twine(wait)).str())),
      Steps{});
}

} // namespace
