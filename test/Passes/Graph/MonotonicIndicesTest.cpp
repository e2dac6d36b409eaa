//===- MonotonicIndicesTest.cpp - tables that never descend ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../passes/Graph/Grouped/MonotonicIndices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// %count is how many of 8 ends satisfy a comparison with each of 200 rows, and
/// a table follows from it, and from one of numbers, row by row.
class MonotonicIndicesTest : public testing::Test {
protected:
  MonotonicIndicesTest() {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        tensor::TensorDialect>();
  }

  bool isMonotonicAlong(const std::string &body,
                        const std::string &compare = "sle",
                        const std::string &fill = "%none") {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @f(%ends: tensor<8xi32>, %given: tensor<200xi32>)\n"
        "    -> tensor<200xi32> {\n"
        "  %none = arith.constant 0 : i32\n"
        "  %some = arith.constant -9 : i32\n"
        "  %zero = arith.constant 0 : index\n"
        "  %seven = arith.constant 7 : index\n"
        "  %e = tensor.empty() : tensor<200xi32>\n"
        "  %z = linalg.fill ins(" +
            fill +
            " : i32) outs(%e : tensor<200xi32>)\n"
            "      -> tensor<200xi32>\n"
            "  %count = linalg.generic {indexing_maps = [\n"
            "      affine_map<(m, e) -> (e)>, affine_map<(m, e) -> (m)>],\n"
            "      iterator_types = [\"parallel\", \"reduction\"]}\n"
            "      ins(%ends : tensor<8xi32>) outs(%z : tensor<200xi32>) {\n"
            "  ^bb0(%end: i32, %o: i32):\n"
            "    %0 = linalg.index 0 : index\n"
            "    %1 = arith.index_cast %0 : index to i32\n"
            "    %2 = arith.cmpi " +
            compare +
            ", %end, %1 : i32\n"
            "    %3 = arith.extui %2 : i1 to i32\n"
            "    %4 = arith.addi %o, %3 : i32\n"
            "    linalg.yield %4 : i32\n"
            "  } -> tensor<200xi32>\n"
            "  %table = linalg.generic {indexing_maps = [\n"
            "      affine_map<(m) -> (m)>, affine_map<(m) -> (m)>,\n"
            "      affine_map<(m) -> (m)>],\n"
            "      iterator_types = [\"parallel\"]}\n"
            "      ins(%count, %given : tensor<200xi32>, tensor<200xi32>)\n"
            "      outs(%e : tensor<200xi32>) {\n"
            "  ^bb0(%c: i32, %g: i32, %o: i32):\n"
            "    %m = linalg.index 0 : index\n"
            "    %i = arith.index_cast %c : i32 to index\n" +
            body +
            "    %r = arith.index_cast %x : index to i32\n"
            "    linalg.yield %r : i32\n"
            "  } -> tensor<200xi32>\n"
            "  return %table : tensor<200xi32>\n"
            "}\n",
        &context);
    EXPECT_TRUE(module);
    auto func = cast<func::FuncOp>(module->getBody()->front());
    return isMonotonic(func.getBody().front().getTerminator()->getOperand(0));
  }

  /// Whether counts of 8 ends ascend that are integers of a type.
  bool isMonotonicAs(const std::string &type) {
    const std::string counts = "tensor<200x" + type + ">";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @f(%ends: tensor<8xi32>) -> " + counts +
            " {\n"
            "  %none = arith.constant 0 : " +
            type + "\n  %e = tensor.empty() : " + counts +
            "\n  %z = linalg.fill ins(%none : " + type +
            ") outs(%e : " + counts + ") -> " + counts +
            "\n  %count = linalg.generic {indexing_maps = [\n"
            "      affine_map<(m, e) -> (e)>, affine_map<(m, e) -> (m)>],\n"
            "      iterator_types = [\"parallel\", \"reduction\"]}\n"
            "      ins(%ends : tensor<8xi32>) outs(%z : " +
            counts +
            ") {\n"
            "  ^bb0(%end: i32, %o: " +
            type +
            "):\n"
            "    %0 = linalg.index 0 : index\n"
            "    %1 = arith.index_cast %0 : index to i32\n"
            "    %2 = arith.cmpi sle, %end, %1 : i32\n"
            "    %3 = arith.extui %2 : i1 to " +
            type + "\n    %4 = arith.addi %o, %3 : " + type +
            "\n    linalg.yield %4 : " + type + "\n  } -> " + counts +
            "\n  return %count : " + counts +
            "\n"
            "}\n",
        &context);
    EXPECT_TRUE(module);
    auto func = cast<func::FuncOp>(module->getBody()->front());
    return isMonotonic(func.getBody().front().getTerminator()->getOperand(0));
  }

  const std::string clamped = "%n = arith.minsi %i, %seven : index\n";
  const std::string wrapped = "%l = arith.addi %n, %seven : index\n"
                              "%b = arith.cmpi slt, %n, %zero : index\n";

  MLIRContext context;
};

} // namespace

