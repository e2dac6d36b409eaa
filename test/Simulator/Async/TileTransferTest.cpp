//===- TileTransferTest.cpp - what a tile transfer moves and orders -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes of every rank and layout against loops on the host; then, which
// accesses of threads, scopes and CTAs a transfer orders, each right and wrong.
//
//===----------------------------------------------------------------------===//

#include "../Launch/KernelTesting.h"

#include <limits>
#include <numeric>

using namespace carousel::sim;

namespace {

struct Launch {
  uint32_t threads = 64, ctas = 1;
  uint64_t seed = 0;
  bool strict = false;
};

constexpr const char *kVectors = "%x: memref<64xf32, #gl>, "
                                 "%y: memref<64xf32, #gl>";

std::string replace(std::string text, llvm::StringRef hole,
                    llvm::StringRef with) {
  return text.replace(text.find(hole.str()), hole.size(), with.str());
}

class TileTransfer : public KernelTest {
protected:
  RunResult run(llvm::StringRef types, llvm::StringRef body,
                llvm::ArrayRef<Argument> arguments, Launch launch = {}) {
    std::string text = ("#gl = #gpu.address_space<global>\n"
                        "#ws = #gpu.address_space<workgroup>\n"
                        "!g = memref<64xf32, #gl>\n!t = memref<64xf32, #ws>\n"
                        "gpu.module @m {\n  gpu.func @k(" +
                        types + R"() kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %block = gpu.block_id x
    %isFirst = arith.cmpi eq, %thread, %c0 : index
    %isWarp0 = arith.cmpi eq, %warp, %c0 : index
    %other = arith.subi %c63, %thread : index
    %neighbour = arith.xori %thread, %c1 : index
)" + body + "\n    gpu.return\n  }\n}\n")
                           .str();
    messages.clear();
    RunResult result;
    std::unique_ptr<CompiledKernel> kernel = compile(text);
    if (!kernel) {
      result.error = "doesn't compile: " + messages;
      return result;
    }
    RunOptions options;
    options.seed = launch.seed;
    options.strict = launch.strict;
    options.grid = {launch.ctas, 1, 1};
    options.block = {launch.threads, 1, 1};
    return kernel->run(arguments, options);
  }

  /// On two vectors; under several schedules, which all find the kind and no
  /// other: but what races is unwritten under some. No kind: clean.
  void expect(llvm::StringRef body, std::optional<FindingKind> kind,
              Launch launch = {}) {
    for (launch.seed = 0; launch.seed < 5; ++launch.seed) {
      std::iota(x.begin(), x.end(), 1);
      std::iota(y.begin(), y.end(), 1000);
      RunResult result =
          run(kVectors, body, {makeMemRef(x), makeMemRef(y)}, launch);
      ASSERT_EQ(result.error, "");
      if (kind)
        EXPECT_GE(count(result, *kind), 1u) << body.str() << describe(result);
      size_t expected = kind ? count(result, *kind) : 0;
      if (kind == FindingKind::DataRace)
        expected += count(result, FindingKind::UnwrittenRead);
      EXPECT_EQ(result.findings.size(), expected)
          << body.str() << describe(result);
    }
  }

  std::vector<float> x = std::vector<float>(64), y = std::vector<float>(64);
};

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Each rank has a global memref of 3 in each dimension, a tile of 2, and
/// offsets of -1 to 2. Loads fill with zeros; the store's copy is clipped.
TEST_F(TileTransfer, RaggedBoxesOfEveryRank) {
  for (int rank = 1; rank <= 5; ++rank) {
    std::string dynamic, tile, negative, positive, zeros;
    int64_t globalSize = 1, tileSize = 1;
    for (int dim = 0; dim < rank; ++dim) {
      dynamic += "?x";
      tile += "2x";
      bool isOdd = dim % 2;
      negative += std::string(dim ? ", " : "") + (isOdd ? "%c2" : "%m1");
      positive += std::string(dim ? ", " : "") + (isOdd ? "%c2" : "%c1");
      zeros += std::string(dim ? ", " : "") + "%c0";
      globalSize *= 3;
      tileSize *= 2;
    }
    std::string global = "memref<" + dynamic + "i16, #gl>";
    std::string shared = "memref<" + tile + "i16, #ws>";
    std::string body =
        "%m1 = arith.constant -1 : index\n"
        "%c2 = arith.constant 2 : index\n"
        "%tile = memref.alloc() : " +
        shared + "\ncarousel.load %x[" + negative + "] to %tile : " + global +
        ", " + shared + "\ncarousel.store %tile to %y[" + zeros +
        "] : " + shared + ", " + global + "\ncarousel.store %tile to %z[" +
        positive + "] : " + shared + ", " + global;
    std::vector<int64_t> extents(rank, 3), box(rank, 2);
    std::vector<int16_t> in(globalSize), out(tileSize), clipped(globalSize, -1);
    std::iota(in.begin(), in.end(), 1);
    RunResult result =
        run("%x: " + global + ", %y: " + global + ", %z: " + global, body,
            {makeMemRef(in, extents), makeMemRef(out, box, false),
             makeMemRef(clipped, extents)});
    ASSERT_TRUE(result.isClean()) << describe(result);
    std::vector<int16_t> expected(globalSize, -1);
    for (int64_t at = 0; at < tileSize; ++at) {
      int64_t from = 0, to = 0;
      bool isInside = true, isKept = true;
      for (int dim = 0; dim < rank; ++dim) {
        int64_t i = at >> (rank - 1 - dim) & 1;
        int64_t source = i + (dim % 2 ? 2 : -1), target = i + (dim % 2 ? 2 : 1);
        isInside &= source >= 0 && source < 3;
        isKept &= target < 3;
        from = from * 3 + source;
        to = to * 3 + target;
      }
      int16_t value = isInside ? in[from] : 0;
      EXPECT_EQ(out[at], value) << rank << " " << at;
      if (isKept)
        expected[to] = value;
    }
    EXPECT_EQ(clipped, expected) << rank;
  }
}

