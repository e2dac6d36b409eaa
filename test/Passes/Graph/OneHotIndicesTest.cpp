//===- OneHotIndicesTest.cpp - where one-hot factors aren't zero ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Products/OneHotIndices.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A sum along loops 1 and 2 of 8 and 9 numbers, for each of 7 rows. %u and %v
/// are the numbers of the loops, %g and %h whether they are those of the row's
/// tables, and %a is an element of the table along the row and loop 1.
class OneHotIndicesTest : public testing::Test {
protected:
  OneHotIndicesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
  }

  /// Finds the one-hot indices of `%term`, which `body` computes.
  SmallVector<OneHotIndices>
  find(const std::string &body,
       utils::IteratorType kind = utils::IteratorType::reduction) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%e: tensor<7xi32>, %p: tensor<7xi32>,\n"
        "    %q: tensor<7x8xi32>, %w: tensor<7x8x9xf32>,\n"
        "    %to: tensor<7xf32>) -> tensor<7xf32> {\n"
        "  %zero = arith.constant 0.0 : f32\n"
        "  %one = arith.constant 1.0 : f32\n"
        "  %y = linalg.generic {indexing_maps = [\n"
        "      affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i)>,\n"
        "      affine_map<(i, j, k) -> (i, j)>,\n"
        "      affine_map<(i, j, k) -> (i, j, k)>,\n"
        "      affine_map<(i, j, k) -> (i)>],\n"
        "      iterator_types = [\"parallel\", \"reduction\", \"reduction\"]}\n"
        "      ins(%e, %p, %q, %w : tensor<7xi32>, tensor<7xi32>,\n"
        "      tensor<7x8xi32>, tensor<7x8x9xf32>)\n"
        "      outs(%to : tensor<7xf32>) {\n"
        "  ^bb0(%b: i32, %c: i32, %a: i32, %x: f32, %o: f32):\n"
        "    %i = linalg.index 1 : index\n"
        "    %j = linalg.index 2 : index\n"
        "    %u = arith.index_cast %i : index to i32\n"
        "    %v = arith.index_cast %j : index to i32\n"
        "    %g = arith.cmpi eq, %b, %u : i32\n"
        "    %h = arith.cmpi eq, %v, %c : i32\n"
        "    %m = arith.uitofp %g : i1 to f32\n"
        "    %n = arith.uitofp %h : i1 to f32\n" +
            body +
            "    %r = arith.addf %o, %term : f32\n"
            "    linalg.yield %r : f32\n"
            "  } -> tensor<7xf32>\n"
            "  return %y : tensor<7xf32>\n"
            "}\n",
        &context);
    linalg::GenericOp op;
    module->walk([&](linalg::GenericOp found) { op = found; });
    Value sum = op.getBody()->getTerminator()->getOperand(0);
    return findOneHotIndices(op, sum.getDefiningOp()->getOperand(1), kind);
  }

  static SmallVector<unsigned> getLoops(const OneHotIndices &point) {
    return llvm::map_to_vector(
        point, [](const OneHotIndex &place) { return place.loop; });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(OneHotIndicesTest, MultipliesFactors) {
  SmallVector<OneHotIndices> points =
      find("%z = arith.mulf %m, %n : f32\n%term = arith.mulf %z, %x : f32\n");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(getLoops(points[0]), SmallVector<unsigned>({1, 2}));
}

TEST_F(OneHotIndicesTest, AddsTerms) {
  // b == j and c == k, or the same in another place.
  SmallVector<OneHotIndices> points =
      find("%s = arith.cmpi eq, %c, %u : i32\n"
           "%t = arith.cmpi eq, %b, %v : i32\n"
           "%y = arith.andi %s, %t : i1\n"
           "%f = arith.uitofp %y : i1 to f32\n"
           "%z = arith.select %g, %n, %zero : f32\n"
           "%l = arith.addf %z, %f : f32\n"
           "%k = arith.cmpf une, %l, %zero : f32\n"
           "%term = arith.uitofp %k : i1 to f32\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(getLoops(points[0]), getLoops(points[1]));
}

TEST_F(OneHotIndicesTest, KeepsWhatAllPointsHave) {
  // The second one is a row of elements.
  SmallVector<OneHotIndices> points =
      find("%z = arith.mulf %m, %n : f32\n%term = arith.addf %z, %m : f32\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(getLoops(points[0]), SmallVector<unsigned>({1}));
  EXPECT_EQ(getLoops(points[1]), SmallVector<unsigned>({1}));
  EXPECT_TRUE(find("%term = arith.addf %m, %n : f32\n").empty());
}

TEST_F(OneHotIndicesTest, AllowsNumbersThatDifferInOtherLoops) {
  SmallVector<OneHotIndices> points =
      find("%s = arith.cmpi eq, %a, %v : i32\n"
           "%term = arith.uitofp %s : i1 to f32\n");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(getLoops(points[0]), SmallVector<unsigned>({2}));
  // It isn't the same in all iterations of its own loop.
  EXPECT_TRUE(find("%s = arith.cmpi eq, %a, %u : i32\n"
                   "%term = arith.uitofp %s : i1 to f32\n")
                  .empty());
}

TEST_F(OneHotIndicesTest, RefusesWhatDoesNotVanish) {
  EXPECT_TRUE(find("%term = arith.select %g, %zero, %one : f32\n").empty());
  EXPECT_TRUE(find("%term = arith.addf %m, %one : f32\n").empty());
  EXPECT_TRUE(find("%k = arith.cmpf oge, %m, %zero : f32\n"
                   "%term = arith.uitofp %k : i1 to f32\n")
                  .empty());
  EXPECT_TRUE(find("%term = math.exp %m : f32\n").empty());
  EXPECT_TRUE(find("%term = arith.divf %one, %m : f32\n").empty());
  EXPECT_TRUE(
      find("%term = arith.mulf %m, %x : f32\n", utils::IteratorType::parallel)
          .empty());
}

TEST_F(OneHotIndicesTest, LimitsPoints) {
  // (m + n)^4 would have 16.
  std::string body = "%z = arith.mulf %m, %n : f32\n"
                     "%s0 = arith.addf %z, %z : f32\n";
  for (unsigned number = 0; number != 3; ++number) {
    std::string at = std::to_string(number);
    std::string next = std::to_string(number + 1);
    body += "%s" + next + " = arith.mulf %s" + at + ", %s0 : f32\n";
  }
  body += "%term = arith.mulf %s3, %x : f32\n";
  SmallVector<OneHotIndices> points = find(body);
  EXPECT_FALSE(points.empty());
  EXPECT_LE(points.size(), 8u);
}

} // namespace
