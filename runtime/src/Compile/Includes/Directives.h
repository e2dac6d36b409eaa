//===- Directives.h - directives of CUDA C++ that name files ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds, without preprocessing, all places of a text that can make a compiler
// open a file: #include, related directives, and __has_include. Conditional
// groups count whether or not they are compiled.
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
#include <vector>

namespace carousel::runtime {

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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DIRECTIVES_H
