//===- TileBanksTest.cpp - tests of TileBanks.h ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Analysis/Distribution/TileBanks.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Lanes in groups of four, which have two consecutive elements each. Each
/// group has a row of its own.
Swizzle chooseForGroups(VectorType tile) {
  LinearLayout layout(llvm::SmallVector<unsigned>{7, 6});
  layout.addBasis(Place::Register, {0, 1});
  for (uint32_t column : {2, 4})
    layout.addBasis(Place::Lane, {0, column});
  for (uint32_t row : {1, 2, 4})
    layout.addBasis(Place::Lane, {row, 0});
  return chooseTileSwizzle(tile, layout, /*run=*/2);
}

TEST(TileBanksTest, WidestSwizzleWithoutConflicts) {
  MLIRContext context;
  context.loadDialect<CarouselDialect>();
  auto tile = [&](unsigned bits) {
    return VectorType::get({128, 64}, IntegerType::get(&context, bits));
  };
  // Both b64 and b32 keep the lanes apart. With b32 a row is in two panels.
  EXPECT_EQ(chooseForGroups(tile(8)), Swizzle::B64);
  EXPECT_EQ(chooseForGroups(tile(16)), Swizzle::B128);
}

TEST(TileBanksTest, NoneWithoutNeed) {
  MLIRContext context;
  context.loadDialect<CarouselDialect>();
  auto tile = VectorType::get({128, 8}, IntegerType::get(&context, 8));
  EXPECT_EQ(chooseForGroups(tile), Swizzle::None);
}

} // namespace
