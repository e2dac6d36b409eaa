//===- TileKernelTest.cpp - carousel.load and carousel.store --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace carousel::sim;

namespace {

class TileKernel : public KernelTest {
protected:
  /// A kernel of `threads` threads with the global memrefs %x and %y and the
  /// aliases #gl and #ws.
  RunResult runTile(llvm::StringRef types, llvm::StringRef body,
                    llvm::ArrayRef<Argument> arguments, uint32_t threads,
                    uint64_t seed = 0) {
    std::string text =
        ("#gl = #gpu.address_space<global>\n"
         "#ws = #gpu.address_space<workgroup>\n"
         "gpu.module @m {\n  gpu.func @k(" +
         types + ") kernel {\n" + body + "\n    gpu.return\n  }\n}\n")
            .str();
    RunResult result;
    std::unique_ptr<CompiledKernel> kernel = compile(text);
    if (!kernel) {
      result.error = "doesn't compile: " + messages;
      return result;
    }
    RunOptions options;
    options.seed = seed;
    options.grid = {1, 1, 1};
    options.block = {threads, 1, 1};
    return kernel->run(arguments, options);
  }
};

constexpr const char *kMatrices = "%x: memref<?x?xf32, strided<[?, 1]>, #gl>, "
                                  "%y: memref<?x?xf32, strided<[?, 1]>, #gl>";

std::vector<float> getRamp(size_t size) {
  std::vector<float> data(size);
  std::iota(data.begin(), data.end(), 1);
  return data;
}

TEST_F(TileKernel, GeluOfAnyLength) {
  auto kernel = compile(readExample("tile/gelu.mlir"), "gelu");
  ASSERT_TRUE(kernel) << messages;
  for (int64_t size : {1, 4095, 4096, 30001}) {
    std::vector<uint16_t> x(size), y(size);
    for (int64_t i = 0; i < size; ++i) {
      float value = float(i % 97) / 16 - 3;
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      x[i] = bits >> 16; // exact in bf16
    }
    RunOptions options;
    options.multiprocessors = 1;
    options.residentPerMultiprocessor = 2;
    RunResult result = kernel->run(
        {makeMemRef(x), makeMemRef(y, {}, /*isWritten=*/false)}, options);
    ASSERT_TRUE(result.isClean()) << size << "\n" << describe(result);
    for (int64_t i = 0; i < size; ++i) {
      auto widen = [](uint16_t value) {
        uint32_t bits = uint32_t(value) << 16;
        float result;
        std::memcpy(&result, &bits, 4);
        return result;
      };
      float v = widen(x[i]);
      float expected = v * 0.5f * (1 + std::erf(v * 0.707106769f));
      // One rounding to the 8 bits of bf16, and erf's last place.
      ASSERT_NEAR(widen(y[i]), expected, std::fabs(expected) / 256 + 1e-6f)
          << i;
    }
  }
}

TEST_F(TileKernel, BoxesBeyondTheMatrix) {
  // The box begins before the matrix and ends after it in both dimensions.
  std::vector<float> x = getRamp(6), y(8 * 8, -1);
  RunResult result =
      runTile(kMatrices, R"(
    %m2 = arith.constant -2 : index
    %m3 = arith.constant -3 : index
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<8x8xf32, #ws>
    carousel.load %x[%m2, %m3] to %tile
        : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<8x8xf32, #ws>
    carousel.store %tile to %y[%c0, %c0]
        : memref<8x8xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>)",
              {makeMemRef(x, {2, 3}), makeMemRef(y, {8, 8}, false)}, 64);
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(result.figures.transfers, 2u);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      bool inside = i >= 2 && i < 4 && j >= 3 && j < 6;
      EXPECT_EQ(y[8 * i + j], inside ? x[3 * (i - 2) + j - 3] : 0) << i << j;
    }
}

TEST_F(TileKernel, LeadingDimensionsAndNaN) {
  std::vector<float> x = getRamp(2 * 3 * 4), y(4, 0);
  RunResult result =
      runTile("%x: memref<2x3x4xf32, #gl>, %y: memref<4xf32, #gl>", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %tile = memref.alloc() : memref<4xf32, #ws>
    carousel.load %x[%c1, %c2, %c1] to %tile fill(nan) : memref<2x3x4xf32, #gl>, memref<4xf32, #ws>
    carousel.store %tile to %y[%c0] in_bounds : memref<4xf32, #ws>, memref<4xf32, #gl>)",
              {makeMemRef(x, {2, 3, 4}), makeMemRef(y)}, 32);
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(y[0], x[4 * 5 + 1]);
  EXPECT_EQ(y[2], x[4 * 5 + 3]);
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST_F(TileKernel, ReductionsCountOnce) {
  std::vector<float> x = getRamp(64), y(64, 100);
  RunResult result =
      runTile("%x: memref<64xf32, #gl>, %y: memref<64xf32, #gl>", R"(
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<64xf32, #ws>
    carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, memref<64xf32, #ws>
    carousel.store %tile to %y[%c0] reduce<add f32> : memref<64xf32, #ws>, memref<64xf32, #gl>)",
              {makeMemRef(x), makeMemRef(y)}, 128);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], 100 + x[i]);
}

