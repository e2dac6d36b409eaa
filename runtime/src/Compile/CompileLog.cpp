//===- CompileLog.cpp - what compilers report -----------------------------===//
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
// The errors of compilers look like this:
// NVRTC:     saxpy.cu(2): warning #177-D: variable "i" was never referenced
//              int i = 3;
//                  ^
// ptxas:     ptxas application ptx input, line 24; error   : Unknown modifier
//            ptxas error   : Entry function 'k' uses too much shared data
// nvJitLink: error   : Undefined reference to 'f' in 'k.ptx'
//
//===----------------------------------------------------------------------===//

#include "CompileLog.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/Printable.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

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

namespace {

using Severity = CompileMessage::Severity;

/// The bytes of one log that an error shows.
constexpr size_t kMaxLogBytes = 1024;

std::string_view trim(std::string_view text) {
  auto isBlank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  return text;
}

std::vector<std::string_view> splitLines(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    size_t end =
        std::min(log.find_first_of(std::string_view("\n\0", 2)), log.size());
    lines.push_back(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Takes the prefix off `text`.
bool consume(std::string_view &text, std::string_view prefix) {
  if (!startsWith(text, prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<uint32_t> consumeNumber(std::string_view &text) {
  uint32_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// "(2): error: ..." after a file's name.
std::optional<CompileMessage> parsePlaceAndText(std::string_view rest) {
  CompileMessage message;
  if (!consume(rest, "("))
    return std::nullopt;
  std::optional<uint32_t> line = consumeNumber(rest);
  if (!line || !consume(rest, "): "))
    return std::nullopt;
  message.line = *line;
  // "catastrophic error", "internal error".
  bool error = consume(rest, "catastrophic error") ||
               consume(rest, "internal error") || consume(rest, "error");
  if (!error) {
    if (consume(rest, "warning"))
      message.severity = Severity::Warning;
    else if (consume(rest, "remark") || consume(rest, "note"))
      message.severity = Severity::Note;
    else
      return std::nullopt;
  }
  // " #177-D": a number by which it could be suppressed.
  size_t colon = rest.find(": ");
  if (colon == std::string_view::npos ||
      (colon != 0 && !startsWith(rest, " #")))
    return std::nullopt;
  std::string number(trim(rest.substr(0, colon)));
  message.text = trim(rest.substr(colon + 2));
  if (!number.empty() && message.severity != Severity::Error)
    message.text += " [" + number + "]";
  return message;
}

std::optional<CompileMessage>
parseNVRTCLine(std::string_view line, const std::vector<std::string> &files) {
  for (const std::string &file : files)
    if (startsWith(line, file))
      if (std::optional<CompileMessage> message =
              parsePlaceAndText(line.substr(file.size()))) {
        message->file = file;
        return message;
      }
  if (line.empty() || static_cast<unsigned char>(line.front()) <= ' ')
    return std::nullopt;
  for (size_t at = line.find('('); at != std::string_view::npos;
       at = line.find('(', at + 1))
    if (std::optional<CompileMessage> message =
            parsePlaceAndText(line.substr(at))) {
      message->file = line.substr(0, at);
      return message;
    }
  return std::nullopt;
}

/// "error   : text", of ptxas and nvJitLink.
std::optional<CompileMessage> parseSeverityAndText(std::string_view rest) {
  CompileMessage message;
  if (consume(rest, "warning"))
    message.severity = Severity::Warning;
  else if (!consume(rest, "error") && !consume(rest, "fatal"))
    return std::nullopt;
  while (consume(rest, " "))
    ;
  if (!consume(rest, ": "))
    return std::nullopt;
  message.text = trim(rest);
  // "Entry function 'k' uses too much shared data"
  constexpr std::string_view kFunction = "unction '";
  if (size_t at = message.text.find(kFunction); at != std::string::npos) {
    std::string name = message.text.substr(at + kFunction.size());
    message.function = name.substr(0, name.find('\''));
  }
  return message;
}

std::optional<CompileMessage> parsePTXASLine(std::string_view line) {
  if (!consume(line, "ptxas "))
    return parseSeverityAndText(line); // of nvJitLink
  if (std::optional<CompileMessage> message = parseSeverityAndText(line))
    return message;
  // "application ptx input, line 24; error   : text"; nvJitLink has the name
  // of its input there.
  constexpr std::string_view kLine = ", line ";
  size_t at = line.rfind(kLine);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::string_view input = line.substr(0, at);
  line.remove_prefix(at + kLine.size());
  std::optional<uint32_t> number = consumeNumber(line);
  if (!number || !consume(line, "; "))
    return std::nullopt;
  std::optional<CompileMessage> message = parseSeverityAndText(line);
  if (!message)
    return std::nullopt;
  message->line = *number;
  message->file = input == "application ptx input" ? kPTXText : input;
  return message;
}

/// Lines of other forms.
std::optional<CompileMessage> parseOtherLine(std::string_view line) {
  CompileMessage message;
  // The name of an input, as of "saxpy.cu: link error: error: text".
  constexpr std::string_view kLinkError = ": link error: error: ";
  if (size_t at = line.find(kLinkError); at != std::string_view::npos) {
    message.file = line.substr(0, at);
    message.text = trim(line.substr(at + kLinkError.size()));
    return message;
  }
  if (!consume(line, "nvrtc: error: "))
    return std::nullopt;
  message.text = trim(line);
  return message;
}

/// Whether all that it says is that there were errors.
bool isConclusion(const CompileMessage &message) {
  return message.text == "Ptx assembly aborted due to errors";
}

/// The lines that belong to a message of NVRTC: more text, then the line of
/// code and a caret under it, then more text. Returns how many.
size_t readDetails(const std::vector<std::string_view> &lines, size_t begin,
                   CompileMessage &message) {
  size_t end = begin;
  std::optional<size_t> caret;
  while (end < lines.size() && startsWith(lines[end], "  ") &&
         !trim(lines[end]).empty()) {
    if (!caret && trim(lines[end]) == "^")
      caret = end;
    ++end;
  }
  for (size_t i = begin; i < end; ++i) {
    if (caret && i == *caret)
      continue;
    if (caret && i + 1 == *caret)
      message.source = trim(lines[i]);
    else
      message.text += " " + std::string(trim(lines[i]));
  }
  return end - begin;
}

} // namespace

CompileMessages parseLog(std::string_view log,
                         const std::vector<std::string> &files) {
  CompileMessages messages;
  std::vector<std::string_view> lines = splitLines(log);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    while (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (std::optional<CompileMessage> message = parseNVRTCLine(line, files)) {
      i += readDetails(lines, i + 1, *message);
      messages.push_back(std::move(*message));
      continue;
    }
    std::optional<CompileMessage> message = parsePTXASLine(line);
    if (!message)
      message = parseOtherLine(line);
    if (message && (!isConclusion(*message) || messages.empty()))
      messages.push_back(std::move(*message));
  }
  for (CompileMessage &message : messages)
    for (std::string *text : {&message.file, &message.text, &message.source})
      *text = escapeControls(*text);
  return messages;
}

//===----------------------------------------------------------------------===//
// Functions and places
//===----------------------------------------------------------------------===//

void addFunctions(CompileMessages &messages, const CUDASource &source) {
  std::optional<FunctionLines> lines;
  for (CompileMessage &message : messages) {
    if (!message.function.empty() || message.line == 0)
      continue;
    if (!lines)
      lines.emplace(source.text, source.name);
    message.function = lines->find(message.file, message.line);
  }
}

namespace {
/// The origin of one of PTX's lines.
struct Origin {
  std::string function;
  uint32_t file = 0, line = 0; ///< 0: not said
};

/// The word before the parenthesis of "visible .entry k(".
std::string getDefined(std::string_view line) {
  size_t at = line.rfind('(');
  std::string_view name = trim(line.substr(0, at));
  size_t begin = name.find_last_of(" \t)");
  return std::string(begin == std::string_view::npos ? name
                                                     : name.substr(begin + 1));
}

/// `.file 1 "/dir/saxpy.mlir"`
void readFile(std::string_view line, std::string_view directory,
              std::vector<std::string> &names) {
  std::optional<uint32_t> number = consumeNumber(line);
  size_t begin = line.find('"'), end = line.rfind('"');
  constexpr uint32_t kMaxFiles = 4096;
  if (!number || *number >= kMaxFiles || begin >= end)
    return;
  std::string_view name = line.substr(begin + 1, end - begin - 1);
  if (name.size() > directory.size() + 1 && name[directory.size()] == '/' &&
      startsWith(name, directory))
    name.remove_prefix(directory.size() + 1);
  names.resize(std::max<size_t>(names.size(), *number + 1));
  names[*number] = name;
}

} // namespace

void traceToSource(CompileMessages &messages, std::string_view ptx,
                   std::string_view directory) {
  std::vector<Origin> origins(1); // lines count from 1
  std::vector<std::string> names;
  Origin here;
  for (std::string_view line : splitLines(ptx)) {
    std::string_view text = trim(line);
    bool isEntry = text.find(".entry ") != std::string_view::npos;
    if (isEntry || startsWith(text, ".func ") ||
        startsWith(text, ".visible .func "))
      here = {getDefined(line), 0, 0};
    if (consume(text, ".loc\t") || consume(text, ".loc ")) {
      text = trim(text);
      std::optional<uint32_t> file = consumeNumber(text);
      text = trim(text);
      std::optional<uint32_t> number = consumeNumber(text);
      if (file && number) {
        here.file = *file;
        here.line = *number;
      }
    } else if (consume(text, ".file\t") || consume(text, ".file ")) {
      readFile(trim(text), directory, names);
    }
    origins.push_back(here);
  }
  for (CompileMessage &message : messages) {
    if (message.file != kPTXText || message.line >= origins.size())
      continue;
    const Origin &origin = origins[message.line];
    message.function = origin.function;
    if (origin.line == 0 || origin.file >= names.size() ||
        names[origin.file].empty())
      continue;
    message.text +=
        fmt::format(" (line {} of the {})", message.line, message.file);
    message.file = names[origin.file];
    message.line = origin.line;
  }
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

static std::string describe(const CompileMessage &message,
                            std::string_view severity) {
  std::string text;
  if (!message.file.empty())
    text += message.file;
  if (message.line != 0)
    text += fmt::format(":{}", message.line);
  if (!text.empty())
    text += ": ";
  text += severity;
  text += message.text;
  // The name isn't said again where the text has it.
  if (!message.function.empty() &&
      message.text.find("'" + message.function + "'") == std::string::npos)
    text += fmt::format(" (in '{}')", message.function);
  return text;
}

std::string toString(const CompileMessage &message) noexcept {
  constexpr const char *kNames[] = {"", "error: ", "warning: ", "note: "};
  auto severity = static_cast<size_t>(message.severity);
  return makeMessage(
      describe(message, severity < std::size(kNames) ? kNames[severity] : ""));
}

std::string summarizeErrors(const CompileMessages &messages,
                            std::string_view log) {
  constexpr size_t kShown = 3;
  std::vector<const CompileMessage *> shown;
  size_t count = 0;
  for (const CompileMessage &message : messages) {
    if (message.severity != Severity::Error)
      continue;
    ++count;
    bool repeats =
        std::any_of(shown.begin(), shown.end(), [&](const auto *other) {
          return other->text == message.text;
        });
    if (!repeats && shown.size() < kShown)
      shown.push_back(&message);
  }
  if (shown.empty())
    return condenseLog(log);
  std::string text;
  for (const CompileMessage *message : shown)
    text += (text.empty() ? "" : "; ") + describe(*message, "");
  size_t more = count - shown.size();
  std::string tail = more == 0 ? ""
                               : fmt::format("; and {} more error{}", more,
                                             more == 1 ? "" : "s");
  return clip(std::move(text), kMaxLogBytes) + tail;
}

std::string condenseLog(std::string_view log) {
  std::string text;
  for (std::string_view line : splitLines(log)) {
    line = trim(line);
    if (line.empty())
      continue;
    text += text.empty() ? "" : " | ";
    for (char c : line)
      text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return clip(std::move(text), kMaxLogBytes);
}

} // namespace carousel::runtime
