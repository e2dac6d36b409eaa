//===- EngineCopiesTest.cpp - bulk copies and copies by threads -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnginePlanFixture.h"

using namespace mlir;
using namespace carousel;

namespace {

class EngineCopiesTest : public EnginePlanTest {};

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

TEST_F(EngineCopiesTest, OnePieceByABulkCopy) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.load %x[%i] to %t : memref<?xf32, 1>, memref<4096xf32, 3>
  )mlir");
  ASSERT_EQ(p.variants.size(), 2u);
  EXPECT_EQ(getEngine(p), "#carousel.engine<bulk>");
  EXPECT_EQ(getGuards(p), "capability(90); aligned(0, 16)");
  EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, 1);
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a cost of 72 for 8 instructions, against 17 of bulk");
}

TEST_F(EngineCopiesTest, BulkLoadBeginsInside) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %o = arith.subi %i, %c64 : index
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.load %x[%o] to %t : memref<?xf32, 1>, memref<4096xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  p = plan("%x: memref<?xf32, 1>", R"mlir(
    %o = arith.subi %i, %c64 : index
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.store %t to %x[%o] : memref<4096xf32, 3>, memref<?xf32, 1>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<bulk>") << "a store always does";
}

TEST_F(EngineCopiesTest, BulkReductionIsMadeOfWholeGranules) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.store %t to %x[%i] reduce<add f32>
        : memref<4096xf32, 3>, memref<?xf32, 1>
  )mlir");
  // Others are added by threads, 16 bytes at once or element by element.
  ASSERT_EQ(p.variants.size(), 3u);
  EXPECT_EQ(getEngine(p), "#carousel.engine<bulk>");
  EXPECT_EQ(getGuards(p),
            "capability(90); aligned(0, 16); divisible(extent(0, 0), 4)");
}

TEST_F(EngineCopiesTest, RowsWithoutAMapByBulkCopies) {
  // A view of whole rows: 4 copies of 4 KB.
  const char *body = R"mlir(
    %v = memref.subview %x[%i, 0] [4, 1024] [1, 1]
        : memref<?x1024xf32, strided<[2048, 1]>, 1>
          to memref<4x1024xf32, strided<[2048, 1], offset: ?>, 1>
    %t = memref.alloc() : memref<4x1024xf32, 3>
    carousel.load %v[%c0, %c0] to %t
        : memref<4x1024xf32, strided<[2048, 1], offset: ?>, 1>, memref<4x1024xf32, 3>
  )mlir";
  EnginePlan p = plan("%x: memref<?x1024xf32, strided<[2048, 1]>, 1>", body);
  EXPECT_EQ(getEngine(p), "#carousel.engine<bulk>");
  EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, 4);
  EXPECT_EQ(getGuards(p), "capability(90); aligned(0, 16)");
}

TEST_F(EngineCopiesTest, RowsThatADimensionOfOneKeepsApart) {
  EnginePlan p = plan("%x: memref<?x1x66xi32, strided<[66, 77, 1]>, 1>", R"mlir(
    %t = memref.alloc() : memref<64x1x66xi32, 3>
    carousel.load %x[%c0, %c0, %c0] to %t
        : memref<?x1x66xi32, strided<[66, 77, 1]>, 1>, memref<64x1x66xi32, 3>
  )mlir");
  EXPECT_EQ(getReason(p, EngineKind::Bulk),
            "a shape that needs rows of the tile at multiples of 16 bytes with "
            "engine bulk, got every 264");
}

TEST_F(EngineCopiesTest, RowsThatEndAnywhereAreNotBulkCopies) {
  EnginePlan p = plan(kMatrix, kLoadTile);
  EXPECT_EQ(getReason(p, EngineKind::Bulk, 1),
            "rows that dimension 1 of arg0 may cut off");
}

// The warp fills what is behind the row's end while the copy is on its way.
TEST_F(EngineCopiesTest, WideRowsThatMayEndEarlyAreBulkCopies) {
  auto getRowEngine = [&](int64_t elements) {
    std::string tile = "memref<1x" + std::to_string(elements) + "xbf16, 3>";
    EnginePlan p = plan("%x: memref<?x?xbf16, strided<[?, 1]>, 1>",
                        "%t = memref.alloc() : " + tile +
                            "\ncarousel.load %x[%block, %c0] to %t : "
                            "memref<?x?xbf16, strided<[?, 1]>, 1>, " +
                            tile);
    return getEngine(p);
  };
  EXPECT_EQ(getRowEngine(4096), "#carousel.engine<tensor>");
  EXPECT_EQ(getRowEngine(16384), "#carousel.engine<tensor>");
  EXPECT_EQ(getRowEngine(32768), "#carousel.engine<bulk>");
}

