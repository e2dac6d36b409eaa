//===- RingDepthTest.cpp - tests of the depth of rings --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages, prefetch, epilogues and releases of rings, asked for and chosen.
//
//===----------------------------------------------------------------------===//

#include "RingPlanTesting.h"

using namespace mlir;
using namespace carousel;

namespace {

using RingDepthTest = RingPlanTest;

TEST_F(RingDepthTest, DepthThatIsAskedFor) {
  EXPECT_EQ(plan(loop(kLoad + kRead, "stages = 5, prefetch = 2")),
            "loop: unified, cta\n  loads: 1, stages 5, prefetch 2, "
            "empty_barrier, slots of 4096 bytes\n");
}

TEST_F(RingDepthTest, PeeledEpilogue) {
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

TEST_F(RingDepthTest, DepthThatIsChosen) {
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

TEST_F(RingDepthTest, StoresMeetAnyway) {
  std::string text = plan(loop(kLoad + kCopy + kStore, "stages = 4"));
  EXPECT_TRUE(contains(text, "stages 4, prefetch 3, cta_barrier")) << text;
  EXPECT_TRUE(contains(text, "store: stages 2, slots of 4096 bytes")) << text;
  EXPECT_FALSE(contains(text, "missed")) << text;
}

TEST_F(RingDepthTest, StoresInPlaceHaveSlack) {
  std::string text = plan(loop(kLoad + kStoreInPlace, "stages = 4"));
  EXPECT_TRUE(contains(text, "prefetch 2, cta_barrier")) << text;
  EXPECT_TRUE(contains(text, "stored in place")) << text;
}

TEST_F(RingDepthTest, SharedMemoryBoundsTheDepth) {
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

TEST_F(RingDepthTest, BuffersThatLiveLaterTakeNothingAway) {
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

TEST_F(RingDepthTest, DeclaredMemoryBoundsTheDepth) {
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
