//===- Parser.h - reads PTX text --------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Total: what isn't in the table of instructions, or in the ISA's list of
// directives, is an error at its line and column.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_PARSER_H
#define CAROUSEL_PTX_PARSER_H

#include "carousel/PTX/PTXModule.h"

namespace carousel::ptx {

/// A fault of a text: the rule and what was found.
struct Diagnostic {
  Location location;
  std::string message;
};

/// The PTX versions that are read.
inline constexpr unsigned kOldestVersion = 10, kNewestVersion = 95;

/// Reads a module. Returns nullopt and sets `error` if the text is none.
std::optional<Module> parse(llvm::StringRef text, Diagnostic &error);

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_PARSER_H