TEST_F(TileTransfer, LayoutsOfBothSides) {
  std::vector<int32_t> in(6 * 4), out(3 * 4);
  std::iota(in.begin(), in.end(), 0);
  Argument transposed = makeMemRef(in, {4, 6});
  transposed.strides = {1, 4};
  Argument target = makeMemRef(out, {3, 4});
  RunResult result = run("%x: memref<?x?xi32, strided<[?, ?]>, #gl>, "
                         "%y: memref<?x?xi32, #gl>",
                         R"(
    %wide = memref.alloc() : memref<6x8xi32, #ws>
    %tile = memref.subview %wide[1, 2] [3, 2] [2, 3]
        : memref<6x8xi32, #ws> to memref<3x2xi32, strided<[16, 3], offset: 10>, #ws>
    %c2 = arith.constant 2 : index
    carousel.load %x[%c1, %c2] to %tile
        : memref<?x?xi32, strided<[?, ?]>, #gl>, memref<3x2xi32, strided<[16, 3], offset: 10>, #ws>
    carousel.store %tile to %y[%c0, %c1]
        : memref<3x2xi32, strided<[16, 3], offset: 10>, #ws>, memref<?x?xi32, #gl>)",
                         {transposed, target});
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_EQ(out[4 * i + 1 + j], in[(i + 1) + 4 * (j + 2)]) << i << j;
}

TEST_F(TileTransfer, NaNOfEveryFormat) {
  auto getFill = [&](std::string type, auto bits) {
    std::vector<decltype(bits)> data(4, 0), result(8, 0);
    std::string global = "memref<?x" + type + ", #gl>";
    std::string tile = "memref<8x" + type + ", #ws>";
    RunResult run_ =
        run("%x: " + global + ", %y: " + global,
            "%tile = memref.alloc() : " + tile +
                "\ncarousel.load %x[%c0] to %tile fill(nan) : " + global +
                ", " + tile + "\ncarousel.store %tile to %y[%c0] : " + tile +
                ", " + global,
            {makeMemRef(data), makeMemRef(result)});
    EXPECT_TRUE(run_.isClean()) << describe(run_);
    EXPECT_EQ(result[3], 0u);
    EXPECT_EQ(result[4], result[7]);
    return result[4];
  };
  EXPECT_EQ(getFill("f8E4M3FN", uint8_t()), 0x7f);
  EXPECT_EQ(getFill("f8E5M2", uint8_t()), 0x7f);
  // One NaN only, in the place of the negative zero.
  EXPECT_EQ(getFill("f8E4M3FNUZ", uint8_t()), 0x80);
  EXPECT_EQ(getFill("bf16", uint16_t()), 0x7ff7);
  EXPECT_EQ(getFill("f16", uint16_t()), 0x7ff7);
  EXPECT_EQ(getFill("f32", uint32_t()), 0x7ff77ff7u);
  EXPECT_EQ(getFill("f64", uint64_t()), 0x7ff77ff77ff77ff7u);
}

