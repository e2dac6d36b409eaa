//===- TokenStream.h - where the parser is ------------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokens that are left, and the first error.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_TOKENSTREAM_H
#define CAROUSEL_LIB_PTX_PARSE_TOKENSTREAM_H

#include "Lexer.h"

#include "carousel/PTX/Parser.h"

#include "llvm/ADT/Twine.h"

namespace carousel::ptx {

/// Functions that return bool return false after a failure.
class TokenStream {
public:
  TokenStream(llvm::ArrayRef<Token> tokens, Diagnostic &error)
      : tokens(tokens), error(error) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(next + ahead, tokens.size() - 1)];
  }
  const Token &take() {
    const Token &token = peek();
    next = std::min(next + 1, tokens.size() - 1);
    return token;
  }
  size_t getPosition() const { return next; }
  llvm::ArrayRef<Token> getTokens() const { return tokens; }

  bool at(llvm::StringRef mark) const { return peek().is(mark); }
  bool atEnd() const { return peek().kind == Token::Kind::End; }
  bool consume(llvm::StringRef mark) {
    if (!at(mark))
      return false;
    take();
    return true;
  }
  bool consumeWord(llvm::StringRef word) {
    if (!peek().isWord(word))
      return false;
    take();
    return true;
  }

  bool fail(Location location, const llvm::Twine &message) {
    if (error.message.empty())
      error = {location, message.str()};
    return false;
  }
  /// Fails at the next token: `expected RULE, got TOKEN`.
  bool failAtNext(const llvm::Twine &rule) {
    return fail(peek().location,
                "expected " + rule + ", got " + peek().describe());
  }
  bool expect(llvm::StringRef mark, const llvm::Twine &where) {
    return consume(mark) || failAtNext("'" + mark + "' " + where);
  }
  bool expectName(std::string &name, const llvm::Twine &what) {
    if (peek().kind != Token::Kind::Name)
      return failAtNext(what);
    name = take().text.str();
    return true;
  }
  bool expectString(std::string &text, const llvm::Twine &what) {
    if (peek().kind != Token::Kind::String)
      return failAtNext(what);
    text = take().text.str();
    return true;
  }
  bool expectInteger(uint64_t &value, const llvm::Twine &what) {
    if (peek().kind != Token::Kind::Number || peek().value.isFloat())
      return failAtNext(what);
    value = take().value.bits;
    return true;
  }

private:
  llvm::ArrayRef<Token> tokens;
  size_t next = 0;
  Diagnostic &error;
};

/// Reads a constant expression (PTX ISA, Constant Expressions) and evaluates
/// it.
bool parseConstant(TokenStream &tokens, Immediate &value);
/// Reads one that must be an integer.
bool parseIntegerConstant(TokenStream &tokens, int64_t &value);

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PARSE_TOKENSTREAM_H
