//===- MergePTX.cpp - merge PTX texts -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MergePTX.h. A text has a head (comments, version, target, address size)
// and statements: declarations, which end with a semicolon, and functions,
// which end with a brace.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/MergePTX.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace carousel;

namespace {

struct Statement {
  std::string comments; ///< before it
  std::string text;
};

struct Statements {
  std::string head;
  std::vector<Statement> all;
  std::string rest; ///< comments after the last statement
};

} // namespace

static std::optional<Statements> parse(StringRef text) {
  Statements parsed;
  Statement current;
  int depth = 0;
  bool isInHead = true;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef code = line.split("//").first.trim();
    if (code.starts_with(".file") || code.starts_with(".section"))
      return std::nullopt;
    if (isInHead) {
      parsed.head += (line + "\n").str();
      isInHead = !code.starts_with(".address_size");
      continue;
    }
    if (code.empty() && current.text.empty()) {
      current.comments += (line + "\n").str();
      continue;
    }
    current.text += (line + "\n").str();
    depth += code.count('{') - code.count('}');
    if (depth == 0 && (code.ends_with(";") || code.ends_with("}")))
      parsed.all.push_back(std::exchange(current, {}));
  }
  if (isInHead || depth != 0 || !current.text.empty())
    return std::nullopt;
  parsed.rest = std::move(current.comments);
  return parsed;
}

/// The declared name: the first one that isn't a directive's operand. Results
/// of functions are in parentheses before it.
static StringRef getName(StringRef statement) {
  auto isPartOfName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '%';
  };
  StringRef left = statement;
  while (!left.empty()) {
    left = left.drop_until(isPartOfName);
    StringRef word = left.take_while(isPartOfName);
    left = left.drop_front(word.size());
    bool isNumber = !word.empty() && llvm::isDigit(word.front());
    if (!word.starts_with(".") && !isNumber && !word.starts_with("func_retval"))
      return word;
  }
  return {};
}

/// Labels and frames contain the number of their function in the module.
static std::string renumber(StringRef text, unsigned base, unsigned &count) {
  static constexpr StringLiteral kNumbered[] = {"$L__BB", "__local_depot"};
  std::string result;
  size_t last = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (StringRef prefix : kNumbered) {
      StringRef number = text.substr(i);
      if (!number.consume_front(prefix))
        continue;
      number = number.take_while(llvm::isDigit);
      unsigned function;
      if (number.getAsInteger(10, function))
        continue;
      count = std::max(count, function + 1);
      result += text.slice(last, i + prefix.size());
      result += std::to_string(base + function);
      last = i + prefix.size() + number.size();
      i = last - 1;
      break;
    }
  return result + text.substr(last).str();
}

/// Comments without the blank lines that separate them from earlier ones.
static std::string dropBlank(StringRef comments) {
  std::string result;
  for (StringRef line : llvm::split(comments, '\n'))
    if (!line.trim().empty())
      result += (line + "\n").str();
  return result;
}

std::optional<std::string> carousel::mergePTX(ArrayRef<std::string> texts) {
  std::string merged, comments;
  llvm::StringMap<std::string> known;
  unsigned functions = 0;
  for (const std::string &text : texts) {
    std::optional<Statements> parsed = parse(text);
    if (!parsed)
      return std::nullopt;
    bool isFirst = merged.empty();
    if (isFirst)
      merged = parsed->head;
    unsigned count = 1;
    for (const Statement &statement : parsed->all) {
      comments += isFirst ? statement.comments : dropBlank(statement.comments);
      auto [entry, isNew] =
          known.try_emplace(getName(statement.text), statement.text);
      if (!isNew && entry->second != statement.text)
        return std::nullopt;
      if (!isNew)
        continue;
      merged += std::exchange(comments, {});
      merged += renumber(statement.text, functions, count);
    }
    comments = dropBlank(parsed->rest);
    functions += count;
  }
  return merged + comments;
}
