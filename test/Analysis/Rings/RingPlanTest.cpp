//===- RingPlanTest.cpp - tests of the planner of rings -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the transfers that use rings, their producers, and the report for each
// condition that doesn't hold.
//
//===----------------------------------------------------------------------===//

#include "RingPlanTesting.h"

using namespace mlir;
using namespace carousel;

namespace {

TEST_F(RingPlanTest, RingForEachLoad) {
  std::string body =
      kLoad + kRead +
      "carousel.load %x[%i] to %out engine<bulk> : !global, !tile\n"
      "%w = memref.load %out[%thread] : !tile\n";
  std::string text = plan(loop(body, "stages = [5, 2]"));
  EXPECT_TRUE(contains(text, "loads: 1, stages 5, prefetch 3")) << text;
  EXPECT_TRUE(contains(text, "loads: 1, stages 2, prefetch 1")) << text;
  // A ring with auto stages gets the slots that the others leave.
  text = plan(loop(body, "stages = [auto, 3]"));
  EXPECT_GE(getStages(text), 4) << text;
  EXPECT_TRUE(contains(text, "loads: 1, stages 3")) << text;
  text = plan(loop(body, "stages = 4"));
  EXPECT_TRUE(contains(text, "loads: 2, stages 4")) << text;
}

TEST_F(RingPlanTest, PartsOfABuffer) {
  const std::string parts = R"(
    %h0 = memref.subview %in[0] [512] [1] : !tile to memref<512xf32, strided<[1]>, #ws>
    %h1 = memref.subview %in[512] [512] [1] : !tile to memref<512xf32, strided<[1], offset: 512>, #ws>
    %next = arith.addi %n, %c128 : index
  )";
  const std::string lower =
      "carousel.load %x[%i] to %h0 engine<bulk> : !global, "
      "memref<512xf32, strided<[1]>, #ws>\n";
  const std::string upper =
      "carousel.load %x[%next] to %h1 engine<bulk> : !global, "
      "memref<512xf32, strided<[1], offset: 512>, #ws>\n";
  // One slot of the buffer's bytes, for both.
  std::string text =
      plan(parts + loop(lower + upper + kRead, "stages = 3, prefetch = 2"));
  EXPECT_TRUE(contains(text, "loads: 2, stages 3, prefetch 2")) << text;
  EXPECT_TRUE(contains(text, "slots of 4096 bytes")) << text;
  // The first load of a buffer determines the stages of its ring.
  text = plan(parts + loop(lower + upper + kRead, "stages = [2, 4]"));
  EXPECT_TRUE(contains(text, "loads: 2, stages 2")) << text;
  // Half of the buffer isn't loaded, or isn't loaded yet.
  text = plan(parts + loop(lower + kRead, "stages = 3"));
  EXPECT_TRUE(contains(text, "other parts of its buffer")) << text;
  text = plan(parts + loop(lower + kRead + upper, "stages = 3"));
  EXPECT_TRUE(contains(text, "by 'memref.load' before it is loaded")) << text;
  EXPECT_TRUE(contains(text, "another load of its tile isn't")) << text;
  // The halves are stored at once.
  text = plan(parts + loop(lower + upper + kStoreInPlace, "stages = 3"));
  EXPECT_TRUE(contains(text, "loads: 2, stages 3")) << text;
  EXPECT_TRUE(contains(text, "stored in place")) << text;
}

TEST_F(RingPlanTest, StoresOfParts) {
  const std::string parts = R"(
    %h0 = memref.subview %out[0] [512] [1] : !tile to memref<512xf32, strided<[1]>, #ws>
    %h1 = memref.subview %out[512] [512] [1] : !tile to memref<512xf32, strided<[1], offset: 512>, #ws>
    %next = arith.addi %n, %c128 : index
  )";
  const std::string lower = "carousel.store %h0 to %y[%i] engine<bulk> : "
                            "memref<512xf32, strided<[1]>, #ws>, !global\n";
  const std::string upper =
      "carousel.store %h1 to %y[%next] engine<bulk> : "
      "memref<512xf32, strided<[1], offset: 512>, #ws>, !global\n";
  std::string text =
      plan(parts + loop(kLoad + kCopy + lower + upper, "stages = 2"));
  EXPECT_TRUE(contains(text, "store: stages 2, slots of 4096 bytes")) << text;
  EXPECT_FALSE(contains(text, "missed")) << text;
  text = plan(parts + loop(kLoad + kCopy + lower + lower, "stages = 2"));
  EXPECT_TRUE(contains(text, "its tile has another transfer")) << text;
}

