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
  EXPECT_FALSE(expectations.isFailure(expectations.check(kNone)));
  EXPECT_TRUE(expectations.isFailure(expectations.check(kRace)));
  EXPECT_EQ(expectations.check(kBoth).unexpected, kBoth);
}

TEST(Expectations, Allowed) {
  Expectations expectations;
  expectations.allowed = kRace;
  EXPECT_FALSE(expectations.isFailure(expectations.check(kNone)));
  EXPECT_FALSE(expectations.isFailure(expectations.check(kRace)));
  EXPECT_TRUE(expectations.isFailure(expectations.check(kBoth)));
  EXPECT_EQ(expectations.check(kBoth).unexpected, kDeadlock);
}

TEST(Expectations, ExpectedUnderEverySchedule) {
  Expectations expectations;
  expectations.expected = kRace;
  EXPECT_TRUE(expectations.isFailure(expectations.check(kNone)));
  EXPECT_FALSE(expectations.isFailure(expectations.check(kRace)));
  EXPECT_TRUE(expectations.isFailure(expectations.check(kDeadlock)));
  EXPECT_TRUE(expectations.isFailure(expectations.check(kBoth)));
  expectations.allowed = kDeadlock;
  EXPECT_TRUE(expectations.isFailure(expectations.check(kDeadlock)));
  EXPECT_FALSE(expectations.isFailure(expectations.check(kBoth)));
}

TEST(Expectations, AllOfSeveral) {
  Expectations expectations;
  expectations.expected = kBoth;
  EXPECT_TRUE(expectations.isFailure(expectations.check(kRace)));
  EXPECT_EQ(expectations.check(kRace).missing, kDeadlock);
  EXPECT_FALSE(expectations.isFailure(expectations.check(kBoth)));
}

TEST(Expectations, ExpectedUnderOneSchedule) {
  Expectations expectations;
  expectations.expected = kRace;
  expectations.searches = true;
  EXPECT_FALSE(expectations.isFailure(expectations.check(kNone)));
  EXPECT_FALSE(expectations.check(kNone).isComplete());
  EXPECT_TRUE(expectations.check(kRace).isComplete());
  EXPECT_TRUE(expectations.isFailure(expectations.check(kDeadlock)));
}

TEST(Expectations, KindsOfFindings) {
  std::vector<sim::Finding> findings(3);
  findings[0].kind = findings[2].kind = FindingKind::Deadlock;
  findings[1].kind = FindingKind::DataRace;
  EXPECT_EQ(getKinds(findings), kBoth);
  EXPECT_EQ(listKinds(kBoth), "data-race, deadlock");
  EXPECT_EQ(listKinds(kNone), "");
}
