//===- Lexer.cpp - tokens of a text ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Lexer.h. PTX ISA, Syntax.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "carousel/Support/Printable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

static bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%';
}

static bool isNamePart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

std::string Token::describe() const {
  // Mangled names are long; a message shows the first part.
  std::string shown = carousel::escapeControls(
      carousel::getStart({text.data(), text.size()}, 80));
  if (shown.size() < text.size() && text.size() > 80)
    shown += "...";
  switch (kind) {
  case Kind::End:
    return "the end of the text";
  case Kind::Word:
    return "'." + shown + "'";
  case Kind::String:
    return "\"" + shown + "\"";
  default:
    return "'" + shown + "'";
  }
}

namespace {

class Lexer {
public:
  Lexer(StringRef text) : rest(text) {}

  bool run(std::vector<Token> &tokens);
  Location at{1, 1};
  std::string fault;

private:
  bool skipBlanks();
  bool readToken(Token &token);
  bool readNumber(Token &token);
  bool readString(Token &token);
  void take(size_t count);
  bool fail(const llvm::Twine &what) {
    fault = what.str();
    return false;
  }

  StringRef rest;
};

} // namespace

void Lexer::take(size_t count) {
  for (char c : rest.take_front(count)) {
    ++at.column;
    if (c == '\n')
      at = {at.line + 1, 1};
  }
  rest = rest.drop_front(count);
}

