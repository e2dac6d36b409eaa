//===- Spliced.cpp - joins spliced lines ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Spliced.h.
//
//===----------------------------------------------------------------------===//

#include "Spliced.h"

#include <algorithm>

namespace carousel::runtime {

Spliced::Spliced(std::string_view text, Rules rules) {
  clean.reserve(text.size());
  for (size_t end = 0; (end = text.find('\n', end)) != std::string_view::npos;)
    lineEnds.push_back(end++);
  for (size_t i = 0; i < text.size();) {
    size_t width = text[i] == '\\' ? 1 : 0;
    if (text.substr(i, 2) == "??") {
      char third = i + 2 < text.size() ? text[i + 2] : '\0';
      odd |= third == '/' || third == '=';
      if (rules == Rules::Lax && third == '/')
        width = 3;
      if (rules == Rules::Lax && third == '=') {
        clean += '#';
        i += 3;
        shifts.emplace_back(clean.size(), i - clean.size());
        continue;
      }
    }
    size_t end = i + width;
    while (width != 0 && end < text.size() && isBlank(text[end]))
      ++end;
    bool isSplice = width != 0 && end < text.size() && text[end] == '\n';
    std::string_view blanks = text.substr(i + width, end - i - width);
    bool isOdd =
        isSplice && (width == 3 || !(blanks.empty() || blanks == "\r"));
    odd |= isOdd;
    if (!isSplice || (isOdd && rules == Rules::Standard)) {
      clean += text[i++];
      continue;
    }
    i = end + 1;
    shifts.emplace_back(clean.size(), i - clean.size());
  }
}

size_t Spliced::toOriginal(size_t position) const {
  auto after = std::upper_bound(
      shifts.begin(), shifts.end(), position,
      [](size_t value, const auto &shift) { return value < shift.first; });
  return after == shifts.begin() ? position
                                 : position + std::prev(after)->second;
}

uint32_t Spliced::getLine(size_t position) const {
  auto end =
      std::lower_bound(lineEnds.begin(), lineEnds.end(), toOriginal(position));
  return 1 + static_cast<uint32_t>(end - lineEnds.begin());
}

} // namespace carousel::runtime