TEST_F(TileTransfer, OffsetsOfAnySize) {
  for (int64_t offset : {std::numeric_limits<int64_t>::min(), int64_t(-64),
                         int64_t(64), std::numeric_limits<int64_t>::max()}) {
    std::string load = "%o = arith.constant " + std::to_string(offset) +
                       " : index\n%tile = memref.alloc() : !t\n"
                       "carousel.load %x[%o] to %tile : !g, !t\n";
    expect(load + "carousel.store %tile to %y[%c0] : !t, !g", std::nullopt);
    EXPECT_EQ(y, std::vector<float>(64, 0));
    expect(load + "carousel.store %tile to %y[%o] : !t, !g",
           offset < 0 ? std::optional(FindingKind::InvalidOperand)
                      : std::nullopt);
    EXPECT_EQ(y[0], 1000);
    EXPECT_EQ(y[63], 1063);
  }
}

TEST_F(TileTransfer, WhatBrokenPromisesTouch) {
  // Elements inside are moved all the same; the rest of the tile is no result.
  expect(R"(%tile = memref.alloc() : !t
    carousel.load %x[%c32] to %tile in_bounds : !g, !t
    %v = memref.load %tile[%thread] : !t
    memref.store %v, %y[%thread] : !g)",
         FindingKind::OutOfBounds);
  EXPECT_EQ(y[31], 64);
  EXPECT_NE(y[32], 0);
}

TEST_F(TileTransfer, WarpsThatAreShortOfThreads) {
  // 40 threads: the second warp has 8 of them.
  expect(R"(%first = arith.muli %warp, %c32 : index
    %tiles = memref.alloc() : memref<2x32xf32, #ws>
    %tile = memref.subview %tiles[%warp, 0] [1, 32] [1, 1]
        : memref<2x32xf32, #ws> to memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%first] to %tile scope(warp)
        : !g, memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.store %tile to %y[%first] scope(warp)
        : memref<32xf32, strided<[1], offset: ?>, #ws>, !g)",
         std::nullopt, {/*threads=*/40});
  EXPECT_EQ(y, x);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST_F(TileTransfer, TileOfOneScope) {
  constexpr const char *kInPlace = R"(%tile = memref.alloc() : !t
    carousel.load %x[%c0] to %tile : !g, !t
    %v = memref.load %tile[%other] : !t
    carousel.store %tile to %y[%c0] : !t, !g
    memref.store %v, %tile[%neighbour] : !t
    carousel.store %tile to %y[%c0] : !t, !g
    memref.store %one, %tile[%thread] : !t
)";
  expect(kInPlace, std::nullopt);
  expect(kInPlace, std::nullopt, {64, 1, 0, /*strict=*/true});
  expect(std::string(kInPlace) + "%w = memref.load %tile[%neighbour] : !t\n"
                                 "memref.store %w, %tile[%neighbour] : !t",
         FindingKind::DataRace);
}

/// Each element has several readers on both sides of the store, none of whom
/// knows of the others.
TEST_F(TileTransfer, SeveralReaders) {
  std::string body = R"(%tile = memref.alloc() : !t
    memref.store %one, %tile[%thread] : !t
    carousel.store %tile to %y[%c0] : !t, !g
    %a = memref.load %tile[%other] : !t
    %b = memref.load %tile[%neighbour] : !t
    carousel.store %tile to %y[%c0] : !t, !g
    %c = memref.load %tile[%other] : !t
    %d = memref.load %tile[%neighbour] : !t
    STORE
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %sum = arith.addf %ab, %cd : f32
    memref.store %sum, %tile[%neighbour] : !t
    carousel.store %tile to %y[%c0] : !t, !g)";
  expect(replace(body, "STORE", "carousel.store %tile to %y[%c0] : !t, !g"),
         std::nullopt);
  EXPECT_EQ(y, std::vector<float>(64, 4));
  expect(replace(body, "STORE", ""), FindingKind::DataRace);
}

TEST_F(TileTransfer, BoxOfOneScope) {
  // x is written by threads, loaded by the transfer, then written by others.
  constexpr const char *kWrites = R"(%tile = memref.alloc() : !t
    memref.store %one, %x[%thread] : !g
    %before = memref.load %x[%thread] : !g
    memref.store %before, %y[%thread] : !g
    LOAD
    memref.store %one, %x[%neighbour] : !g)";
  expect(replace(kWrites, "LOAD", "carousel.load %x[%c0] to %tile : !g, !t"),
         std::nullopt);
  expect(replace(kWrites, "LOAD", ""), FindingKind::DataRace);
}

