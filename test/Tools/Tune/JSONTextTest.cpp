//===- JSONTextTest.cpp - edits of JSON texts -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-tune/JSONText.h"

#include <gtest/gtest.h>

using namespace carousel::tune;

namespace {

std::vector<std::string> getElements(std::string_view text) {
  std::vector<std::string> elements;
  for (const JSONText &element : JSONText(text).getElements())
    elements.emplace_back(element.getText());
  return elements;
}

std::vector<std::string> getMembers(std::string_view text) {
  std::vector<std::string> members;
  for (const auto &[key, value] : JSONText(text).getMembers())
    members.push_back(std::string(key.getText()) + "=" +
                      std::string(value.getText()));
  return members;
}

using Texts = std::vector<std::string>;

TEST(JSONText, Elements) {
  EXPECT_EQ(getElements("[]"), Texts{});
  EXPECT_EQ(getElements(" [ \n ] "), Texts{});
  EXPECT_EQ(getElements("[1]"), Texts{"1"});
  EXPECT_EQ(getElements("[1 , -2.5e3,\n\tnull ]"),
            (Texts{"1", "-2.5e3", "null"}));
  EXPECT_EQ(getElements("[[1, [2, 3]], {\"a\": [4], \"b\": {}}, []]"),
            (Texts{"[1, [2, 3]]", "{\"a\": [4], \"b\": {}}", "[]"}));
  EXPECT_EQ(getElements("{\"a\": 1}"), Texts{});
  EXPECT_EQ(getElements("12"), Texts{});
}

TEST(JSONText, Members) {
  EXPECT_EQ(getMembers("{}"), Texts{});
  EXPECT_EQ(getMembers("{ \"a\" : 1 ,\n\"b\":[2, 3], \"c\": {\"d\": 4} }"),
            (Texts{"\"a\"=1", "\"b\"=[2, 3]", "\"c\"={\"d\": 4}"}));
  EXPECT_EQ(getMembers("[1, 2]"), Texts{});
}

/// Brackets, commas, quotes and colons in strings are none.
TEST(JSONText, Strings) {
  EXPECT_EQ(getElements(R"(["],[", "a\"]", "\\", "b"])"),
            (Texts{R"("],[")", R"("a\"]")", R"("\\")", R"("b")"}));
  EXPECT_EQ(getMembers(R"({"a:\"}": ":{", "b\\": ","})"),
            (Texts{R"("a:\"}"=":{")", R"("b\\"=",")"}));
}

TEST(JSONText, Replace) {
  std::string text = " {\"a\": [1, 2 , 3], \"b\": 4}\n";
  JSONText list = JSONText(text).getMembers()[0].second;
  EXPECT_EQ(list.getElements()[1].replace("{}"),
            " {\"a\": [1, {} , 3], \"b\": 4}\n");
  EXPECT_EQ(list.replace("5"), " {\"a\": 5, \"b\": 4}\n");
}

TEST(JSONText, Append) {
  EXPECT_EQ(JSONText("[]").append("1"), "[1]");
  EXPECT_EQ(JSONText("{ }").append("\"a\": 1"), "{\"a\": 1 }");
  EXPECT_EQ(JSONText("[1,2]\n").append("3"), "[1,2,3]\n");
  // As the one before stands.
  EXPECT_EQ(JSONText("[1, 2]").append("3"), "[1, 2, 3]");
  EXPECT_EQ(JSONText("[\n  1,\n  2\n]").append("3"), "[\n  1,\n  2,\n  3\n]");
  EXPECT_EQ(JSONText("{\n  \"a\": [\n    1\n  ]\n}").append("\"b\": 2"),
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": 2\n}");
  EXPECT_EQ(JSONText("[\n1]").getSpace(), "\n");
  EXPECT_EQ(JSONText("[ ]").getSpace(), "");
}

} // namespace
