//===- MatrixLayoutsTest.cpp - products as a library has them -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch/LibrarySteps.h"

#include "gtest/gtest.h"

using namespace carousel::runtime;

namespace {

ProductLayout plan(const MatrixView &lhs, const MatrixView &rhs,
                   const MatrixView &target) {
  ProductLayout layout;
  std::string reason;
  EXPECT_TRUE(layout.set(lhs, rhs, target, reason)) << reason;
  return layout;
}

TEST(MatrixLayouts, RowsAreColumnsOfTheTranspose) {
  ProductLayout layout =
      plan({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}});
  EXPECT_TRUE(layout.isSwapped);
  EXPECT_EQ(layout.a, (MatrixLayout{3, 7, 3, false, 0}));
  EXPECT_EQ(layout.b, (MatrixLayout{7, 5, 7, false, 0}));
  EXPECT_EQ(layout.d, (MatrixLayout{3, 5, 3, false, 0}));
  EXPECT_EQ(layout.batches, 1);
}

TEST(MatrixLayouts, TransposedFactorsAndPadding) {
  ProductLayout layout =
      plan({{5, 7}, {1, 8}}, {{7, 3}, {1, 9}}, {{5, 3}, {4, 1}});
  EXPECT_EQ(layout.a, (MatrixLayout{7, 3, 9, true, 0}));
  EXPECT_EQ(layout.b, (MatrixLayout{5, 7, 8, true, 0}));
  EXPECT_EQ(layout.d, (MatrixLayout{3, 5, 4, false, 0}));
}

TEST(MatrixLayouts, ResultsOfColumns) {
  ProductLayout layout =
      plan({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {1, 5}});
  EXPECT_FALSE(layout.isSwapped);
  EXPECT_EQ(layout.a, (MatrixLayout{7, 5, 7, true, 0}));
  EXPECT_EQ(layout.b, (MatrixLayout{3, 7, 3, true, 0}));
  EXPECT_EQ(layout.d, (MatrixLayout{5, 3, 5, false, 0}));
}

TEST(MatrixLayouts, TheLongestBatchIsTheLibrarys) {
  // Heads between rows, and a factor that batches share.
  ProductLayout layout =
      plan({{2, 12, 5, 7}, {420, 7, 84, 1}}, {{2, 12, 7, 3}, {0, 21, 3, 1}},
           {{2, 12, 5, 3}, {180, 15, 3, 1}});
  EXPECT_EQ(layout.batches, 12);
  EXPECT_EQ(layout.a.batchStride, 21);
  EXPECT_EQ(layout.b.batchStride, 7);
  EXPECT_EQ(layout.d.batchStride, 15);
  ASSERT_EQ(layout.loops.size(), 1u);
  EXPECT_EQ(layout.loops[0].extent, 2);
  EXPECT_EQ(layout.loops[0].strides, (std::array<int64_t, 4>{420, 0, 180, 0}));
}

TEST(MatrixLayouts, DimensionsOfOneElementHaveAnyStride) {
  // A row times a matrix: of both rows, the elements are neighbours.
  ProductLayout layout = plan({{1, 1, 7}, {9, 999, 1}}, {{1, 7, 3}, {5, 3, 1}},
                              {{1, 1, 3}, {7, 555, 1}});
  EXPECT_EQ(layout.batches, 1);
  EXPECT_TRUE(layout.loops.empty());
  EXPECT_EQ(layout.d, (MatrixLayout{3, 1, 3, false, 0}));
  EXPECT_EQ(layout.b, (MatrixLayout{7, 1, 7, false, 0}));
  // A column with a stride is a row of columns.
  layout = plan({{5, 1}, {6, 99}}, {{1, 3}, {99, 1}}, {{5, 3}, {3, 1}});
  EXPECT_EQ(layout.b, (MatrixLayout{1, 5, 6, false, 0}));
}

/// An added tensor goes along rows, so the result is that of the transpose even
/// where its columns are neighbours, too.
TEST(MatrixLayouts, AddedAlongRows) {
  ProductLayout layout;
  std::string reason;
  AddedViews added;
  added.hasBias = true;
  ASSERT_TRUE(layout.set({{5, 7}, {7, 1}}, {{7, 1}, {1, 1}}, {{5, 1}, {1, 1}},
                         reason, added))
      << reason;
  EXPECT_TRUE(layout.isSwapped);
  EXPECT_EQ(layout.d, (MatrixLayout{1, 5, 1, false, 0}));
  added.residual = {{2, 4, 5, 3}, {72, 18, 3, 1}};
  layout = {};
  ASSERT_TRUE(layout.set({{2, 4, 5, 7}, {140, 35, 7, 1}},
                         {{2, 4, 7, 3}, {0, 0, 3, 1}},
                         {{2, 4, 5, 3}, {80, 20, 4, 1}}, reason, added))
      << reason;
  EXPECT_EQ(layout.c, (MatrixLayout{3, 5, 3, false, 18}));
  ASSERT_EQ(layout.loops.size(), 1u);
  EXPECT_EQ(layout.loops[0].strides, (std::array<int64_t, 4>{140, 0, 80, 72}));
}

TEST(MatrixLayouts, RefusesAddedColumns) {
  ProductLayout layout;
  std::string reason;
  AddedViews added;
  added.hasBias = true;
  EXPECT_FALSE(layout.set({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {1, 5}},
                          reason, added));
  EXPECT_EQ(reason, "expected a target and a residual with the stride 1 along "
                    "n and one along m that isn't less than n, got the strides "
                    "1,5");
  added.residual = {{5, 3}, {0, 1}};
  EXPECT_FALSE(layout.set({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}},
                          reason, added));
  EXPECT_EQ(reason, "expected a target and a residual with the stride 1 along "
                    "n and one along m that isn't less than n, got the strides "
                    "3,1 and 0,1");
  added.residual = {{3, 5}, {5, 1}};
  EXPECT_FALSE(layout.set({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}},
                          reason, added));
  EXPECT_EQ(reason, "expected a residual of 5x3, got 3x5");
}

TEST(MatrixLayouts, Refuses) {
  ProductLayout layout;
  std::string reason;
  EXPECT_FALSE(layout.set({{5, 7}, {14, 2}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}},
                          reason));
  EXPECT_EQ(reason, "expected matrices with a dimension of stride 1, whose "
                    "other stride isn't less than their extent, got the "
                    "strides 14,2, 3,1 and 3,1");
  // Rows that overlap.
  EXPECT_FALSE(
      layout.set({{5, 7}, {2, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}}, reason));
  EXPECT_FALSE(
      layout.set({{5, 7}, {7, 1}}, {{8, 3}, {3, 1}}, {{5, 3}, {3, 1}}, reason));
  EXPECT_EQ(reason, "expected factors and a product of (batches, m, k), "
                    "(batches, k, n) and (batches, m, n), got 5x7, 8x3 and "
                    "5x3");
  EXPECT_FALSE(layout.set({{2, 5, 7}, {35, 7, 1}}, {{3, 7, 3}, {21, 3, 1}},
                          {{2, 5, 3}, {15, 3, 1}}, reason));
}

} // namespace
