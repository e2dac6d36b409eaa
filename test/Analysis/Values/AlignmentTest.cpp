//===- AlignmentTest.cpp - facts about shared addresses -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Alignment.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class AlignmentTest : public ::testing::Test {
protected:
  AlignmentTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        LLVM::LLVMDialect, memref::MemRefDialect>();
  }

  /// The facts about the element that the kernel's last memref.load reads.
  AddressFacts analyse(StringRef body, StringRef tileAttributes = "") {
    std::string text = R"mlir(
      #ws = #gpu.address_space<workgroup>
      gpu.module @m {
        gpu.func @k(%arg: memref<4x256xf32, #ws>, %i: index)
            workgroup(%tile: memref<4x256xf32, #ws>)mlir" +
                       tileAttributes.str() + R"mlir() kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c16 = arith.constant 16 : index
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    memref::LoadOp load;
    module->walk([&](memref::LoadOp op) { load = op; });
    return computeAddressFacts(load.getMemRef(), load.getIndices());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AlignmentTest, AttributionStatesItsAlignment) {
  AddressFacts facts =
      analyse("memref.load %tile[%c0, %c0] : memref<4x256xf32, #ws>",
              "{llvm.align = 128 : i64}");
  EXPECT_EQ(facts.baseAlignment, 128);
  EXPECT_EQ(facts.explainMisalignment(128), "");
  EXPECT_EQ(facts.explainMisalignment(256), "an allocation aligned to 128");
}

TEST_F(AlignmentTest, AttributionWithoutAlignmentHasItsElements) {
  AddressFacts facts =
      analyse("memref.load %tile[%c0, %c0] : memref<4x256xf32, #ws>");
  EXPECT_EQ(facts.baseAlignment, 4);
  EXPECT_EQ(facts.explainMisalignment(16), "an allocation aligned to 4");
}

TEST_F(AlignmentTest, ConstantIndicesAddUp) {
  AddressFacts facts =
      analyse("memref.load %tile[%c1, %c1] : memref<4x256xf32, #ws>",
              "{llvm.align = 1024 : i64}");
  EXPECT_EQ(facts.constant, 1024 + 4);
  EXPECT_EQ(facts.explainMisalignment(16), "an offset of 1028 bytes");
}

TEST_F(AlignmentTest, RunTimeIndicesCountAsWhateverHelps) {
  AddressFacts row =
      analyse("memref.load %tile[%i, %c0] : memref<4x256xf32, #ws>",
              "{llvm.align = 1024 : i64}");
  EXPECT_EQ(row.step, 1024);
  EXPECT_EQ(row.explainMisalignment(1024), "");
  AddressFacts odd =
      analyse("memref.load %tile[%i, %c1] : memref<4x256xf32, #ws>",
              "{llvm.align = 1024 : i64}");
  EXPECT_EQ(odd.explainMisalignment(16), "an offset of 4 bytes");
  AddressFacts column =
      analyse("memref.load %tile[%c0, %i] : memref<4x256xf32, #ws>",
              "{llvm.align = 1024 : i64}");
  EXPECT_EQ(column.step, 4);
  EXPECT_EQ(column.explainMisalignment(1024), "");
}

TEST_F(AlignmentTest, ArgumentsAreUnknown) {
  AddressFacts facts =
      analyse("memref.load %arg[%c0, %c1] : memref<4x256xf32, #ws>");
  EXPECT_FALSE(facts.baseAlignment);
  EXPECT_EQ(facts.explainMisalignment(1024), "");
}

TEST_F(AlignmentTest, ViewsOfDynamicSharedMemoryShift) {
  AddressFacts facts = analyse(R"mlir(
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %view = memref.view %all[%c16][] : memref<?xi8, #ws> to memref<4x256xf32, #ws>
    memref.load %view[%c0, %c0] : memref<4x256xf32, #ws>)mlir");
  EXPECT_EQ(facts.baseAlignment, 1024);
  EXPECT_EQ(facts.explainMisalignment(16), "");
  EXPECT_EQ(facts.explainMisalignment(128), "an offset of 16 bytes");
}

TEST_F(AlignmentTest, SubviewsAddTheirOffsets) {
  AddressFacts facts = analyse(R"mlir(
    %row = memref.subview %tile[2, 8] [1, 16] [1, 1] : memref<4x256xf32, #ws>
      to memref<1x16xf32, strided<[256, 1], offset: 520>, #ws>
    memref.load %row[%c0, %c0] : memref<1x16xf32, strided<[256, 1], offset: 520>, #ws>)mlir",
                               "{llvm.align = 1024 : i64}");
  EXPECT_EQ(facts.constant, 4 * (2 * 256 + 8));
  EXPECT_EQ(facts.explainMisalignment(32), "");
  EXPECT_EQ(facts.explainMisalignment(64), "an offset of 2080 bytes");
}

TEST_F(AlignmentTest, ReinterpretedBuffersBeginWhereTheirSourceDoes) {
  AddressFacts facts = analyse(R"mlir(
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %flat = memref.view %all[%c16][] : memref<?xi8, #ws> to memref<64xf32, #ws>
    %rows = memref.reinterpret_cast %flat to offset: [8], sizes: [4, 8], strides: [9, 1]
      : memref<64xf32, #ws> to memref<4x8xf32, strided<[9, 1], offset: 8>, #ws>
    memref.load %rows[%c1, %c0] : memref<4x8xf32, strided<[9, 1], offset: 8>, #ws>)mlir");
  EXPECT_EQ(facts.baseAlignment, 1024);
  EXPECT_EQ(facts.constant, 16 + 4 * (8 + 9));
}

// The base of a part is that of the whole, wherever the part begins.
TEST_F(AlignmentTest, ReinterpretedPartsAreUnknown) {
  AddressFacts facts = analyse(R"mlir(
    %row = memref.subview %tile[2, 8] [1, 16] [1, 1] : memref<4x256xf32, #ws>
      to memref<1x16xf32, strided<[256, 1], offset: 520>, #ws>
    %cast = memref.reinterpret_cast %row to offset: [0], sizes: [16], strides: [1]
      : memref<1x16xf32, strided<[256, 1], offset: 520>, #ws> to memref<16xf32, strided<[1]>, #ws>
    memref.load %cast[%c0] : memref<16xf32, strided<[1]>, #ws>)mlir");
  EXPECT_FALSE(facts.baseAlignment);
  EXPECT_EQ(facts.explainMisalignment(1024), "");
}

} // namespace
