//===- Spliced.h - joins spliced lines --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text with lines that a backslash splices joined, as a compiler sees it,
// and the positions in the original text.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_SPLICED_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_SPLICED_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carousel::runtime {

/// What separates tokens within a line.
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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_SPLICED_H
