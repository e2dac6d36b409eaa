//===- ProgramTilesTest.cpp - tests of tiles that a grid covers -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ProgramTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ProgramTilesTest : public ::testing::Test {
protected:
  ProgramTilesTest() {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        CarouselDialect, gpu::GPUDialect, memref::MemRefDialect,
                        vector::VectorDialect>();
  }

  /// A kernel of %x, 4096 x 4096, whose program has %i of a number.
  gpu::GPUFuncOp parse(const std::string &grid, const std::string &body) {
    std::string text = R"(gpu.module @m {
      gpu.func @k(%x: memref<4096x4096xf32>) kernel attributes {
          carousel.block_program = #carousel.block_program<>,
          carousel.launch = #carousel.launch<grid = [)" +
                       grid + R"(]>} {
        %c0 = arith.constant 0 : index
        %c32 = arith.constant 32 : index
        %c128 = arith.constant 128 : index
        %pad = arith.constant 0.0 : f32
        %id = gpu.block_id x
)" + body + "\ngpu.return\n}\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    gpu::GPUFuncOp kernel;
    if (module)
      module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    return kernel;
  }

  static Value findRead(gpu::GPUFuncOp kernel) {
    Value found;
    kernel.walk([&](vector::TransferReadOp op) { found = op.getResult(); });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *kRows = R"(
  %i = arith.muli %id, %c128 : index
  %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
  vector.transfer_write %v, %x[%i, %c0] : vector<128x64xf32>, memref<4096x4096xf32>)";

TEST_F(ProgramTilesTest, RowsLieAlongTheTileAndColumnsDoNot) {
  gpu::GPUFuncOp kernel = parse("ceildiv(extent(0, 0), 128)", kRows);
  ProgramTiles tiles(kernel);
  EXPECT_EQ(tiles.getRefusal(), "");
  EXPECT_EQ(tiles.findNumber(findRead(kernel), 0), 0u);
  EXPECT_EQ(tiles.findNumber(findRead(kernel), 1), std::nullopt);
  EXPECT_TRUE(tiles.canResize(0, 256));
  tiles.resize(0, 256);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(cast<VectorType>(findRead(kernel).getType()).getShape(),
            llvm::ArrayRef<int64_t>({256, 64}));
}

TEST_F(ProgramTilesTest, PairsLieInRows) {
  gpu::GPUFuncOp kernel = parse("ceildiv(extent(0, 0), 128)", R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
    %a, %b = vector.deinterleave %v : vector<128x64xf32> -> vector<128x32xf32>
    %w = vector.interleave %b, %a : vector<128x32xf32> -> vector<128x64xf32>
    vector.transfer_write %w, %x[%i, %c0] : vector<128x64xf32>, memref<4096x4096xf32>)");
  ProgramTiles tiles(kernel);
  EXPECT_EQ(tiles.getRefusal(), "");
  tiles.resize(0, 64);
  EXPECT_TRUE(succeeded(verify(*module)));
  // Pairs along the tile are of this extent.
  EXPECT_NE(ProgramTiles(parse("ceildiv(extent(0, 1), 128)", R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%c0, %i], %pad : memref<4096x4096xf32>, vector<64x128xf32>
    %a, %b = vector.deinterleave %v : vector<64x128xf32> -> vector<64x64xf32>)"))
                .getRefusal(),
            "");
}

TEST_F(ProgramTilesTest, DimensionsBesideTheTileAreDivided) {
  gpu::GPUFuncOp kernel = parse("ceildiv(extent(0, 0), 128)", R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
    %a = vector.shape_cast %v : vector<128x64xf32> to vector<128x1x32x2xf32>
    %w = vector.shape_cast %a : vector<128x1x32x2xf32> to vector<128x64xf32>
    vector.transfer_write %w, %x[%i, %c0] : vector<128x64xf32>, memref<4096x4096xf32>)");
  ProgramTiles tiles(kernel);
  EXPECT_EQ(tiles.getRefusal(), "");
  tiles.resize(0, 64);
  EXPECT_TRUE(succeeded(verify(*module)));
  // A tile that is divided keeps its extent.
  EXPECT_NE(ProgramTiles(parse("ceildiv(extent(0, 0), 128)", R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
    %a = vector.shape_cast %v : vector<128x64xf32> to vector<2x64x64xf32>)"))
                .getRefusal(),
            "");
}

TEST_F(ProgramTilesTest, NumbersOfOneDimension) {
  gpu::GPUFuncOp kernel = parse("4 * ceildiv(4096, 128)", R"(
    %down = arith.remui %id, %c32 : index
    %i = arith.muli %down, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
    vector.transfer_write %v, %x[%i, %c0] : vector<128x64xf32>, memref<4096x4096xf32>)");
  ProgramTiles tiles(kernel);
  ASSERT_EQ(tiles.getCounts().size(), 2u);
  EXPECT_EQ(tiles.findNumber(findRead(kernel), 0), 1u);
  EXPECT_FALSE(tiles.getCovered(0));
  tiles.resize(1, 64);
  EXPECT_TRUE(succeeded(verify(*module)));
  // Programs divide by the new count.
  ProgramTiles again(kernel);
  EXPECT_EQ(again.findNumber(findRead(kernel), 0), 1u);
  // The count of another number isn't divided by.
  EXPECT_NE(ProgramTiles(parse("4 * ceildiv(4096, 64)", R"(
    %down = arith.remui %id, %c32 : index
    %i = arith.muli %down, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>)"))
                .getRefusal(),
            "");
}

TEST_F(ProgramTilesTest, TilesInBoundsStayThere) {
  std::string inside = R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true, false]}
        : memref<4096x4096xf32>, vector<128x64xf32>)";
  ProgramTiles dynamic(parse("ceildiv(extent(0, 0), 128)", inside));
  EXPECT_TRUE(dynamic.canResize(0, 64));
  EXPECT_FALSE(dynamic.canResize(0, 256));
  ProgramTiles constant(parse("ceildiv(4096, 128)", inside));
  EXPECT_TRUE(constant.canResize(0, 256));
  ProgramTiles odd(parse("ceildiv(3968, 128)", inside));
  EXPECT_FALSE(odd.canResize(0, 256));
}

TEST_F(ProgramTilesTest, WhatTakesAllOfATileKeepsIt) {
  gpu::GPUFuncOp kernel = parse("ceildiv(extent(0, 0), 128)", R"(
    %i = arith.muli %id, %c128 : index
    %v = vector.transfer_read %x[%i, %c0], %pad : memref<4096x4096xf32>, vector<128x64xf32>
    %sums = arith.constant dense<0.0> : vector<64xf32>
    %r = vector.multi_reduction <add>, %v, %sums [0] : vector<128x64xf32> to vector<64xf32>)");
  EXPECT_EQ(ProgramTiles(kernel).getRefusal(),
            "an op takes all of a tile at once");
}

} // namespace
