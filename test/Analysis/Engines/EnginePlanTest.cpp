//===- EnginePlanTest.cpp - maps, swizzles and variants -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnginePlanFixture.h"

using namespace mlir;
using namespace carousel;

namespace {

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

TEST_F(EnginePlanTest, MatrixByTensorCopies) {
  EnginePlan p = plan(kMatrix, kLoadTile);
  ASSERT_EQ(p.variants.size(), 2u);
  EXPECT_EQ(p.variants[0].suffix, "_tma");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x64xf32>");
  EXPECT_EQ(getEncode(p), "#carousel.encode<argument = 0>");
  EXPECT_EQ(getGuards(p),
            "capability(90); aligned(0, 16); divisible(stride(0, 0), 4); "
            "range(extent(0, 0), 1, 2147483647); "
            "range(extent(0, 1), 1, 2147483647)");
  EXPECT_EQ(p.variants[1].suffix, "");
  EXPECT_EQ(getEngine(p, 1), "#carousel.engine<cp_async, width = 4>");
  EXPECT_EQ(getGuards(p, 1), "");
  EXPECT_EQ(getReason(p, EngineKind::Tensor, 1),
            "an address of arg0 that isn't known to be a multiple of 16");
}

TEST_F(EnginePlanTest, StoreMayEndAnywhereOnlyWithoutTensorCopies) {
  EnginePlan p = plan(kMatrix, kStoreTile);
  ASSERT_EQ(p.variants.size(), 3u);
  EXPECT_EQ(getEngine(p, 0), "#carousel.engine<tensor>");
  EXPECT_NE(getGuards(p, 0).find("divisible(extent(0, 1), 4)"),
            std::string::npos);
  EXPECT_EQ(p.variants[1].suffix, "_wide_ragged");
  EXPECT_EQ(getEngine(p, 1), "#carousel.engine<vector, width = 16>");
  EXPECT_EQ(getGuards(p, 1), "aligned(0, 16); divisible(stride(0, 0), 4)");
  EXPECT_EQ(getEngine(p, 2), "#carousel.engine<vector, width = 4>");
}

// The stride is the extent, so nothing is left to ask of the extent.
TEST_F(EnginePlanTest, ContiguousMatrixHasOneGuardForStrideAndExtent) {
  EnginePlan p = plan("%x: memref<?x?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<64x64xf32, 3>
    carousel.store %t to %x[%i, %i] : memref<64x64xf32, 3>, memref<?x?xf32, 1>
  )mlir");
  ASSERT_EQ(p.variants.size(), 2u);
  EXPECT_EQ(getGuards(p),
            "capability(90); aligned(0, 16); divisible(extent(0, 1), 4); "
            "range(extent(0, 0), 1, 2147483647); "
            "range(extent(0, 1), 1, 2147483647)");
}

TEST_F(EnginePlanTest, NothingToAskNeedsNoVariant) {
  EnginePlan p =
      plan("%x: memref<512x512xf32, 1> {llvm.align = 16 : i64}", R"mlir(
    %t = memref.alloc() : memref<64x64xf32, 3>
    carousel.load %x[%i, %i] to %t : memref<512x512xf32, 1>, memref<64x64xf32, 3>
  )mlir");
  ASSERT_EQ(p.variants.size(), 1u);
  EXPECT_EQ(p.variants[0].suffix, "");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(getGuards(p), "");
}

TEST_F(EnginePlanTest, WithoutVariantsNothingIsAsked) {
  EnginePlan p = plan(kMatrix, kLoadTile, "sm_90a", /*variants=*/false);
  ASSERT_EQ(p.variants.size(), 1u);
  EXPECT_EQ(getEngine(p), "#carousel.engine<cp_async, width = 4>");
  EXPECT_EQ(getGuards(p), "");
}

TEST_F(EnginePlanTest, WideRowsTakeWiderElementsAndSeveralBoxes) {
  // 1024 x bf16 = 2 KB rows: 256 x u64 is a box.
  EnginePlan p = plan("%x: memref<?x?xbf16, strided<[?, 1]>, 1>", R"mlir(
    %t = memref.alloc() : memref<4x1024xbf16, 3>
    carousel.load %x[%i, %i] to %t
        : memref<?x?xbf16, strided<[?, 1]>, 1>, memref<4x1024xbf16, 3>
  )mlir");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<4x256xu64>");
  EXPECT_EQ(getEncode(p),
            "#carousel.encode<argument = 0, extents = [extent(0, 0), "
            "floordiv(extent(0, 1), 4)], strides = [stride(0, 0) * 2]>");
  EXPECT_NE(getGuards(p).find("divisible(extent(0, 1), 4)"), std::string::npos)
      << "an element of the map that is half inside isn't filled";
  EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, 1);
}

