//===- Pasting.cpp - tokens that paste to __has_include -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Pasting.h.
//
//===----------------------------------------------------------------------===//

#include "Pasting.h"

#include "Spliced.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace carousel::runtime {
namespace {

constexpr std::string_view kHasInclude = "__has_include";
constexpr std::string_view kHasIncludeNext = "__has_include_next";

bool isPiece(std::string_view word) {
  return word != kHasInclude && word != kHasIncludeNext &&
         kHasIncludeNext.find(word) != std::string_view::npos;
}

/// Those of NVRTC itself, of which some paste.
bool isCompilersMacro(std::string_view word) {
  for (std::string_view start : {"_NV_", "NV_", "__NV", "__nv", "__CUDA"})
    if (word.substr(0, start.size()) == start)
      return true;
  return false;
}

/// Whether some of these, one after the other, are __has_include.
bool canPasteHasInclude(const Words &pieces) {
  // Whether a start of this length can be made.
  std::array<bool, kHasIncludeNext.size() + 1> canMake = {true};
  for (size_t begin = 0; begin != kHasIncludeNext.size(); ++begin)
    for (size_t end = begin + 1; canMake[begin] && end < canMake.size(); ++end)
      canMake[end] |=
          pieces.count(kHasIncludeNext.substr(begin, end - begin)) != 0;
  return canMake[kHasInclude.size()] || canMake.back();
}

} // namespace

Words findMacrosThat(bool (*does)(std::string_view body),
                     const std::vector<const DirectiveLine *> &macros) {
  std::unordered_map<std::string_view, std::vector<std::string_view>> users;
  std::vector<std::string_view> open;
  Words found;
  for (const DirectiveLine *macro : macros) {
    if (does(macro->body) && found.insert(macro->name).second)
      open.push_back(macro->name);
    for (std::string_view used : getIdentifiers(macro->body))
      users[used].push_back(macro->name);
  }
  while (!open.empty()) {
    std::string_view name = open.back();
    open.pop_back();
    for (std::string_view user : users[name])
      if (found.insert(user).second)
        open.push_back(user);
  }
  return found;
}

Words findExpanded(Words names,
                   const std::vector<const DirectiveLine *> &macros) {
  std::unordered_multimap<std::string_view, std::string_view> bodies;
  for (const DirectiveLine *macro : macros)
    bodies.emplace(macro->name, macro->body);
  std::vector<std::string_view> open(names.begin(), names.end());
  while (!open.empty()) {
    auto [begin, end] = bodies.equal_range(open.back());
    open.pop_back();
    for (auto body = begin; body != end; ++body)
      for (std::string_view word : getIdentifiers(body->second))
        if (names.insert(word).second)
          open.push_back(word);
  }
  return names;
}

bool canBePath(std::string_view body) {
  std::string dense(body);
  dense.erase(std::remove_if(dense.begin(), dense.end(), isBlank), dense.end());
  return dense.substr(0, 1) == "/" || dense.find("..") != std::string::npos ||
         dense.find("</") != std::string::npos ||
         dense.find("\"/") != std::string::npos;
}

bool takesArguments(std::string_view body) {
  if (body.substr(0, 1) == "(")
    return true;
  while (!body.empty() && isBlank(body.back()))
    body.remove_suffix(1);
  return !body.empty() && body.back() != ')';
}

void addPieces(std::string_view body, Words &pieces) {
  for (std::string_view word : getIdentifiers(body)) {
    if (!isPiece(word) || (word.size() == 1 && word != "_"))
      continue;
    auto begin = static_cast<size_t>(word.data() - body.data());
    size_t end = begin + word.size();
    while (begin != 0 && isBlank(body[begin - 1]))
      --begin;
    while (end != body.size() && isBlank(body[end]))
      ++end;
    std::string_view before = body.substr(0, begin), after = body.substr(end);
    auto isMark = [](std::string_view mark) {
      return mark == "#" || mark == ":" || mark == "%";
    };
    if ((!before.empty() && isMark(before.substr(before.size() - 1))) ||
        isMark(after.substr(0, 1)))
      pieces.insert(word);
  }
}

std::optional<AskingWord>
findAskingWord(const std::map<std::string, uint32_t> &words,
               const Words &asking, const Words &pasting, const Words &pieces) {
  // Single letters are plain names in a text that pastes nothing.
  bool usesPasting =
      std::any_of(words.begin(), words.end(), [&](const auto &word) {
        return pasting.count(word.first) != 0 || isCompilersMacro(word.first);
      });
  Words all = pieces;
  AskingWord longest = {};
  for (const auto &[word, line] : words) {
    if (asking.count(word) != 0)
      return AskingWord{word, line};
    if (!isPiece(word) || (word.size() == 1 && word != "_" && !usesPasting))
      continue;
    all.insert(word);
    if (word.size() > longest.word.size())
      longest = {word, line};
  }
  if (canPasteHasInclude(pieces) || !canPasteHasInclude(all))
    return std::nullopt;
  return longest;
}

} // namespace carousel::runtime