TEST_F(RingPlanTest, CallsOfFunctions) {
  auto getText = [&](const std::string &call, const std::string &functions) {
    return plan(loop(kLoad + kRead + call, "stages = 3, prefetch = 2"),
                "sm_90a", "128, 1, 1", functions);
  };
  const std::string ringed = "loads: 1, stages 3, prefetch 2";
  const std::string value = "%w = func.call @f(%v) : (f32) -> f32\n";
  const std::string memory = "func.call @f(%x) : (!global) -> ()\n";
  EXPECT_TRUE(
      contains(getText(value, "func.func private @f(f32) -> f32\n"), ringed));
  EXPECT_TRUE(contains(getText(value, R"(func.func private @f(%a: f32) -> f32 {
    return %a : f32
  })"),
                       ringed));
  EXPECT_TRUE(contains(getText(value, R"(func.func private @f(%a: f32) -> f32 {
    gpu.barrier
    return %a : f32
  })"),
                       "'func.call', which may write the memref"));
  EXPECT_TRUE(contains(getText(memory, "func.func private @f(!global)\n"),
                       "writes the memref that is loaded from by 'func.call'"));
  EXPECT_TRUE(contains(getText(memory, "func.func private @f(!global) "
                                       "attributes {llvm.readnone}\n"),
                       ringed));
}

TEST_F(RingPlanTest, PartlyWrittenTileKeepsItsBuffer) {
  std::string text = plan(loop(kLoad +
                                   "%v = memref.load %in[%thread] : !tile\n"
                                   "memref.store %v, %out[%thread] : !tile\n" +
                                   kStore,
                               "stages = 4"));
  EXPECT_TRUE(contains(
      text, "carousel.store: not ringed: it isn't visible that each iteration "
            "writes the whole tile"))
      << text;
}

TEST_F(RingPlanTest, EarlyAccess) {
  std::string text = plan(loop(kRead + kLoad, "stages = 4"));
  EXPECT_TRUE(contains(text, "its tile is accessed by 'memref.load' before it "
                             "is loaded"))
      << text;
  EXPECT_FALSE(contains(text, "loads: ")) << text;
}

TEST_F(RingPlanTest, SourceThatTheLoopWrites) {
  std::string text = plan(loop(kLoad + "%v = memref.load %in[%thread] : !tile\n"
                                       "memref.store %v, %x[%i] : !global\n",
                               "stages = 4"));
  EXPECT_TRUE(contains(text, "the loop writes the memref that is loaded from "
                             "by 'memref.store'"))
      << text;
  // The same box in each iteration, and others apart: nothing is in the way.
  text = plan(loop(kLoad + "carousel.store %in to %x[%i] engine<bulk> "
                           ": !tile, !global\n",
                   "stages = 4"));
  EXPECT_TRUE(contains(text, "stored in place")) << text;
  // Boxes that overlap.
  text = plan(loop(kLoad + "carousel.store %in to %x[%i] engine<bulk> "
                           ": !tile, !global\n",
                   "stages = 4", "%c0 to %n step %c1"));
  EXPECT_TRUE(contains(text, "apart from those of other iterations")) << text;
  // The load would overtake the store of its own iteration.
  text = plan(loop("carousel.store %out to %x[%i] engine<bulk> : !tile, "
                   "!global\n" +
                       kLoad + kRead,
                   "stages = 4"));
  EXPECT_TRUE(contains(text, "each box is stored after it is loaded")) << text;
}

TEST_F(RingPlanTest, FencesBeyondTheCTA) {
  auto fenced = [&](StringRef fence) {
    return plan(
        loop(("carousel.fence.thread " + fence + "\n").str() + kLoad + kRead,
             "stages = 4"));
  };
  EXPECT_TRUE(contains(fenced("acquire gpu"), "what other CTAs have written"));
  EXPECT_TRUE(contains(fenced("acq_rel cluster"), "what other CTAs have"));
  EXPECT_TRUE(contains(fenced("release gpu"), "loads: 1"));
  EXPECT_TRUE(contains(fenced("acquire cta"), "loads: 1"));
}

TEST_F(RingPlanTest, WarpsThatMeet) {
  std::string body =
      "carousel.load %x[%i] to %in scope(warp) engine<bulk> : !global, !tile\n"
      "carousel.store %in to %x[%i] scope(warp) engine<bulk> : !tile, "
      "!global\n";
  std::string text = plan(loop(body, "stages = 4, scope = warp"));
  EXPECT_TRUE(contains(text, "stored in place")) << text;
  text = plan(loop(body + "gpu.barrier\n", "stages = 4, scope = warp"));
  EXPECT_TRUE(contains(text, "each box is stored after it is loaded")) << text;
}