TEST_F(EnginePlanTest, NaNFillKeepsTheElements) {
  EnginePlan p = plan("%x: memref<?x?xbf16, strided<[?, 1]>, 1>", R"mlir(
    %t = memref.alloc() : memref<4x1024xbf16, 3>
    carousel.load %x[%i, %i] to %t fill(nan)
        : memref<?x?xbf16, strided<[?, 1]>, 1>, memref<4x1024xbf16, 3>
  )mlir");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<1x256xbf16, fill = nan>");
  EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, 16);
}

TEST_F(EnginePlanTest, BoxesLieOneBehindTheOther) {
  struct Case {
    const char *tile, *box;
    int64_t count;
  };
  const Case cases[] = {
      {"512x64", "256x64", 2},     // rows are split
      {"300x64", "150x64", 2},     // into equal parts
      {"2x512x16", "1x256x16", 4}, // outside of what is split: one at a time
      {"257x64", "1x64", 257},
      {"3x40", "3x40", 1},     // one box needs no alignment of the next
      {"300x16", "100x16", 3}, // 150x16 of bf16 isn't a multiple of 128
  };
  for (const Case &c : cases) {
    std::string rank3 = StringRef(c.tile).count('x') == 2 ? "?x" : "";
    std::string layout =
        rank3.empty() ? "strided<[?, 1]>" : "strided<[?, ?, 1]>";
    std::string global = "memref<" + rank3 + "?x?xbf16, " + layout + ", 1>";
    std::string tile = std::string("memref<") + c.tile + "xbf16, 3>";
    EnginePlan p =
        plan("%x: " + global,
             "%t = memref.alloc() : " + tile + "\ncarousel.load %x[" +
                 (rank3.empty() ? "" : "%i, ") +
                 "%i, %i] to %t fill(nan) : " + global + ", " + tile);
    EngineAttr engine = p.variants[0].transfers[0].choice.engine;
    if (c.count > 100) {
      EXPECT_EQ(engine.getKind(), EngineKind::Vector) << c.tile;
      continue;
    }
    EXPECT_EQ(getMap(p), std::string("!carousel.tensor_map<") + c.box +
                             "xbf16, fill = nan>")
        << c.tile;
    EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, c.count);
  }
}

TEST_F(EnginePlanTest, WholeDimensionsAreCollapsed) {
  // Not by bulk copies: the innermost dimension but one is a part.
  EnginePlan p = plan("%x: memref<?x?x4x8xf32, strided<[?, 32, 8, 1]>, 1>",
                      R"mlir(
    %t = memref.alloc() : memref<8x8x4x8xf32, 3>
    carousel.load %x[%i, %i, %c0, %c0] to %t
        : memref<?x?x4x8xf32, strided<[?, 32, 8, 1]>, 1>, memref<8x8x4x8xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor, collapse = [1, 1, 2]>");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<8x8x32xf32>");
  EXPECT_EQ(getEncode(p),
            "#carousel.encode<argument = 0, extents = [extent(0, 0), "
            "extent(0, 1), 32], strides = [stride(0, 0) * 4, 128]>");
}

