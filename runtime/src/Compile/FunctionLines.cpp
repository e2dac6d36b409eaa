//===- FunctionLines.cpp - finds the function around a line ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scanner for comments, literals, directives and brackets. Outside of
// functions, it remembers the last name before a parenthesis in the current
// declaration. A brace after the parentheses opens the function's body.
//
//===----------------------------------------------------------------------===//

#include "FunctionLines.h"

#include <cctype>
#include <vector>

namespace carousel::runtime {
namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Names before parentheses that are no function's: of attributes, as
/// __launch_bounds__, and of keywords.
bool isFunctionName(std::string_view word) {
  return !word.empty() && word.substr(0, 2) != "__" && word != "alignas" &&
         word != "decltype" && word != "noexcept" &&
         !std::isdigit(static_cast<unsigned char>(word.front()));
}

} // namespace

class FunctionScanner {
public:
  FunctionScanner(std::string_view text, const std::string &name,
                  FunctionLines &lines)
      : text(text), lines(lines), file(keep(name)) {}

  void run() {
    while (at < text.size())
      step();
    endLine();
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  void step();
  void advance();
  void endLine();
  void skipLiteral(char quote);
  void skipRawLiteral();
  void readDirective();
  void readWord();
  void open();
  void close();
  void endDeclaration();
  /// A name that stays as long as `lines`.
  const std::string *keep(const std::string &name) {
    return &*lines.names.insert(name).first;
  }

  std::string_view text;
  size_t at = 0;
  FunctionLines &lines;
  const std::string *file;
  uint32_t line = 1;

  bool lineHasCode = false; ///< before `at`
  /// The function whose body or declaration is being read; null: none's.
  const std::string *function = nullptr;
  const std::string *functionOfLine = nullptr; ///< that of this line's code
  std::string lastWord;                        ///< directly before `at`
  unsigned parentheses = 0;
  unsigned bodyDepth = 0; ///< braces open since the function's
  /// Lines of the declaration so far, whose function isn't known yet.
  std::vector<std::pair<const std::string *, uint32_t>> pending;
};

void FunctionScanner::endLine() {
  std::pair<const std::string *, uint32_t> here = {file, line};
  if (functionOfLine)
    lines.functions.emplace(here, functionOfLine);
  else if (lineHasCode && (pending.empty() || pending.back() != here))
    pending.push_back(here);
  functionOfLine = bodyDepth != 0 ? function : nullptr;
  lineHasCode = false;
}

void FunctionScanner::advance() {
  if (peek() == '\n') {
    endLine();
    ++line;
  }
  ++at;
}

void FunctionScanner::skipLiteral(char quote) {
  for (advance(); at < text.size() && peek() != quote && peek() != '\n';
       advance())
    if (peek() == '\\')
      advance();
  if (peek() == quote)
    advance();
}

/// R"delimiter( ... )delimiter"
void FunctionScanner::skipRawLiteral() {
  constexpr size_t kMaxDelimiter = 16; // characters, says C++
  size_t open = text.substr(at, kMaxDelimiter + 2).find('(');
  if (open == std::string_view::npos)
    return skipLiteral('"');
  open += at;
  std::string end =
      ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  size_t close = text.find(end, open);
  size_t last =
      close == std::string_view::npos ? text.size() : close + end.size();
  while (at < last)
    advance();
}

/// `#line 14 "saxpy.mlir"`, `# 14 "saxpy.mlir"`, or one that is skipped.
void FunctionScanner::readDirective() {
  size_t end = at;
  while (end < text.size() && text[end] != '\n')
    end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
  std::string_view rest = text.substr(at + 1, end - at - 1);
  while (at < end)
    advance();
  auto skipSpace = [&] {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t'))
      rest.remove_prefix(1);
  };
  skipSpace();
  if (rest.substr(0, 4) == "line") {
    rest.remove_prefix(4);
    skipSpace();
  }
  uint64_t number = 0;
  bool hasNumber = false;
  while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) &&
         number < UINT32_MAX) {
    number = number * 10 + static_cast<uint64_t>(rest.front() - '0');
    rest.remove_prefix(1);
    hasNumber = true;
  }
  if (!hasNumber)
    return;
  skipSpace();
  if (!rest.empty() && rest.front() == '"') {
    std::string name;
    for (size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size())
        ++i;
      name += rest[i];
    }
    file = keep(name);
  }
  // It numbers the line that follows, and the newline between them counts. This
  // one has neither number.
  line = static_cast<uint32_t>(number) - 1;
  functionOfLine = nullptr;
}

void FunctionScanner::readWord() {
  size_t begin = at;
  bool isNumber = std::isdigit(static_cast<unsigned char>(peek()));
  while (isWord(peek()) || (isNumber && peek() == '\'' && isWord(peek(1))))
    ++at;
  std::string_view word = text.substr(begin, at - begin);
  // A prefix of a raw literal: R, u8R, LR...
  if (peek() == '"' && word.back() == 'R')
    return skipRawLiteral();
  lastWord = word;
}

void FunctionScanner::endDeclaration() {
  pending.clear();
  function = nullptr;
  lineHasCode = false; // of the next one
}

void FunctionScanner::open() {
  if (bodyDepth != 0) {
    ++bodyDepth;
    return;
  }
  if (!function) {
    // The contents of a namespace, class or initializer are read the same way.
    endDeclaration();
    return;
  }
  bodyDepth = 1;
  for (const auto &where : pending)
    lines.functions.emplace(where, function);
  pending.clear();
  functionOfLine = function;
}

void FunctionScanner::close() {
  if (bodyDepth == 0) {
    endDeclaration();
    return;
  }
  if (--bodyDepth == 0)
    endDeclaration();
}

void FunctionScanner::step() {
  char c = peek();
  if (c == '/' && peek(1) == '/') {
    while (at < text.size() && peek() != '\n')
      advance();
    return;
  }
  if (c == '/' && peek(1) == '*') {
    size_t end = text.find("*/", at + 2);
    end = end == std::string_view::npos ? text.size() : end + 2;
    while (at < end)
      advance();
    return;
  }
  if (c == '#' && !lineHasCode)
    return readDirective();
  if (std::isspace(static_cast<unsigned char>(c)))
    return advance();
  lineHasCode = true;
  if (isWord(c))
    return readWord();
  if (c == '"' || c == '\'')
    return skipLiteral(c);
  bool outside = bodyDepth == 0;
  if (c == '(' && outside && parentheses++ == 0 && isFunctionName(lastWord))
    function = keep(lastWord);
  if (c == ')' && outside && parentheses != 0)
    --parentheses;
  if (c == '{' && parentheses == 0)
    open();
  else if (c == '}' && parentheses == 0)
    close();
  else if (c == ';' && outside && parentheses == 0)
    endDeclaration();
  lastWord.clear();
  advance();
}

FunctionLines::FunctionLines(std::string_view text, const std::string &name) {
  FunctionScanner(text, name, *this).run();
}

std::string FunctionLines::find(const std::string &file, uint32_t line) const {
  auto name = names.find(file);
  if (name == names.end())
    return {};
  auto found = functions.find({&*name, line});
  return found == functions.end() ? std::string() : *found->second;
}

} // namespace carousel::runtime
