//===- TilePaddingTest.cpp - rows of tiles as whole granules --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TilePadding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class TilePaddingTest : public ::testing::Test {
protected:
  TilePaddingTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// The plan of the only tile of a kernel with this body.
  TilePadding plan(StringRef body, StringRef x = "memref<?x?xf32, 1>") {
    std::string text = "gpu.module @m { gpu.func @k(%x: " + x.str() +
                       R"mlir(, %n: index, %v: f32) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %column = arith.muli %block, %c64 : index
      %left = arith.subi %column, %c1 : index
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    std::string error;
    FailureOr<TargetSpec> target =
        makeTargetSpec("sm_90a", std::nullopt, error);
    EXPECT_TRUE(succeeded(target)) << error;
    std::vector<TilePadding> paddings =
        planTilePadding(kernel, ChipModel::of(*target->info));
    EXPECT_EQ(paddings.size(), 1u);
    return paddings.empty() ? TilePadding() : paddings.front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(TilePaddingTest, BothEnds) {
  TilePadding p = plan(R"mlir(
    %t = memref.alloc() : memref<18x66xf32, 3>
    carousel.load %x[%n, %left] to %t : memref<?x?xf32, 1>, memref<18x66xf32, 3>
    %a = memref.load %t[%c0, %thread] : memref<18x66xf32, 3>
  )mlir");
  EXPECT_EQ(p.refusal, "");
  EXPECT_EQ(p.before, 3);
  EXPECT_EQ(p.width, 72);
  EXPECT_EQ(p.accesses.size(), 1u);
}

TEST_F(TilePaddingTest, UnknownOffsets) {
  // A launch can check an argument, and not a thread's number.
  const char *body = R"mlir(
    %t = memref.alloc() : memref<18x66xf32, 3>
    carousel.load %x[%c0, %OFFSET] to %t
        : memref<?x?xf32, 1>, memref<18x66xf32, 3>
  )mlir";
  auto with = [&](StringRef offset) {
    std::string text = body;
    return text.replace(text.find("%OFFSET"), 7, offset);
  };
  TilePadding p = plan(with("%n"));
  EXPECT_EQ(p.refusal, "");
  EXPECT_EQ(p.width, 68);
  EXPECT_EQ(plan(with("%block")).refusal,
            "a load at an offset that isn't known to be a number of elements "
            "past a multiple of 4");
}

TEST_F(TilePaddingTest, GrowthIsBounded) {
  EXPECT_EQ(plan(R"mlir(
    %t = memref.alloc() : memref<64x1xf32, 3>
    carousel.load %x[%n, %column] to %t
        : memref<?x?xf32, 1>, memref<64x1xf32, 3>
  )mlir")
                .refusal,
            "rows of 16 bytes with padding, more than twice as many");
}

TEST_F(TilePaddingTest, StridesOfRows) {
  const char *body = R"mlir(
    %t = memref.alloc() : memref<18x66xf32, 3>
    carousel.load %x[%c0, %left] to %t
        : memref<90x90xf32, 1>, memref<18x66xf32, 3>
  )mlir";
  EXPECT_EQ(plan(body, "memref<90x90xf32, 1>").refusal,
            "a load from rows 360 bytes apart, not a multiple of 16");
}

TEST_F(TilePaddingTest, SharedMemorySuffices) {
  auto withStages = [&](int stages) {
    return plan(R"mlir(
      %t = memref.alloc() : memref<64x65xf32, 3>
      scf.for %i = %c0 to %n step %c64 {
        carousel.load %x[%i, %column] to %t
            : memref<?x?xf32, 1>, memref<64x65xf32, 3>
      } {carousel.pipeline = #carousel.pipeline<stages = )mlir" +
                std::to_string(stages) + ">}");
  };
  EXPECT_EQ(withStages(12).refusal, "");
  // 13 slots of 16640 bytes leave 14080 of 232448, less 2048.
  EXPECT_EQ(withStages(13).refusal, "");
  EXPECT_EQ(withStages(14).refusal,
            "padding of 10752 bytes, where 0 bytes of shared memory are left");
}

} // namespace
