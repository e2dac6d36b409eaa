//===- RegistersTest.cpp - tests for Registers.h --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/Registers.h"

#include "carousel/Target/ChipModel.h"
#include "gtest/gtest.h"

using namespace carousel;

namespace {

TEST(Registers, ElementsShareRegisters) {
  EXPECT_EQ(countRegisters(8, 32), 8);
  EXPECT_EQ(countRegisters(8, 64), 16);
  EXPECT_EQ(countRegisters(3, 16), 2);
  EXPECT_EQ(countRegisters(5, 8), 2);
  EXPECT_EQ(countRegisters(64, 1), 0);
}

TEST(Registers, NoThreadHasMoreThanInstructionsName) {
  EXPECT_EQ(estimateRegisters(8, kAddressRegisters), 8 + kAddressRegisters);
  EXPECT_EQ(estimateRegisters(1000, kFactorRegisters),
            rules::kMaxRegisters - 1);
  // Vectors leave some for addresses.
  EXPECT_LE(kMostVectorRegisters + kAddressRegisters, rules::kMaxRegisters);
}

TEST(Registers, ThreadsShareThoseOfABlock) {
  EXPECT_EQ(getVectorRegisters(128), kMostVectorRegisters);
  EXPECT_EQ(getVectorRegisters(256), kMostVectorRegisters);
  EXPECT_EQ(getVectorRegisters(512), 128 - kAddressRegisters);
  EXPECT_EQ(getVectorRegisters(1024), 64 - kAddressRegisters);
  // ptxas gives registers in steps.
  EXPECT_EQ(getRegistersInBlock(768), 80);
}

TEST(Registers, ThreadsShareThoseOfAnSM) {
  ChipModel chip = ChipModel::getDefault();
  EXPECT_EQ(chip.getRegistersPerThread(1024), 64);
  chip.registersPerSM /= 2;
  EXPECT_EQ(chip.getRegistersPerThread(1024), 32);
}

} // namespace
