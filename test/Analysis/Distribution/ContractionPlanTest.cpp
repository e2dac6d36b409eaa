//===- ContractionPlanTest.cpp - tests of ContractionPlan.h ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ContractionPlan.h"

#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

constexpr ThreadBits kFourWarps{5, 2};

class ContractionPlanTest : public ::testing::Test {
protected:
  ContractionPlanTest() {
    context.loadDialect<arith::ArithDialect, CarouselDialect, func::FuncDialect,
                        vector::VectorDialect>();
  }

  /// A product of types, with maps like "(m, k), (k, n), (m, n)".
  vector::ContractionOp parse(const std::string &lhs, const std::string &rhs,
                              const std::string &acc,
                              const std::string &ofLhs = "(m, k)",
                              const std::string &ofRhs = "(k, n)",
                              const std::string &ofAcc = "(m, n)",
                              const std::string &kind = "add") {
    auto map = [](const std::string &results) {
      return "affine_map<(m, n, k) -> " + results + ">";
    };
    module = parseSourceString<ModuleOp>(
        "func.func @f(%a: " + lhs + ", %b: " + rhs + ", %c: " + acc +
            ") {\n  %d = vector.contract {indexing_maps = [" + map(ofLhs) +
            ", " + map(ofRhs) + ", " + map(ofAcc) +
            "], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
            "kind = #vector.kind<" +
            kind + ">} %a, %b, %c : " + lhs + ", " + rhs + " into " + acc +
            "\n  return\n}",
        &context);
    EXPECT_TRUE(module);
    vector::ContractionOp found;
    module->walk([&](vector::ContractionOp op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ContractionPlanTest, MatrixInstructions) {
  auto op =
      parse("vector<64x32xbf16>", "vector<32x128xbf16>", "vector<64x128xf32>");
  EXPECT_TRUE(hasMatrixInstructions(op));
  ContractionPlan plan = planContraction(op, kFourWarps);
  ASSERT_TRUE(plan.matrices);
  EXPECT_EQ(plan.instructionK, 16);
  EXPECT_EQ(plan.acc.getNumBits(Place::Register), 6u);
  // 32 x 64 in each warp.
  EXPECT_EQ(plan.acc.apply({0, 0, 3, 0}),
            (llvm::SmallVector<uint32_t>{32, 64}));
}

TEST_F(ContractionPlanTest, RoundedFactors) {
  module = parseSourceString<ModuleOp>(R"(
    !v = vector<16x16xf32>
    #maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                              affine_map<(m, n, k) -> (k, n)>,
                              affine_map<(m, n, k) -> (m, n)>],
             iterator_types = ["parallel", "parallel", "reduction"]}
    func.func @f(%a: !v, %b: vector<16x1x16xf32>, %c: !v,
                 %mask: vector<16x16xi1>) {
      %zeros = arith.constant dense<0.0> : !v
      %ones = arith.constant dense<1.0> : !v
      %r = carousel.round_tf32 %a : !v
      %s = carousel.round_tf32 %b : vector<16x1x16xf32>
      %t = vector.shape_cast %s : vector<16x1x16xf32> to !v
      %u = vector.transpose %t, [1, 0] : !v to !v
      %masked = arith.select %mask, %u, %zeros : vector<16x16xi1>, !v
      %other = arith.select %mask, %u, %ones : vector<16x16xi1>, !v
      %scaled = arith.mulf %r, %r : !v
      %0 = vector.contract #maps %r, %r, %c : !v, !v into !v
      %1 = vector.contract #maps %r, %masked, %c : !v, !v into !v
      %2 = vector.contract #maps %r, %a, %c : !v, !v into !v
      %3 = vector.contract #maps %r, %other, %c : !v, !v into !v
      %4 = vector.contract #maps %scaled, %r, %c : !v, !v into !v
      return
    })",
                                       &context);
  ASSERT_TRUE(module);
  std::string found;
  module->walk([&](vector::ContractionOp op) {
    EXPECT_EQ(hasTF32Factors(op), hasMatrixInstructions(op));
    found += hasTF32Factors(op) ? "matrices " : "threads ";
  });
  EXPECT_EQ(found, "matrices matrices threads threads threads ");
}

