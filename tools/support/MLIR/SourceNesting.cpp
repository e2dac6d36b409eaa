//===- SourceNesting.cpp - refuses files that nest too deeply -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SourceNesting.h. Regions, types, attributes, affine expressions and
// locations are all written in brackets. Operators nest without brackets, each
// in the one before. Aliases nest their definitions.
//
//===----------------------------------------------------------------------===//

#include "SourceNesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

/// Reads a text from its begin to its end, and counts what is open.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  /// The first place that is nested too deeply; null if there is none.
  const char *run() {
    while (!text.empty()) {
      const char *place = text.data();
      readToken();
      if (depth > carousel::kMaxNesting)
        return place;
    }
    return nullptr;
  }

private:
  /// The open operators of an expression inside of a bracket.
  struct Level {
    char bracket;
    size_t operators = 0;
  };

  void drop(size_t length) {
    text = text.drop_front(std::min(length, text.size()));
  }

  void clear() {
    levels.assign(1, {' '});
    depth = 0;
  }

  void addOperator() {
    ++levels.back().operators;
    ++depth;
  }

  /// Another operand of a list, or another op.
  void endExpression() {
    depth -= levels.back().operators;
    levels.back().operators = 0;
  }

  void open(char bracket) {
    levels.push_back({bracket});
    ++depth;
  }

  void pop() {
    endExpression();
    levels.pop_back();
    --depth;
  }

  /// Closes; an open bracket inside was none: `<` may be a comparison.
  void close(char bracket) {
    if (bracket == '<' && levels.back().bracket != '<')
      return;
    if (none_of(levels,
                [&](const Level &level) { return level.bracket == bracket; }))
      return;
    while (levels.back().bracket != bracket)
      pop();
    pop();
  }

  void readComment() {
    // Chunks of --split-input-file are files of their own.
    if (text.starts_with("// -----"))
      clear();
    drop(text.find('\n'));
  }

  void readString() {
    size_t length = 1;
    while (length < text.size() && text[length] != '"' && text[length] != '\n')
      length += text[length] == '\\' ? 2 : 1;
    drop(length + 1);
  }

  /// Names, keywords and numbers, with the sign of an exponent.
  void readWord() {
    char sigil = text.front() == '!' || text.front() == '#' ? text.front() : 0;
    bool isNumber = isDigit(text.front());
    size_t length = 1;
    auto continues = [&](char c) {
      char before = text[length - 1];
      return isAlnum(c) || c == '_' || c == '.' || c == '$' ||
             (isNumber && (c == '-' || c == '+') &&
              (before == 'e' || before == 'E'));
    };
    while (length < text.size() && continues(text[length]))
      ++length;
    StringRef word = text.take_front(length);
    drop(length);
    if (word == "mod" || word == "floordiv" || word == "ceildiv")
      return addOperator();
    if (!sigil)
      return;
    // At the top of a file an alias may be defined.
    if (levels.size() == 1 && text.ltrim().starts_with("=")) {
      defined = word;
      return;
    }
    size_t deepest = depth + aliases.lookup(word);
    if (!defined.empty())
      note(deepest);
    if (deepest > carousel::kMaxNesting)
      depth = deepest;
  }

  void note(size_t deepest) {
    size_t &most = aliases[defined];
    most = std::max(most, deepest);
  }

  void readToken() {
    char c = text.front();
    if (text.starts_with("//"))
      return readComment();
    if (c == '"')
      return readString();
    if (isAlnum(c) || c == '!' || c == '#' || c == '_' || c == '%' ||
        c == '@' || c == '^')
      return readWord();
    bool isPair = text.starts_with("->") || text.starts_with("<=") ||
                  text.starts_with(">=");
    drop(isPair ? 2 : 1);
    if (isPair)
      return;
    if (c == '+' || c == '-' || c == '*')
      addOperator();
    else if (c == ',' || c == '=' || c == ':')
      endExpression();
    else if (c == '{' || c == '(' || c == '[' || c == '<')
      open(c);
    else if (c == '}' || c == ')' || c == ']' || c == '>')
      close(c == '}' ? '{' : c == ')' ? '(' : c == ']' ? '[' : '<');
    else if (c == '\n' && levels.size() == 1)
      defined = "";
    if (!defined.empty())
      note(depth);
  }

  StringRef text;
  SmallVector<Level> levels = {{' '}};
  /// Brackets that are open, and operators in them.
  size_t depth = 0;
  /// The alias that is being defined, or nothing, and how deep aliases are.
  StringRef defined;
  StringMap<size_t> aliases;
};

} // namespace

std::optional<carousel::DeepBracket>
carousel::findDeepBracket(const SourceMgr &sources) {
  const MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  if (mlir::isBytecode(*buffer))
    return std::nullopt;
  const char *place = Scanner(buffer->getBuffer()).run();
  if (!place)
    return std::nullopt;
  auto [line, column] = sources.getLineAndColumn(SMLoc::getFromPointer(place));
  return DeepBracket{line, column};
}

std::string carousel::describeDeepBracket() {
  return ("expected brackets that are nested at most " + Twine(kMaxNesting) +
          " deep, operators and aliases included, got more")
      .str();
}

bool carousel::checkNesting(const SourceMgr &sources) {
  std::optional<DeepBracket> bracket = findDeepBracket(sources);
  if (!bracket)
    return true;
  // Without the line, which may be all of the file.
  errs()
      << sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier()
      << ':' << bracket->line << ':' << bracket->column
      << ": error: " << describeDeepBracket() << '\n';
  return false;
}
