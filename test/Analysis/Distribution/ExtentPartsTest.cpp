//===- ExtentPartsTest.cpp - tests of ExtentParts.h -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ExtentParts.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace carousel;

using Parts = SmallVector<SmallVector<int64_t>>;

namespace {

class ExtentPartsTest : public ::testing::Test {
protected:
  ExtentPartsTest() {
    context.loadDialect<arith::ArithDialect, CarouselDialect, gpu::GPUDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// A kernel with a product of 64 x 16 by 16 x 96; `body` follows it.
  ExtentParts plan(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
          affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
      gpu.module @m {
        gpu.func @k(%x: vector<64x16xbf16>, %w: vector<16x96xbf16>,
            %o: vector<64x96xf32>, %c: i1) kernel attributes {
            carousel.block_program = #carousel.block_program<>} {
          %s = vector.contract #product %x, %w, %o : vector<64x16xbf16>,
              vector<16x96xbf16> into vector<64x96xf32>
)" + body + "\ngpu.return\n}\n}",
                                         &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    return ExtentParts(kernel);
  }

  Value find(StringRef name) {
    Value found;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        found = op->getResult(0);
    });
    return found;
  }

  std::string print(const ExtentParts &parts) {
    std::string text;
    llvm::raw_string_ostream os(text);
    parts.print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ExtentPartsTest, PowersOfTwo) {
  EXPECT_EQ(getPartsOfExtent(96), SmallVector<int64_t>({64, 32}));
  EXPECT_EQ(getPartsOfExtent(64), SmallVector<int64_t>({64}));
  EXPECT_EQ(getPartsOfExtent(112), SmallVector<int64_t>({64, 32, 16}));
  std::mt19937 random(1);
  for (int turn = 0; turn < 100; ++turn) {
    int64_t extent = 1 + random() % 4096, before = 8192, sum = 0;
    for (int64_t part : getPartsOfExtent(extent)) {
      EXPECT_TRUE(llvm::isPowerOf2_64(part));
      EXPECT_LT(part, before);
      before = part;
      sum += part;
    }
    EXPECT_EQ(sum, extent);
  }
}

TEST_F(ExtentPartsTest, FollowsOps) {
  ExtentParts parts = plan(R"(
    %t = vector.transpose %s, [1, 0] : vector<64x96xf32> to vector<96x64xf32>
    %b = scf.if %c -> (vector<96x64xf32>) {
      %a = arith.addf %t, %t : vector<96x64xf32>
      scf.yield %a : vector<96x64xf32>
    } else {
      scf.yield %t : vector<96x64xf32>
    })");
  EXPECT_EQ(print(parts), "96: 64 + 32\n");
  EXPECT_EQ(parts.getParts(find("vector.contract")), Parts({{64}, {64, 32}}));
  EXPECT_EQ(parts.getParts(find("scf.if")), Parts({{64, 32}, {64}}));
  EXPECT_TRUE(parts.isDivided(find("arith.addf")));
}

TEST_F(ExtentPartsTest, OtherDimensionsOfTheSameExtent) {
  ExtentParts parts = plan(R"(
    %v = arith.constant dense<0.0> : vector<96xf32>
    %w2 = arith.negf %v : vector<96xf32>)");
  EXPECT_EQ(parts.getParts(find("arith.constant")), Parts({{96}}));
}

TEST_F(ExtentPartsTest, Refusals) {
  for (const char *body : {
           "%a, %b = vector.deinterleave %s : vector<64x96xf32> -> "
           "vector<64x48xf32>",
           "%a = vector.shape_cast %s : vector<64x96xf32> to vector<6144xf32>",
           "%a = arith.addf %s, %s {carousel.layout = #carousel.layout<>} : "
           "vector<64x96xf32>",
       }) {
    ExtentParts parts = plan(body);
    ASSERT_EQ(parts.getProducts().size(), 1u) << body;
    EXPECT_NE(parts.getProducts().front().refusal, "") << body;
    EXPECT_FALSE(parts.isDivided(find("vector.contract"))) << body;
  }
}

} // namespace