TEST_F(ContractionPlanTest, OrderOfDimensions) {
  auto plain = planContraction(
      parse("vector<64x32xf16>", "vector<32x64xf16>", "vector<64x64xf32>"),
      kFourWarps);
  auto turned =
      planContraction(parse("vector<32x64xf16>", "vector<64x32xf16>",
                            "vector<64x64xf32>", "(k, m)", "(n, k)", "(n, m)"),
                      kFourWarps);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    auto reversed = [](llvm::SmallVector<uint32_t> at) {
      std::swap(at[0], at[1]);
      return at;
    };
    EXPECT_EQ(turned.lhs.apply({5, lane, 1, 0}),
              reversed(plain.lhs.apply({5, lane, 1, 0})));
    EXPECT_EQ(turned.rhs.apply({5, lane, 1, 0}),
              reversed(plain.rhs.apply({5, lane, 1, 0})));
    EXPECT_EQ(turned.acc.apply({5, lane, 1, 0}),
              reversed(plain.acc.apply({5, lane, 1, 0})));
  }
}

/// The number of the row or column at which a warp begins.
static llvm::SmallVector<uint32_t> getBegin(const LinearLayout &layout,
                                            uint32_t warp) {
  return layout.apply({0, 0, warp, 0});
}

TEST_F(ContractionPlanTest, WarpsHaveWholeRowsThatAreReduced) {
  auto op =
      parse("vector<64x64xbf16>", "vector<64x64xbf16>", "vector<64x64xf32>");
  ContractionContext context;
  context.reduced = {false, true};
  ContractionPlan rows = planContraction(op, kFourWarps, context);
  for (uint32_t warp = 0; warp < 4; ++warp)
    EXPECT_EQ(getBegin(rows.acc, warp),
              (llvm::SmallVector<uint32_t>{16 * warp, 0}));
  context.reduced = {true, false};
  ContractionPlan columns = planContraction(op, kFourWarps, context);
  EXPECT_EQ(getBegin(columns.acc, 3), (llvm::SmallVector<uint32_t>{0, 48}));
  // Along both, one of them stays in warps at best.
  context.reduced = {true, true};
  EXPECT_EQ(planContraction(op, kFourWarps, context).acc,
            planContraction(op, kFourWarps).acc);
  // The result has its dimensions in the reverse order.
  auto turned = parse("vector<64x64xbf16>", "vector<64x64xbf16>",
                      "vector<64x64xf32>", "(m, k)", "(k, n)", "(n, m)");
  context.reduced = {false, true};
  EXPECT_EQ(getBegin(planContraction(turned, kFourWarps, context).acc, 3),
            (llvm::SmallVector<uint32_t>{48, 0}));
}

TEST_F(ContractionPlanTest, FactorsStayInTheirThreads) {
  auto op =
      parse("vector<64x64xbf16>", "vector<64x64xbf16>", "vector<64x64xf32>");
  ContractionContext context;
  context.reduced = {false, true};
  // The result of a product is the left factor of the next one.
  ContractionContext next;
  next.lhs = planContraction(op, kFourWarps, context).acc;
  EXPECT_EQ(getBegin(planContraction(op, kFourWarps, next).acc, 3),
            (llvm::SmallVector<uint32_t>{48, 0}));
  next.lhs = planContraction(op, kFourWarps).acc;
  EXPECT_EQ(planContraction(op, kFourWarps, next).acc,
            planContraction(op, kFourWarps).acc);
}

TEST_F(ContractionPlanTest, SumsInAGivenLayout) {
  auto op =
      parse("vector<64x64xbf16>", "vector<64x64xbf16>", "vector<64x64xf32>");
  ContractionContext context;
  context.acc = makeFragmentLayouts(
                    {6, 6, 6}, 16, shareWarps({6, 6, 6}, 2, WarpOrder::Columns))
                    .c;
  EXPECT_EQ(planContraction(op, kFourWarps, context).acc, *context.acc);
  // No instruction leaves them so.
  LinearLayout other = makeCoalescedLayout({6, 6}, 1, kFourWarps);
  context.acc = other;
  EXPECT_EQ(planContraction(op, kFourWarps, context).acc,
            planContraction(op, kFourWarps).acc);
  // Threads that multiply and add can have any.
  auto exact =
      parse("vector<64x64xf32>", "vector<64x64xf32>", "vector<64x64xf32>");
  EXPECT_EQ(planContraction(exact, kFourWarps, context).acc, other);
}