TEST_F(EnginePlanTest, DimensionsThatABoxMayLeaveAreNotCollapsed) {
  // As above, but for the innermost offset: what is outside of a row would be
  // the next one.
  EnginePlan p = plan("%x: memref<?x?x4x8xf32, strided<[?, 32, 8, 1]>, 1>",
                      R"mlir(
    %t = memref.alloc() : memref<8x8x4x8xf32, 3>
    carousel.load %x[%i, %i, %c0, %i] to %t
        : memref<?x?x4x8xf32, strided<[?, 32, 8, 1]>, 1>, memref<8x8x4x8xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<8x8x4x8xf32>");
}

TEST_F(EnginePlanTest, PartsOfDimensionsAreNotCollapsed) {
  // A row's end isn't the next one's begin for a box that may cross it.
  EnginePlan p = plan("%x: memref<?x64xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<64x32xf32, 3>
    carousel.load %x[%i, %i] to %t : memref<?x64xf32, 1>, memref<64x32xf32, 3>
  )mlir");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x32xf32>");
}

TEST_F(EnginePlanTest, SixDimensionsNeedToBeCollapsed) {
  auto load = [](const char *type, const char *offset) {
    return std::string("%t = memref.alloc() : memref<4x8x32xf32, 3>\n") +
           "carousel.load %x[%i, %i, %i, %i, " + offset + ", " + offset +
           "] to %t : " + type + ", memref<4x8x32xf32, 3>";
  };
  const char *whole = "memref<?x?x?x?x8x32xf32, 1>";
  EnginePlan p = plan(std::string("%x: ") + whole, load(whole, "%c0"));
  EXPECT_EQ(getEngine(p),
            "#carousel.engine<tensor, collapse = [1, 1, 1, 2, 1]>")
      << "one piece";
  const char *parts = "memref<?x?x?x?x?x?xf32, 1>";
  p = plan(std::string("%x: ") + parts, load(parts, "%i"));
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "6 dimensions, which can't be collapsed to 5");
}

TEST_F(EnginePlanTest, TensorCopiesRefuse) {
  struct Case {
    const char *type, *tile, *offset, *reason;
  };
  const Case cases[] = {
      {"memref<?x250xf32, 1>", "64x64xf32", "%i",
       "stride 0 of arg0 of 1000 bytes, not a multiple of 16"},
      {"memref<?x?xf32, strided<[?, 1]>, 1>", "64x64xf32", "%block",
       "offset 1 known to be a multiple of 4 bytes only, not of 16"},
      {"memref<?x?xf32, strided<[?, 1]>, 1>", "64x3xf32", "%c0",
       "rows of 12 bytes, not a multiple of 16"},
      {"memref<?x?xf32, strided<[?, ?]>, 1>", "64x64xf32", "%i",
       "an innermost stride of arg0 that isn't known to be 1"},
      {"memref<?x?xf32, strided<[?, 2]>, 1>", "64x64xf32", "%i",
       "an innermost stride of 2 elements in arg0"},
      {"memref<?x?xf32, strided<[?, 1]>, 1>", "64x64xf32, strided<[68, 1]>",
       "%i", "a tile that isn't contiguous"},
      {"memref<?x4294967296xf32, 1>", "64x64xf32", "%i",
       "extent 1 of arg0 of 4294967296, not in 1 to 2147483647"},
  };
  for (const Case &c : cases) {
    EnginePlan p =
        plan(std::string("%x: ") + c.type,
             std::string("%t = memref.alloc() : memref<") + c.tile +
                 ", 3>\ncarousel.load %x[%i, " + c.offset +
                 "] to %t : " + c.type + ", memref<" + c.tile + ", 3>");
    EXPECT_EQ(getReason(p, EngineKind::Tensor), c.reason) << c.type;
  }
}

TEST_F(EnginePlanTest, PartOfAnArgumentHasNoMap) {
  EnginePlan p = plan(kMatrix, R"mlir(
    %v = memref.subview %x[%i, %i] [64, 64] [1, 1]
        : memref<?x?xf32, strided<[?, 1]>, 1>
          to memref<64x64xf32, strided<[?, 1], offset: ?>, 1>
    %t = memref.alloc() : memref<64x64xf32, 3>
    carousel.load %v[%c0, %c0] to %t
        : memref<64x64xf32, strided<[?, 1], offset: ?>, 1>, memref<64x64xf32, 3>
  )mlir");
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a global memref that isn't an argument of the kernel but the "
            "result of 'memref.subview'");
}

