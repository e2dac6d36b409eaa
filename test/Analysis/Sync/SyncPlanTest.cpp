//===- SyncPlanTest.cpp - plans of fences, waits and barriers -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncPlanTest.h"

using namespace mlir;
using namespace carousel;

namespace {

TEST_F(SyncPlanTest, NothingWithoutRings) {
  SyncPlan empty = plan("memref.store %v, %a[%t] : !t");
  EXPECT_TRUE(empty.isEmpty());
  EXPECT_FALSE(empty.fault);
}

// A write after an inner loop reaches that loop only through the next iteration
// of the outer one.
TEST_F(SyncPlanTest, AnInnerLoopMeetsWhatTheOuterOneBrings) {
  SyncPlan nested = plan(("scf.for %o = %c0 to %n step %c1 {"
                          "scf.for %p = %c0 to %n step %c1 {" +
                          kStoreA + "} memref.store %v, %a[%t] : !t }")
                             .str());
  Steps steps = getSteps(nested);
  EXPECT_TRUE(llvm::is_contained(steps, "fence.proxy async_shared_cta"));
  EXPECT_TRUE(llvm::is_contained(steps, "ring.wait_stores read 0"));
}

TEST_F(SyncPlanTest, PrintsStepsWithTheirReasons) {
  SyncPlan raw = plan(("memref.store %v, %a[%t] : !t" + kStoreA).str());
  std::string text;
  llvm::raw_string_ostream os(text);
  raw.print(os);
  EXPECT_NE(text.find("fence.proxy async_shared_cta before "
                      "'carousel.ring.submit': "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("'memref.store' to 'carousel.ring.submit'\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("ring.wait_stores read 0 before 'gpu.return': "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("'carousel.ring.submit' to the end\n"), std::string::npos)
      << text;
}

TEST_F(SyncPlanTest, StepsStandAtTheAccess) {
  SyncPlan raw = plan(("memref.store %v, %a[%t] : !t" + kStoreA).str());
  ASSERT_EQ(getSteps(raw), Steps({"fence.proxy async_shared_cta", "ring.sync",
                                  "ring.wait_stores read 0"}));
  EXPECT_TRUE(isa<RingSubmitOp>(raw.steps[0].before));
  EXPECT_TRUE(raw.steps[0].isAtPlaceOf(raw.steps[1]));
  EXPECT_TRUE(isa<gpu::ReturnOp>(raw.steps[2].before));
  EXPECT_EQ(raw.steps[2].to, nullptr);
}

TEST_F(SyncPlanTest, OfSubmittedGroupsTheLaterStayPending) {
  SyncPlan war =
      plan((kStoreA + kStoreB + "memref.store %v, %a[%t] : !t").str());
  EXPECT_EQ(getSteps(war), Steps({"ring.wait_stores read 1", "ring.sync",
                                  "ring.wait_stores read 0"}));
}

TEST_F(SyncPlanTest, GroupsOfOneBranchDontCount) {
  SyncPlan war =
      plan((kStoreA + "%c = arith.cmpi eq, %n, %i : index scf.if %c {" +
            kStoreB + "} memref.store %v, %a[%t] : !t")
               .str());
  EXPECT_EQ(getSteps(war)[0], "ring.wait_stores read 0");
}

/// A function without a body accesses only the memory that it is given.
TEST_F(SyncPlanTest, CallsAccessWhatTheyAreGiven) {
  SyncPlan without = plan((kStoreA + "func.call @unknown() : () -> ()").str());
  EXPECT_EQ(getSteps(without), Steps({"ring.wait_stores read 0"}));
  SyncPlan with = plan((kStoreA + "func.call @given(%y) : (!g) -> ()").str());
  EXPECT_EQ(getSteps(with),
            Steps({"ring.wait_stores complete 0", "ring.sync"}));
}

TEST_F(SyncPlanTest, AffineLoopsAndIndices) {
  SyncPlan apart = plan(R"mlir(
    affine.for %j = 0 to 8 {
      %at = affine.apply affine_map<(d0) -> (d0 * 1024)>(%j)
      carousel.ring.submit {
        carousel.ring.store %a to %y[%at] in_bounds engine<bulk> : !t, !g
      }
    })mlir");
  EXPECT_EQ(getSteps(apart), Steps({"ring.wait_stores read 0"}));
  SyncPlan overlapping = plan(R"mlir(
    affine.for %j = 0 to 8 {
      %at = affine.apply affine_map<(d0) -> (d0 * 1020)>(%j)
      carousel.ring.submit {
        carousel.ring.store %a to %y[%at] in_bounds engine<bulk> : !t, !g
      }
    })mlir");
  EXPECT_EQ(getSteps(overlapping),
            Steps({"ring.wait_stores complete 0", "ring.wait_stores read 0"}));
}

TEST_F(SyncPlanTest, UsesGoOnThroughWhileLoops) {
  // Three slots, one of them written while two are read.
  constexpr StringLiteral body = R"mlir(
    %end = scf.while (%k = %c0) : (index) -> index {
      %go = arith.cmpi ult, %k, %n : index
      scf.condition(%go) %k : index
    } do {
    ^bb0(%k: index):
      %slot = carousel.ring.tile %stores[%k], 0 : !slots -> !t
      memref.store %v, %slot[%t] : !t
      %at = arith.muli %k, %c1024 : index
      carousel.fence.proxy async_shared_cta
      carousel.ring.wait_stores read PENDING
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %slot to %y[%at] in_bounds engine<bulk> : !t, !g
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    })mlir";
  auto withPending = [&](StringRef pending) {
    std::string text = body.str();
    text.replace(text.find("PENDING"), strlen("PENDING"), pending.str());
    return text;
  };
  SyncPlan enough = plan(withPending("1"));
  EXPECT_EQ(getSteps(enough), Steps({"ring.wait_stores read 0"}));
  EXPECT_TRUE(enough.redundant.empty());
  SyncPlan tooFew = plan(withPending("2"));
  EXPECT_EQ(getSteps(tooFew)[0], "ring.wait_stores read 1");
  EXPECT_EQ(tooFew.redundant.size(), 1u);
}

TEST_F(SyncPlanTest, UsesOfBranchesAreFollowed) {
  // Only some iterations use a slot.
  SyncPlan enough = plan(R"mlir(
    %end = scf.for %j = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %c = arith.cmpi eq, %j, %i : index
      %used = scf.if %c -> (index) {
        %slot = carousel.ring.tile %stores[%k], 0 : !slots -> !t
        memref.store %v, %slot[%t] : !t
        %at = arith.muli %j, %c1024 : index
        carousel.fence.proxy async_shared_cta
        carousel.ring.wait_stores read 1
        carousel.ring.sync
        carousel.ring.submit {
          carousel.ring.store %slot to %y[%at] in_bounds engine<bulk> : !t, !g
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      } else {
        scf.yield %k : index
      }
      scf.yield %used : index
    })mlir");
  EXPECT_EQ(getSteps(enough), Steps({"ring.wait_stores read 0"}));
  EXPECT_TRUE(enough.redundant.empty());
}

TEST_F(SyncPlanTest, UsesThatAreStartedAnewMayBeAnySlot) {
  SyncPlan again = plan(R"mlir(
    scf.for %j = %c0 to %n step %c1 {
      %slot = carousel.ring.tile %stores[%c0], 0 : !slots -> !t
      memref.store %v, %slot[%t] : !t
      carousel.fence.proxy async_shared_cta
      carousel.ring.wait_stores read 1
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %slot to %y[%c0] in_bounds reduce<add f32> engine<bulk> : !t, !g
      }
    })mlir");
  EXPECT_EQ(getSteps(again), Steps({"ring.wait_stores read 0", "ring.sync",
                                    "ring.wait_stores read 0"}));
}

// Reads of a slot are over once it is released: its next fill waits. Other
// transfers into it don't.
TEST_F(SyncPlanTest, OnlyFillsWaitForReleasedSlots) {
  auto withOther = [&](StringRef other) {
    return getSteps(plan((R"mlir(
      scf.for %j = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %stores[%k] : !slots {
          %filled = carousel.ring.tile %stores[%k], 0 : !slots -> !t
          carousel.ring.load %x[%c0] to %filled in_bounds engine<bulk> : !g, !t
        }
        carousel.ring.wait %stores[%k] : !slots
        %slot = carousel.ring.tile %stores[%k], 0 : !slots -> !t
        %read = memref.load %slot[%t] : !t
        carousel.ring.release %stores[%k] : !slots
    )mlir" + other + R"mlir(
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      })mlir")
                             .str()));
  };
  EXPECT_EQ(getSteps(plan("")), Steps());
  EXPECT_EQ(withOther(""), Steps());
  EXPECT_EQ(withOther(R"mlir(
        carousel.ring.produce %ring[%k] : !r {
          carousel.ring.load %x[%c0] to %slot in_bounds engine<bulk> : !g, !t
        })mlir"),
            Steps({"ring.sync"}));
  // The fill is of the same ring, but of another use.
  EXPECT_EQ(withOther(R"mlir(
        %ahead = arith.addi %k, %c1 : index
        carousel.ring.produce %stores[%ahead] : !slots {
          carousel.ring.load %x[%c0] to %slot in_bounds engine<bulk> : !g, !t
        }
        carousel.ring.wait %stores[%ahead] : !slots
        carousel.ring.release %stores[%ahead] : !slots)mlir"),
            Steps({"ring.sync"}));
  EXPECT_TRUE(llvm::is_contained(
      withOther("func.call @unknown() : () -> ()" + kStoreA.str()),
      "ring.wait_stores read 0"));
}

TEST_F(SyncPlanTest, ViewsAreLookedThrough) {
  SyncPlan view = plan((R"mlir(
    %part = memref.subview %a[512] [512] [1]
      : !t to memref<512xf32, strided<[1], offset: 512>, #ws>
    memref.store %v, %part[%t] : memref<512xf32, strided<[1], offset: 512>, #ws>
    )mlir" + kStoreA)
                           .str());
  EXPECT_EQ(getSteps(view), Steps({"fence.proxy async_shared_cta", "ring.sync",
                                   "ring.wait_stores read 0"}));
}

TEST_F(SyncPlanTest, EitherOfTwoBuffers) {
  SyncPlan either = plan((R"mlir(
    %c = arith.cmpi eq, %n, %i : index
    %one = arith.select %c, %a, %b : !t
    memref.store %v, %one[%t] : !t
    )mlir" + kStoreB)
                             .str());
  EXPECT_EQ(getSteps(either)[0], "fence.proxy async_shared_cta");
}

TEST_F(SyncPlanTest, RedundantOnesAreFound) {
  SyncPlan useless = plan("carousel.ring.wait_stores complete 0\n"
                          "carousel.fence.proxy async\n"
                          "carousel.ring.sync");
  EXPECT_EQ(useless.redundant.size(), 3u);
  // Fences of other proxies aren't known to be redundant.
  SyncPlan alias = plan("carousel.ring.sync carousel.fence.proxy alias");
  EXPECT_EQ(alias.redundant.size(), 1u);
}

// The plan first has a barrier before the loop, and does with one in it.
TEST_F(SyncPlanTest, BarriersInLoopsAreNoneBehindThem) {
  SyncPlan stored = plan(R"mlir(
    memref.store %v, %a[%t] : !t
    scf.for %j = %c0 to %n step %c1 {
      carousel.ring.submit {
        carousel.ring.store %a to %y[%i] engine<vector, width = 16> : !t, !g
      }
    }
    carousel.ring.sync
    %w = memref.load %a[%c0] : !t
    memref.store %w, %x[%t] : !g)mlir");
  EXPECT_EQ(getSteps(stored), (Steps{"ring.sync", "ring.sync"}));
  EXPECT_TRUE(isa<scf::ForOp>(stored.steps.front().before) ||
              stored.redundant.empty());
}

// One that orders two accesses on some way stays, also where they are unordered
// on another one.
TEST_F(SyncPlanTest, BarriersCountOnEachWay) {
  SyncPlan once = plan(R"mlir(
    memref.store %v, %a[%t] : !t
    scf.for %j = %c0 to %n step %c1 {
      carousel.ring.sync
    }
    %w = memref.load %a[%c0] : !t
    memref.store %w, %x[%t] : !g)mlir");
  EXPECT_TRUE(once.redundant.empty());
  SyncPlan twice = plan(R"mlir(
    memref.store %v, %a[%t] : !t
    carousel.ring.sync
    scf.for %j = %c0 to %n step %c1 {
      carousel.ring.sync
    }
    %w = memref.load %a[%c0] : !t
    memref.store %w, %x[%t] : !g)mlir");
  EXPECT_EQ(twice.redundant.size(), 1u);
}

// A place before a loop needs a wait of its own if the one that is there
// stands in the loop.
TEST_F(SyncPlanTest, WaitsInLoopsAreNoneBeforeThem) {
  SyncPlan waits =
      plan((kStoreA + "scf.for %j = %c0 to %n step %c1 { carousel.ring.submit {"
                      "carousel.ring.store %b to %x[%i] in_bounds engine<bulk>"
                      ": !t, !g } memref.store %v, %y[%t] : !g }")
               .str());
  ASSERT_FALSE(waits.fault);
  EXPECT_EQ(getSteps(waits),
            (Steps{"ring.wait_stores complete 0", "ring.sync",
                   "ring.wait_stores complete 0", "ring.wait_stores read 0"}));
}

TEST_F(SyncPlanTest, FaultsNameTheAccesses) {
  SyncPlan roles = plan(R"mlir(
    carousel.ring.roles producer threads(32) {
      %w = memref.load %a[%c0] : !t
      memref.store %w, %y[%c0] : !g
    } consumer threads(256) {
      memref.store %v, %a[%t] : !t
    })mlir");
  ASSERT_TRUE(roles.fault);
  EXPECT_EQ(roles.fault->kind, SyncFaultKind::Roles);
  EXPECT_TRUE(isa<memref::StoreOp>(roles.fault->at));
  EXPECT_TRUE(isa<memref::LoadOp>(roles.fault->from));
  EXPECT_TRUE(roles.isEmpty());
}

} // namespace
