//===- TargetInfoTest.cpp - the table of targets --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/TargetInfo.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

TargetSpec make(StringRef chip, std::optional<unsigned> ptx = std::nullopt) {
  std::string error;
  FailureOr<TargetSpec> spec = makeTargetSpec(chip, ptx, error);
  EXPECT_TRUE(succeeded(spec)) << error;
  return spec.value_or(TargetSpec());
}

TEST(TargetInfoTest, EveryRowHasPlausibleLimits) {
  ASSERT_EQ(TargetInfo::all().size(), 7u);
  unsigned previous = 0;
  for (const TargetInfo &row : TargetInfo::all()) {
    EXPECT_GE(row.sm, previous);
    previous = row.sm;
    EXPECT_EQ(TargetInfo::lookup(row.chip), &row);
    // A block can have the memory of the SM, less what each block reserves.
    EXPECT_EQ(row.maxSharedPerBlock + row.sharedReservedPerBlock,
              row.sharedPerSM);
    EXPECT_GE(row.firstPTX, kFirstPTX);
    EXPECT_LE(row.firstPTX, kDefaultPTX);
    EXPECT_EQ(row.maxClusterSize > 1, row.sm >= 90);
  }
}

TEST(TargetInfoTest, SharedMemoryLimitsOfTheGuide) {
  EXPECT_EQ(TargetInfo::lookup("sm_80")->maxSharedPerBlock, 166912);
  EXPECT_EQ(TargetInfo::lookup("sm_89")->maxSharedPerBlock, 101376);
  EXPECT_EQ(TargetInfo::lookup("sm_90a")->maxSharedPerBlock, 232448);
  EXPECT_EQ(TargetInfo::lookup("sm_120a")->maxSharedPerBlock, 101376);
}

TEST(TargetInfoTest, UnknownChipNamesTheKnown) {
  std::string error;
  EXPECT_TRUE(failed(makeTargetSpec("sm_77", std::nullopt, error)));
  EXPECT_EQ(error, "unknown chip 'sm_77', expected one of sm_80, sm_86, sm_89, "
                   "sm_90, sm_90a, "
                   "sm_100a, sm_120a");
}

TEST(TargetInfoTest, PTXVersionsAreBounded) {
  std::string error;
  EXPECT_TRUE(failed(makeTargetSpec("sm_100a", 80, error)));
  EXPECT_EQ(error, "expected a PTX version of 8.6 to 9.0 for sm_100a, got 8.0");
  error.clear();
  EXPECT_TRUE(failed(makeTargetSpec("sm_90a", 0, error)));
  EXPECT_EQ(error, "expected a PTX version of 8.0 to 9.0 for sm_90a, got 0.0");
  EXPECT_EQ(make("sm_80").ptx, kDefaultPTX);
  EXPECT_EQ(make("sm_80", 70).ptx, 70u);
}

TEST(TargetInfoTest, ExplainsWhatIsMissing) {
  EXPECT_EQ(make("sm_90a").explainMissing({90, 80}), "");
  EXPECT_EQ(make("sm_80").explainMissing({90, 80}),
            "needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8");
  EXPECT_EQ(make("sm_90a", 80).explainMissing({90, 86}),
            "needs sm_90 and PTX 8.6, the target is sm_90a with PTX 8.0");
  TargetRequirement exact{100, 86, {"sm_100a", "sm_120a"}};
  EXPECT_EQ(make("sm_120a").explainMissing(exact), "");
  EXPECT_EQ(make("sm_90a").explainMissing(exact),
            "needs sm_100a or sm_120a and PTX 8.6, the target is sm_90a with "
            "PTX 8.8");
}

} // namespace
