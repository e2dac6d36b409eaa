//===- MutateText.cpp - other extents, numbers, types and words -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutateText.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

using namespace mlir;
using namespace carousel::fuzz;

namespace {
enum class Kind { Extent, Number, Type, Word };

struct Token {
  Kind kind;
  size_t begin, size;
};
} // namespace

static constexpr StringLiteral kTypes[] = {
    "f32",  "f16",   "bf16",         "f64",    "tf32", "f8E4M3FN",
    "i1",   "i4",    "i8",           "i16",    "i32",  "i64",
    "i128", "index", "f8E8M0FNU",    "f8E5M2", "i0",   "f4E2M1FN",
    "f128", "i7",    "complex<f32>", "none",   "i65",  "vector<2xf32>"};
static constexpr StringLiteral kExtents[] = {"?",
                                             "0",
                                             "1",
                                             "2",
                                             "3",
                                             "5",
                                             "7",
                                             "16",
                                             "64",
                                             "100",
                                             "1024",
                                             "65535",
                                             "?",
                                             "0",
                                             "1",
                                             "1048576",
                                             "2147483648",
                                             "1099511627776",
                                             "4611686018427387904",
                                             "9223372036854775807"};

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

static std::vector<Token> readTokens(StringRef text) {
  std::vector<Token> tokens;
  bool isShape = false; // whether a number or letter belongs to a shape
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') {
      size_t end = text.find('"', at + 1);
      at = end == StringRef::npos ? text.size() : end + 1;
      continue;
    }
    if (isShape && c == 'x') {
      ++at;
      continue;
    }
    if (StringRef("%@#!^").contains(c)) {
      ++at;
      while (at < text.size() && (isWord(text[at]) || text[at] == '$'))
        ++at;
      continue;
    }
    bool wasShape = isShape;
    isShape = false;
    if (c == '?' || llvm::isDigit(c)) {
      size_t end = at + 1;
      while (c != '?' && end < text.size() && llvm::isDigit(text[end]))
        ++end;
      char next = end < text.size() ? text[end] : '\0';
      isShape = next == 'x' && !(c == '0' && end == at + 1 && !wasShape &&
                                 at > 0 && text[at - 1] != '<');
      if (isShape)
        tokens.push_back({Kind::Extent, at, end - at});
      else if (c != '?' && next != '.' && !isWord(next))
        tokens.push_back({Kind::Number, at, end - at});
      else
        while (end < text.size() && (isWord(text[end]) || text[end] == '+'))
          ++end;
      at = end;
      continue;
    }
    if (!isWord(c)) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    StringRef word = text.slice(at, end);
    tokens.push_back(
        {llvm::is_contained(kTypes, word) ? Kind::Type : Kind::Word, at,
         end - at});
    at = end;
  }
  return tokens;
}

static std::string chooseReplacement(Kind kind, StringRef text,
                                     llvm::ArrayRef<Token> same, Draw &draw) {
  switch (kind) {
  case Kind::Extent:
    return kExtents[draw.below(std::size(kExtents))].str();
  case Kind::Number:
    return std::to_string(draw.oddValue());
  case Kind::Type:
    return kTypes[draw.below(std::size(kTypes))].str();
  case Kind::Word: {
    const Token &other = draw.from(same);
    return text.substr(other.begin, other.size).str();
  }
  }
  llvm_unreachable("a kind");
}

std::string carousel::fuzz::mutateText(const std::string &text, Draw &draw) {
  StringRef from = text;
  std::vector<Token> tokens = readTokens(from);
  // Words change least often: few other words fit.
  constexpr Kind kKinds[] = {Kind::Extent, Kind::Extent, Kind::Number,
                             Kind::Number, Kind::Type,   Kind::Word};
  Kind kind = kKinds[draw.below(std::size(kKinds))];
  llvm::erase_if(tokens, [&](const Token &token) {
    return token.kind != kind &&
           !(kind == Kind::Extent && token.kind == Kind::Number);
  });
  if (tokens.empty())
    return text;
  auto read = [&](const Token &token) {
    return from.substr(token.begin, token.size);
  };
  Token chosen = draw.from(tokens);
  std::string old = read(chosen).str();
  std::string by = chooseReplacement(kind, from, tokens, draw);
  // All that read the same, with the numbers of attributes, or one alone.
  bool all = kind == Kind::Word ? draw.oneIn(4) : !draw.oneIn(4);
  std::string result;
  size_t done = 0;
  for (const Token &token : tokens) {
    if (all ? read(token) != old : token.begin != chosen.begin)
      continue;
    result += from.slice(done, token.begin);
    result += by;
    done = token.begin + token.size;
  }
  result += from.substr(done);
  return result;
}
