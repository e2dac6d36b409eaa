//===- WorkspacePlanTest.cpp - places of a program's buffers --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Programs/WorkspacePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace carousel;

namespace {

GroupedBuffer makeBuffer(int64_t bytes, int64_t first, int64_t last) {
  GroupedBuffer buffer;
  buffer.bytes = bytes;
  buffer.lives = {first, last};
  return buffer;
}

/// Whether no two buffers that live together share bytes, and all end inside,
/// for the product of dynamic extents.
void expectApart(llvm::ArrayRef<GroupedBuffer> buffers, ArenaUnits units,
                 int64_t product) {
  int64_t unit = llvm::alignTo(units.bytes * product, kWorkspaceAlignment);
  for (const GroupedBuffer &buffer : buffers) {
    int64_t begin = buffer.offset * unit;
    int64_t end = begin + buffer.bytes * product;
    EXPECT_LE(end, units.count * unit);
    EXPECT_EQ(begin % kWorkspaceAlignment, 0);
    for (const GroupedBuffer &other : buffers) {
      int64_t from = other.offset * unit;
      if (&other != &buffer && buffer.lives.overlaps(other.lives))
        EXPECT_TRUE(end <= from || from + other.bytes * product <= begin);
    }
  }
}

TEST(WorkspacePlan, NothingHasNoUnits) {
  EXPECT_EQ(placeInUnits({}, /*isStatic=*/false).count, 0);
  GroupedBuffer empty = makeBuffer(0, 0, 1);
  EXPECT_EQ(placeInUnits(empty, /*isStatic=*/false).count, 0);
  EXPECT_EQ(placeInUnits(empty, /*isStatic=*/true).count, 0);
}

TEST(WorkspacePlan, AChainNeedsTwoPlaces) {
  GroupedBuffer buffers[] = {makeBuffer(256, 0, 2), makeBuffer(256, 1, 4),
                             makeBuffer(256, 3, 6), makeBuffer(256, 5, 8)};
  ArenaUnits units = placeInUnits(buffers, /*isStatic=*/false);
  EXPECT_EQ(units.bytes, 256);
  EXPECT_EQ(units.count, 2);
  EXPECT_EQ(units.mostLive, 2);
  EXPECT_EQ(buffers[0].offset, buffers[2].offset);
  EXPECT_EQ(buffers[1].offset, buffers[3].offset);
}

TEST(WorkspacePlan, StaticBuffersAreRoundedUpToTheAlignment) {
  GroupedBuffer buffers[] = {makeBuffer(4, 0, 2), makeBuffer(1200, 0, 2)};
  ArenaUnits units = placeInUnits(buffers, /*isStatic=*/true);
  EXPECT_EQ(units.bytes, kWorkspaceAlignment);
  EXPECT_EQ(units.count, 1 + 5);
}

TEST(WorkspacePlan, BuffersHaveFewUnits) {
  // The greatest common divisor is 4, and a buffer would have 1001 units.
  GroupedBuffer buffers[] = {makeBuffer(4004, 0, 2), makeBuffer(400, 0, 2)};
  ArenaUnits units = placeInUnits(buffers, /*isStatic=*/false);
  EXPECT_EQ(units.count, 16 + 2);
  expectApart(buffers, units, 1);
  expectApart(buffers, units, 67);
}

TEST(WorkspacePlan, NothingMoreThanWhatLivesAtATime) {
  GroupedBuffer buffers[] = {makeBuffer(1024, 0, 2), makeBuffer(256, 1, 4),
                             makeBuffer(1024, 3, 6), makeBuffer(256, 5, 8)};
  ArenaUnits units = placeInUnits(buffers, /*isStatic=*/true);
  EXPECT_EQ(units.mostLive, 5);
  EXPECT_EQ(units.count, 5);
}

/// And few bytes are lost: 5 % of all.
TEST(WorkspacePlan, RandomBuffersAreApart) {
  std::mt19937 random(1);
  int64_t count = 0, live = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<GroupedBuffer> buffers;
    for (unsigned i = 0, size = 1 + random() % 12; i < size; ++i) {
      int64_t first = random() % 20;
      buffers.push_back(makeBuffer(4 * (1 + random() % 100), first,
                                   first + 1 + random() % 8));
    }
    bool isStatic = round % 2 == 0;
    ArenaUnits units = placeInUnits(buffers, isStatic);
    EXPECT_GE(units.count, units.mostLive);
    count += units.count;
    live += units.mostLive;
    for (int64_t product : {1, 3, 64, 1000})
      if (!isStatic || product == 1)
        expectApart(buffers, units, product);
  }
  EXPECT_LE(count, live * 1.05);
}

} // namespace
