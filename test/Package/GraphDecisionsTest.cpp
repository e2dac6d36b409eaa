//===- GraphDecisionsTest.cpp - what became of graphs, as data ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings and decisions come from the IR: an engine for remarks that the
// embedder has for itself takes nothing from them.
//
//===----------------------------------------------------------------------===//

#include "PackageFixture.h"

#include "carousel/Package/ReportDecisions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::test;

namespace {

/// A pooling whose stride doesn't divide its image, for which there are only
/// loops; and a result in the memory of an
/// argument that is read for too long.
constexpr StringRef kGraphs = R"mlir(
func.func @pool(%x: tensor<1x17x17x8xf32>, %w: tensor<3x3xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x8x8x8xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x17x17x8xf32>, tensor<3x3xf32>)
      outs(%zero : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}
func.func @turn(%x: tensor<64x64xf32>)
    -> (tensor<64x64xf32> {carousel.argument = #carousel.argument<"turned", out, may_alias = 0>}) {
  %e = tensor.empty() : tensor<64x64xf32>
  %t = linalg.transpose ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  %y = linalg.add ins(%x, %t : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
)mlir";

/// An embedder's engine, which counts what it gets.
class Counter : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Counter(std::atomic<unsigned> &count) : count(count) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (remark.getCategoryName() == "carousel-schedule-groups")
      ++count;
  }

private:
  std::atomic<unsigned> &count;
};

class GraphDecisionsTest : public CompileTest {
protected:
  GraphDecisionsTest() {
    context.loadDialect<func::FuncDialect, linalg::LinalgDialect,
                        tensor::TensorDialect>();
  }

  /// All that a package says of its graphs.
  std::string explain(const Package &package) {
    std::string text;
    llvm::raw_string_ostream os(text);
    explainGraphs(os, package);
    explainDecisionsAsJSON(os, package);
    drawGraphs(os, package);
    return text;
  }
};

TEST_F(GraphDecisionsTest, AnEmbeddersEngineChangesNothing) {
  FailureOr<Package> without = compile(kGraphs);
  ASSERT_TRUE(succeeded(without)) << said;
  std::string warnings = std::exchange(said, {});
  EXPECT_NE(warnings.find("loops reduce element by element"), std::string::npos)
      << warnings;
  EXPECT_NE(warnings.find("turned is computed in memory of its own"),
            std::string::npos)
      << warnings;

  std::atomic<unsigned> count = 0;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = ".*";
  ASSERT_TRUE(succeeded(remark::enableOptimizationRemarks(
      context, std::make_unique<Counter>(count),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)));
  FailureOr<Package> with = compile(kGraphs);
  context.setRemarkEngine(nullptr);
  ASSERT_TRUE(succeeded(with)) << said;
  EXPECT_EQ(said, warnings);
  EXPECT_EQ(explain(*with), explain(*without));
  EXPECT_EQ(find(*with, "manifest.json"), find(*without, "manifest.json"));

  // The engine gets each decision of the pass, too.
  unsigned recorded =
      llvm::count_if(without->graphs, [](const GraphDecision &decision) {
        return decision.pass == "carousel-schedule-groups";
      });
  EXPECT_GT(recorded, 2u);
  EXPECT_EQ(count, recorded);
}

TEST_F(GraphDecisionsTest, DecisionsHaveFactsAndPlaces) {
  FailureOr<Package> package = compile(kGraphs);
  ASSERT_TRUE(succeeded(package)) << said;
  auto group =
      llvm::find_if(package->graphs, [](const GraphDecision &decision) {
        return decision.name == "Group" && decision.function == "pool";
      });
  ASSERT_NE(group, package->graphs.end());
  EXPECT_EQ(group->getFact("Kernel"), "pool_0");
  EXPECT_EQ(group->getFact("Family"), "loops");
  EXPECT_EQ(group->getFact("Bytes"), "");
  EXPECT_FALSE(group->isWarning);
  EXPECT_TRUE(isa<FileLineColLoc>(group->location));
}

// A record that the caller's module has already isn't this compilation's.
TEST_F(GraphDecisionsTest, ARecordOfTheInputIsLeftOut) {
  FailureOr<Package> package = compile(std::string(R"mlir(
    module attributes {carousel.decisions = [{pass = "p", name = "Group", function = "f", text = "of old",
        location = loc(unknown), is_warning = true}]} {)mlir") +
                                       kGraphs.str() + "}");
  ASSERT_TRUE(succeeded(package)) << said;
  EXPECT_EQ(said.find("of old"), std::string::npos) << said;
  EXPECT_EQ(explain(*package).find("of old"), std::string::npos);
  EXPECT_FALSE(package->graphs.empty());
}

TEST_F(GraphDecisionsTest, NoWarningsIfNoneAreWanted) {
  options.misses = CompilePackageOptions::Misses::Ignore;
  FailureOr<Package> package = compile(kGraphs);
  ASSERT_TRUE(succeeded(package)) << said;
  EXPECT_EQ(said, "");
  EXPECT_FALSE(package->graphs.empty());
}

} // namespace