TEST_F(TileTransfer, AtomicsBehindATransfer) {
  std::string body = R"(%tile = memref.alloc() : !t
    carousel.load %x[%c0] to %tile : !g, !t
    %old = memref.atomic_rmw addf %one, %x[%thread] : (f32, !g) -> f32
    LOAD
    // All lanes come here first, which orders no memory.
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %got, %valid = gpu.shuffle xor %old, %i1, %i32 : f32
    %v = memref.load %x[%neighbour] : !g
    %sum = arith.addf %v, %got : f32
    memref.store %sum, %y[%thread] : !g)";
  expect(replace(body, "LOAD", "carousel.load %x[%c0] to %tile : !g, !t"),
         std::nullopt);
  expect(replace(body, "LOAD", ""), FindingKind::DataRace);
}

/// Warp 0 fills and stores the tile; the hole is for what warp 1 does.
constexpr const char *kTwoWarps = R"(%tile = memref.alloc() : !t
    scf.if %isWarp0 {
      %high = arith.addi %lane, %c32 : index
      memref.store %one, %tile[%lane] : !t
      memref.store %one, %tile[%high] : !t
      carousel.store %tile to %x[%c0] scope(warp) : !t, !g
      %next = arith.xori %lane, %c1 : index
      FIRST
    }
    BARRIER
    scf.if %isWarp0 {
    } else {
      SECOND
    })";

TEST_F(TileTransfer, ThreadsOutsideOfTheScope) {
  auto fill = [](llvm::StringRef first, llvm::StringRef barrier,
                 llvm::StringRef second) {
    std::string text = replace(kTwoWarps, "FIRST", first);
    return replace(replace(text, "BARRIER", barrier), "SECOND", second);
  };
  const char *write = "memref.store %one, %tile[%next] : !t";
  const char *otherWrite = "memref.store %one, %tile[%lane] : !t";
  const char *otherStore =
      "carousel.store %tile to %y[%c0] scope(warp) : !t, !g";
  expect(fill(write, "", ""), std::nullopt);
  expect(fill("", "gpu.barrier", otherWrite), std::nullopt);
  expect(fill("", "", otherWrite), FindingKind::DataRace);
  expect(fill("", "gpu.barrier", otherStore), std::nullopt);
  expect(fill("", "", otherStore), FindingKind::DataRace);
  // Both read the tile: no order is needed, and none is made.
  const char *both = R"(%tile = memref.alloc() : !t
    carousel.load %x[%c0] to %tile : !g, !t
    %low = arith.muli %warp, %c32 : index
    carousel.store %tile to %y[%low] scope(warp) HOW: !t, !g)";
  auto store = [&](llvm::StringRef how) { return replace(both, "HOW", how); };
  expect(store(""), FindingKind::DataRace);
  expect(store("reduce<add f32> "), std::nullopt);
  EXPECT_EQ(y[40], 1040 + 41 + 9);
}

TEST_F(TileTransfer, OnlyTheTileAndTheBoxAreOrdered) {
  auto body = [](llvm::StringRef order) {
    return ("%tile = memref.alloc() : !t\n%buffer = memref.alloc() : !t\n"
            "memref.store %one, %buffer[%thread] : !t\n" +
            order +
            "\ncarousel.load %x[%c0] to %tile : !g, !t\n"
            "%v = memref.load %buffer[%other] : !t\n"
            "memref.store %v, %y[%thread] : !g")
        .str();
  };
  expect(body("gpu.barrier"), std::nullopt);
  expect(body(""), FindingKind::DataRace);
}

TEST_F(TileTransfer, CTAsOfOneGrid) {
  Launch two{64, 2};
  auto body = [](llvm::StringRef store) {
    return ("%tile = memref.alloc() : !t\n"
            "carousel.load %x[%c0] to %tile : !g, !t\n" +
            store)
        .str();
  };
  expect(body("carousel.store %tile to %y[%c0] : !t, !g"),
         FindingKind::DataRace, two);
  expect(body("carousel.store %tile to %y[%c0] reduce<add f32> : !t, !g"),
         std::nullopt, two);
  EXPECT_EQ(y[5], 1005 + 2 * 6);
  // Reductions race with whatever isn't one.
  expect(
      body(
          "%old = memref.atomic_rmw addf %one, %y[%thread] : (f32, !g) -> f32\n"
          "carousel.store %tile to %y[%c0] reduce<add f32> : !t, !g"),
      FindingKind::DataRace, two);
}