TEST_F(RingPlanTest, CarriedOperandsKeepPrefetchAtZero) {
  std::string text =
      plan("%last = scf.for %i = %c0 to %n step %c1024 iter_args(%at = %c0) -> "
           "(index) {\ncarousel.load %x[%at] to %in engine<bulk> : !global, "
           "!tile\n" +
           kRead +
           "%next = arith.addi %at, %i : index\nscf.yield %next : index\n} "
           "{carousel.pipeline = #carousel.pipeline<stages = 4>}");
  EXPECT_TRUE(contains(text, "stages 4, prefetch 0")) << text;
  EXPECT_TRUE(contains(text, "loads depend on values that the loop carries"))
      << text;
}

TEST_F(RingPlanTest, Roles) {
  std::string options = "stages = 3, mode = specialized";
  std::string text = plan(loop(kLoad + kRead, options));
  EXPECT_TRUE(contains(text, "loop: specialized, cta")) << text;
  EXPECT_TRUE(contains(text, "roles: 32 producers, 128 consumers")) << text;
  // With registers roles are whole warpgroups.
  text = plan(loop(kLoad + kRead, options + ", producer_registers = 40, "
                                            "consumer_registers = 232"));
  EXPECT_TRUE(contains(text, "roles: 128 producers, 128 consumers")) << text;
  // More registers than a block has.
  text = plan(loop(kLoad + kRead, options + ", producer_registers = 40, "
                                            "consumer_registers = 256"),
              "sm_90a", "256, 1, 1");
  EXPECT_TRUE(contains(text, "they are 70656 in all, of 65536")) << text;
  // No room for another warp, and no whole warps.
  text = plan(loop(kLoad + kRead, options), "sm_90a", "1024, 1, 1");
  EXPECT_TRUE(contains(text, "unified instead of specialized: consumers and "
                             "producers are 1056 threads"))
      << text;
  text = plan(loop(kLoad + kRead, options), "sm_90a", "48, 1, 1");
  EXPECT_TRUE(contains(text, "48 threads are no whole warps")) << text;
}

TEST_F(RingPlanTest, UseAfterTheLoop) {
  std::string after = "\n%w = memref.load %in[%thread] : !tile\n"
                      "memref.store %w, %y[%c0] : !global";
  EXPECT_TRUE(contains(plan(loop(kLoad + kRead, "stages = 3") + after),
                       "used outside"));
  EXPECT_TRUE(contains(
      plan(loop(kLoad + kRead, "stages = 3, mode = specialized") + after),
      "unified instead of specialized: a tile is accessed outside of the "
      "loop"));
}

TEST_F(RingPlanTest, UnderAConditionAndUsedOutside) {
  std::string condition = "%c = arith.cmpi slt, %i, %c1024 : index\nscf.if %c "
                          "{\n";
  std::string after = "\n%w = memref.load %in[%thread] : !tile\n"
                      "memref.store %w, %y[%c0] : !global";
  std::string conditional = loop(condition + kLoad + kRead + "}", "stages = 3");
  EXPECT_TRUE(contains(plan(conditional), "loads: 1"));
  std::string text = plan(conditional + after);
  EXPECT_TRUE(contains(text, "it is loaded under a condition")) << text;
  // A tile that is stored under a condition may be read there only.
  std::string readBehind = "%r = memref.load %out[%thread] : !tile\n"
                           "memref.store %r, %x[%thread] : !global\n";
  text = plan(loop(kLoad + condition + kCopy + kStore + readBehind + "}",
                   "stages = 3"));
  EXPECT_TRUE(contains(text, "store: stages 2")) << text;
  text = plan(loop(kLoad + condition + kCopy + kStore + "}" + readBehind,
                   "stages = 3"));
  EXPECT_TRUE(contains(text, "'memref.load' where it may not be written"))
      << text;
}

TEST_F(RingPlanTest, BranchesThatLoadOneTile) {
  std::string condition = "%c = arith.cmpi slt, %i, %c1024 : index\n";
  auto branch = [](const std::string &then, const std::string &otherwise) {
    return "scf.if %c {\n" + then + "} else {\n" + otherwise + "}\n";
  };
  std::string other =
      "carousel.load %x[%c4096] to %in engine<bulk> : !global, !tile\n";
  // One ring with one tile, also of a ring for each load.
  std::string body = condition + branch(kLoad, other) + kRead;
  for (const char *stages : {"stages = 3", "stages = [3, 3]"})
    EXPECT_TRUE(contains(plan(loop(body, stages)),
                         "loads: 2, stages 3, prefetch 1, empty_barrier, slots "
                         "of 4096 bytes\n"))
        << stages;
  EXPECT_TRUE(contains(plan(loop(body, "stages = [3, 4]")),
                       "stages 3 instead of 4: another load of its tile"));
  // In nested branches, with a path that loads nothing, and without one.
  std::string nested =
      "%d = arith.cmpi slt, %i, %c128 : index\nscf.if %d {\n" + other + "}";
  EXPECT_TRUE(contains(
      plan(loop(condition + branch(kLoad, nested) + kRead, "stages = 3")),
      "where it may not be loaded"));
  EXPECT_TRUE(contains(
      plan(loop(condition +
                    branch(kLoad, nested + " else {\n" + other + "}\n") + kRead,
                "stages = 3")),
      "loads: 3"));
  // The access has the load's condition, or the opposite one.
  std::string guarded = condition + branch(kLoad, "");
  EXPECT_TRUE(contains(plan(loop(guarded + branch(kRead, ""), "stages = 3")),
                       "loads: 1"));
  EXPECT_TRUE(contains(plan(loop(guarded + branch("", kRead), "stages = 3")),
                       "where it may not be loaded"));
  EXPECT_TRUE(
      contains(plan(loop(condition + branch(kRead, "") + branch(kLoad, ""),
                         "stages = 3")),
               "where it may not be loaded"));
}