TEST_F(MonotonicIndicesTest, CountsOfWhatIsBeforeARowAscend) {
  EXPECT_TRUE(
      isMonotonicAlong(clamped + "%x = arith.maxsi %n, %zero : index\n"));
  EXPECT_TRUE(isMonotonicAlong(clamped + "%x = arith.maxsi %n, %zero : index\n",
                               "slt"));
}

TEST_F(MonotonicIndicesTest, CountsOfWhatIsBehindARowDont) {
  EXPECT_FALSE(isMonotonicAlong(
      clamped + "%x = arith.maxsi %n, %zero : index\n", "sgt"));
  EXPECT_FALSE(
      isMonotonicAlong(clamped + "%x = arith.maxsi %n, %zero : index\n", "eq"));
  // Unsigned, the number of a row may be before those that are negative.
  EXPECT_FALSE(isMonotonicAlong(
      clamped + "%x = arith.maxsi %n, %zero : index\n", "ule"));
}

TEST_F(MonotonicIndicesTest, NumbersOfATableMayDescend) {
  EXPECT_FALSE(isMonotonicAlong("%x = arith.index_cast %g : i32 to index\n"));
  EXPECT_FALSE(isMonotonicAlong("%n = arith.index_cast %g : i32 to index\n"
                                "%x = arith.minsi %n, %i : index\n"));
}

TEST_F(MonotonicIndicesTest, RowsAndWhatIsReadAtThemAscend) {
  EXPECT_TRUE(isMonotonicAlong("%x = arith.maxsi %m, %i : index\n"));
  EXPECT_TRUE(
      isMonotonicAlong("%a = arith.minsi %m, %seven : index\n"
                       "%v = tensor.extract %count[%a] : tensor<200xi32>\n"
                       "%x = arith.index_cast %v : i32 to index\n"));
  EXPECT_FALSE(
      isMonotonicAlong("%a = arith.subi %seven, %m : index\n"
                       "%v = tensor.extract %count[%a] : tensor<200xi32>\n"
                       "%x = arith.index_cast %v : i32 to index\n"));
}

TEST_F(MonotonicIndicesTest, CastsKeepNumbersThatFit) {
  auto isMonotonicCast = [&](const std::string &number,
                             const std::string &type) {
    return isMonotonicAlong("%y = arith.index_cast " + number + " : index to " +
                            type + "\n%x = arith.index_cast %y : " + type +
                            " to index\n");
  };
  EXPECT_TRUE(isMonotonicCast("%m", "i32"));
  // 200 rows have numbers up to 199.
  EXPECT_TRUE(isMonotonicCast("%m", "i9"));
  EXPECT_FALSE(isMonotonicCast("%m", "i8"));
  // A count of 8 ends is up to 8.
  EXPECT_TRUE(isMonotonicCast("%i", "i5"));
  EXPECT_FALSE(isMonotonicCast("%i", "i4"));
}

TEST_F(MonotonicIndicesTest, IntegersOfOtherWidthsKeepNumbersThatFit) {
  auto isMonotonicCut = [&](const std::string &number,
                            const std::string &type) {
    return isMonotonicAlong(
        "%w = arith.index_cast " + number +
        " : index to i64\n%y = arith.trunci %w : i64 to " + type +
        "\n%v = arith.extsi %y : " + type +
        " to i64\n%x = arith.index_cast %v : i64 to index\n");
  };
  EXPECT_TRUE(isMonotonicCut("%m", "i32"));
  EXPECT_TRUE(isMonotonicCut("%m", "i9"));
  EXPECT_FALSE(isMonotonicCut("%m", "i8"));
  EXPECT_TRUE(isMonotonicCut("%i", "i5"));
  EXPECT_FALSE(isMonotonicCut("%i", "i4"));
  EXPECT_FALSE(isMonotonicAlong("%b = arith.cmpi sle, %seven, %m : index\n"
                                "%y = arith.extsi %b : i1 to i32\n"
                                "%x = arith.index_cast %y : i32 to index\n"));
  EXPECT_TRUE(isMonotonicAs("i64"));
}

TEST_F(MonotonicIndicesTest, TruthIsMinusOneAsAnIndex) {
  const std::string below = "%b = arith.cmpi sle, %seven, %m : index\n";
  EXPECT_TRUE(isMonotonicAlong(below +
                               "%y = arith.extui %b : i1 to i32\n"
                               "%x = arith.index_cast %y : i32 to index\n"));
  EXPECT_FALSE(
      isMonotonicAlong(below + "%x = arith.index_cast %b : i1 to index\n"));
  EXPECT_FALSE(isMonotonicAlong(below +
                                "%false = arith.constant false\n"
                                "%d = arith.cmpi sle, %false, %b : i1\n"
                                "%y = arith.extui %d : i1 to i32\n"
                                "%x = arith.index_cast %y : i32 to index\n"));
}

TEST_F(MonotonicIndicesTest, CountsThatWrapMayDescend) {
  EXPECT_TRUE(isMonotonicAs("i32"));
  EXPECT_TRUE(isMonotonicAs("i5"));
  EXPECT_FALSE(isMonotonicAs("i4"));
}

