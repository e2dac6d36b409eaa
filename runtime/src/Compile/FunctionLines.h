//===- FunctionLines.h - finds the function around a line -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers report the line of an error, not the kernel. This finds the
// definitions of functions by their braces, and lines by `#line` directives. It
// doesn't preprocess, so it misses functions that macros define. A wrong result
// only affects one word of a message.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_FUNCTIONLINES_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_FUNCTIONLINES_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace carousel::runtime {

class FunctionLines {
public:
  /// Reads a text that its compiler calls `name`.
  FunctionLines(std::string_view text, const std::string &name);
  FunctionLines(const FunctionLines &) = delete;
  FunctionLines &operator=(const FunctionLines &) = delete;

  /// The function in whose definition the line lies; empty if there is none.
  /// Where `#line` gives several lines one number, that of the first.
  std::string find(const std::string &file, uint32_t line) const;

private:
  friend class FunctionScanner;
  /// Names of files and functions, once each however many lines there are.
  std::set<std::string, std::less<>> names;
  std::map<std::pair<const std::string *, uint32_t>, const std::string *>
      functions;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_FUNCTIONLINES_H
