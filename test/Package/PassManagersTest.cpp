//===- PassManagersTest.cpp - passes that make invalid IR -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../compiler/Package/PassManagers.h"
#include "PackageFixture.h"

#include "carousel/Package/PassCancellation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::test;

namespace {

/// Gives sums another type than their operands have, and may fail with an error
/// of its own.
struct BreakSums : public PassWrapper<BreakSums, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakSums)
  explicit BreakSums(bool fails) : fails(fails) {}
  StringRef getArgument() const override { return "break-sums"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::AddIOp sum) {
      sum.getResult().setType(IntegerType::get(sum.getContext(), 64));
    });
    if (!fails)
      return;
    getOperation().emitError("of the user's");
    signalPassFailure();
  }
  bool fails;
};

/// Erases math.absf by a pattern that it keeps, as canonicalizers do.
struct EraseMagnitude : RewritePattern {
  explicit EraseMagnitude(MLIRContext *context)
      : RewritePattern("math.absf", /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperands());
    return success();
  }
};
struct EraseMagnitudes
    : public PassWrapper<EraseMagnitudes, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseMagnitudes)
  EraseMagnitudes() = default;
  EraseMagnitudes(const EraseMagnitudes &other)
      : PassWrapper(other), patterns(other.patterns) {}
  StringRef getArgument() const override { return "erase-magnitudes"; }
  LogicalResult initialize(MLIRContext *context) override {
    if (!patterns) {
      RewritePatternSet set(context);
      set.add<EraseMagnitude>(context);
      patterns = std::make_shared<FrozenRewritePatternSet>(std::move(set));
    }
    return success();
  }
  void runOnOperation() override {
    (void)applyPatternsGreedily(getOperation(), *patterns);
  }
  std::shared_ptr<FrozenRewritePatternSet> patterns;
};

class PassManagersTest : public CompileTest {
protected:
  PassManagersTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
  }

  LogicalResult runOnSum(Verification verification, bool fails) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
    });
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func @f(%a: i32) {
        %b = arith.addi %a, %a : i32
        return
      }
      func.func @g() {
        return
      })mlir",
                                         &context);
    auto build = [&](OpPassManager &pm) {
      pm.nest<func::FuncOp>().addPass(std::make_unique<BreakSums>(fails));
    };
    PassManagers managers(&context);
    return managers.run({"sums", build, verification}, *module);
  }
};

TEST_F(PassManagersTest, ThePassIsBlamed) {
  EXPECT_TRUE(failed(runOnSum(Verification::EachPass, /*fails=*/false)));
  EXPECT_TRUE(StringRef(said).contains(
      "internal error: expected --break-sums to make valid IR"))
      << said;
  EXPECT_TRUE(StringRef(said).contains("requires the same type")) << said;
}

TEST_F(PassManagersTest, ThePassesAreBlamed) {
  EXPECT_TRUE(failed(runOnSum(Verification::AtEnd, /*fails=*/false)));
  EXPECT_TRUE(StringRef(said).contains(
      "internal error: expected the passes of 'sums' to make valid IR"))
      << said;
}

// The IR that a failing pass leaves needn't be valid.
TEST_F(PassManagersTest, ThePassIsNotBlamedForItsOwnErrors) {
  EXPECT_TRUE(failed(runOnSum(Verification::EachPass, /*fails=*/true)));
  EXPECT_TRUE(StringRef(said).contains("of the user's")) << said;
  EXPECT_FALSE(StringRef(said).contains("internal error")) << said;
}

// The ops of a module that is freed aren't looked at when the next one fails.
TEST_F(PassManagersTest, ACancelledRunLeavesNoFaults) {
  PassManagers managers(&context);
  auto build = [](OpPassManager &pm) {
    pm.nest<func::FuncOp>().addPass(std::make_unique<BreakSums>(true));
  };
  int asked = 0, stopsAt = 2;
  managers.setIsCancelled([&] { return ++asked == stopsAt; });
  auto run = [&](StringRef name) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
    });
    module =
        parseSourceString<ModuleOp>(("func.func @" + name + R"mlir((%a: i32) {
        %b = arith.addi %a, %a : i32
        return
      })mlir")
                                        .str(),
                                    &context);
    return managers.run({"sums", build}, *module);
  };
  EXPECT_TRUE(failed(run("first")));
  EXPECT_EQ(asked, 2);
  said.clear();
  stopsAt = 0;
  EXPECT_TRUE(failed(run("second")));
  EXPECT_EQ(said, "of the user's\n");
}

// The definition of an op replaces the name that patterns had of it.
TEST_F(PassManagersTest, PatternsAreCollectedAgainAfterADialectIsLoaded) {
  PassManagers managers(&context);
  auto build = [](OpPassManager &pm) {
    pm.nest<func::FuncOp>().addPass(std::make_unique<EraseMagnitudes>());
  };
  auto run = [&](StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? managers.run({"magnitudes", build}, *module) : failure();
  };
  ASSERT_TRUE(succeeded(run("func.func @f() { return }"))) << said;
  ASSERT_EQ(context.getLoadedDialect<math::MathDialect>(), nullptr);
  context.getOrLoadDialect<math::MathDialect>();
  ASSERT_TRUE(succeeded(run(R"mlir(
      func.func @f(%a: f32) -> f32 {
        %b = math.absf %a : f32
        return %b : f32
      })mlir")))
      << said;
  module->walk([](math::AbsFOp op) { ADD_FAILURE() << "still there"; });
}

/// Counts its runs, and asks for an end in one of them.
struct CountRuns : public PassWrapper<CountRuns, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountRuns)
  CountRuns(int &runs, int most, bool &isCancelled)
      : runs(runs), most(most), isCancelled(isCancelled) {}
  void runOnOperation() override { isCancelled = ++runs == most; }
  int &runs;
  int most;
  bool &isCancelled;
};

TEST_F(PassManagersTest, PassesAreLeftOutOnceCancelled) {
  module = parseSourceString<ModuleOp>("func.func @f() { return }", &context);
  ASSERT_TRUE(module);
  int runs = 0;
  bool isCancelled = false;
  PassManagers managers(&context);
  auto build = [&](OpPassManager &pm) {
    for (int i = 0; i < 5; ++i)
      pm.addPass(std::make_unique<CountRuns>(runs, 2, isCancelled));
  };
  auto ask = [&] { return isCancelled; };
  {
    PassCancellation cancellation(&context, ask);
    managers.setIsCancelled(ask);
    EXPECT_TRUE(failed(managers.run({"runs", build}, *module)));
    EXPECT_EQ(runs, 2);
    EXPECT_TRUE(failed(managers.run({"runs", build}, *module)));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(said, "");
    managers.setIsCancelled(nullptr);
  }
  // All run again afterwards.
  EXPECT_TRUE(succeeded(managers.run({"runs", build}, *module)));
  EXPECT_EQ(runs, 7);
}

} // namespace
