//===- TransferShapeTest.cpp - a transfer's box in few dimensions ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TransferShape.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class TransferShapeTest : public ::testing::Test {
protected:
  TransferShapeTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect>();
  }

  /// The shape of a load of `tile` from `global` at `offsets`.
  TransferShape analyse(StringRef global, StringRef offsets, StringRef tile,
                        StringRef options = "") {
    std::string text = R"mlir(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      gpu.module @m {
        gpu.func @k(%x: )mlir" +
                       global.str() + ", %tile: " + tile.str() +
                       R"mlir(, %i: index) kernel {
          %c0 = arith.constant 0 : index
          %c8 = arith.constant 8 : index
          %b = gpu.block_id x
          %b8 = arith.muli %b, %c8 : index
          %ring = carousel.ring.create : !carousel.ring<1>
          carousel.ring.produce %ring[%c0] : !carousel.ring<1> {
            carousel.ring.load %x[)mlir" +
                       offsets.str() + "] to %tile " + options.str() + ": " +
                       global.str() + ", " + tile.str() +
                       "\n }\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    module->walk([&](RingLoadOp op) { load = op; });
    Divisibility facts;
    return computeTransferShape(load, facts);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  RingLoadOp load;
};

constexpr StringRef kBulk = "engine<bulk>";

TEST_F(TransferShapeTest, RowsOfAWiderMatrixStayRows) {
  TransferShape shape = analyse("memref<?x?xf32, #gl>", "%b8, %b8",
                                "memref<4x16xf32, #ws>", kBulk);
  EXPECT_FALSE(shape.isCollapsed());
  EXPECT_EQ(shape.getRows(), 4);
  EXPECT_EQ(shape.getRowBytes(), 64);
  EXPECT_EQ(shape.innerDivisor, 8);
  EXPECT_TRUE(shape.dims[0].mayEndBehind);
  EXPECT_FALSE(shape.dims[0].mayBeginBefore) << "a block's number times 8";
}

TEST_F(TransferShapeTest, WholeRowsAreOne) {
  TransferShape shape = analyse("memref<?x16xf32, #gl>", "%i, %c0",
                                "memref<4x16xf32, #ws>", kBulk);
  EXPECT_TRUE(shape.isCollapsed());
  EXPECT_EQ(shape.getRows(), 1);
  EXPECT_EQ(shape.getRowElements(), 64);
  EXPECT_EQ(shape.dims[0].inner, 16);
  EXPECT_EQ(shape.innerDivisor, 16) << "one row";
  EXPECT_TRUE(shape.dims[0].mayBeginBefore);
}

TEST_F(TransferShapeTest, RowsThatMayBeginLaterAreNot) {
  EXPECT_FALSE(
      analyse("memref<?x16xf32, #gl>", "%i, %i", "memref<4x16xf32, #ws>", kBulk)
          .isCollapsed());
  EXPECT_TRUE(analyse("memref<?x16xf32, #gl>", "%i, %i",
                      "memref<4x16xf32, #ws>", "in_bounds engine<bulk>")
                  .isCollapsed())
      << "in bounds they begin at 0";
}

TEST_F(TransferShapeTest, GapsInTheTileKeepRowsApart) {
  EXPECT_FALSE(analyse("memref<?x16xf32, #gl>", "%i, %c0",
                       "memref<4x16xf32, strided<[20, 1]>, #ws>", kBulk)
                   .isCollapsed());
}

TEST_F(TransferShapeTest, LeadingDimensionsHaveExtentOne) {
  TransferShape shape =
      analyse("memref<?x?xf32, #gl>", "%i, %c0", "memref<16xf32, #ws>", kBulk);
  EXPECT_EQ(shape.leading, 1u);
  EXPECT_EQ(shape.dims[0].extent, 1);
  EXPECT_EQ(shape.getRows(), 1);
  EXPECT_EQ(shape.innerDivisor, 0) << "zero is a multiple of everything";
}

TEST_F(TransferShapeTest, ExtentsThatAreKnownHaveRoom) {
  EXPECT_TRUE(
      analyse("memref<64xf32, #gl>", "%c8", "memref<16xf32, #ws>", kBulk)
          .isInside());
  EXPECT_FALSE(
      analyse("memref<16xf32, #gl>", "%c8", "memref<16xf32, #ws>", kBulk)
          .isInside());
}

TEST_F(TransferShapeTest, PiecesThatMayBeginBeforeTheirMemref) {
  auto mayStore = [&](StringRef offsets, StringRef options) {
    TransferShape shape =
        analyse("memref<?xf32, #gl>", offsets, "memref<16xf32, #ws>", options);
    return mayStoreByThreads(load, shape);
  };
  EXPECT_TRUE(mayStore("%i", "engine<cp_async, width = 16>"));
  EXPECT_FALSE(mayStore("%i", "engine<cp_async, width = 4>"));
  EXPECT_FALSE(mayStore("%b", "engine<cp_async, width = 16>"));
  EXPECT_FALSE(mayStore("%i", "in_bounds engine<cp_async, width = 16>"));
  EXPECT_TRUE(mayStore("%b8", "fill(nan) engine<cp_async, width = 16>"));
}

TEST_F(TransferShapeTest, ExplainsWhatAnEngineCannotDo) {
  TransferShape shape =
      analyse("memref<?x?xf32, #gl>", "%i, %i", "memref<8x6xf32, #ws>", kBulk);
  EXPECT_EQ(explainEngine(load, shape),
            "rows of the tile at multiples of 16 bytes with engine bulk, got "
            "every 24");
  shape =
      analyse("memref<?x?xf32, #gl>", "%i, %i", "memref<8x8xf32, #ws>", kBulk);
  EXPECT_EQ(explainEngine(load, shape), "");
}

// A fact of two boxes holds for each of them.
TEST(TransferShapeJoinTest, KnowsWhatIsKnownOfBoth) {
  TransferShape one, other;
  one.dims = {{4, 1, /*mayBeginBefore=*/false, /*mayEndBehind=*/true},
              {64, 1, /*mayBeginBefore=*/false, /*mayEndBehind=*/false}};
  other.dims = {{4, 1, /*mayBeginBefore=*/false, /*mayEndBehind=*/false},
                {64, 1, /*mayBeginBefore=*/true, /*mayEndBehind=*/false}};
  one.innerDivisor = 12;
  other.innerDivisor = 8;
  ASSERT_TRUE(one.hasGroupsOf(other));
  one.join(other);
  EXPECT_FALSE(one.dims[0].mayBeginBefore);
  EXPECT_TRUE(one.dims[0].mayEndBehind);
  EXPECT_TRUE(one.dims[1].mayBeginBefore);
  EXPECT_FALSE(one.dims[1].mayEndBehind);
  EXPECT_EQ(one.innerDivisor, 4);

  other.dims[1].extent = 32;
  EXPECT_FALSE(one.hasGroupsOf(other));
  other.dims.pop_back();
  EXPECT_FALSE(one.hasGroupsOf(other));
}

} // namespace
