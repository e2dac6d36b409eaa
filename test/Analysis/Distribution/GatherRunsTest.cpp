//===- GatherRunsTest.cpp - tests of GatherRuns.h -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/GatherRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class GatherRunsTest : public ::testing::Test {
protected:
  GatherRunsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect, vector::VectorDialect>();
  }

  /// Explains a gather of 4 x 12 elements whose indices are `%i`.
  std::string explain(const std::string &indices,
                      const std::string &offset = "%c0") {
    module = parseSourceString<ModuleOp>(R"(
      !i = vector<4x12xindex>
      func.func @f(%x: memref<?x?xbf16>, %rows: vector<4xindex>, %n: index) {
        %c0 = arith.constant 0 : index
        %steps = vector.step : vector<12xindex>
        %counts = vector.broadcast %steps : vector<12xindex> to !i
        %column = vector.shape_cast %rows : vector<4xindex> to vector<4x1xindex>
        %firsts = vector.broadcast %column : vector<4x1xindex> to !i
        %zeros = arith.constant dense<0.0> : vector<4x12xbf16>
        %all = arith.constant dense<true> : vector<4x12xi1>
)" + indices + "\n%v = vector.gather %x[" + offset +
                                             R"(, %c0] [%i], %all, %zeros
            : memref<?x?xbf16>, !i, vector<4x12xi1>, vector<4x12xbf16>
            into vector<4x12xbf16>
        return
      })",
                                         &context);
    EXPECT_TRUE(module);
    std::string reason = "no gather";
    if (module)
      module->walk([&](vector::GatherOp op) {
        gather = op;
        reason = explainNoRuns(op);
      });
    return reason;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  vector::GatherOp gather;
};

TEST_F(GatherRunsTest, RowsPlusColumns) {
  EXPECT_EQ(explain("%i = arith.addi %firsts, %counts : !i"), "");
  // Runs divide the extent.
  EXPECT_EQ(getMostRun(gather), 4);
}

TEST_F(GatherRunsTest, ColumnsFromAnotherPlace) {
  EXPECT_EQ(explain(R"(
    %ns = vector.broadcast %n : index to !i
    %moved = arith.subi %counts, %ns : !i
    %i = arith.addi %moved, %firsts : !i)"),
            "");
}

TEST_F(GatherRunsTest, TransposedSteps) {
  EXPECT_EQ(explain(R"(
    %down = vector.broadcast %steps : vector<12xindex> to vector<12x12xindex>
    %across = vector.transpose %down, [1, 0]
        : vector<12x12xindex> to vector<12x12xindex>
    %part = vector.extract_strided_slice %across
        {offsets = [0, 0], sizes = [4, 12], strides = [1, 1]}
        : vector<12x12xindex> to !i
    %i = arith.addi %part, %firsts : !i)"),
            "its indices aren't known to count along the last dimension");
}

TEST_F(GatherRunsTest, StepsOfTwo) {
  EXPECT_EQ(explain("%i = arith.addi %counts, %counts : !i"),
            "its indices aren't known to count along the last dimension");
  EXPECT_EQ(explain("%i = arith.subi %firsts, %counts : !i"),
            "its indices aren't known to count along the last dimension");
}

TEST_F(GatherRunsTest, FromARow) {
  EXPECT_EQ(explain("%i = arith.addi %firsts, %counts : !i", "%n"),
            "it doesn't count from the memref's beginning");
}

} // namespace
