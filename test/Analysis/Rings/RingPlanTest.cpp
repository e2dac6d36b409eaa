//===- RingPlanTest.cpp - tests of the planner of rings -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which transfers use rings, the depth of rings, their producers, and the
// report for each condition that doesn't hold.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingPlan.h"

#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class RingPlanTest : public ::testing::Test {
protected:
  RingPlanTest() {
    context
        .loadDialect<CarouselDialect, arith::ArithDialect, func::FuncDialect,
                     gpu::GPUDialect, memref::MemRefDialect, scf::SCFDialect>();
  }

  /// The plan for a kernel with `body`, printed.
  std::string plan(const std::string &body, const std::string &chip = "sm_90a",
                   const std::string &block = "128, 1, 1",
                   const std::string &functions = "") {
    module = parseSourceString<ModuleOp>(
        R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !global = memref<?xf32, #gl>
      !tile = memref<1024xf32, #ws>
      !big = memref<12288xf32, #ws>
      gpu.module @m {
        )" + functions +
            R"(
        gpu.func @k(%x: !global, %y: !global, %n: index,
                    %p: memref<?xi64, #gl>) kernel
            attributes {known_block_size = array<i32: )" +
            block + R"(>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c128 = arith.constant 128 : index
          %c1024 = arith.constant 1024 : index
          %c4096 = arith.constant 4096 : index
          %f0 = arith.constant 0.0 : f32
          %thread = gpu.thread_id x
          %in = memref.alloc() : !tile
          %out = memref.alloc() : !tile
)" + body + R"(
          gpu.return
        }
      })",
        &context);
    EXPECT_TRUE(module);
    std::string text;
    llvm::raw_string_ostream os(text);
    module->walk([&](gpu::GPUFuncOp kernel) {
      planRings(kernel, *TargetInfo::lookup(chip)).print(os);
    });
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

std::string loop(const std::string &body, const std::string &options,
                 const std::string &bounds = "%c0 to %n step %c1024") {
  return "scf.for %i = " + bounds + " {\n" + body +
         "\n} {carousel.pipeline = #carousel.pipeline<" + options + ">}";
}

const std::string kLoad =
    "carousel.load %x[%i] to %in engine<bulk> : !global, !tile\n";
const std::string kRead = "%v = memref.load %in[%thread] : !tile\n"
                          "memref.store %v, %y[%i] : !global\n";
const std::string kStoreInPlace =
    "carousel.store %in to %y[%i] engine<bulk> : !tile, !global\n";
const std::string kCopy = R"(scf.for %j = %thread to %c1024 step %c128 {
    %v = memref.load %in[%j] : !tile
    memref.store %v, %out[%j] : !tile
  }
)";
const std::string kStore =
    "carousel.store %out to %y[%i] engine<bulk> : !tile, !global\n";

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(RingPlanTest, DepthThatIsAskedFor) {
  EXPECT_EQ(plan(loop(kLoad + kRead, "stages = 5, prefetch = 2")),
            "loop: unified, cta\n  loads: 1, stages 5, prefetch 2, "
            "empty_barrier, slots of 4096 bytes\n");
}

TEST_F(RingPlanTest, PeeledEpilogue) {
  std::string body = kLoad + kRead;
  EXPECT_TRUE(
      contains(plan(loop(body, "stages = 5, epilogue = peeled")), ", peeled"));
  for (const char *options : {"stages = 5", "stages = 5, epilogue = predicated",
                              // Without loads ahead there is nothing to peel.
                              "stages = 5, prefetch = 0, epilogue = peeled",
                              "mode = specialized, epilogue = peeled"})
    EXPECT_FALSE(contains(plan(loop(body, options)), ", peeled")) << options;
  EXPECT_TRUE(
      contains(plan(loop(body, "stages = 5, prefetch = 0, epilogue = peeled")),
               "missed: scf.for: no peeled epilogue: no loads run ahead"));
}

/// The stages of the first ring of a printed plan.
int getStages(const std::string &text) {
  size_t place = text.find("stages ");
  return place == std::string::npos ? 0 : std::stoi(text.substr(place + 7));
}

