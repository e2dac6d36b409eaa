//===- Directives.h - places that open files --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds, without preprocessing, all places of a text that can make a compiler
// open a file: #include, related directives, and __has_include. Conditional
// groups count whether or not they are compiled. A text without __has_include
// may still use it, by a macro of a header or by tokens that a macro pastes.
// NVRTC defines macros that paste tokens, so any text with the right parts
// counts. The lines of a text that a backslash splices are joined first, as a
// compiler sees it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DIRECTIVES_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DIRECTIVES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace carousel::runtime {

/// Whether a character separates tokens within a line.
inline bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/// A text without its line splices, which knows where its bytes come from.
class Spliced {
public:
  enum class Rules {
    Standard,
    Lax, ///< blanks after the backslash, and trigraphs for it and for '#'
  };
  Spliced(std::string_view text, Rules rules);

  std::string_view get() const { return clean; }
  size_t toOriginal(size_t position) const;
  /// The line of a byte in the text without splices.
  uint32_t getLine(size_t position) const;
  /// Whether Lax would give another text.
  bool hasOddSplices() const { return odd; }

private:
  std::string clean;
  /// Where the original lines end.
  std::vector<size_t> lineEnds;
  /// From this clean byte on, the original ones are this much further on.
  std::vector<std::pair<size_t, size_t>> shifts;
  bool odd = false;
};

/// `"a.h"` or `<a.h>`.
struct HeaderName {
  std::string name; ///< without its delimiters
  bool isQuoted;
  size_t begin, end; ///< in the text, with delimiters and line splices
};

struct FileMention {
  std::string keyword; ///< "include", "include_next", "__has_include"...
  uint32_t line;
  /// None where a macro, or something else, says which file it is.
  std::optional<HeaderName> header;
  std::string operand; ///< for messages, the start of it

  bool isInclude() const { return keyword == "include"; }
};

/// A `#define`, or the expression of an `#if` or `#elif`, which has no name.
struct DirectiveLine {
  std::string name;
  std::string body;
  uint32_t line;
};

struct Directives {
  std::vector<FileMention> files;
  std::vector<DirectiveLine> macros;
  std::vector<DirectiveLine> conditions;
  /// Identifiers outside of comments and literals, with the lines where they
  /// come first. Only a suspected text has them.
  std::map<std::string, uint32_t> words;
};

enum class Reading {
  /// As a compiler does: comments and literals say nothing.
  Trusting,
  /// So that nothing is missed however a compiler reads the text: where
  /// compilers could differ in what is a comment or a literal (raw strings, odd
  /// splices, trigraphs, quotes without their pair...), what is in them counts,
  /// too.
  Suspicious,
};

Directives readDirectives(std::string_view text, Reading reading);

/// The identifiers of a line, in their order.
std::vector<std::string_view> getIdentifiers(std::string_view text);

/// Whether a macro's body pastes tokens.
bool canPaste(std::string_view body);

/// Whether a macro's body asks for a file that only its arguments name.
bool canAskForFiles(std::string_view body);

using Words = std::unordered_set<std::string_view>;

/// The names of all macros whose body does that, and of those that lead to one.
Words findMacrosThat(bool (*does)(std::string_view body),
                     const std::vector<const DirectiveLine *> &macros);

/// Whether a macro with this body has parameters, or stands for one that may.
bool takesArguments(std::string_view body);

/// Adds what is beside ## in a macro's body and a part of __has_include.
/// Letters aren't: they are parameters.
void addPieces(std::string_view body, Words &pieces);

/// `names`, and what those of them that are macros have in their bodies.
Words findExpanded(Words names,
                   const std::vector<const DirectiveLine *> &macros);

/// Whether an #include of what a macro stands for may be one of an absolute
/// path or of "..".
bool canBePath(std::string_view body);

struct AskingWord {
  std::string word;
  uint32_t line;
};

/// A word of `asking`; or, by a macro of `pasting` or of NVRTC, one that is
/// pasted, with others of these and with `pieces`, to __has_include.
std::optional<AskingWord>
findAskingWord(const std::map<std::string, uint32_t> &words,
               const Words &asking, const Words &pasting, const Words &pieces);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DIRECTIVES_H