bool Lexer::skipBlanks() {
  while (!rest.empty()) {
    if (rest.starts_with("//")) {
      take(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      if (end == StringRef::npos)
        return fail("expected '*/' after '/*', got the end of the text");
      take(end + 2);
    } else if (llvm::isSpace(rest.front()) ||
               (rest.front() == '\0' && rest.size() == 1)) {
      // NVRTC's texts end with a zero.
      take(1);
    } else {
      break;
    }
  }
  return true;
}

bool Lexer::readString(Token &token) {
  size_t end = 1;
  while (end < rest.size() && rest[end] != '"' && rest[end] != '\n')
    end += rest[end] == '\\' && end + 1 < rest.size() ? 2 : 1;
  if (end >= rest.size() || rest[end] != '"')
    return fail("expected '\"' at the end of the string, got the end of the "
                "line");
  token.kind = Token::Kind::String;
  token.text = rest.slice(1, end);
  take(end + 1);
  return true;
}

bool Lexer::readNumber(Token &token) {
  token.kind = Token::Kind::Number;
  Immediate &value = token.value;
  bool single = rest.starts_with_insensitive("0f");
  if (single || rest.starts_with_insensitive("0d")) {
    size_t digits = single ? 8 : 16;
    StringRef text = rest.substr(2, digits);
    if (text.size() != digits || text.getAsInteger(16, value.bits) ||
        text.front() == '-' || text.front() == '+')
      return fail(llvm::Twine("expected ") + (single ? "8" : "16") +
                  " hexadecimal digits after '" + rest.take_front(2) + "'");
    value.kind = single ? Immediate::Kind::F32 : Immediate::Kind::F64;
    token.text = rest.take_front(digits + 2);
    take(digits + 2);
  } else {
    size_t end = 0;
    bool hex = rest.starts_with_insensitive("0x");
    bool binary = rest.starts_with_insensitive("0b");
    bool decimalPoint = false;
    auto isDigit = [&](char c) {
      return hex ? llvm::isHexDigit(c) : llvm::isDigit(c);
    };
    end = hex || binary ? 2 : 0;
    while (end < rest.size() && isDigit(rest[end]))
      ++end;
    if (!hex && !binary && end < rest.size() &&
        (rest[end] == '.' || rest[end] == 'e' || rest[end] == 'E')) {
      decimalPoint = true;
      end += rest[end] == '.';
      while (end < rest.size() && llvm::isDigit(rest[end]))
        ++end;
      if (end < rest.size() && (rest[end] == 'e' || rest[end] == 'E')) {
        ++end;
        end += end < rest.size() && (rest[end] == '-' || rest[end] == '+');
        while (end < rest.size() && llvm::isDigit(rest[end]))
          ++end;
      }
    }
    token.text = rest.take_front(end);
    if (decimalPoint) {
      value.kind = Immediate::Kind::F64;
      llvm::APFloat number(llvm::APFloat::IEEEdouble());
      auto status = number.convertFromString(
          token.text, llvm::APFloat::rmNearestTiesToEven);
      if (!status) {
        llvm::consumeError(status.takeError());
        return fail("expected a number, got " + token.describe());
      }
      value.bits = number.bitcastToAPInt().getZExtValue();
    } else {
      bool octal = !hex && !binary && end > 1 && rest.front() == '0';
      StringRef digits = token.text.drop_front(hex || binary ? 2 : 0);
      unsigned base = hex ? 16 : binary ? 2 : octal ? 8 : 10;
      if (digits.empty() || digits.getAsInteger(base, value.bits))
        return fail("expected an integer of at most 64 bits, got " +
                    token.describe());
      bool isUnsigned = end < rest.size() && rest[end] == 'U';
      end += isUnsigned;
      value.kind = isUnsigned || int64_t(value.bits) < 0
                       ? Immediate::Kind::Unsigned
                       : Immediate::Kind::Signed;
      token.text = rest.take_front(end);
    }
    take(end);
  }
  if (!rest.empty() && isNamePart(rest.front()))
    return fail("expected a blank after " + token.describe() + ", got '" +
                rest.take_front(1) + "'");
  return true;
}

bool Lexer::readToken(Token &token) {
  token.location = at;
  if (rest.empty())
    return true;
  if (llvm::isDigit(rest.front()))
    return readNumber(token);
  if (rest.front() == '"')
    return readString(token);
  bool dot = rest.front() == '.';
  if (dot && rest.size() > 1 && (isNamePart(rest[1]))) {
    size_t end = 1;
    while (end < rest.size() &&
           (isNamePart(rest[end]) ||
            (rest.substr(end).starts_with("::") && end + 2 < rest.size() &&
             isNamePart(rest[end + 2]))))
      end += rest[end] == ':' ? 2 : 1;
    token.kind = Token::Kind::Word;
    token.text = rest.slice(1, end);
    take(end);
    return true;
  }
  if (isNameStart(rest.front()) &&
      (rest.front() != '%' || (rest.size() > 1 && isNamePart(rest[1])))) {
    size_t end = 1;
    while (end < rest.size() && isNamePart(rest[end]))
      ++end;
    token.kind = Token::Kind::Name;
    token.text = rest.take_front(end);
    take(end);
    return true;
  }
  static constexpr StringRef kMarks[] = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "@", "{", "}",
      "(",  ")",  "[",  "]",  ",",  ";",  ":",  "+",  "-", "*", "/",
      "%",  "!",  "~",  "<",  ">",  "&",  "|",  "^",  "?", "="};
  for (StringRef mark : kMarks)
    if (rest.starts_with(mark)) {
      token.kind = Token::Kind::Mark;
      token.text = rest.take_front(mark.size());
      take(mark.size());
      return true;
    }
  token.text = rest.take_front(1);
  token.kind = Token::Kind::Mark;
  return fail("expected a token of PTX, got " + token.describe());
}

bool Lexer::run(std::vector<Token> &tokens) {
  do {
    size_t before = rest.size();
    if (!skipBlanks())
      return false;
    Token token;
    token.joined = rest.size() == before;
    if (!readToken(token)) {
      at = token.location;
      return false;
    }
    tokens.push_back(token);
  } while (tokens.back().kind != Token::Kind::End);
  return true;
}

bool ptx::tokenize(StringRef text, std::vector<Token> &tokens,
                   Location &faultLocation, std::string &fault) {
  Lexer lexer(text);
  if (lexer.run(tokens))
    return true;
  faultLocation = lexer.at;
  fault = lexer.fault;
  return false;
}
