//===- EqualExtentsTest.cpp - equal extents while ops are rewritten -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Shapes/EqualExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class EqualExtentsTest : public testing::Test {
protected:
  EqualExtentsTest() {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: index,\n"
        "             %u: index, %v: index) -> tensor<?xf32> {\n"
        "  %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>)\n"
        "      outs(%x : tensor<?xf32>) -> tensor<?xf32>\n"
        "  return %sum : tensor<?xf32>\n"
        "}\n",
        &context);
    func = *module->getOps<func::FuncOp>().begin();
    x = factorizeExtent(func.getArgument(0), 0);
    y = factorizeExtent(func.getArgument(1), 0);
    z = factorizeExtent(func.getArgument(2));
  }

  static void assertEqual(OpBuilder &builder, Value a, Value b) {
    Location loc = builder.getUnknownLoc();
    Value equal =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
    cf::AssertOp::create(builder, loc, equal, "expected equal numbers");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  ExtentFactors x, y, z;
};

TEST_F(EqualExtentsTest, SeesOpsThatPatternsInsert) {
  EqualExtentsListener extents(func);
  EXPECT_TRUE(extents.areEqual(x, y));
  EXPECT_FALSE(extents.areEqual(y, z));
  IRRewriter rewriter(&context, &extents);
  rewriter.setInsertionPointToStart(&func.getBody().front());
  Value zero = arith::ConstantIndexOp::create(rewriter, func.getLoc(), 0);
  Value extent =
      tensor::DimOp::create(rewriter, func.getLoc(), func.getArgument(0), zero);
  assertEqual(rewriter, extent, func.getArgument(2));
  EXPECT_TRUE(extents.areEqual(y, z));
}

TEST_F(EqualExtentsTest, ForgetsNumbersThatAreErased) {
  EqualExtentsListener extents(func);
  IRRewriter rewriter(&context, &extents);
  Block *body = &func.getBody().front();
  rewriter.setInsertionPointToStart(body);
  // A sum is a number of its own.
  Value number = arith::AddIOp::create(
      rewriter, func.getLoc(), func.getArgument(3), func.getArgument(4));
  EXPECT_FALSE(extents.areEqual(factorizeExtent(number), z));
  assertEqual(rewriter, number, func.getArgument(2));
  EXPECT_TRUE(extents.areEqual(factorizeExtent(number), z));
  Operation *sum = *body->getOps<linalg::AddOp>().begin();
  while (&body->front() != sum)
    rewriter.eraseOp(sum->getPrevNode());
  // Other numbers may get its address. What the function still says is found.
  Value other = arith::AddIOp::create(rewriter, func.getLoc(),
                                      func.getArgument(3), func.getArgument(4));
  EXPECT_FALSE(extents.areEqual(factorizeExtent(other), z));
  EXPECT_TRUE(extents.areEqual(x, y));
}

} // namespace
