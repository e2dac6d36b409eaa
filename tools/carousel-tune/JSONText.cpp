//===- JSONText.cpp - places in a JSON text -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See JSONText.h. Nothing recurses: a value ends where all brackets in it are
// closed, and brackets in strings don't count.
//
//===----------------------------------------------------------------------===//

#include "JSONText.h"

using namespace carousel::tune;

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skipBlanks(std::string_view text, size_t at) {
  while (at < text.size() && isBlank(text[at]))
    ++at;
  return at;
}

/// The position behind the string that begins here.
static size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

/// Where the next comma, colon or closing bracket is that belongs to the value
/// around, or the end.
static size_t findEnd(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
    case '"':
      at = skipString(text, at);
      continue;
    case '[':
    case '{':
      ++depth;
      break;
    case ']':
    case '}':
      if (depth == 0)
        return at;
      --depth;
      break;
    case ',':
    case ':':
      if (depth == 0)
        return at;
      break;
    default:
      break;
    }
    ++at;
  }
  return at;
}

/// The end without the blanks before `end`.
static size_t trimEnd(std::string_view text, size_t begin, size_t end) {
  while (end > begin && isBlank(text[end - 1]))
    --end;
  return end;
}

JSONText::JSONText(std::string_view document)
    : document(document), begin(skipBlanks(document, 0)),
      end(trimEnd(document, begin, document.size())) {}

std::vector<JSONText> JSONText::getParts() const {
  std::vector<JSONText> parts;
  for (size_t at = begin + 1; at + 1 < end;) {
    size_t from = skipBlanks(document, at);
    size_t to = findEnd(document, from);
    if (document[to] == ':')
      to = findEnd(document, to + 1);
    size_t last = trimEnd(document, from, to);
    if (last > from)
      parts.push_back({document, from, last});
    at = to + 1;
  }
  return parts;
}

std::vector<JSONText> JSONText::getElements() const {
  return document[begin] == '[' ? getParts() : std::vector<JSONText>();
}

std::vector<std::pair<JSONText, JSONText>> JSONText::getMembers() const {
  std::vector<std::pair<JSONText, JSONText>> members;
  if (document[begin] != '{')
    return members;
  for (const JSONText &part : getParts()) {
    size_t keyEnd = skipString(document, part.begin);
    size_t colon = skipBlanks(document, keyEnd);
    size_t value = skipBlanks(document, colon + 1);
    members.push_back(
        {{document, part.begin, keyEnd}, {document, value, part.end}});
  }
  return members;
}

std::string_view JSONText::getSpace() const {
  std::vector<JSONText> parts = getParts();
  if (parts.empty())
    return "";
  size_t to = parts.back().begin, from = to;
  while (isBlank(document[from - 1]))
    --from;
  return document.substr(from, to - from);
}

std::string JSONText::replace(std::string_view text) const {
  std::string result(document.substr(0, begin));
  result += text;
  result += document.substr(end);
  return result;
}

std::string JSONText::append(std::string_view text) const {
  std::vector<JSONText> parts = getParts();
  size_t at = parts.empty() ? begin + 1 : parts.back().end;
  std::string result(document.substr(0, at));
  if (!parts.empty())
    result += ",";
  result += getSpace();
  result += text;
  result += document.substr(at);
  return result;
}