TEST_F(EnginePlanTest, TileIsAlignedToItsBuffersPlace) {
  auto load = [](const char *offset) {
    return std::string(R"mlir(
      %t = memref.alloc() : memref<128x64xf32, 3>
      %s = memref.subview %t[)mlir") +
           offset + R"mlir(, 0] [32, 64] [1, 1]
          : memref<128x64xf32, 3> to memref<32x64xf32, strided<[64, 1], offset: ?>, 3>
      carousel.load %x[%i, %i] to %s : memref<?x?xf32, strided<[?, 1]>, 1>,
          memref<32x64xf32, strided<[64, 1], offset: ?>, 3>
    )mlir";
  };
  EXPECT_EQ(getEngine(plan(kMatrix, load("%block"))),
            "#carousel.engine<tensor>");
  EnginePlan p = plan("%x: memref<?x?xf32, strided<[?, 1]>, 1>", R"mlir(
      %t = memref.alloc() : memref<8192xf32, 3>
      %s = memref.reinterpret_cast %t to offset: [%block], sizes: [32, 64], strides: [64, 1]
          : memref<8192xf32, 3> to memref<32x64xf32, strided<[64, 1], offset: ?>, 3>
      carousel.load %x[%i, %i] to %s : memref<?x?xf32, strided<[?, 1]>, 1>,
          memref<32x64xf32, strided<[64, 1], offset: ?>, 3>
  )mlir");
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a tile that is aligned to 4 bytes, not to 128");
  p = plan("%x: memref<?x?xf32, strided<[?, 1]>, 1>", R"mlir(
      %t = memref.alloc() : memref<128x8xf32, 3>
      %s = memref.subview %t[%block, 0] [64, 8] [1, 1]
          : memref<128x8xf32, 3> to memref<64x8xf32, strided<[8, 1], offset: ?>, 3>
      carousel.load %x[%i, %i] to %s : memref<?x?xf32, strided<[?, 1]>, 1>,
          memref<64x8xf32, strided<[8, 1], offset: ?>, 3>
  )mlir");
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a tile that is aligned to 32 bytes, not to 128");
}

TEST_F(EnginePlanTest, ReductionsTakeTheirOwnType) {
  EnginePlan p = plan("%x: memref<?x?xi32, strided<[?, 1]>, 1>", R"mlir(
    %t = memref.alloc() : memref<64x64xi32, 3>
    carousel.store %t to %x[%i, %i] reduce<min s32>
        : memref<64x64xi32, 3>, memref<?x?xi32, strided<[?, 1]>, 1>
  )mlir");
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x64xs32>");
  EXPECT_EQ(getEngine(p, p.variants.size() - 1),
            "#carousel.engine<vector, width = 4>");
}

//===----------------------------------------------------------------------===//
// Swizzles
//===----------------------------------------------------------------------===//

TEST_F(EnginePlanTest, SwizzleOfRowsAsWideAsItsSpan) {
  auto load = [](const char *width, const char *other) {
    std::string tile = std::string("memref<64x") + width + "xbf16, 3>";
    return "%t = memref.alloc() : " + tile +
           "\ncarousel.load %x[%i, %i] to %t swizzle(b128) : "
           "memref<?x?xbf16, strided<[?, 1]>, 1>, " +
           tile + "\n" + other;
  };
  const char *matrix = "%x: memref<?x?xbf16, strided<[?, 1]>, 1>, "
                       "%y: memref<64x64xbf16, strided<[?, ?]>, 1>";
  EnginePlan p = plan(matrix, load("64", ""));
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x64xbf16, swizzle = b128>");
  // Two panels, a box each.
  p = plan(matrix, load("128", ""));
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x64xbf16, swizzle = b128>");
  EXPECT_EQ(p.variants[0].transfers[0].choice.instructions, 2);
  // Threads read the tile as it lies in memory.
  p = plan(matrix, load("64", "carousel.store %t to %y[%c0, %c0] : "
                              "memref<64x64xbf16, 3>, "
                              "memref<64x64xbf16, strided<[?, ?]>, 1>"));
  EXPECT_EQ(getMap(p), "!carousel.tensor_map<64x64xbf16, swizzle = b128>");
  EXPECT_EQ(p.variants[0].transfers[1].choice.engine.getKind(),
            EngineKind::Vector);
  EXPECT_EQ(p.variants[0].transfers[1].swizzle, Swizzle::B128);
}