constexpr const char *kRotate = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %tile = memref.alloc() : memref<64xf32, #ws>
    carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, memref<64xf32, #ws>
    // Each iteration another thread has the element.
    scf.for %i = %c0 to %c4 step %c1 {
      %sum = arith.addi %t, %i : index
      %at = arith.andi %sum, %c63 : index
      %v = memref.load %tile[%at] : memref<64xf32, #ws>
      %w = arith.addf %v, %v : f32
      memref.store %w, %tile[%at] : memref<64xf32, #ws>
      BARRIER
    }
    carousel.store %tile to %y[%c0] : memref<64xf32, #ws>, memref<64xf32, #gl>)";

TEST_F(TileKernel, TransfersOrderTheirTileAndNothingElse) {
  for (bool isRight : {true, false}) {
    std::string body = kRotate;
    body.replace(body.find("BARRIER"), 7,
                 isRight ? "carousel.store %tile to %y[%c0] : memref<64xf32, "
                           "#ws>, memref<64xf32, #gl>"
                         : "");
    std::vector<float> x = getRamp(64), y(64);
    RunResult result =
        runTile("%x: memref<64xf32, #gl>, %y: memref<64xf32, #gl>", body,
                {makeMemRef(x), makeMemRef(y, {}, false)}, 64);
    if (!isRight) {
      EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
      continue;
    }
    ASSERT_TRUE(result.isClean()) << describe(result);
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], 16 * x[i]);
  }
  // Another buffer isn't ordered by the transfer.
  std::vector<float> x = getRamp(64), y(64);
  RunResult result =
      runTile("%x: memref<64xf32, #gl>, %y: memref<64xf32, #gl>", R"(
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %tile = memref.alloc() : memref<64xf32, #ws>
    %other = memref.alloc() : memref<64xf32, #ws>
    %one = arith.constant 1.0 : f32
    memref.store %one, %other[%t] : memref<64xf32, #ws>
    carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, memref<64xf32, #ws>
    %at = arith.subi %c63, %t : index
    %v = memref.load %other[%at] : memref<64xf32, #ws>
    memref.store %v, %y[%t] : memref<64xf32, #gl>)",
              {makeMemRef(x), makeMemRef(y)}, 64);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
}

TEST_F(TileKernel, WarpsMakeTransfersOfTheirOwn) {
  std::vector<float> x = getRamp(128), y(128);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    RunResult result =
        runTile("%x: memref<128xf32, #gl>, %y: memref<128xf32, #gl>", R"(
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %warp = gpu.subgroup_id : index
    %lane = gpu.lane_id
    %i = arith.muli %warp, %c32 : index
    %tiles = memref.alloc() : memref<4x32xf32, #ws>
    %tile = memref.subview %tiles[%warp, 0] [1, 32] [1, 1]
        : memref<4x32xf32, #ws> to memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%i] to %tile scope(warp)
        : memref<128xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    %c31 = arith.constant 31 : index
    %at = arith.subi %c31, %lane : index
    %v = memref.load %tile[%at] : memref<32xf32, strided<[1], offset: ?>, #ws>
    memref.store %v, %y[%t] : memref<128xf32, #gl>)",
                {makeMemRef(x), makeMemRef(y, {}, false)}, 128, seed);
    ASSERT_TRUE(result.isClean()) << describe(result);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], x[i / 32 * 32 + 31 - i % 32]);
  }
}

TEST_F(TileKernel, WrongTransfersAreFound) {
  std::vector<float> x = getRamp(64), y(64);
  auto run = [&](llvm::StringRef body) {
    return runTile("%x: memref<64xf32, #gl>, %y: memref<64xf32, #gl>",
                   ("    %t = gpu.thread_id x\n"
                    "    %c0 = arith.constant 0 : index\n"
                    "    %c40 = arith.constant 40 : index\n"
                    "    %m4 = arith.constant -4 : index\n"
                    "    %tile = memref.alloc() : memref<32xf32, #ws>\n" +
                    body)
                       .str(),
                   {makeMemRef(x), makeMemRef(y)}, 32);
  };
  RunResult result = run("carousel.load %x[%t] to %tile : memref<64xf32, #gl>, "
                         "memref<32xf32, #ws>");
  ASSERT_EQ(count(result, FindingKind::NonUniformTransfer), 1u)
      << describe(result);
  EXPECT_NE(result.findings[0].message.find(
                "found [0] in thread 0 and [1] in thread 1"),
            std::string::npos)
      << describe(result);
  result = run("carousel.load %x[%c40] to %tile in_bounds : memref<64xf32, "
               "#gl>, memref<32xf32, #ws>");
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
  result = run("carousel.store %tile to %y[%c0] : memref<32xf32, #ws>, "
               "memref<64xf32, #gl>");
  EXPECT_EQ(count(result, FindingKind::UnwrittenRead), 1u) << describe(result);
  result = run("carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, "
               "memref<32xf32, #ws>\n"
               "carousel.store %tile to %y[%m4] : memref<32xf32, #ws>, "
               "memref<64xf32, #gl>");
  EXPECT_EQ(count(result, FindingKind::InvalidOperand), 1u) << describe(result);
  // One thread alone waits for the others.
  result = run("%first = arith.cmpi eq, %t, %c0 : index\n"
               "scf.if %first {\n"
               "carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, "
               "memref<32xf32, #ws>\n}");
  EXPECT_FALSE(result.isClean());
}

} // namespace
