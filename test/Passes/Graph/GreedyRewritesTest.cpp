//===- GreedyRewritesTest.cpp - rewrites that end, and that don't ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No graph is known for which the passes' own patterns don't end: the tests
// have patterns of theirs.
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Reading/GreedyRewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A function that rewrites a constant.
using Rewrite =
    llvm::function_ref<LogicalResult(arith::ConstantOp, PatternRewriter &)>;

struct RewriteConstant : public OpRewritePattern<arith::ConstantOp> {
  RewriteConstant(MLIRContext *context, Rewrite rewrite)
      : OpRewritePattern(context), rewrite(rewrite) {}

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    return rewrite(op, rewriter);
  }

  Rewrite rewrite;
};

class GreedyRewritesTest : public testing::Test {
protected:
  GreedyRewritesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>("func.func @f() -> i32 {\n"
                                         "  %c = arith.constant 20 : i32\n"
                                         "  return %c : i32\n"
                                         "}\n",
                                         &context);
  }

  /// The message, if there is one.
  std::string apply(Rewrite rewrite) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    RewritePatternSet patterns(&context);
    patterns.add<RewriteConstant>(&context, rewrite);
    auto func = *module->getOps<func::FuncOp>().begin();
    EXPECT_EQ(succeeded(rewriteGreedily(func, std::move(patterns))),
              message.empty());
    return message;
  }

  static constexpr const char *kEndless =
      "internal error: expected the rewrites of '@f' to end, got more after "
      "the last iteration";

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(GreedyRewritesTest, TakesAnIterationForEachStepOfAChain) {
  int64_t left = 20;
  EXPECT_EQ(apply([&](arith::ConstantOp op, PatternRewriter &rewriter) {
              // The driver isn't told, and visits the op in its next iteration.
              return success(left != 0 && left-- != 0);
            }),
            "");
  EXPECT_EQ(left, 0);
}

TEST_F(GreedyRewritesTest, RefusesEndlessIterations) {
  EXPECT_EQ(
      apply([](arith::ConstantOp op, PatternRewriter &) { return success(); }),
      kEndless);
}

TEST_F(GreedyRewritesTest, RefusesAnEndlessIteration) {
  EXPECT_EQ(apply([](arith::ConstantOp op, PatternRewriter &rewriter) {
              rewriter.modifyOpInPlace(op, [] {}); // which visits it again
              return success();
            }),
            kEndless);
}

} // namespace