TEST_F(EnginePlanTest, PanelsThatNoMapHas) {
  auto load = [](const char *shape, const char *global) {
    std::string tile = "memref<" + std::string(shape) + "xbf16, 3>";
    return "%t = memref.alloc() : " + tile +
           "\ncarousel.load %x[%c0, %c0] to %t swizzle(b128) : " + global +
           ", " + tile;
  };
  auto findWhy = [&](const char *shape, const char *global) {
    EnginePlan p = plan("%x: " + std::string(global), load(shape, global));
    const EngineAssignment &transfer = p.variants[0].transfers[0];
    EXPECT_EQ(transfer.choice.engine.getKind(), EngineKind::Tensor);
    EXPECT_EQ(transfer.swizzle, Swizzle::None);
    return transfer.swizzleRejection.text;
  };
  const char *matrix = "memref<?x?xbf16, strided<[?, 1]>, 1>";
  // A box has at most 256 rows, and each panel begins at 1024 bytes.
  EXPECT_EQ(findWhy("512x128", matrix),
            "a tile that isn't made of equal boxes of at most 256 elements a "
            "dimension at multiples of 1024 bytes");
  EXPECT_EQ(findWhy("4x128", matrix),
            "boxes of 512 bytes, not a multiple of 1024");
}

TEST_F(EnginePlanTest, ThreadsSwizzle) {
  // Before sm_90 there is no tensor copy.
  EnginePlan p = plan("%x: memref<?x?xbf16, strided<[?, 1]>, 1>",
                      R"mlir(
    %t = memref.alloc() : memref<64x128xbf16, 3>
    carousel.load %x[%i, %c0] to %t swizzle(b128)
        : memref<?x?xbf16, strided<[?, 1]>, 1>, memref<64x128xbf16, 3>
  )mlir",
                      "sm_80");
  ASSERT_FALSE(p.variants.empty());
  for (const EngineVariant &variant : p.variants) {
    EXPECT_EQ(variant.transfers[0].swizzle, Swizzle::B128);
    EXPECT_EQ(variant.transfers[0].swizzleRejection.text, "");
  }
}

//===----------------------------------------------------------------------===//
// Given engines
//===----------------------------------------------------------------------===//

TEST_F(EnginePlanTest, GivenEngineIsKeptInAllVariants) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<32xf32, 3>
    carousel.load %x[%i] to %t engine<bulk> : memref<?xf32, 1>, memref<32xf32, 3>
  )mlir");
  ASSERT_EQ(p.variants.size(), 1u);
  EXPECT_EQ(getEngine(p), "#carousel.engine<bulk>");
  EXPECT_EQ(getGuards(p), "capability(90); aligned(0, 16)");
}

TEST_F(EnginePlanTest, GivenEngineThatIsImpossible) {
  EnginePlan p = plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<32xf32, 3>
    carousel.load %x[%block] to %t engine<bulk>
        : memref<?xf32, 1>, memref<32xf32, 3>
  )mlir");
  ASSERT_EQ(p.faults.size(), 1u);
  EXPECT_EQ(p.faults[0].message,
            "expected a transfer that engine bulk can carry out, got offset 0 "
            "known to be a multiple of 4 bytes only, not of 16");
}

TEST_F(EnginePlanTest, Prints) {
  std::string text;
  llvm::raw_string_ostream os(text);
  plan("%x: memref<?xf32, 1>", R"mlir(
    %t = memref.alloc() : memref<4096xf32, 3>
    carousel.load %x[%i] to %t : memref<?xf32, 1>, memref<4096xf32, 3>
  )mlir")
      .print(os);
  EXPECT_EQ(text.substr(0, text.find("    not")),
            "variant '_tma': capability(90), aligned(0, 16)\n"
            "  load: #carousel.engine<bulk>, 1 instructions, cost 17\n");
}

} // namespace
