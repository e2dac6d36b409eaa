//===- LexerTest.cpp - the tokens of PTX ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kinds, values and places of tokens, and texts that are none.
//
//===----------------------------------------------------------------------===//

#include "../../lib/PTX/Parse/Lexer.h"

#include <gtest/gtest.h>

using namespace carousel;
using namespace carousel::ptx;

namespace {
struct Lexed {
  std::vector<Token> tokens;
  Location place;
  std::string fault;
  bool good;
};
} // namespace

static Lexed lex(llvm::StringRef text) {
  Lexed lexed;
  lexed.good = tokenize(text, lexed.tokens, lexed.place, lexed.fault);
  return lexed;
}

TEST(PTXLexer, WordsNamesAndMarks) {
  Lexed lexed = lex("ld.global.L2::128B %r1, [a+4]; // x\n/* y\n*/ $L_1: @!%p");
  ASSERT_TRUE(lexed.good) << lexed.fault;
  std::string text;
  for (const Token &token : lexed.tokens)
    text += token.text.str() + "|";
  EXPECT_EQ(text, "ld|global|L2::128B|%r1|,|[|a|+|4|]|;|$L_1|:|@|!|%p||");
  EXPECT_EQ(lexed.tokens[1].kind, Token::Kind::Word);
  EXPECT_TRUE(lexed.tokens[1].joined);
  EXPECT_FALSE(lexed.tokens[3].joined);
  EXPECT_EQ(lexed.tokens[11].location.line, 3u);
  EXPECT_EQ(lexed.tokens[11].location.column, 4u);
}

TEST(PTXLexer, Numbers) {
  struct {
    llvm::StringRef text;
    Immediate::Kind kind;
    uint64_t bits;
  } cases[] = {
      {"0", Immediate::Kind::Signed, 0},
      {"42", Immediate::Kind::Signed, 42},
      {"42U", Immediate::Kind::Unsigned, 42},
      {"0x1F", Immediate::Kind::Signed, 31},
      {"0b101", Immediate::Kind::Signed, 5},
      {"017", Immediate::Kind::Signed, 15},
      {"0xFFFFFFFFFFFFFFFF", Immediate::Kind::Unsigned, ~uint64_t(0)},
      {"0f3F800000", Immediate::Kind::F32, 0x3F800000},
      {"0d3FF0000000000000", Immediate::Kind::F64, 0x3FF0000000000000},
      {"1.0", Immediate::Kind::F64, 0x3FF0000000000000},
      {"1e0", Immediate::Kind::F64, 0x3FF0000000000000},
  };
  for (const auto &entry : cases) {
    Lexed lexed = lex(entry.text);
    ASSERT_TRUE(lexed.good) << entry.text.str() << ": " << lexed.fault;
    ASSERT_EQ(lexed.tokens.size(), 2u) << entry.text.str();
    EXPECT_EQ(lexed.tokens[0].value.kind, entry.kind) << entry.text.str();
    EXPECT_EQ(lexed.tokens[0].value.bits, entry.bits) << entry.text.str();
  }
}

TEST(PTXLexer, Faults) {
  struct {
    llvm::StringRef text, message;
    unsigned line, column;
  } cases[] = {
      {"\n  #", "expected a token of PTX, got '#'", 2, 3},
      {"a /* b", "expected '*/' after '/*', got the end of the text", 1, 3},
      {" \"a\n\"",
       "expected '\"' at the end of the string, got the end of the line", 1, 2},
      {"0f12", "expected 8 hexadecimal digits after '0f'", 1, 1},
      {"0d-123456789012345", "expected 16 hexadecimal digits after '0d'", 1, 1},
      {"0x", "expected an integer of at most 64 bits, got '0x'", 1, 1},
      {"99999999999999999999",
       "expected an integer of at most 64 bits, got '99999999999999999999'", 1,
       1},
      {"089", "expected an integer of at most 64 bits, got '089'", 1, 1},
      {"12ab", "expected a blank after '12', got 'a'", 1, 1},
  };
  for (const auto &entry : cases) {
    Lexed lexed = lex(entry.text);
    EXPECT_FALSE(lexed.good) << entry.text.str();
    EXPECT_EQ(lexed.fault, entry.message.str());
    EXPECT_EQ(lexed.place.line, entry.line) << entry.text.str();
    EXPECT_EQ(lexed.place.column, entry.column) << entry.text.str();
  }
}
