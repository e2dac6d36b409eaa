//===- ExpectationsTest.cpp - what passes with which findings -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verdicts on all combinations of what is expected, allowed and found.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-sim/Expectations.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::simtool;
using sim::FindingKind;

static KindSet makeSet(std::initializer_list<FindingKind> kinds) {
  KindSet set;
  for (FindingKind kind : kinds)
    set.set(unsigned(kind));
  return set;
}

static const KindSet kNone, kRace = makeSet({FindingKind::DataRace}),
                            kDeadlock = makeSet({FindingKind::Deadlock}),
                            kBoth = kRace | kDeadlock;

TEST(Expectations, NothingExpected) {
  Expectations expectations;
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kNone)));
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kRace)));
  EXPECT_EQ(expectations.judge(kBoth).unexpected, kBoth);
}

TEST(Expectations, Allowed) {
  Expectations expectations;
  expectations.allowed = kRace;
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kNone)));
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kRace)));
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kBoth)));
  EXPECT_EQ(expectations.judge(kBoth).unexpected, kDeadlock);
}

TEST(Expectations, ExpectedUnderEverySchedule) {
  Expectations expectations;
  expectations.expected = kRace;
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kNone)));
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kRace)));
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kDeadlock)));
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kBoth)));
  expectations.allowed = kDeadlock;
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kDeadlock)));
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kBoth)));
}

TEST(Expectations, AllOfSeveral) {
  Expectations expectations;
  expectations.expected = kBoth;
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kRace)));
  EXPECT_EQ(expectations.judge(kRace).missing, kDeadlock);
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kBoth)));
}

TEST(Expectations, ExpectedUnderOneSchedule) {
  Expectations expectations;
  expectations.expected = kRace;
  expectations.searches = true;
  EXPECT_FALSE(expectations.isFailure(expectations.judge(kNone)));
  EXPECT_FALSE(expectations.judge(kNone).isComplete());
  EXPECT_TRUE(expectations.judge(kRace).isComplete());
  EXPECT_TRUE(expectations.isFailure(expectations.judge(kDeadlock)));
}

TEST(Expectations, KindsOfFindings) {
  std::vector<sim::Finding> findings(3);
  findings[0].kind = findings[2].kind = FindingKind::Deadlock;
  findings[1].kind = FindingKind::DataRace;
  EXPECT_EQ(getKinds(findings), kBoth);
  EXPECT_EQ(listKinds(kBoth), "data-race, deadlock");
  EXPECT_EQ(listKinds(kNone), "");
}