/// A tile of indices, what reads from it, and a load from there.
const std::string kIndices = "%ids = memref.alloc() : memref<4xi64, #ws>\n";
const std::string kLoadIndices =
    "carousel.load %p[%i] to %ids engine<bulk> : memref<?xi64, #gl>, "
    "memref<4xi64, #ws>\n";
const std::string kGather =
    "%id = memref.load %ids[%c0] : memref<4xi64, #ws>\n"
    "%r = arith.index_cast %id : i64 to index\n"
    "carousel.load %x[%r] to %in engine<bulk> : !global, !tile\n";

TEST_F(RingPlanTest, OperandsFromATileOfTheLoop) {
  std::string body = kLoadIndices + kGather + kRead;
  // Twice as far ahead, unless the list says otherwise.
  std::string text = plan(kIndices + loop(body, "stages = 4"));
  EXPECT_TRUE(contains(text, "stages 7, prefetch 5, empty_barrier, slots of 32 "
                             "bytes, leads 1\n  loads: 1, stages 4, "
                             "prefetch 2, empty_barrier"))
      << text;
  text = plan(kIndices + loop(body, "stages = 4, prefetch = 3"));
  EXPECT_TRUE(contains(text, "stages 7, prefetch 6")) << text;
  EXPECT_TRUE(contains(text, "stages 4, prefetch 3")) << text;
  text = plan(kIndices + loop(body, "stages = [3, 4]"));
  EXPECT_TRUE(contains(text, "prefetch 0 instead of 2: the tile of the "
                             "operands has too few stages"))
      << text;
  // One slot each: nothing runs ahead.
  text = plan(kIndices + loop(body, "stages = 1"));
  EXPECT_TRUE(contains(text, "leads 1\n  loads: 1, stages 1, prefetch 0"))
      << text;
  // Producers would have to consume tiles.
  text = plan(kIndices + loop(body, "stages = 4, mode = specialized"));
  EXPECT_TRUE(contains(text, "unified instead of specialized")) << text;
  EXPECT_TRUE(contains(text, "stages 7, prefetch 5")) << text;
}

TEST_F(RingPlanTest, OperandsFromATileWithoutARing) {
  std::string write = "%n64 = arith.index_cast %n : index to i64\n"
                      "memref.store %n64, %ids[%c0] : memref<4xi64, #ws>\n";
  std::string text = plan(
      kIndices + loop(kLoadIndices + write + kGather + kRead, "stages = 4"));
  EXPECT_TRUE(contains(text, "which can't be executed ahead")) << text;
  // Read before it is loaded.
  text = plan(kIndices + loop(kGather + kRead + kLoadIndices, "stages = 4"));
  EXPECT_TRUE(contains(text, "read from a tile that uses no ring")) << text;
}

TEST_F(RingPlanTest, OperandsFromATileOfTheOuterLoop) {
  std::string inner =
      "scf.for %j = %c0 to %n step %c1024 {\n" + kGather + kRead +
      "} {carousel.pipeline = #carousel.pipeline<stages = 4>}\n";
  std::string text = plan(kIndices + loop(kLoadIndices + inner, "stages = 3"));
  EXPECT_TRUE(contains(text, "stages 4, prefetch 2, empty_barrier, slots of "
                             "4096 bytes\n"))
      << text;
  EXPECT_TRUE(contains(text, "stages 3, prefetch 1")) << text;
  // The threads' own writes need a barrier, which may be anywhere.
  std::string write = "%n64 = arith.index_cast %n : index to i64\n"
                      "memref.store %n64, %ids[%c0] : memref<4xi64, #ws>\n";
  text = plan(kIndices + loop(kLoadIndices + write + inner, "stages = 3"));
  EXPECT_TRUE(contains(text, "which can't be executed ahead")) << text;
}

} // namespace
