//===- Lexer.h - tokens of a text -------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a text into tokens, and holds those that are left with the first
// error. A word that begins with a dot is one token, with the `::` in it:
// `.L2::cache_hint`. Comments are blanks. PTX ISA, Syntax.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_LEXER_H
#define CAROUSEL_LIB_PTX_PARSE_LEXER_H

#include "carousel/PTX/PTXModule.h"
#include "carousel/PTX/Parser.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace carousel::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Name,   ///< of letters, digits, _, $ and %
    Word,   ///< with a dot before it, which `text` hasn't
    Number, ///< `value` has it
    String, ///< `text` is what is between the quotes
    Mark    ///< an operator or a bracket
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  Location location;
  Immediate value;
  /// No blank is before it.
  bool joined = false;

  bool is(llvm::StringRef mark) const {
    return kind == Kind::Mark && text == mark;
  }
  bool isWord(llvm::StringRef word) const {
    return kind == Kind::Word && text == word;
  }
  /// Describes it as a message shows it.
  std::string describe() const;
};

/// All tokens, and one of kind End. Returns false and sets the message if there
/// is a character that begins no token, a number that is none, a comment or a
/// string without an end.
bool tokenize(llvm::StringRef text, std::vector<Token> &tokens,
              Location &faultLocation, std::string &fault);

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

#endif // CAROUSEL_LIB_PTX_PARSE_LEXER_H
