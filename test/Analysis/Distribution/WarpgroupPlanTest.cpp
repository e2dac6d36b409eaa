//===- WarpgroupPlanTest.cpp - tests of products by wgmma -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ContractionPlan.h"

#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

constexpr ThreadBits kFourWarps{5, 2}, kEightWarps{5, 3};

class WarpgroupPlanTest : public ::testing::Test {
protected:
  WarpgroupPlanTest() {
    context.loadDialect<arith::ArithDialect, CarouselDialect, gpu::GPUDialect,
                        memref::MemRefDialect, NVVM::NVVMDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// A loop over k that multiplies tiles of `a` and `b`, whose vectors and maps
  /// are given. `between` may replace %at.
  vector::ContractionOp
  parse(const std::string &a, const std::string &b, const std::string &sums,
        const std::string &ofA = "(m, k)", const std::string &ofB = "(k, n)",
        const std::string &chip = "sm_90a",
        const std::string &pipeline = " {carousel.pipeline = "
                                      "#carousel.pipeline<>}",
        const std::string &between = "") {
    auto map = [](const std::string &results) {
      return "affine_map<(m, n, k) -> " + results + ">";
    };
    bool isFloat = sums.find("f32") != std::string::npos;
    std::string element = a.substr(a.rfind('x') + 1);
    element.pop_back();
    std::string matrix = "memref<?x?x" + element + ", #gl>";
    std::string zero = isFloat ? "0.0" : "0";
    std::string text = "#gl = #gpu.address_space<global>\n"
                       "gpu.module @m [#nvvm.target<chip = \"" +
                       chip + R"(", features = "+ptx88">] {
      gpu.func @k(%a: )" +
                       matrix + ", %b: " + matrix +
                       R"(, %n: index) kernel {
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %pad = arith.constant )" +
                       zero + " : " + element + R"(
        %zeros = arith.constant dense<)" +
                       zero + "> : " + sums + R"(
        %sum = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zeros)
            -> ()" + sums +
                       R"() {
          %at = vector.transfer_read %a[%c0, %k], %pad : )" +
                       matrix + ", " + a + R"(
          %bt = vector.transfer_read %b[%k, %c0], %pad : )" +
                       matrix + ", " + b + "\n" + between +
                       "%next = vector.contract {indexing_maps = [" + map(ofA) +
                       ", " + map(ofB) + ", " + map("(m, n)") +
                       "], iterator_types = [\"parallel\", \"parallel\", "
                       "\"reduction\"]} " +
                       (between.empty() ? "%at" : "%other") +
                       ", %bt, %s : " + a + ", " + b + " into " + sums +
                       "\nscf.yield %next : " + sums + "\n}" + pipeline +
                       "\ngpu.return\n}\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    vector::ContractionOp found;
    if (module)
      module->walk([&](vector::ContractionOp op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(WarpgroupPlanTest, TilesOfALoop) {
  auto op = parse("vector<256x64xbf16>", "vector<64x128xbf16>",
                  "vector<256x128xf32>");
  EXPECT_EQ(explainNoWarpgroups(op, kEightWarps), "");
  ContractionPlan plan = planContraction(op, kEightWarps);
  ASSERT_TRUE(plan.byWarpgroups);
  EXPECT_EQ(plan.instructionK, 16);
  WarpgroupShare share = getWarpgroupShare(op, plan);
  EXPECT_EQ(share.pieces, 2);
  EXPECT_EQ(share.columns, 128);
  // The second warpgroup begins at row 128.
  EXPECT_EQ(plan.acc.apply({0, 0, 4, 0}),
            (llvm::SmallVector<uint32_t>{128, 0}));
}

TEST_F(WarpgroupPlanTest, Columns) {
  auto op = parse("vector<64x64xf16>", "vector<256x64xf16>",
                  "vector<64x256xf32>", "(m, k)", "(n, k)");
  ContractionPlan plan = planContraction(op, kEightWarps);
  ASSERT_TRUE(plan.byWarpgroups);
  WarpgroupShare share = getWarpgroupShare(op, plan);
  EXPECT_EQ(share.pieces, 1);
  EXPECT_EQ(share.columns, 128);
}

TEST_F(WarpgroupPlanTest, Integers) {
  EXPECT_EQ(
      explainNoWarpgroups(parse("vector<128x64xi8>", "vector<128x64xi8>",
                                "vector<128x128xi32>", "(m, k)", "(n, k)"),
                          kFourWarps),
      "");
}

TEST_F(WarpgroupPlanTest, Floats8ArePromoted) {
  auto explain = [&](const std::string &a, const std::string &b,
                     const std::string &sums) {
    return explainNoWarpgroups(parse(a, b, sums, "(m, k)", "(n, k)"),
                               kEightWarps);
  };
  EXPECT_EQ(explain("vector<128x256xf8E4M3FN>", "vector<128x256xf8E4M3FN>",
                    "vector<128x128xf32>"),
            "");
  EXPECT_EQ(explain("vector<128x128xf8E4M3FN>", "vector<256x128xf8E4M3FN>",
                    "vector<128x256xf32>"),
            "a tile has 32768 sums, and there are registers for 16384 and "
            "those of 128 of k beside them");
  EXPECT_EQ(explain("vector<128x64xf8E4M3FN>", "vector<128x64xf8E4M3FN>",
                    "vector<128x128xf32>"),
            "a tile's k isn't a multiple of 128, after which sums become f32");
  // Where no warpgroup multiplies them, they are no factors of instructions.
  EXPECT_FALSE(hasMatrixInstructions(
      parse("vector<128x128xf8E5M2>", "vector<128x128xf8E5M2>",
            "vector<128x128xf32>", "(m, k)", "(n, k)", "sm_80")));
}

TEST_F(WarpgroupPlanTest, RowsAcrossKAreInRegisters) {
  // The second factor's 128 columns are the instruction's rows.
  auto op =
      parse("vector<64x64xi8>", "vector<64x128xi8>", "vector<64x128xi32>");
  ContractionPlan plan = planContraction(op, kFourWarps);
  ASSERT_TRUE(plan.byWarpgroups);
  EXPECT_TRUE(plan.form.isSwapped);
  EXPECT_TRUE(plan.form.hasRegisters);
  EXPECT_TRUE(plan.isTileOfWarpgroups(0));
  EXPECT_FALSE(plan.isTileOfWarpgroups(1));
  WarpgroupShare share = getWarpgroupShare(op, plan);
  EXPECT_EQ(share.pieces, 2);
  EXPECT_EQ(share.columns, 64);
  // A lane has sums of two rows in one column, and of eight columns further.
  EXPECT_EQ(plan.acc.apply({1, 0, 0, 0}), (llvm::SmallVector<uint32_t>{1, 0}));
  EXPECT_EQ(plan.acc.apply({2, 0, 0, 0}), (llvm::SmallVector<uint32_t>{0, 8}));
  EXPECT_EQ(plan.acc.apply({0, 4, 0, 0}), (llvm::SmallVector<uint32_t>{0, 1}));

  // Neither may have more than 256 of the other side's elements.
  std::string reason;
  EXPECT_FALSE(findWarpgroupForm(
      parse("vector<512x64xi8>", "vector<64x64xi8>", "vector<512x64xi32>"),
      kFourWarps, reason));
  EXPECT_EQ(reason, "rows of the second factor aren't along k");
}

TEST_F(WarpgroupPlanTest, FewRowsAreColumnsOfInstructions) {
  auto op =
      parse("vector<32x64xbf16>", "vector<64x128xbf16>", "vector<32x128xf32>");
  ContractionPlan plan = planContraction(op, kFourWarps);
  ASSERT_TRUE(plan.byWarpgroups);
  EXPECT_TRUE(plan.form.isSwapped);
  EXPECT_FALSE(plan.form.hasRegisters);
  WarpgroupShare share = getWarpgroupShare(op, plan);
  EXPECT_EQ(share.pieces, 2);
  EXPECT_EQ(share.columns, 32);
}

TEST_F(WarpgroupPlanTest, ComputedFactor) {
  auto op = parse("vector<128x64xbf16>", "vector<64x128xbf16>",
                  "vector<128x128xf32>", "(m, k)", "(k, n)", "sm_90a",
                  " {carousel.pipeline = #carousel.pipeline<>}",
                  "%other = arith.addf %at, %at : vector<128x64xbf16>\n");
  ContractionPlan plan = planContraction(op, kFourWarps);
  ASSERT_TRUE(plan.byWarpgroups);
  EXPECT_FALSE(plan.form.isSwapped);
  EXPECT_TRUE(plan.form.hasRegisters);
  EXPECT_FALSE(plan.isTileOfWarpgroups(0));
  EXPECT_TRUE(plan.isTileOfWarpgroups(1));
  // Where threads have the factor in that layout already, and elsewhere.
  ContractionContext context;
  context.lhs = plan.lhs;
  EXPECT_TRUE(planContraction(op, kFourWarps, context).byWarpgroups);
  context.lhs = makeFragmentLayouts({7, 7, 6}, 16, shareWarps({7, 7, 6}, 2)).a;
  EXPECT_FALSE(planContraction(op, kFourWarps, context).byWarpgroups);
}

TEST_F(WarpgroupPlanTest, Reasons) {
  const char *a = "vector<128x64xbf16>", *b = "vector<64x128xbf16>",
             *sums = "vector<128x128xf32>";
  auto explain = [&](vector::ContractionOp op,
                     ThreadBits threads = kFourWarps) {
    std::string reason = explainNoWarpgroups(op, threads);
    EXPECT_FALSE(planContraction(op, threads).byWarpgroups);
    return reason;
  };
  EXPECT_EQ(explain(parse(a, b, sums, "(m, k)", "(k, n)", "sm_80")),
            "needs sm_90a and PTX 8.0, the target is sm_80 with PTX 8.8");
  EXPECT_EQ(explain(parse(a, b, sums), {5, 1}),
            "the block has no whole warpgroup");
  EXPECT_EQ(explain(parse("vector<32x64xbf16>", "vector<64x32xbf16>",
                          "vector<32x32xf32>")),
            "the sums have 32 rows, and an instruction 64");
  EXPECT_EQ(explain(parse("vector<512x64xbf16>", "vector<64x512xbf16>",
                          "vector<512x512xf32>")),
            "the sums have 512 columns, and an instruction at most 256");
  EXPECT_EQ(explain(parse("vector<128x64xf32>", "vector<64x128xf32>", sums)),
            "it would read factors without rounding them");
  EXPECT_EQ(explain(parse("vector<128x64xi16>", "vector<64x128xi16>",
                          "vector<128x128xi32>")),
            "warpgroups multiply f16, bf16, tf32, i8, f8E4M3FN and f8E5M2, got "
            "i16");
  const char *kNoTile =
      "the second factor isn't a tile that a pipelined loop reads for products "
      "alone";
  EXPECT_EQ(explain(parse(a, b, sums, "(m, k)", "(k, n)", "sm_90a",
                          /*pipeline=*/"")),
            kNoTile);
}

TEST_F(WarpgroupPlanTest, KnownLayouts) {
  auto op = parse("vector<128x64xbf16>", "vector<64x128xbf16>",
                  "vector<128x128xf32>");
  ContractionContext context;
  // Warps that share the sums in squares don't suit, and what another product
  // of warpgroups leaves does.
  context.acc = makeFragmentLayouts({7, 7, 6}, 16, shareWarps({7, 7, 6}, 2)).c;
  EXPECT_FALSE(planContraction(op, kFourWarps, context).byWarpgroups);
  context.acc =
      makeFragmentLayouts({7, 7, 6}, 16, shareWarpgroups({7, 7, 6}, 2)).c;
  EXPECT_TRUE(planContraction(op, kFourWarps, context).byWarpgroups);
}

} // namespace
