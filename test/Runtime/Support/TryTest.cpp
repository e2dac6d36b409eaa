//===- TryTest.cpp - results that a function passes on --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CAROUSEL_TRY and CAROUSEL_TRY_ASSIGN of Error.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Fail.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

using namespace carousel::runtime;

namespace {

/// The number, or an error for a negative one. Counts its calls.
Result<int> getNumber(int number, int &calls) {
  ++calls;
  if (number < 0)
    return fail(ErrorCode::NotFound, "no number {}", number);
  return number;
}

Status check(int number, int &calls) {
  CAROUSEL_TRY(getNumber(number, calls));
  return {};
}

Result<std::string> getText(int first, int second, int &calls) {
  CAROUSEL_TRY_ASSIGN(int one, getNumber(first, calls));
  CAROUSEL_TRY_ASSIGN(const int two, getNumber(second, calls));
  return fmt::format("{} {}", one, two);
}

TEST(TryTest, AnExpressionIsEvaluatedOnce) {
  int calls = 0;
  EXPECT_TRUE(check(1, calls));
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(check(-1, calls));
  EXPECT_EQ(calls, 2);
}

TEST(TryTest, TheFirstErrorIsReturnedWithItsCode) {
  int calls = 0;
  Result<std::string> text = getText(-1, -2, calls);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::NotFound);
  EXPECT_EQ(text.error().message, "no number -1");
  EXPECT_EQ(calls, 1);
  text = getText(1, -2, calls);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "no number -2");
  text = getText(1, 2, calls);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "1 2");
}

TEST(TryTest, AValueThatOnlyMovesIsMoved) {
  auto make = [](int number) -> Result<std::unique_ptr<int>> {
    return std::make_unique<int>(number);
  };
  auto addOne = [&](int number) -> Result<std::unique_ptr<int>> {
    CAROUSEL_TRY_ASSIGN(std::unique_ptr<int> made, make(number));
    ++*made;
    CAROUSEL_TRY_ASSIGN(auto &&other, make(number));
    *made += *other;
    return made;
  };
  Result<std::unique_ptr<int>> sum = addOne(3);
  ASSERT_TRUE(sum);
  EXPECT_EQ(**sum, 7);
}

TEST(TryTest, AVariableKeepsItsValueAndItsError) {
  Result<std::string> held = std::string(100, 'a');
  auto append = [&](const char *more) -> Status {
    CAROUSEL_TRY(held);
    CAROUSEL_TRY_ASSIGN(std::string copy, held);
    EXPECT_EQ(copy.size(), 100u);
    CAROUSEL_TRY_ASSIGN(auto &reference, held);
    reference += more;
    return {};
  };
  EXPECT_TRUE(append("b"));
  EXPECT_EQ(held, std::string(100, 'a') + "b");
  held = fail(ErrorCode::IOError, "torn");
  for (int i = 0; i < 2; ++i) {
    Status status = append("c");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "torn");
  }
}

TEST(TryTest, ATargetMayBeAMember) {
  struct Options {
    std::map<int, std::string> texts;
  };
  int calls = 0;
  auto fill = [&](Options &options, int second) -> Status {
    CAROUSEL_TRY_ASSIGN(options.texts[second], getText(1, second, calls));
    return {};
  };
  Options options;
  EXPECT_TRUE(fill(options, 2));
  EXPECT_EQ(options.texts[2], "1 2");
  EXPECT_FALSE(fill(options, -2));
  EXPECT_EQ(options.texts.count(-2), 0u);
}

TEST(TryTest, CallsNestInExpressionsAndBranches) {
  int calls = 0;
  auto run = [&](int outer, int inner) -> Result<int> {
    if (outer == 0)
      CAROUSEL_TRY(getNumber(inner, calls));
    else
      CAROUSEL_TRY(getNumber(outer, calls));
    CAROUSEL_TRY_ASSIGN(int sum, [&]() -> Result<int> {
      CAROUSEL_TRY(check(inner, calls));
      CAROUSEL_TRY_ASSIGN(int value, getNumber(inner, calls));
      return value + outer;
    }());
    return sum;
  };
  EXPECT_EQ(run(2, 3), 5);
  EXPECT_EQ(run(0, -4).error().message, "no number -4");
  EXPECT_EQ(run(-3, 0).error().message, "no number -3");
  EXPECT_EQ(run(1, -5).error().message, "no number -5");
}

} // namespace
