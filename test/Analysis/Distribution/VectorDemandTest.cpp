//===- VectorDemandTest.cpp - tests of VectorDemand.h ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/VectorDemand.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class VectorDemandTest : public ::testing::Test {
protected:
  VectorDemandTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  VectorDemand measure(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
      !m = memref<?x?xf32, #gpu.address_space<global>>
      !v = vector<100xf32>
      gpu.module @m {
        gpu.func @k(%x: !m, %y: !m, %n: index) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %zeros = arith.constant dense<0.0> : !v
)" + body + R"(
          gpu.return
        }
      })",
                                                               &context);
    EXPECT_TRUE(module);
    VectorDemand demand;
    if (module)
      module->walk(
          [&](gpu::GPUFuncOp kernel) { demand = VectorDemand::of(kernel); });
    return demand;
  }

  MLIRContext context;
};

TEST_F(VectorDemandTest, ElementwiseOpsNeedNothing) {
  VectorDemand demand = measure(R"(
    %a = vector.transfer_read %x[%c0, %c0], %zero : !m, !v
    %b = arith.addf %a, %a : !v
    vector.transfer_write %b, %y[%c0, %c0] : !v, !m
  )");
  EXPECT_EQ(demand.liveBytes, 0);
  EXPECT_EQ(demand.tileBytes, 0);
}

// %a and %b; not %c, which the sum takes up, and not constants.
TEST_F(VectorDemandTest, VectorsLiveAcrossReductions) {
  EXPECT_EQ(measure(R"(
    %a = vector.transfer_read %x[%c0, %c0], %zero : !m, !v
    %b = arith.addf %a, %a : !v
    %c = arith.mulf %b, %a : !v
    %s = vector.multi_reduction <add>, %c, %zero [0] : !v to f32
    %ss = vector.broadcast %s : f32 to !v
    %d = arith.addf %a, %ss : !v
    %e = arith.mulf %d, %b : !v
    %f = arith.mulf %e, %zeros : !v
    vector.transfer_write %f, %y[%c0, %c0] : !v, !m
  )")
                .liveBytes,
            2 * 400);
}

// %w for the next iteration, the sum, and %a.
TEST_F(VectorDemandTest, LoopsKeepWhatTheyCarryAndUse) {
  EXPECT_EQ(measure(R"(
    %w = vector.transfer_read %x[%c0, %c0], %zero : !m, !v
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> (!v) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !v
      %a = arith.mulf %v, %w : !v
      %t = vector.multi_reduction <add>, %a, %zero [0] : !v to f32
      %ts = vector.broadcast %t : f32 to !v
      %b = arith.addf %a, %ts : !v
      %next = arith.addf %b, %s : !v
      scf.yield %next : !v
    }
    vector.transfer_write %sum, %y[%c0, %c0] : !v, !m
  )")
                .liveBytes,
            3 * 400);
}

// From the last reduction of a loop to the next iteration, but not out of it.
TEST_F(VectorDemandTest, ArgumentsEndWithTheLoop) {
  EXPECT_EQ(measure(R"(
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> (!v) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !v
      %next = arith.addf %v, %s : !v
      scf.yield %next : !v
    }
    %t = vector.multi_reduction <add>, %sum, %zero [0] : !v to f32
  )")
                .liveBytes,
            400);
}

TEST_F(VectorDemandTest, TilesHaveTwoStages) {
  EXPECT_EQ(measure(R"(
    scf.for %i = %c0 to %n step %c1 {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !v
      vector.transfer_write %v, %y[%i, %c0] : !v, !m
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
  )")
                .tileBytes,
            2 * 2 * 400);
}

} // namespace
