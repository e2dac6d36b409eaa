//===- ExchangePlanTest.cpp - tests of ExchangePlan.h ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exchanges that examples need have no bank conflicts.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ExchangePlan.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace carousel;

namespace {

constexpr ThreadBits kFourWarps{5, 2};

/// Every element that the reader wants is where the writer put it.
void expectSameElements(const LinearLayout &from, const LinearLayout &to,
                        const ExchangePlan &plan) {
  std::map<uint32_t, llvm::SmallVector<uint32_t>> memory;
  auto forEach = [](const LinearLayout &layout, auto visit) {
    for (uint32_t warp = 0; warp < 1u << layout.getNumBits(Place::Warp); ++warp)
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t number = 0;
             number < 1u << layout.getNumBits(Place::Register); ++number)
          visit(number, lane, warp);
  };
  forEach(from, [&](uint32_t number, uint32_t lane, uint32_t warp) {
    memory[plan.writer.apply({number, lane, warp, 0})[0]] =
        from.apply({uint32_t(plan.writerRegisters[number]), lane, warp, 0});
  });
  forEach(to, [&](uint32_t number, uint32_t lane, uint32_t warp) {
    EXPECT_EQ(
        memory[plan.reader.apply({number, lane, warp, 0})[0]],
        to.apply({uint32_t(plan.readerRegisters[number]), lane, warp, 0}));
  });
  // Runs are consecutive, and aligned.
  EXPECT_GE(plan.writer.getContiguous(0), plan.writeRun);
  EXPECT_GE(plan.reader.getContiguous(0), plan.readRun);
}

TEST(ExchangePlanTest, TransposesOfAllWidths) {
  for (int64_t bytes : {1, 2, 4, 8}) {
    unsigned run = bytes == 1 ? 4 : bytes == 2 ? 3 : bytes == 4 ? 2 : 1;
    LinearLayout rows = makeCoalescedLayout({6, 6}, run, kFourWarps);
    LinearLayout columns =
        makeOrderedLayout({6, 6}, 0, run, kFourWarps, /*inRows=*/false);
    ExchangePlan plan = ExchangePlan::compute(rows, columns, bytes);
    EXPECT_EQ(plan.conflicts, 0) << bytes << " bytes";
    expectSameElements(rows, columns, plan);
  }
}

TEST(ExchangePlanTest, RowsStayWide) {
  // From warps that share rows to warps with rows of their own.
  LinearLayout from = makeCoalescedLayout({4, 10}, 2, kFourWarps);
  LinearLayout to = makeRowLayout({4, 10}, 2, kFourWarps);
  ExchangePlan plan = ExchangePlan::compute(from, to, 4);
  EXPECT_EQ(plan.writeRun, 4);
  EXPECT_EQ(plan.readRun, 4);
  EXPECT_EQ(plan.conflicts, 0);
  expectSameElements(from, to, plan);
}

TEST(ExchangePlanTest, FragmentsToRows) {
  // Sums of a product, to be written in runs of 16 bytes.
  for (int64_t bytes : {2, 4}) {
    FragmentLayouts layouts = makeFragmentLayouts({7, 7, 4}, 16, kFourWarps);
    LinearLayout rows =
        makeCoalescedLayout({7, 7}, bytes == 2 ? 3 : 2, kFourWarps);
    ExchangePlan plan = ExchangePlan::compute(layouts.c, rows, bytes);
    EXPECT_EQ(plan.conflicts, 0) << bytes << " bytes";
    expectSameElements(layouts.c, rows, plan);
    plan = ExchangePlan::compute(rows, layouts.c, bytes);
    EXPECT_EQ(plan.conflicts, 0) << bytes << " bytes";
    expectSameElements(rows, layouts.c, plan);
  }
}

TEST(ExchangePlanTest, LanesAndWarpsWithCopies) {
  LinearLayout few = makeCoalescedLayout({2, 3}, 3, kFourWarps);
  LinearLayout one = makeCoalescedLayout({2, 3}, 0, kFourWarps);
  ExchangePlan plan = ExchangePlan::compute(few, one, 4);
  expectSameElements(few, one, plan);
  plan = ExchangePlan::compute(one, few, 4);
  expectSameElements(one, few, plan);
}

/// Plans for a reader whose lanes change bits of its runs, and one whose
/// registers hold what other lanes hold, too.
TEST(ExchangePlanTest, LanesInRuns) {
  LinearLayout from = makeCoalescedLayout({9}, 2, kFourWarps);
  for (bool hasCopies : {false, true}) {
    LinearLayout to({9});
    if (hasCopies)
      to.addBasis(Place::Register, {511});
    to.addBasis(Place::Register, {1});
    to.addBasis(Place::Register, {2});
    for (uint32_t lane : {5, 8, 16, 32, 64})
      to.addBasis(Place::Lane, {lane});
    for (uint32_t warp : {128, 256})
      to.addBasis(Place::Warp, {warp});
    for (int64_t bytes : {1, 2, 4, 8})
      expectSameElements(from, to, ExchangePlan::compute(from, to, bytes));
  }
}

TEST(ExchangePlanTest, RandomLayouts) {
  std::mt19937 random(24);
  for (unsigned round = 0; round < 200; ++round) {
    unsigned rows = random() % 6, columns = random() % 6;
    auto make = [&] {
      unsigned run = random() % 4;
      switch (random() % 4) {
      case 0:
        return makeCoalescedLayout({rows, columns}, run, kFourWarps);
      case 1:
        return makeRowLayout({rows, columns}, run, kFourWarps);
      case 2:
        return makeBlockedLayout({rows, columns}, 0, 1, run, kFourWarps);
      default:
        return makeSliceableLayout({rows, columns}, kFourWarps);
      }
    };
    LinearLayout from = make(), to = make();
    for (int64_t bytes : {1, 2, 4, 8})
      expectSameElements(from, to, ExchangePlan::compute(from, to, bytes));
  }
}

} // namespace
