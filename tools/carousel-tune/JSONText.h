//===- JSONText.h - places in a JSON text -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds values in a JSON text and splices others in, for edits that leave all
// other bytes as they are. The text is known to be valid JSON.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_JSONTEXT_H
#define CAROUSEL_TOOLS_TUNE_JSONTEXT_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carousel::tune {

/// A value in a text that outlives it.
class JSONText {
public:
  /// The text's whole value.
  explicit JSONText(std::string_view document);

  std::string_view getText() const {
    return document.substr(begin, end - begin);
  }
  /// The elements of an array; none of another value.
  std::vector<JSONText> getElements() const;
  /// Keys and values of an object; none of another value.
  std::vector<std::pair<JSONText, JSONText>> getMembers() const;
  /// Blanks before the last element or member; of none, nothing.
  std::string_view getSpace() const;

  /// The document with another value here.
  std::string replace(std::string_view text) const;
  /// The document with one more element or member, a text with its key, at the
  /// end of this array or object.
  std::string append(std::string_view text) const;

private:
  JSONText(std::string_view document, size_t begin, size_t end)
      : document(document), begin(begin), end(end) {}
  /// What commas separate, without the blanks around.
  std::vector<JSONText> getParts() const;

  std::string_view document;
  size_t begin = 0, end = 0;
};

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_JSONTEXT_H
