//===- SymbolicValuesTest.cpp - tests of SymbolicValues.h -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions on sums of terms that follow from others.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Analysis/Proof/SymbolicValues.h"

#include "gtest/gtest.h"

using namespace carousel::proof;

namespace {

/// A sum of a constant and two terms.
Linear make(int64_t constant, int64_t a = 0, int64_t b = 0) {
  Linear sum;
  sum.constant = constant;
  if (a != 0)
    sum.terms.push_back({0, a});
  if (b != 0)
    sum.terms.push_back({1, b});
  return sum;
}

struct SymbolicValuesTest : testing::Test {
  SymbolicValuesTest() {
    terms.getFree("[n]", std::numeric_limits<int64_t>::min(),
                  std::numeric_limits<int64_t>::max());
    terms.getFree("%ctaid.x", 0, 1000);
  }

  Terms terms;
};

TEST_F(SymbolicValuesTest, SumsDropTermsThatCancel) {
  EXPECT_EQ(make(3, 2, 1).plus(make(4, 2), -1), make(-1, 0, 1));
  EXPECT_TRUE(make(3, 2).plus(make(0, -2)).isConstant());
  EXPECT_EQ(make(1, 2, 3).times(0), make(0));
  EXPECT_EQ(terms.print(make(-1, 1, 4)), "[n] + 4 * %ctaid.x + -1");
}

TEST_F(SymbolicValuesTest, TripsFollowFromTrips) {
  Assumptions assumed(terms);
  EXPECT_EQ(assumed.isAtLeastZero(make(-4, 1)), std::nullopt);
  assumed.assumeAtLeastZero(make(-4, 1), true);
  EXPECT_EQ(assumed.isAtLeastZero(make(-3, 1)), true);
  EXPECT_EQ(assumed.isZero(make(-3, 1)), false);
  EXPECT_EQ(assumed.isAtLeastZero(make(-5, 1)), std::nullopt);
  assumed.assumeAtLeastZero(make(-5, 1), false);
  EXPECT_EQ(assumed.isZero(make(-4, 1)), true);
  EXPECT_EQ(assumed.print(), "[n] = 4");
}

TEST_F(SymbolicValuesTest, BoundsGrowWithRepetitions) {
  Repetition repetition = {terms.get("t", 0, 1 << 30), {}};
  TermId count = repetition.count;
  auto grown = [&](int64_t constant, int64_t n, int64_t t) {
    return make(constant, n).plus(Linear::of(count, t));
  };
  // n >= 3 and 7 were known, and a bound of the CTA's number.
  Assumptions earlier(terms), now(terms);
  earlier.assumeAtLeastZero(make(-3, 1), true);
  now.assumeAtLeastZero(make(-7, 1), true);
  for (Assumptions *own : {&earlier, &now})
    own->assumeAtLeastZero(make(5, 0, -1), true);
  now.assumeAtLeastZero(make(100, -1), true);
  now.grow(earlier, {make(4)}, repetition);
  EXPECT_EQ(now.isAtLeastZero(grown(-7, 1, -4)), true);
  EXPECT_EQ(now.isAtLeastZero(grown(-8, 1, -4)), std::nullopt);
  EXPECT_EQ(now.isAtLeastZero(make(5, 0, -1)), true);
  // A bound that wasn't there before doesn't hold for all repetitions.
  EXPECT_EQ(now.isAtLeastZero(make(100, -1)), std::nullopt);
  Assumptions later = now;
  EXPECT_FALSE(later.imply(now, repetition));
  later.assumeAtLeastZero(grown(-10, 1, -4), true);
  EXPECT_FALSE(later.imply(now, repetition));
  later.assumeAtLeastZero(grown(-11, 1, -4), true);
  EXPECT_TRUE(later.imply(now, repetition));
}

TEST_F(SymbolicValuesTest, InequalitiesGrowWithRepetitions) {
  Repetition repetition = {terms.get("t", 0, 1 << 30), {}};
  TermId count = repetition.count;
  Assumptions earlier(terms), now(terms);
  for (int64_t trip : {0, 1, 2, 3, 4}) {
    if (trip <= 2)
      earlier.assumeZero(make(-trip, 1), false);
    now.assumeZero(make(-trip, 1), false);
  }
  now.grow(earlier, {make(2)}, repetition);
  // Those that are new.
  for (int64_t trip : {3, 4})
    EXPECT_EQ(now.isZero(make(-trip, 1).plus(Linear::of(count, -2))), false);
  EXPECT_EQ(now.isZero(make(-1, 1)), std::nullopt);
  Assumptions later = now;
  for (int64_t trip : {5, 6}) {
    EXPECT_FALSE(later.imply(now, repetition));
    later.assumeZero(make(-trip, 1).plus(Linear::of(count, -2)), false);
  }
  EXPECT_TRUE(later.imply(now, repetition));
}

TEST_F(SymbolicValuesTest, StepsMayBeTerms) {
  // n is larger than 1, 2 and 3 times the number of CTAs; each trip is one.
  TermId count = terms.get("t", 0, 1 << 30), product = terms.get("t times", 0);
  Repetition repetition = {count, {{1, product}}};
  Assumptions earlier(terms), now(terms);
  for (int64_t trip : {1, 2, 3}) {
    if (trip <= 2)
      earlier.assumeAtLeastZero(make(-1, 1, -trip), true);
    now.assumeAtLeastZero(make(-1, 1, -trip), true);
  }
  now.grow(earlier, {make(0, 0, 1)}, repetition);
  auto grown = [&](int64_t trip) {
    return make(-1, 1, -trip).plus(Linear::of(product, -1));
  };
  EXPECT_EQ(now.isAtLeastZero(grown(3)), true);
  EXPECT_EQ(now.isAtLeastZero(grown(4)), std::nullopt);
  EXPECT_EQ(repetition.repeat(grown(3)), grown(4));
  Assumptions later = now;
  EXPECT_FALSE(later.imply(now, repetition));
  later.assumeAtLeastZero(grown(4), true);
  EXPECT_TRUE(later.imply(now, repetition));
}

TEST_F(SymbolicValuesTest, RangesOfTermsAreKnown) {
  Assumptions assumed(terms);
  EXPECT_EQ(assumed.isAtLeastZero(make(0, 0, 1)), true);
  EXPECT_EQ(assumed.isAtLeastZero(make(-4001, 0, 4)), false);
  EXPECT_EQ(assumed.isAtLeastZero(make(4000, 0, -4)), true);
}

TEST_F(SymbolicValuesTest, OtherSumsFollowByElimination) {
  // n > 64 c and n <= 128: c is below 2, and n isn't 0.
  Assumptions assumed(terms);
  assumed.assumeAtLeastZero(make(-1, 1, -64), true);
  assumed.assumeAtLeastZero(make(128, -1), true);
  EXPECT_EQ(assumed.isAtLeastZero(make(-2, 0, 1)), false);
  EXPECT_EQ(assumed.isZero(make(0, 1)), false);
  EXPECT_EQ(assumed.isAtLeastZero(make(-1, 0, 1)), std::nullopt);
}

TEST_F(SymbolicValuesTest, WhatIsNotZeroIsRemembered) {
  Assumptions assumed(terms);
  assumed.assumeZero(make(-7, 1), false);
  EXPECT_EQ(assumed.isZero(make(-7, 1)), false);
  EXPECT_EQ(assumed.isZero(make(7, -1)), false);
  EXPECT_EQ(assumed.isZero(make(-8, 1)), std::nullopt);
}

TEST_F(SymbolicValuesTest, DerivedTermsAreNotFree) {
  Assumptions assumed(terms);
  assumed.assumeAtLeastZero(make(0, 1, 1), true);
  EXPECT_TRUE(assumed.areFree());
  Linear derived;
  derived.terms.push_back({terms.get("div.u32 ([n], 3)"), 1});
  assumed.assumeAtLeastZero(derived, true);
  EXPECT_FALSE(assumed.areFree());
}

} // namespace
