//===- Lexer.h - the tokens of PTX ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a text into tokens. A word that begins with a dot is one token, with
// the `::` in it: `.L2::cache_hint`. Comments are blanks.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_LEXER_H
#define CAROUSEL_LIB_PTX_PARSE_LEXER_H

#include "carousel/PTX/PTXModule.h"

#include "llvm/ADT/StringRef.h"

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

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PARSE_LEXER_H