TEST_F(MonotonicIndicesTest, NumbersFromTheEndAreOfWhatMayBeNegative) {
  const std::string choose = "%x = arith.select %b, %l, %n : index\n";
  auto choosesCut = [&](const std::string &number) {
    return isMonotonicAlong(
        "%u = arith.index_cast " + number +
        " : index to i64\n%t = arith.trunci %u : i64 to i32\n"
        "%n = arith.index_cast %t : i32 to index\n" +
        wrapped + choose);
  };
  EXPECT_TRUE(choosesCut("%m"));
  // A number of at least 2^31 is negative in 32 bits: numbers from the end
  // follow.
  auto choosesFromEnd = [&](const std::string &least) {
    return isMonotonicAlong("%p = arith.constant " + least +
                            " : index\n%q = arith.maxsi %i, %p : index\n"
                            "%t = arith.index_cast %q : index to i32\n"
                            "%n = arith.index_cast %t : i32 to index\n"
                            "%b = arith.cmpi slt, %n, %zero : index\n"
                            "%l = arith.subi %seven, %m : index\n" +
                            choose);
  };
  EXPECT_TRUE(choosesFromEnd("2147483647"));
  EXPECT_FALSE(choosesFromEnd("2147483648"));
  EXPECT_TRUE(isMonotonicAlong(clamped + wrapped + choose));
  EXPECT_FALSE(isMonotonicAlong(clamped + wrapped + choose, "sle", "%some"));
  EXPECT_FALSE(isMonotonicAlong("%n = arith.index_cast %g : i32 to index\n" +
                                wrapped + choose));
}

TEST_F(MonotonicIndicesTest, PartsOfANumberAreTheNumber) {
  const std::string parts = "%q = arith.divui %n, %seven : index\n"
                            "%p = arith.muli %q, %seven : index\n";
  EXPECT_TRUE(isMonotonicAlong(clamped + parts +
                               "%s = arith.remui %n, %seven : index\n"
                               "%x = arith.addi %p, %s : index\n"));
  EXPECT_FALSE(isMonotonicAlong(clamped + parts +
                                "%s = arith.remui %m, %seven : index\n"
                                "%x = arith.addi %p, %s : index\n"));
}

TEST_F(MonotonicIndicesTest, MatricesOfCountsAscendRowByRow) {
  auto isMonotonicAt = [&](const std::string &place, int64_t columns) {
    const std::string shape = "tensor<" + std::to_string(200 / columns) + "x" +
                              std::to_string(columns) + "xi32>";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @f(%ends: tensor<8xi32>) -> tensor<200xi32> {\n"
        "  %none = arith.constant 0 : i32\n"
        "  %two = arith.constant 2 : index\n"
        "  %e = tensor.empty() : " +
            shape + "\n  %z = linalg.fill ins(%none : i32) outs(%e : " + shape +
            ") -> " + shape +
            "\n  %count = linalg.generic {indexing_maps = [\n"
            "      affine_map<(i, j, e) -> (e)>,\n"
            "      affine_map<(i, j, e) -> (i, j)>], iterator_types =\n"
            "      [\"parallel\", \"parallel\", \"reduction\"]}\n"
            "      ins(%ends : tensor<8xi32>) outs(%z : " +
            shape +
            ") {\n"
            "  ^bb0(%end: i32, %o: i32):\n"
            "    %i = linalg.index 0 : index\n"
            "    %j = linalg.index 1 : index\n"
            "    %0 = affine.apply " +
            place +
            "(%i, %j)\n"
            "    %1 = arith.index_cast %0 : index to i32\n"
            "    %2 = arith.cmpi sle, %end, %1 : i32\n"
            "    %3 = arith.extui %2 : i1 to i32\n"
            "    %4 = arith.addi %o, %3 : i32\n"
            "    linalg.yield %4 : i32\n"
            "  } -> " +
            shape +
            "\n  %t = tensor.empty() : tensor<200xi32>\n"
            "  %table = linalg.generic {indexing_maps = [\n"
            "      affine_map<(m) -> (m)>], iterator_types = [\"parallel\"]}\n"
            "      outs(%t : tensor<200xi32>) {\n"
            "  ^bb0(%o: i32):\n"
            "    %m = linalg.index 0 : index\n"
            "    %q = arith.divui %m, %two : index\n"
            "    %r = arith.remui %m, %two : index\n"
            "    %n = tensor.extract %count[%q, %r] : " +
            shape +
            "\n    linalg.yield %n : i32\n"
            "  } -> tensor<200xi32>\n"
            "  return %table : tensor<200xi32>\n"
            "}\n",
        &context);
    EXPECT_TRUE(module);
    auto func = cast<func::FuncOp>(module->getBody()->front());
    return isMonotonic(func.getBody().front().getTerminator()->getOperand(0));
  };
  EXPECT_TRUE(isMonotonicAt("affine_map<(i, j) -> (i * 2 + j)>", 2));
  EXPECT_FALSE(isMonotonicAt("affine_map<(i, j) -> (i + j)>", 2));
  EXPECT_FALSE(isMonotonicAt("affine_map<(i, j) -> (j * 100 + i)>", 2));
  // Other rows are read than there are.
  EXPECT_FALSE(isMonotonicAt("affine_map<(i, j) -> (i * 4 + j)>", 4));
}
