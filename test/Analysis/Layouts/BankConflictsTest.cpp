//===- BankConflictsTest.cpp - tests of BankConflicts.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/BankConflicts.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

/// 32 lanes below each other in a column of f32.
int64_t countInColumn(int64_t pitch, bool onlyFirstCopies = false,
                      unsigned rowBits = 5) {
  LinearLayout layout({rowBits, 5});
  for (unsigned bit = 0; bit < 5; ++bit)
    layout.addBasis(Place::Lane, {bit < rowBits ? 1u << bit : 0u, 0});
  return countBankConflicts(
      layout, 4, onlyFirstCopies,
      [&](llvm::ArrayRef<uint32_t> at) { return (at[0] * pitch + at[1]) * 4; });
}

TEST(BankConflictsTest, Columns) {
  EXPECT_EQ(countInColumn(32), 31);
  EXPECT_EQ(countInColumn(33), 0);
  EXPECT_EQ(countInColumn(16), 15);
  // Lanes with the same element read one word.
  EXPECT_EQ(countInColumn(32, false, 2), 3);
}

TEST(BankConflictsTest, WideAccessesGoByParts) {
  // Rows of 16-byte pieces: quarter warps of 128 bytes each.
  LinearLayout rows = makeCoalescedLayout({7}, 2, {5, 0});
  auto findByte = [](llvm::ArrayRef<uint32_t> at) {
    return int64_t(at[0]) * 4;
  };
  EXPECT_EQ(countBankConflicts(rows, 16, false, findByte), 0);
  auto apart = [](llvm::ArrayRef<uint32_t> at) { return int64_t(at[0]) * 32; };
  EXPECT_EQ(countBankConflicts(rows, 16, false, apart), 4 * 7);
}

TEST(BankConflictsTest, LanesWithoutOwnElementsDontWrite) {
  EXPECT_EQ(countInColumn(32, true, 0), 0);
  EXPECT_EQ(countInColumn(32, true, 1), 1);
}

} // namespace
