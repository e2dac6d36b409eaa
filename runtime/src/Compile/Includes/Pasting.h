//===- Pasting.h - tokens that paste to __has_include -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text without __has_include may still use it, by a macro of a header or by
// tokens that a macro pastes. NVRTC defines macros that paste tokens, so any
// text with the right parts counts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_PASTING_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_PASTING_H

#include "Directives.h"

#include <unordered_set>

namespace carousel::runtime {

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

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_PASTING_H