TEST_F(EngineCopiesTest, SmallPiecesByTheTensorEngine) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<128xf32, 3>
    carousel.load %x[%i] to %t : memref<?xf32, 1>, memref<128xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(p.variants[0].suffix, "_tma");
}

TEST_F(EngineCopiesTest, ShortRowsStayOffTheAsyncEngines) {
  EnginePlan p = plan(kMatrix, R"mlir(
    %t = memref.alloc() : memref<64x4xf32, 3>
    carousel.load %x[%i, %i] to %t
        : memref<?x?xf32, strided<[?, 1]>, 1>, memref<64x4xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<cp_async, width = 16>");
  EXPECT_EQ(p.variants[0].suffix, "_wide");
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a cost of 28 for 1 instructions, against 24 of cp_async of width "
            "16");
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

TEST_F(EngineCopiesTest, AmpereHasNeitherTensorNorBulkCopies) {
  EnginePlan p = plan(kMatrix, kLoadTile, "sm_80");
  ASSERT_EQ(p.variants.size(), 2u);
  EXPECT_EQ(p.variants[0].suffix, "_wide");
  EXPECT_EQ(getEngine(p), "#carousel.engine<cp_async, width = 16>");
  EXPECT_EQ(getGuards(p), "aligned(0, 16); divisible(stride(0, 0), 4)");
  EXPECT_EQ(getReason(p, EngineKind::Bulk),
            "a target that lacks it: it needs sm_90 and PTX 8.0, the target is "
            "sm_80 with PTX 8.8");
}

TEST_F(EngineCopiesTest, WidthOfPieces) {
  struct Case {
    const char *type, *tile, *offset, *engine;
  };
  const Case cases[] = {
      // The offset allows 8 bytes: two elements.
      {"memref<?xf32, 1>", "4096xf32", "%even", "cp_async, width = 8"},
      {"memref<?xf32, 1>", "4096xf32", "%block", "cp_async, width = 4"},
      {"memref<?xbf16, 1>", "4096xbf16", "%even", "cp_async, width = 4"},
      // cp.async has nothing below 4 bytes.
      {"memref<?xbf16, 1>", "4096xbf16", "%block", "vector, width = 2"},
      {"memref<?xi8, 1>", "4096xi8", "%even", "vector, width = 2"},
      {"memref<?xf64, 1>", "4096xf64", "%block", "cp_async, width = 8"},
      {"memref<?xf32, strided<[?]>, 1>", "4096xf32", "%even",
       "cp_async, width = 4"},
      // Rows of 24 bytes, with and without gaps between them.
      {"memref<?x6xf32, strided<[8, 1]>, 1>", "64x6xf32", "%i, %c0",
       "cp_async, width = 8"},
      {"memref<?x6xf32, 1>", "64x6xf32", "%i, %c0", "cp_async, width = 16"},
      // Rows every 20 and every 24 bytes, with a dimension of 1 between them
      // and their elements.
      {"memref<?x1x5xi32, 1>", "3x1x8xi32", "%c0, %c0, %c0",
       "cp_async, width = 4"},
      {"memref<?x1x6xi32, 1>", "3x1x8xi32", "%c0, %c0, %c0",
       "cp_async, width = 8"},
      // The same in the tile.
      {"memref<?x1x8xi32, 1>", "3x1x4xi32, strided<[6, 6, 1]>", "%c0, %c0, %c0",
       "cp_async, width = 8"},
  };
  for (const Case &c : cases) {
    std::string tile = std::string("memref<") + c.tile + ", 3>";
    EnginePlan p = plan(std::string("%x: ") + c.type,
                        "%even = arith.muli %block, %c2 : index\n"
                        "%t = memref.alloc() : " +
                            tile + "\ncarousel.load %x[" + c.offset +
                            "] to %t : " + c.type + ", " + tile,
                        "sm_80");
    EXPECT_EQ(getEngine(p), std::string("#carousel.engine<") + c.engine + ">")
        << c.type << ' ' << c.offset;
  }
}

TEST_F(EngineCopiesTest, ScalarArgumentsAreAskedFor) {
  EnginePlan p = plan("%x: memref<?xf32, 1>, %n: index", R"mlir(
    %o = arith.muli %block, %n : index
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.store %t to %x[%o] : memref<4096xf32, 3>, memref<?xf32, 1>
  )mlir");
  EXPECT_EQ(getGuards(p),
            "capability(90); aligned(0, 16); divisible(scalar(1), 4)");
}

} // namespace
