//===- Printable.h - escape text for terminals ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages show names and source lines from files that aren't trusted. These
// functions keep printable characters of UTF-8 and escape everything else.
// Plain C++, so that the compiler's tools can use it, too.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_PRINTABLE_H
#define CAROUSEL_SUPPORT_PRINTABLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carousel {

/// The number of bytes of the UTF-8 character at the start of `text`, or 0 if
/// there is none. Sets `code` to the character's number.
inline size_t readCharacter(std::string_view text, uint32_t &code) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty())
    return 0;
  code = at(0);
  if (code < 0x80)
    return 1;
  size_t bytes = code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : 2;
  if (code < 0xc2 || code > 0xf4 || text.size() < bytes)
    return 0;
  code &= 0x7fu >> bytes;
  for (size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at(i) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[bytes] || code > 0x10ffff || isSurrogate ? 0 : bytes;
}

/// Whether a terminal shows the character and does nothing else. It isn't a
/// control character (C0, DEL, C1), a line separator, or a character that
/// changes the direction of text.
inline bool isPrintable(uint32_t code) {
  bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  bool separator = code == 0x2028 || code == 0x2029;
  bool direction =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !separator && !direction;
}

/// Whether the text is UTF-8 with printable characters only.
inline bool isPrintable(std::string_view text) {
  uint32_t code = 0;
  while (size_t bytes = readCharacter(text, code)) {
    if (!isPrintable(code))
      return false;
    text.remove_prefix(bytes);
  }
  return text.empty();
}

/// Escapes characters that aren't printable: bytes as \x1b, characters beyond
/// ASCII as \u202e. Characters in `kept` stay. Escaping an escaped text changes
/// nothing.
inline std::string escapeControls(std::string_view text,
                                  std::string_view kept = {}) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    size_t bytes = readCharacter(text, code);
    bool shown = bytes != 0 && (isPrintable(code) ||
                                kept.find(text[0]) != std::string_view::npos);
    if (shown) {
      result += text.substr(0, bytes);
    } else {
      bool isByte = bytes < 2;
      uint32_t number = isByte ? static_cast<unsigned char>(text[0]) : code;
      result += isByte ? "\\x" : "\\u";
      for (int shift = isByte ? 4 : 12; shift >= 0; shift -= 4)
        result += kDigits[number >> shift & 0xf];
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

/// The longest prefix of `text` with at most `most` bytes that doesn't end
/// within a character.
inline std::string_view getStart(std::string_view text, size_t most) {
  if (text.size() <= most)
    return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80)
    --most;
  return text.substr(0, most);
}

} // namespace carousel

#endif // CAROUSEL_SUPPORT_PRINTABLE_H
