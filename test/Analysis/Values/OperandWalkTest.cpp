//===- OperandWalkTest.cpp - walks over shared and long operands ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/OperandWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Sums, of which each uses the one before it twice.
class OperandWalk : public testing::Test {
protected:
  OperandWalk() : builder(&context) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    module = ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto func = func::FuncOp::create(
        builder, builder.getUnknownLoc(), "sums",
        builder.getFunctionType(builder.getIndexType(), {}));
    argument = func.addEntryBlock()->getArgument(0);
    builder.setInsertionPointToEnd(&func.front());
  }

  Value addSums(unsigned count) {
    Value sum = argument;
    for (unsigned i = 0; i != count; ++i)
      sum = arith::AddIOp::create(builder, builder.getUnknownLoc(), sum, sum);
    return sum;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  Value argument;
};

bool enterAll(Value) { return true; }

TEST_F(OperandWalk, VisitsSharedValuesOnceAfterTheirOperands) {
  constexpr unsigned kSums = 60;
  SmallVector<Value> visited;
  walkOperands(addSums(kSums), enterAll, [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      EXPECT_EQ(visited.back(), op->getOperand(0));
    visited.push_back(value);
    return WalkResult::advance();
  });
  EXPECT_EQ(visited.size(), kSums + 1);
}

TEST_F(OperandWalk, NeedsNoStackForLongChains) {
  EXPECT_TRUE(isComputedOf(addSums(100000), enterAll,
                           [&](Value value) { return value == argument; }));
}

TEST_F(OperandWalk, EntersWhatItIsAskedTo) {
  Value inner = addSums(3);
  Value outer =
      arith::MulIOp::create(builder, builder.getUnknownLoc(), inner, inner);
  auto isOther = [&](Value value) { return value != inner; };
  EXPECT_FALSE(isComputedOf(outer, isOther,
                            [&](Value value) { return value == argument; }));
}

TEST_F(OperandWalk, VisitsSourcesFirstAndCyclesOnce) {
  // Users as sources, of which the first value is one of the last.
  Value last = addSums(100000);
  SmallVector<Value> visited;
  auto addUsers = [&](Value value, SmallVectorImpl<Value> &users) {
    for (Operation *user : value.getUsers())
      users.push_back(user->getResult(0));
    if (value == last)
      users.push_back(argument);
  };
  walkSources(argument, addUsers, [&](Value value) {
    visited.push_back(value);
    return WalkResult::advance();
  });
  EXPECT_EQ(visited.size(), 100001u);
  EXPECT_EQ(visited.front(), last);
  EXPECT_EQ(visited.back(), argument);
}

TEST_F(OperandWalk, FoldsRemember) {
  OperandFold<unsigned> depths;
  unsigned calls = 0;
  auto compute = [&](Value value) {
    ++calls;
    Operation *op = value.getDefiningOp();
    return op ? depths.lookup(op->getOperand(0)) + 1 : 0u;
  };
  Value last = addSums(50);
  EXPECT_EQ(depths.get(last, enterAll, compute), 50u);
  EXPECT_EQ(calls, 51u);
  EXPECT_EQ(depths.get(last, enterAll, compute), 50u);
  EXPECT_EQ(calls, 51u);
}

} // namespace