constexpr const char *kInTurns =
    R"(%turn = arith.index_cast %block : index to i32
    %next = arith.index_cast %block : index to i32
    %tile = memref.alloc() : !t
    scf.if %isFirst {
      carousel.grid.serial_wait %s[%c0], %turn : memref<1xi32, #gl>
    }
    gpu.barrier
    carousel.load %y[%c0] to %tile : !g, !t
    %v = memref.load %tile[%other] : !t
    carousel.load %x[%c0] to %tile : !g, !t
    %w = memref.load %tile[%other] : !t
    %sum = arith.addf %v, %w : f32
    memref.store %sum, %tile[%other] : !t
    carousel.store %tile to %y[%c0] : !t, !g
    scf.if %isFirst {
      %i1 = arith.constant 1 : i32
      %after = arith.addi %turn, %i1 : i32
      carousel.grid.serial_release %s[%c0], %after : memref<1xi32, #gl>
    })";

/// Every thread that made the transfer knows of it: the one that releases needs
/// no barrier.
TEST_F(TileTransfer, SemaphoresOrderTransfers) {
  std::string body = kInTurns;
  for (bool isRight : {true, false}) {
    if (!isRight) {
      size_t wait = body.find("carousel.grid.serial_wait");
      body.erase(wait, body.find('\n', wait) - wait);
    }
    std::iota(x.begin(), x.end(), 0);
    std::vector<int32_t> semaphore(1, 0);
    y.assign(64, 0);
    RunResult result =
        run(std::string(kVectors) + ", %s: memref<1xi32, #gl>", body,
            {makeMemRef(x), makeMemRef(y), makeMemRef(semaphore)}, {64, 4});
    if (!isRight) {
      EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
      continue;
    }
    ASSERT_TRUE(result.isClean()) << describe(result);
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], 4 * i);
  }
}

//===----------------------------------------------------------------------===//
// Threads that don't agree
//===----------------------------------------------------------------------===//

TEST_F(TileTransfer, ThreadsThatDisagree) {
  auto body = [&](llvm::StringRef rest) {
    return "%a = memref.alloc() : !t\n%b = memref.alloc() : !t\n" + rest.str();
  };
  expect(body("%t = arith.select %isWarp0, %a, %b : !t\n"
              "carousel.load %x[%c0] to %t : !g, !t"),
         FindingKind::NonUniformTransfer);
  expect(body("%g = arith.select %isWarp0, %x, %y : !g\n"
              "carousel.load %g[%c0] to %a : !g, !t"),
         FindingKind::NonUniformTransfer);
  expect(body("carousel.load %x[%warp] to %a : !g, !t"),
         FindingKind::NonUniformTransfer);
  expect(body("%low = arith.muli %warp, %c32 : index\n"
              "carousel.load %x[%low] to %a scope(warp) : !g, !t"),
         FindingKind::DataRace);
  expect(body("scf.if %isWarp0 { carousel.load %x[%c0] to %a : !g, !t }\n"
              "else { carousel.load %x[%c0] to %a fill(nan) : !g, !t }"),
         FindingKind::NonUniformTransfer);
  expect(body("scf.if %isWarp0 { carousel.load %x[%c0] to %a : !g, !t }\n"
              "else { carousel.store %a to %y[%c0] : !t, !g }"),
         FindingKind::BarrierDivergence);
  expect(body("scf.if %isWarp0 { carousel.load %x[%c0] to %a : !g, !t }"),
         FindingKind::BarrierDivergence);
}

TEST_F(TileTransfer, SharedMemoryOfAllocations) {
  for (bool fits : {true, false}) {
    // With the other buffer 227 KB, or 16 bytes more.
    std::string size = fits ? "232432" : "232448";
    RunResult result = run(
        kVectors,
        "%small = memref.alloc() {alignment = 16 : i64} : memref<16xi8, #ws>\n"
        "%big = memref.alloc() {alignment = 16 : i64} : memref<" +
            size +
            "xi8, #ws>\n%zero = arith.constant 0 : i8\n"
            "scf.if %isFirst {\n"
            "memref.store %zero, %small[%c0] : memref<16xi8, #ws>\n"
            "memref.store %zero, %big[%c0] : memref<" +
            size + "xi8, #ws>\n}",
        {makeMemRef(x), makeMemRef(y)});
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(count(result, FindingKind::SharedMemoryLimit), fits ? 0u : 1u)
        << describe(result);
  }
}

} // namespace