TEST_F(RingPlanTest, RingForEachLoad) {
  std::string body =
      kLoad + kRead +
      "carousel.load %x[%i] to %out engine<bulk> : !global, !tile\n"
      "%w = memref.load %out[%thread] : !tile\n";
  std::string text = plan(loop(body, "stages = [5, 2]"));
  EXPECT_TRUE(contains(text, "loads: 1, stages 5, prefetch 3")) << text;
  EXPECT_TRUE(contains(text, "loads: 1, stages 2, prefetch 1")) << text;
  // What is auto gets what the others leave.
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

TEST_F(RingPlanTest, DepthThatIsChosen) {
  // Slots of 4 KiB don't hide the latency unless there are many.
  EXPECT_GE(getStages(plan(loop(kLoad + kRead, ""))), 4);
  // Not more than there are iterations.
  EXPECT_TRUE(
      contains(plan(loop(kLoad + kRead, "", "%c0 to %c4096 step %c1024")),
               "stages 4, prefetch 2"));
  EXPECT_TRUE(
      contains(plan(loop(kLoad + kRead, "", "%c0 to %c1024 step %c1024")),
               "stages 1, prefetch 0"));
}

TEST_F(RingPlanTest, StoresMeetAnyway) {
  std::string text = plan(loop(kLoad + kCopy + kStore, "stages = 4"));
  EXPECT_TRUE(contains(text, "stages 4, prefetch 3, cta_barrier")) << text;
  EXPECT_TRUE(contains(text, "store: stages 2, slots of 4096 bytes")) << text;
  EXPECT_FALSE(contains(text, "missed")) << text;
}

TEST_F(RingPlanTest, StoresInPlaceHaveSlack) {
  std::string text = plan(loop(kLoad + kStoreInPlace, "stages = 4"));
  EXPECT_TRUE(contains(text, "prefetch 2, cta_barrier")) << text;
  EXPECT_TRUE(contains(text, "stored in place")) << text;
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
  // What is stored under a condition may be read there only.
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

TEST_F(RingPlanTest, SharedMemoryBoundsTheDepth) {
  // 76 of 99 KiB are in use, so two slots of 8 KiB fit.
  std::string text = plan(
      "%kept = memref.alloc() : memref<19456xf32, #ws>\n"
      "%tile = memref.alloc() : memref<2048xf32, #ws>\n"
      "memref.store %f0, %kept[%thread] : memref<19456xf32, #ws>\n"
      "scf.for %i = %c0 to %n step %c1024 {\n"
      "carousel.load %x[%i] to %tile engine<cp_async, width = 4> : !global, "
      "memref<2048xf32, #ws>\n"
      "%v = memref.load %tile[%thread] : memref<2048xf32, #ws>\n"
      "%k = memref.load %kept[%thread] : memref<19456xf32, #ws>\n"
      "%s = arith.addf %v, %k : f32\n"
      "memref.store %s, %y[%i] : !global\n"
      "} {carousel.pipeline = #carousel.pipeline<stages = auto>}",
      "sm_86");
  EXPECT_TRUE(contains(text, "stages 2")) << text;
  EXPECT_TRUE(contains(text, "fewer stages than wanted: 2 of 5")) << text;
}

/// A loop over `tile`, which is of 48 KiB.
std::string bigLoop(const std::string &tile, const std::string &options) {
  return "scf.for %i = %c0 to %n step %c1024 {\n"
         "carousel.load %x[%i] to " +
         tile +
         " engine<cp_async, width = 4> : !global, !big\n"
         "%v = memref.load " +
         tile +
         "[%thread] : !big\n"
         "memref.store %v, %y[%i] : !global\n"
         "} {carousel.pipeline = #carousel.pipeline<" +
         options + ">}\n";
}

const std::string kBigTiles =
    "%big = memref.alloc() : !big\n%other = memref.alloc() : !big\n"
    // Written behind the loops only.
    "%behind = memref.alloc() : memref<8512xf32, #ws>\n";
const std::string kStoreBehind =
    "%w = memref.load %x[%thread] : !global\n"
    "memref.store %w, %behind[%thread] : memref<8512xf32, #ws>\n";

TEST_F(RingPlanTest, BuffersThatLiveLaterTakeNothingAway) {
  // Three slots of 48 KiB are 144 of 163 KiB; 33 KiB more are asked for later.
  std::string text = plan(kBigTiles + bigLoop("%big", "prefetch = 2") +
                              bigLoop("%other", "prefetch = 2") + kStoreBehind,
                          "sm_80");
  EXPECT_FALSE(contains(text, "fewer stages")) << text;
  EXPECT_TRUE(contains(text, "stages 3")) << text;
  // Both at once: one more for the first of them.
  std::string both =
      "scf.for %i = %c0 to %n step %c1024 {\n"
      "carousel.load %x[%i] to %big engine<cp_async, width = 4> : !global, "
      "!big\n"
      "%v = memref.load %big[%thread] : !big\n"
      "carousel.load %x[%i] to %other engine<cp_async, width = 4> : !global, "
      "!big\n"
      "%u = memref.load %other[%thread] : !big\n"
      "} {carousel.pipeline = #carousel.pipeline<stages = [auto, auto]>}\n";
  text = plan(kBigTiles + both + kStoreBehind, "sm_80");
  EXPECT_TRUE(contains(text, "loads: 1, stages 2")) << text;
  EXPECT_TRUE(contains(text, "loads: 1, stages 1")) << text;
  // Unless it is in use at the same time.
  text = plan(kBigTiles + kStoreBehind + both +
                  "%late = memref.load %behind[%thread] : "
                  "memref<8512xf32, #ws>\n",
              "sm_80");
  EXPECT_FALSE(contains(text, "loads: 1, stages 2")) << text;
}

TEST_F(RingPlanTest, DeclaredMemoryBoundsTheDepth) {
  std::string body =
      "%big = memref.alloc() : !big\n" + bigLoop("%big", "prefetch = 2");
  EXPECT_TRUE(contains(plan(body, "sm_80"), "stages 3"));
  // 32 KiB of dynamic shared memory that the kernel has by itself.
  EXPECT_TRUE(
      contains(plan("%mine = gpu.dynamic_shared_memory : memref<?xi8, #ws>\n"
                    "%view = memref.view %mine[%c0][] : memref<?xi8, #ws> to "
                    "memref<8192xf32, #ws>\n" +
                        body,
                    "sm_80"),
               "fewer stages than wanted: 2 of 3"));
}

} // namespace
