//===- RepetitionTest.cpp - tests of Repetition.h -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Analysis/Proof/Repetition.h"

#include "gtest/gtest.h"

using namespace carousel::proof;

namespace {

/// A loop of n trips whose counter is 4 after one state and 8 after the next.
struct RepetitionTest : testing::Test {
  RepetitionTest()
      : n(terms.getFree("[n]", 0, 1 << 30)), count(terms.get("t", 0, 1 << 30)) {
    head.repetition = Repetition{count, {}};
    head.growth = {{4, {}}, {}};
    head.repeated = make(8, 4);
  }

  /// The counter is `constant + repetitions * t`, and n is larger.
  LoopState make(int64_t constant, int64_t repetitions) {
    Linear counter = Linear::of(count, repetitions).plus({constant, {}});
    LoopState state = {{7, 7}, {counter, {3, {}}}, Assumptions(terms)};
    state.assumptions.assumeAtLeastZero(
        Linear::of(n).plus(counter, -1).plus({-1, {}}), true);
    return state;
  }

  Terms terms;
  TermId n, count;
  LoopHead head;
};

TEST_F(RepetitionTest, GrowthIsOfStatesThatAreAlike) {
  LoopState earlier = make(4, 0), state = make(8, 0);
  EXPECT_EQ(state.findGrowth(earlier), head.growth);
  state.exact.back() = 6;
  EXPECT_EQ(state.findGrowth(earlier), std::nullopt);
  state = make(8, 0);
  state.numbers.pop_back();
  EXPECT_EQ(state.findGrowth(earlier), std::nullopt);
}

TEST_F(RepetitionTest, FewTermsGrow) {
  LoopState earlier = make(4, 0), state = make(8, 0);
  TermId ctas = terms.getFree("%nctaid.x", 1, 1 << 30),
         other = terms.get("other");
  state.numbers[0] = state.numbers[0].plus(Linear::of(ctas, 4));
  EXPECT_TRUE(state.findGrowth(earlier));
  state.numbers[1] = Linear::of(n).plus(Linear::of(other));
  EXPECT_EQ(state.findGrowth(earlier), std::nullopt);
}

TEST_F(RepetitionTest, OneRepetitionMoreIsTheSame) {
  EXPECT_TRUE(head.isRepeatedBy(make(12, 4)));
}

TEST_F(RepetitionTest, OtherStatesArent) {
  // The counter grew by another number, with the repetitions or without.
  EXPECT_FALSE(head.isRepeatedBy(make(8, 4)));
  EXPECT_FALSE(head.isRepeatedBy(make(13, 4)));
  EXPECT_FALSE(head.isRepeatedBy(make(12, 5)));
  LoopState state = make(12, 4);
  state.exact.push_back(1);
  EXPECT_FALSE(head.isRepeatedBy(state));
}

TEST_F(RepetitionTest, AssumptionsMustFollow) {
  // n may be what the counter is.
  LoopState state = make(12, 4);
  state.assumptions = Assumptions(terms);
  Linear rest = Linear::of(n).plus(Linear::of(count, -4)).plus({-12, {}});
  state.assumptions.assumeAtLeastZero(rest, true);
  EXPECT_FALSE(head.isRepeatedBy(state));
  state.assumptions.assumeZero(rest, false);
  state.assumptions.assumeAtLeastZero(rest.plus({-1, {}}), true);
  EXPECT_TRUE(head.isRepeatedBy(state));
}

} // namespace
