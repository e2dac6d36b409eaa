//===- Directives.cpp - places that open files ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lexer finds the directives of a text after it has joined spliced lines.
// Compilers may disagree with it about unusual texts. In those, every '#'
// before a keyword counts as a directive, wherever it is. The search runs
// twice: with the standard's splices, and with trigraphs and with splices that
// contain blanks.
//
//===----------------------------------------------------------------------===//

#include "Directives.h"

#include <algorithm>
#include <array>
#include <unordered_map>

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

namespace {

constexpr std::string_view kHasInclude = "__has_include";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// As for NVRTC, neither '$' nor what isn't ASCII starts one.
bool startsIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continuesIdentifier(char c) { return startsIdentifier(c) || isDigit(c); }

bool hasCommentMark(std::string_view text) {
  return text.find("//") != std::string_view::npos ||
         text.find("/*") != std::string_view::npos ||
         text.find("*/") != std::string_view::npos;
}

/// Whether a header's name says the same where it is read as tokens.
bool isPlainName(std::string_view name) {
  return !hasCommentMark(name) &&
         name.find_first_of("\"'\\") == std::string_view::npos;
}

/// Directives that read a file here or in other compilers.
bool readsFile(std::string_view keyword) {
  return keyword == "include" || keyword == "include_next" ||
         keyword == "import" || keyword == "embed" || keyword == "using";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class Reader {
public:
  Reader(const Spliced &spliced, Directives &directives, bool isTrusted)
      : spliced(spliced), text(spliced.get()), directives(directives),
        isTrusted(isTrusted) {}

  /// Reads tokens as a compiler does. False where compilers could differ.
  bool readTokens();
  /// Whatever could be a directive.
  void readEverywhere();

private:
  char at(size_t position) const {
    return position < text.size() ? text[position] : '\0';
  }
  bool startsWith(size_t position, std::string_view what) const {
    return text.substr(std::min(position, text.size()), what.size()) == what;
  }
  size_t getHashWidth(size_t position) const {
    return at(position) == '#' ? 1 : startsWith(position, "%:") ? 2 : 0;
  }
  size_t skipComment(size_t position) const;
  size_t skipBlanks(size_t position) const;
  std::string_view readIdentifier(size_t position) const;
  std::optional<HeaderName> readHeaderName(size_t &position) const;
  std::string describeOperand(size_t position) const;
  bool isAskedForOnly(size_t position) const;
  bool isAtStart(size_t position) const;

  /// Each returns the end of what it has read.
  size_t readLiteral(size_t position);
  size_t readRawString(size_t position);
  size_t readNumber(size_t position);
  size_t readWord(size_t position);
  size_t readDirective(size_t position);
  size_t readInclude(std::string_view keyword, size_t position);
  void readImport(size_t position);
  void readHasInclude(size_t begin, size_t position);
  void readCalls(size_t begin, size_t end);
  void addWord(std::string_view word);
  void endLine(size_t end, bool areTokens);

  const Spliced &spliced;
  std::string_view text;
  Directives &directives;
  bool isTrusted;
  bool isPlain = true;
  /// The #define, #if or #elif that is being read, and where its text starts.
  std::string pending, name;
  size_t pendingStart = 0;
};

/// The end of a block comment, or of the text.
size_t Reader::skipComment(size_t position) const {
  size_t end = text.find("*/", position + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

/// And block comments, which may have several lines.
size_t Reader::skipBlanks(size_t position) const {
  for (;;) {
    if (position < text.size() && isBlank(text[position]))
      ++position;
    else if (startsWith(position, "/*"))
      position = skipComment(position);
    else
      return position;
  }
}

std::string_view Reader::readIdentifier(size_t position) const {
  size_t end = position;
  if (startsIdentifier(at(position)))
    while (end < text.size() && continuesIdentifier(text[end]))
      ++end;
  return text.substr(std::min(position, text.size()), end - position);
}

std::optional<HeaderName> Reader::readHeaderName(size_t &position) const {
  char open = at(position);
  if (open != '"' && open != '<')
    return std::nullopt;
  size_t end = text.find_first_of(open == '<' ? ">\n" : "\"\n", position + 1);
  if (end == std::string_view::npos || text[end] == '\n')
    return std::nullopt;
  HeaderName header = {
      std::string(text.substr(position + 1, end - position - 1)), open == '"',
      spliced.toOriginal(position), spliced.toOriginal(end) + 1};
  position = end + 1;
  return header;
}

std::string Reader::describeOperand(size_t position) const {
  constexpr size_t kMost = 80;
  std::string_view rest = text.substr(std::min(position, text.size()), kMost);
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty() && isBlank(rest.back()))
    rest.remove_suffix(1);
  return std::string(rest);
}

/// Whether `defined` or #ifdef stands before the identifier.
bool Reader::isAskedForOnly(size_t position) const {
  std::string_view before = text.substr(0, position);
  auto trim = [&] {
    while (!before.empty() && isBlank(before.back()))
      before.remove_suffix(1);
  };
  trim();
  if (!before.empty() && before.back() == '(') {
    before.remove_suffix(1);
    trim();
  }
  size_t start = before.size();
  while (start != 0 && continuesIdentifier(before[start - 1]))
    --start;
  std::string_view word = before.substr(start);
  return word == "defined" || word == "ifdef" || word == "ifndef" ||
         word == "elifdef" || word == "elifndef";
}

size_t Reader::readLiteral(size_t position) {
  char quote = text[position];
  size_t end = position + 1;
  while (end < text.size() && text[end] != '\n' && text[end] != quote)
    end += text[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
  end = std::min(end, text.size());
  isPlain &= at(end) == quote &&
             !hasCommentMark(text.substr(position, end - position));
  return at(end) == quote ? end + 1 : end;
}

/// Reads a raw string from its quotation mark on.
size_t Reader::readRawString(size_t position) {
  isPlain = false;
  size_t open = text.find_first_of("(\n", position);
  if (open == std::string_view::npos || text[open] == '\n')
    return position + 1;
  std::string close(1, ')');
  close += text.substr(position + 1, open - position - 1);
  close += '"';
  size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

size_t Reader::readNumber(size_t position) {
  size_t end = position + 1;
  for (; end < text.size(); ++end) {
    bool isSign =
        (text[end] == '+' || text[end] == '-') &&
        std::string_view("eEpP").find(text[end - 1]) != std::string_view::npos;
    bool isSeparator = text[end] == '\'' && continuesIdentifier(at(end + 1));
    // Before C++14 it starts a character literal.
    isPlain &= !isSeparator;
    if (!isSign && !isSeparator && text[end] != '.' &&
        !continuesIdentifier(text[end]))
      break;
  }
  return end;
}

/// One of the text's.
void Reader::addWord(std::string_view word) {
  auto [known, isNew] = directives.words.try_emplace(std::string(word), 0);
  if (isNew)
    known->second =
        spliced.getLine(static_cast<size_t>(word.data() - text.data()));
}

size_t Reader::readWord(size_t position) {
  std::string_view word = readIdentifier(position);
  size_t end = position + word.size();
  if (!isTrusted)
    addWord(word);
  if (at(end) == '"' && !word.empty() && word.back() == 'R' &&
      (word == "R" || word == "LR" || word == "uR" || word == "UR" ||
       word == "u8R"))
    return readRawString(end);
  if (word.substr(0, kHasInclude.size()) == kHasInclude)
    readHasInclude(position, end);
  return end;
}

size_t Reader::readInclude(std::string_view keyword, size_t position) {
  position = skipBlanks(position);
  size_t end = position;
  std::optional<HeaderName> header = readHeaderName(end);
  isPlain &= !header || isPlainName(header->name);
  directives.files.push_back({std::string(keyword), spliced.getLine(position),
                              std::move(header), describeOperand(position)});
  return end;
}

/// C++20's at the start of a line, a directive without a mark. NVRTC looks for
/// the file, even where it has no modules.
void Reader::readImport(size_t position) {
  std::string_view word = readIdentifier(position);
  size_t next = skipBlanks(position + word.size());
  if (!isTrusted && word == "import" &&
      (startsIdentifier(at(next)) || at(next) == '"' || at(next) == '<' ||
       at(next) == ':'))
    readInclude(word, next);
}

void Reader::readHasInclude(size_t begin, size_t position) {
  std::string_view keyword = text.substr(begin, position - begin);
  position = skipBlanks(position);
  std::optional<HeaderName> header;
  std::string operand = describeOperand(position);
  if (at(position) == '(') {
    size_t end = skipBlanks(position + 1);
    header = readHeaderName(end);
    if (at(skipBlanks(end)) != ')')
      header.reset();
    // The rest of the line is read as tokens once more.
    isPlain &= !header || isPlainName(header->name);
  } else if (isAskedForOnly(begin)) {
    return;
  }
  // A trusted text may name files in macros, too.
  if (!header && isTrusted && pending == "define")
    return;
  directives.files.push_back({std::string(keyword), spliced.getLine(begin),
                              std::move(header), std::move(operand)});
}

/// Calls of macros in a condition that may be __has_include by another name.
void Reader::readCalls(size_t begin, size_t end) {
  for (size_t open = begin;
       (open = text.find('(', open)) < end && open != std::string_view::npos;
       ++open) {
    size_t position = skipBlanks(open + 1);
    size_t start = open;
    while (start != begin && isBlank(text[start - 1]))
      --start;
    size_t word = start;
    while (word != begin && continuesIdentifier(text[word - 1]))
      --word;
    std::string_view callee = text.substr(word, start - word);
    if (callee.empty() || callee.substr(0, kHasInclude.size()) == kHasInclude)
      continue;
    if (std::optional<HeaderName> header = readHeaderName(position);
        header && at(skipBlanks(position)) == ')')
      directives.files.push_back({std::string(callee), spliced.getLine(open),
                                  std::move(header), describeOperand(open)});
  }
}

size_t Reader::readDirective(size_t position) {
  position = skipBlanks(position + getHashWidth(position));
  std::string_view keyword = readIdentifier(position);
  position += keyword.size();
  if (readsFile(keyword))
    return readInclude(keyword, position);
  if (keyword != "define" && keyword != "if" && keyword != "elif")
    return position;
  pending = keyword;
  name.clear();
  if (keyword == "define") {
    position = skipBlanks(position);
    name = readIdentifier(position);
    position += name.size();
  }
  pendingStart = position;
  return position;
}

/// Removes the comments of a line in whose literals there is nothing like one.
std::string removeComments(std::string_view line) {
  std::string rest;
  for (size_t i = 0; i < line.size();) {
    std::string_view mark = line.substr(i, 2);
    if (mark == "//")
      break;
    if (mark == "/*") {
      size_t end = line.find("*/", i + 2);
      i = end == std::string_view::npos ? line.size() : end + 2;
      rest += ' ';
    } else {
      rest += line[i++];
    }
  }
  return rest;
}

void Reader::endLine(size_t end, bool areTokens) {
  if (pending.empty())
    return;
  std::string_view slice = text.substr(pendingStart, end - pendingStart);
  std::string body = areTokens ? removeComments(slice) : std::string(slice);
  auto &lines = pending == "define" ? directives.macros : directives.conditions;
  lines.push_back({name, std::move(body), spliced.getLine(pendingStart)});
  if (isTrusted && pending != "define")
    readCalls(pendingStart, end);
  pending.clear();
}

bool Reader::readTokens() {
  // Some end a line there.
  for (size_t i = 0; (i = text.find('\r', i)) != std::string_view::npos; ++i)
    isPlain &= at(i + 1) == '\n';
  // `isAfterLines`: after a comment of several lines that starts a line.
  bool isLineStart = true, isAfterLines = false;
  size_t position = 0;
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      endLine(position, /*areTokens=*/true);
      isLineStart = true;
      isAfterLines = false;
      ++position;
    } else if (isBlank(c)) {
      ++position;
    } else if (startsWith(position, "//")) {
      position = std::min(text.find('\n', position), text.size());
    } else if (startsWith(position, "/*")) {
      isPlain &= text.find("*/", position + 2) != std::string_view::npos;
      size_t end = skipComment(position);
      isAfterLines |= text.substr(position, end - position).find('\n') !=
                      std::string_view::npos;
      position = end;
    } else if ((isLineStart || isAfterLines) && getHashWidth(position) != 0) {
      // NVRTC takes that for a directive, although the line began before.
      isPlain &= isLineStart;
      isLineStart = isAfterLines = false;
      position = readDirective(position);
    } else {
      bool isStart = isLineStart || isAfterLines;
      isLineStart = isStart && readIdentifier(position) == "export";
      isAfterLines = false;
      if (isStart)
        readImport(position);
      if (c == '"' || c == '\'')
        position = readLiteral(position);
      else if (isDigit(c) || (c == '.' && isDigit(at(position + 1))))
        position = readNumber(position);
      else if (startsIdentifier(c))
        position = readWord(position);
      else {
        // Some have the last two in identifiers, which hides a raw string's R.
        isPlain &=
            c != '\\' && c != '$' && static_cast<unsigned char>(c) < 0x80;
        ++position;
      }
    }
  }
  endLine(text.size(), /*areTokens=*/true);
  return isPlain && !spliced.hasOddSplices();
}

/// Whether a line starts there, or a comment or `export` precedes.
bool Reader::isAtStart(size_t position) const {
  while (position != 0 && isBlank(text[position - 1]))
    --position;
  std::string_view before = text.substr(0, position);
  for (std::string_view end : {"\n", "*/", "export"})
    if (before.size() >= end.size() &&
        before.substr(before.size() - end.size()) == end)
      return true;
  return before.empty();
}

void Reader::readEverywhere() {
  // Lines overlap where one has several directives in it. No text that is meant
  // well needs more than this.
  size_t budget = 16 * text.size() + 65536;
  for (std::string_view word : getIdentifiers(text))
    addWord(word);
  for (size_t position = 0; position < text.size(); ++position) {
    if (getHashWidth(position) != 0) {
      size_t start = readDirective(position), end = start;
      // The end of the line, and of all lines that may belong to it.
      while (!pending.empty() && end < text.size() && text[end] != '\n')
        end = startsWith(end, "/*") ? skipComment(end) : end + 1;
      endLine(end, /*areTokens=*/false);
      if (end - position > budget) {
        directives.files.push_back({"line that overlaps others",
                                    spliced.getLine(position), std::nullopt,
                                    describeOperand(position)});
        return;
      }
      budget -= end - position;
    } else if (startsWith(position, kHasInclude) &&
               (position == 0 || !continuesIdentifier(text[position - 1]))) {
      readWord(position);
    } else if (startsWith(position, "import") && isAtStart(position)) {
      readImport(position);
    }
  }
}

} // namespace

Directives readDirectives(std::string_view text, Reading reading) {
  Directives directives;
  bool isTrusted = reading == Reading::Trusting;
  Spliced standard(text, Spliced::Rules::Standard);
  if (Reader(standard, directives, isTrusted).readTokens() || isTrusted)
    return directives;
  directives = Directives();
  Reader(standard, directives, isTrusted).readEverywhere();
  if (standard.hasOddSplices())
    Reader(Spliced(text, Spliced::Rules::Lax), directives, isTrusted)
        .readEverywhere();
  return directives;
}

std::vector<std::string_view> getIdentifiers(std::string_view text) {
  std::vector<std::string_view> identifiers;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (continuesIdentifier(text[i]))
      while (end < text.size() && continuesIdentifier(text[end]))
        ++end;
    if (startsIdentifier(text[i]))
      identifiers.push_back(text.substr(i, end - i));
    i = end;
  }
  return identifiers;
}

bool canPaste(std::string_view body) {
  return body.find("##") != std::string_view::npos ||
         body.find("%:%:") != std::string_view::npos;
}

bool canAskForFiles(std::string_view body) {
  if (body.find(kHasInclude) == std::string_view::npos)
    return false;
  Directives directives;
  Spliced whole(body, Spliced::Rules::Standard);
  Reader(whole, directives, /*isTrusted=*/false).readTokens();
  return std::any_of(directives.files.begin(), directives.files.end(),
                     [](const FileMention &file) { return !file.header; });
}

namespace {

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