TEST_F(ContractionPlanTest, WithoutInstructions) {
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<64x32xf32>", "vector<32x64xf32>", "vector<64x64xf32>")));
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<64x32xf16>", "vector<32x64xf16>", "vector<64x64xf16>")));
  // Extents: 48 rows, 8 of k, and 4 columns.
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<48x32xf16>", "vector<32x64xf16>", "vector<48x64xf32>")));
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<64x8xf16>", "vector<8x64xf16>", "vector<64x64xf32>")));
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<64x32xf16>", "vector<32x4xf16>", "vector<64x4xf32>")));
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<64x32xf16>", "vector<32x64xf16>", "vector<64x64xf32>",
            "(m, k)", "(k, n)", "(m, n)", "maxnumf")));
}

TEST_F(ContractionPlanTest, ByThreads) {
  auto op =
      parse("vector<64x16xf32>", "vector<16x32xf32>", "vector<64x32xf32>");
  ContractionPlan plan = planContraction(op, kFourWarps);
  EXPECT_FALSE(plan.matrices);
  EXPECT_TRUE(plan.lhs.isSurjective());
  EXPECT_TRUE(plan.rhs.isSurjective());
  EXPECT_TRUE(plan.acc.isSurjective());
  // Each sum's factors are the thread's own.
  for (uint32_t number = 0; number < 16; ++number) {
    auto at = plan.acc.apply({number, 0, 0, 0});
    for (uint32_t k = 0; k < 16; ++k) {
      EXPECT_TRUE(plan.lhs.findRegister({at[0], k}));
      EXPECT_TRUE(plan.rhs.findRegister({k, at[1]}));
    }
  }
}

/// Lanes read runs of rows, or neighbouring rows: never the same banks.
TEST_F(ContractionPlanTest, LanesOfSums) {
  auto getRow = [](ArrayRef<uint32_t> at) { return at[0]; };
  auto getColumn = [](ArrayRef<uint32_t> at) { return at[1]; };
  ContractionPlan plain = planContraction(
      parse("vector<64x32xf32>", "vector<32x128xf32>", "vector<64x128xf32>"),
      kFourWarps);
  // 64 sums of a thread, in runs of four columns.
  EXPECT_EQ(plain.acc.getNumBits(Place::Register), 6u);
  EXPECT_EQ(plain.acc.getContiguous(1), 4u);
  EXPECT_EQ(plain.acc.getContiguous(0), 1u);
  EXPECT_EQ(getColumn(plain.acc.apply({0, 7, 0, 0})), 28u);
  EXPECT_EQ(getRow(plain.acc.apply({0, 24, 0, 0})), 3u);
  // Each thread needs all of k, of its rows and columns.
  EXPECT_EQ(plain.lhs.getNumBits(Place::Register), 8u);
  EXPECT_EQ(plain.rhs.getNumBits(Place::Register), 8u);
  ContractionPlan turned =
      planContraction(parse("vector<64x32xf32>", "vector<128x32xf32>",
                            "vector<64x128xf32>", "(m, k)", "(n, k)"),
                      kFourWarps);
  EXPECT_EQ(turned.acc.getContiguous(1), 1u);
  EXPECT_EQ(getColumn(turned.acc.apply({0, 7, 0, 0})), 7u);
}

TEST_F(ContractionPlanTest, FactorsExtend) {
  EXPECT_EQ(explainContraction(
                parse("vector<4x4xi8>", "vector<4x4xi8>", "vector<4x4xi32>")),
            "");
  EXPECT_EQ(explainContraction(
                parse("vector<4x4xf64>", "vector<4x4xf64>", "vector<4x4xf32>")),
            "expected factors that extend to the sum's type 'f32', got 'f64'");
}

} // namespace
