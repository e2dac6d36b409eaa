//===- ThreadWorkTest.cpp - work of the most loaded thread ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/ThreadWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ThreadWorkTest : public ::testing::Test {
protected:
  ThreadWorkTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// The work of a kernel with this body. %count is a number from 0 to 2048,
  /// and %prefix that number rounded down to a multiple of 8.
  ThreadWork estimate(StringRef body) {
    std::string text = R"mlir(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      gpu.module @m {
        gpu.func @k(%x: memref<?xbf16, #gl>, %t: memref<2048xbf16, #ws>,
                    %n: index, %condition: i1) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c7 = arith.constant 7 : index
          %c8 = arith.constant 8 : index
          %c32 = arith.constant 32 : index
          %c2048 = arith.constant 2048 : index
          %rounding = arith.constant -8 : index
          %least = arith.minsi %n, %c2048 : index
          %count = arith.maxsi %least, %c0 : index
          %prefix = arith.andi %count, %rounding : index
          %up = arith.addi %count, %c7 : index
          %edge = arith.andi %up, %rounding : index
          %lane = gpu.lane_id
          %mine = arith.addi %prefix, %lane : index
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    Block *block = nullptr;
    module->walk([&](gpu::GPUFuncOp func) { block = &func.front(); });
    Operation *first = nullptr;
    module->walk([&](gpu::LaneIdOp op) { first = op->getNextNode(); });
    IndexRanges ranges;
    return estimateThreadWork(std::next(first->getIterator()), block->end(),
                              ranges);
  }

  ThreadWork estimateLoop(StringRef bounds) {
    return estimate("scf.for %i = " + bounds.str() + R"mlir( {
        %v = memref.load %x[%i] : memref<?xbf16, #gl>
        memref.store %v, %t[%i] : memref<2048xbf16, #ws>
      })mlir");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(ThreadWorkTest, countsIterations) {
  ThreadWork work = estimateLoop("%c0 to %c2048 step %c1");
  EXPECT_EQ(work.instructions, 2048 * 4);
  EXPECT_EQ(work.waits, 2048);
  EXPECT_TRUE(work.isBounded);
}

TEST_F(ThreadWorkTest, boundsLoopsByRanges) {
  EXPECT_EQ(estimateLoop("%prefix to %c2048 step %c1").waits, 2048);
  EXPECT_EQ(estimateLoop("%mine to %c2048 step %c32").waits, 64);
}

TEST_F(ThreadWorkTest, knowsEndsOfRows) {
  // Less than a granule is left of a row that is rounded down.
  EXPECT_EQ(estimateLoop("%prefix to %count step %c1").waits, 7);
  EXPECT_EQ(estimateLoop("%mine to %count step %c32").waits, 1);
  EXPECT_EQ(estimateLoop("%prefix to %edge step %c1").waits, 8);
}

TEST_F(ThreadWorkTest, countsDearerRegion) {
  ThreadWork work = estimate(R"mlir(
      scf.if %condition {
        %a = memref.load %x[%c0] : memref<?xbf16, #gl>
        %b = memref.load %x[%c1] : memref<?xbf16, #gl>
        memref.store %a, %t[%c0] : memref<2048xbf16, #ws>
        memref.store %b, %t[%c1] : memref<2048xbf16, #ws>
      } else {
        %v = memref.load %t[%c0] : memref<2048xbf16, #ws>
        memref.store %v, %x[%c0] : memref<?xbf16, #gl>
      })mlir");
  EXPECT_EQ(work.instructions, 5);
  EXPECT_EQ(work.waits, 1) << "two loads that don't depend on each other";
}

TEST_F(ThreadWorkTest, saysWhatIsUnbounded) {
  ThreadWork work = estimateLoop("%c0 to %n step %c1");
  EXPECT_FALSE(work.isBounded);
  EXPECT_EQ(work.instructions, 4);
}

TEST_F(ThreadWorkTest, comparesWithBound) {
  ThreadWork bound;
  bound.instructions = 10;
  bound.waits = 1;
  ThreadWork work = bound;
  EXPECT_TRUE(work.isWithin(bound));
  work.waits = 2;
  EXPECT_FALSE(work.isWithin(bound));
  work = bound;
  work.isBounded = false;
  EXPECT_FALSE(work.isWithin(bound));
}
