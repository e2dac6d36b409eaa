//===- Includes.cpp - headers that NVRTC gets -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accepts the spellings of NVRTC 13.0: "-Ix", "-I x", "-I=x", or two strings;
// "--include-path=x", or two strings.
//
// Resolves the file names in all texts in NVRTC's order: a text in memory of
// that name, the directory of the including file (for names in quotes), the
// directories of the options, the toolkit. A name found in a directory is
// replaced by the file's path. Other names stay; NVRTC has no directories to
// search.
//
// Headers in directories may include files in ways that this can't resolve: a
// name that a macro expands to, or #include_next. Then NVRTC reads the
// directories itself, and nothing is cached.
//
//===----------------------------------------------------------------------===//

#include "Includes.h"

#include "DeviceHeaders.h"
#include "Directives.h"
#include "Support/FileDescriptor.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>

namespace carousel::runtime {

namespace {

constexpr const char *kSpaces = " \t";

/// Options that only change how a text is compiled. Options with a value after
/// '='.
constexpr std::array<std::string_view, 31> kWithValue = {
    "--gpu-architecture",
    "-arch",
    "--std",
    "-std",
    "--fmad",
    "-fmad",
    "--ftz",
    "-ftz",
    "--prec-div",
    "-prec-div",
    "--prec-sqrt",
    "-prec-sqrt",
    "--maxrregcount",
    "-maxrregcount",
    "--relocatable-device-code",
    "-rdc",
    "--diag-error",
    "-diag-error",
    "--diag-suppress",
    "-diag-suppress",
    "--diag-warn",
    "-diag-warn",
    "--dopt",
    "-dopt",
    "--split-compile",
    "-split-compile",
    "--jump-table-density",
    "-jtd",
    "--define-macro",
    "--undefine-macro",
    "--builtin-initializer-list"};
constexpr std::array<std::string_view, 31> kWithoutValue = {
    "--no-source-include",
    "-no-source-include",
    "--use_fast_math",
    "-use_fast_math",
    "--generate-line-info",
    "-lineinfo",
    "--device-debug",
    "-G",
    "--dlink-time-opt",
    "-dlto",
    "--device-c",
    "-dc",
    "--device-w",
    "-dw",
    "--default-device",
    "-default-device",
    "--device-as-default-execution-space",
    "--extra-device-vectorization",
    "-extra-device-vectorization",
    "--disable-warnings",
    "-w",
    "--restrict",
    "-restrict",
    "--device-int128",
    "-device-int128",
    "--display-error-number",
    "-err-no",
    "--no-display-error-number",
    "-no-err-no",
    "--minimal",
    "-minimal"};

template <size_t Count>
bool isOneOf(std::string_view option,
             const std::array<std::string_view, Count> &names) {
  return std::find(names.begin(), names.end(), option) != names.end();
}

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// The list as NVRTC reads it, one string at a time.
class Options {
public:
  explicit Options(const std::vector<std::string> &list) : list(list) {}

  bool next() {
    if (position == list.size())
      return false;
    option = trim(list[position++]);
    return true;
  }
  std::string_view get() const { return option; }
  /// As it was given, without the value in the next string.
  const std::string &getWhole() const { return list[position - 1]; }
  /// The next string, whatever it is; empty at the end.
  std::string takeAny() {
    return position == list.size() ? std::string() : list[position++];
  }
  /// The next string as the value of this option; empty where there is none.
  std::string takeNext() {
    bool hasValue = position != list.size() && !startsWith(list[position], "-");
    return hasValue ? list[position++] : std::string();
  }
  /// Takes the text after `name` and '=', or the next string.
  std::optional<std::string> takeValue(std::string_view name) {
    if (option == name)
      return takeNext();
    if (startsWith(option, name) && option.substr(name.size(), 1) == "=")
      return std::string(option.substr(name.size() + 1));
    return std::nullopt;
  }
  /// The same for an option of one letter, where '=' may be missing.
  std::optional<std::string> takeJoined(std::string_view name) {
    if (option == name || !startsWith(option, name))
      return takeValue(name);
    std::string_view value = trim(option.substr(name.size()));
    if (startsWith(value, "="))
      value.remove_prefix(1);
    return std::string(value);
  }

private:
  static std::string_view trim(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    return text;
  }

  const std::vector<std::string> &list;
  size_t position = 0;
  std::string_view option;
};

/// ptxas has options that name files, too.
bool isPTXASOption(std::string_view value) {
  return value.find("file") == std::string_view::npos &&
         value.find_first_of("@/") == std::string_view::npos;
}

} // namespace

IncludeOptions readIncludeOptions(const std::vector<std::string> &list) {
  IncludeOptions read;
  Options options(list);
  while (options.next()) {
    std::string whole = options.getWhole();
    std::string_view option = options.get();
    std::optional<std::string> value;
    if ((value = options.takeValue("--include-path"))) {
      read.directories.push_back(*value);
    } else if ((value = options.takeValue("--pre-include")) ||
               (value = options.takeValue("-include"))) {
      read.preIncludes.push_back(*value);
    } else if (startsWith(option, "-I")) {
      read.directories.push_back(*options.takeJoined("-I"));
    } else if (startsWith(option, "-D") || startsWith(option, "-U")) {
      read.rest.push_back(whole);
      if (option.size() == 2)
        read.rest.push_back(options.takeNext());
    } else if (option == "--ptxas-options" || option == "-Xptxas") {
      read.rest.push_back(whole);
      read.rest.push_back(options.takeAny());
      read.areKnown &= isPTXASOption(read.rest.back());
    } else if ((value = options.takeValue("--ptxas-options")) ||
               (value = options.takeValue("-Xptxas"))) {
      read.rest.push_back(whole);
      read.areKnown &= isPTXASOption(*value);
    } else {
      // A value in the next string is an option of which nothing is known.
      size_t equals = option.find('=');
      read.areKnown &= equals == std::string_view::npos
                           ? isOneOf(option, kWithoutValue)
                           : isOneOf(option.substr(0, equals), kWithValue);
      read.rest.push_back(whole);
      read.hasPaths |= option == "--generate-line-info" ||
                       option == "-lineinfo" || option == "--device-debug" ||
                       option == "-G";
    }
  }
  return read;
}

namespace {

namespace fs = std::filesystem;

/// More than any library of headers has; a bound against directories that
/// aren't what they seem.
constexpr size_t kMaxFiles = 20000;
constexpr uint64_t kMaxBytes = uint64_t(512) << 20;

std::string normalize(const fs::path &path) {
  return path.lexically_normal().string();
}

/// A text, and where its mentions lead.
struct Text {
  CUDASource given;
  /// Whether it has a directory to search for names in quotes; a text in memory
  /// hasn't.
  bool isFile = false;
  Directives directives;
  /// The replacements of header names, in their order.
  std::map<size_t, std::pair<size_t, std::string>> replacements;

  std::string rewrite() const;
};

std::string Text::rewrite() const {
  std::string text;
  size_t done = 0;
  for (const auto &[begin, replacement] : replacements) {
    if (begin < done)
      continue;
    size_t end = replacement.first;
    text.append(given.text, done, begin - done);
    text += replacement.second;
    // The lines that follow keep their numbers.
    auto splices =
        std::count(given.text.begin() + begin, given.text.begin() + end, '\n');
    for (; splices != 0; --splices)
      text += "\\\n";
    done = end;
  }
  return text.append(given.text, done);
}

using Refusal = std::optional<CompileMessage>;

class Gatherer {
public:
  explicit Gatherer(std::vector<std::string> directories);

  /// Texts that were given, of which nothing is believed. The first of a name
  /// is taken.
  void addSource(const CUDASource &source) { addText(source); }
  void addHeader(const CUDASource &header);
  /// The name by which NVRTC is to include it before the source.
  std::string addPreInclude(const std::string &name);
  /// All that the texts lead to.
  Refusal follow();

  /// Whether files alone, and nothing else, decide what is read.
  bool isComplete() const { return complete; }
  /// Those of files that aren't among the directories to search.
  std::vector<std::string> getOtherDirectories() const;
  /// The source, the headers, the files.
  std::vector<CUDASource> getTexts() const;

private:
  void addText(const CUDASource &source);
  Refusal check(const Text &text, const FileMention &mention) const;
  Refusal checkConditions(const Text &text) const;
  Refusal checkWords(const Text &text) const;
  Refusal checkMacros(const Text &text) const;
  void findMacros();
  bool isInMemory(const std::string &name) const {
    return inMemory.count(name) != 0;
  }
  void resolve(Text &text, const FileMention &mention);
  std::optional<std::string> find(const Text *includer,
                                  const HeaderName &header);
  /// The name of a file among the texts, which is the first of its paths that
  /// was asked for; nothing if there is no such file.
  std::optional<std::string> addFile(const std::string &path);
  std::optional<std::string> readFile(const std::string &path);

  std::vector<std::string> directories;
  std::unordered_set<std::string> inMemory;
  /// References stay valid as files join.
  std::deque<Text> texts;
  std::map<std::pair<dev_t, ino_t>, std::string> files;
  /// The answers of addFile.
  std::unordered_map<std::string, std::optional<std::string>> answers;
  /// Where the files lie that were read before one was incomplete.
  std::set<std::string> homes;
  /// Macros that no text may have in it, and those that no condition may.
  Words asking, pasting;
  /// Those of the latter that paste what they are given.
  Words pasters;
  /// Words that paste with others to __has_include, by macros of files.
  Words pieces;
  /// A file that includes what a macro names.
  std::optional<std::string> following;
  /// The words that such an include is made of.
  Words naming;
  uint64_t bytes = 0;
  bool complete = true;
};

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

CompileMessage refuse(const Text &text, uint32_t line, std::string what) {
  CompileMessage message;
  message.file = text.given.name;
  message.line = line;
  message.text = makeMessage(what);
  return message;
}

bool hasParent(std::string_view name) {
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..")
      return true;
    begin = end + 1;
  }
  return false;
}

/// The keyword as it stands in a text.
std::string getKeyword(const FileMention &mention) {
  bool isDirective = mention.keyword.find('_') != 0;
  return (isDirective ? "#" : "") + mention.keyword;
}

Refusal Gatherer::check(const Text &text, const FileMention &mention) const {
  if (!mention.header)
    return refuse(text, mention.line,
                  fmt::format("expected a header's name in quotes or angle "
                              "brackets after {}, got '{}'",
                              getKeyword(mention), mention.operand));
  const std::string &name = mention.header->name;
  if (!isInMemory(name) && (name.substr(0, 1) == "/" || hasParent(name)))
    return refuse(text, mention.line,
                  fmt::format("expected a header that was given, or a path "
                              "below a directory of headers after {}, got '{}'",
                              getKeyword(mention), name));
  return std::nullopt;
}

/// The identifiers of a condition that a compiler expands.
std::vector<std::string_view> getExpanded(std::string_view condition) {
  std::vector<std::string_view> all = getIdentifiers(condition), expanded;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] != "defined" && (i == 0 || all[i - 1] != "defined"))
      expanded.push_back(all[i]);
  return expanded;
}

/// Those of the headers in this library.
const std::vector<DirectiveLine> &getDeviceMacros() {
  static const std::vector<DirectiveLine> macros = [] {
    std::vector<DirectiveLine> all;
    for (const DeviceHeader &header : getDeviceHeaders()) {
      Directives read = readDirectives(header.text, Reading::Trusting);
      all.insert(all.end(), read.macros.begin(), read.macros.end());
    }
    return all;
  }();
  return macros;
}

void Gatherer::findMacros() {
  std::vector<const DirectiveLine *> macros;
  for (const Text &text : texts)
    for (const DirectiveLine &macro : text.directives.macros) {
      macros.push_back(&macro);
      if (text.isFile)
        addPieces(macro.body, pieces);
    }
  for (const DirectiveLine &macro : getDeviceMacros())
    macros.push_back(&macro);
  asking = findMacrosThat(canAskForFiles, macros);
  pasting = findMacrosThat(canPaste, macros);
  for (const DirectiveLine *macro : macros)
    if (pasting.count(macro->name) != 0 && takesArguments(macro->body))
      pasters.insert(macro->name);
  naming = findExpanded(std::move(naming), macros);
}

Refusal Gatherer::checkConditions(const Text &text) const {
  constexpr size_t kMostShown = 80;
  auto isAsking = [&](std::string_view name) {
    return asking.count(name) != 0 || pasting.count(name) != 0;
  };
  for (const DirectiveLine &condition : text.directives.conditions)
    if (std::vector<std::string_view> names = getExpanded(condition.body);
        std::any_of(names.begin(), names.end(), isAsking))
      return refuse(text, condition.line,
                    fmt::format("expected a condition without macros that "
                                "paste tokens or ask for files, got '{}'",
                                condition.body.substr(0, kMostShown)));
  return std::nullopt;
}

/// NVRTC answers __has_include outside of conditions, too.
Refusal Gatherer::checkWords(const Text &text) const {
  if (std::optional<AskingWord> found =
          findAskingWord(text.directives.words, asking, pasters, pieces))
    return refuse(text, found->line,
                  fmt::format("expected a word that doesn't ask for files, and "
                              "isn't pasted to one that does, got '{}'",
                              found->word));
  return std::nullopt;
}

/// Macros that a file's #include could expand to.
Refusal Gatherer::checkMacros(const Text &text) const {
  if (following)
    for (const DirectiveLine &macro : text.directives.macros)
      if (naming.count(macro.name) != 0 || canBePath(macro.body))
        return refuse(text, macro.line,
                      fmt::format("expected a macro that names no file where "
                                  "'{}' includes what a macro names, got '{}'",
                                  *following, macro.name));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

Gatherer::Gatherer(std::vector<std::string> directories)
    : directories(std::move(directories)) {
  for (const DeviceHeader &header : getDeviceHeaders())
    inMemory.emplace(header.name);
}

void Gatherer::addText(const CUDASource &source) {
  Text text;
  text.given = source;
  text.directives = readDirectives(source.text, Reading::Suspicious);
  texts.push_back(std::move(text));
}

void Gatherer::addHeader(const CUDASource &header) {
  bool isNew = std::none_of(texts.begin() + 1, texts.end(), [&](const Text &t) {
    return t.given.name == header.name;
  });
  if (!isNew)
    return;
  inMemory.insert(header.name);
  addText(header);
}

std::string Gatherer::addPreInclude(const std::string &name) {
  if (name.empty() || isInMemory(name))
    return name;
  // NVRTC also searches the working directory. Options may name files there.
  std::error_code error;
  if (std::optional<std::string> file =
          addFile(normalize(fs::absolute(name, error))))
    return *file;
  return find(nullptr, {name, true, 0, 0}).value_or(name);
}

/// The rest of a regular file, if it isn't longer than that.
std::optional<std::string> readWhole(int fd, uint64_t most) {
  std::string contents;
  for (size_t done = 0;; contents.resize(done)) {
    constexpr size_t kStep = 65536;
    contents.resize(done + kStep);
    ssize_t count = ::read(fd, contents.data() + done, kStep);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 || done + static_cast<size_t>(count) > most)
      return std::nullopt;
    done += static_cast<size_t>(count);
    if (count == 0) {
      contents.resize(done);
      return contents;
    }
  }
}

std::optional<std::string> Gatherer::addFile(const std::string &path) {
  auto [answer, isNew] = answers.try_emplace(path);
  if (isNew)
    answer->second = readFile(path);
  return answer->second;
}

std::optional<std::string> Gatherer::readFile(const std::string &path) {
  FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || S_ISDIR(status.st_mode))
    return std::nullopt;
  auto [known, isNew] = files.try_emplace({status.st_dev, status.st_ino}, path);
  if (!isNew)
    return known->second;
  if (complete)
    homes.insert(fs::path(path).parent_path().string());
  std::optional<std::string> contents;
  if (S_ISREG(status.st_mode))
    contents = readWhole(file.get(), kMaxBytes - bytes);
  // NVRTC reads C strings, and has no way to spell these names.
  bool isUsable = contents && files.size() <= kMaxFiles &&
                  contents->find('\0') == std::string::npos &&
                  path.find_first_of("\"\n\\") == std::string::npos;
  complete &= isUsable;
  if (!isUsable)
    return std::nullopt;
  bytes += contents->size();
  Text text;
  text.isFile = true;
  text.given = {path, std::move(*contents)};
  text.directives = readDirectives(text.given.text, Reading::Trusting);
  texts.push_back(std::move(text));
  return path;
}

std::optional<std::string> Gatherer::find(const Text *includer,
                                          const HeaderName &header) {
  if (header.name.empty() || isInMemory(header.name))
    return std::nullopt;
  if (header.name.front() == '/')
    return addFile(header.name);
  if (includer && includer->isFile && header.isQuoted)
    if (auto found = addFile(normalize(
            fs::path(includer->given.name).parent_path() / header.name)))
      return found;
  for (const std::string &directory : directories)
    if (auto found = addFile(normalize(fs::path(directory) / header.name)))
      return found;
  return std::nullopt;
}

void Gatherer::resolve(Text &text, const FileMention &mention) {
  if (text.isFile)
    complete &= mention.header && mention.keyword != "include_next" &&
                mention.keyword != "__has_include_next";
  if (text.isFile && !mention.header) {
    following = text.given.name;
    for (std::string_view word : getIdentifiers(mention.operand))
      naming.insert(word);
  }
  if (!mention.header)
    return;
  const HeaderName &header = *mention.header;
  if (std::optional<std::string> found = find(&text, header))
    text.replacements[header.begin] = {header.end,
                                       fmt::format("\"{}\"", *found)};
}

Refusal Gatherer::follow() {
  // Files join at the end. Those that are read anyhow needn't be followed.
  for (size_t i = 0; i < texts.size(); ++i) {
    Text &text = texts[i];
    for (const FileMention &mention : text.directives.files) {
      if (!text.isFile)
        if (Refusal refusal = check(text, mention))
          return refusal;
      resolve(text, mention);
    }
  }
  findMacros();
  for (const Text &text : texts)
    if (!text.isFile)
      for (auto check : {&Gatherer::checkConditions, &Gatherer::checkWords,
                         &Gatherer::checkMacros})
        if (Refusal refusal = (this->*check)(text))
          return refusal;
  return std::nullopt;
}

std::vector<std::string> Gatherer::getOtherDirectories() const {
  std::vector<std::string> others;
  std::set<std::string> seen(directories.begin(), directories.end());
  for (const std::string &directory : homes)
    if (seen.insert(directory).second)
      others.push_back(directory);
  return others;
}

std::vector<CUDASource> Gatherer::getTexts() const {
  std::vector<CUDASource> all;
  for (const Text &text : texts)
    all.push_back({text.given.name, text.rewrite()});
  return all;
}

/// The user of NVRTC may give options by this variable. It is looked at when
/// the library is loaded.
bool hasEnvironmentOptions() {
  const char *flags = ::getenv("NVRTC_APPEND_FLAGS");
  return flags && *flags;
}

} // namespace

Result<CompilerInput> gatherInput(const CUDASource &source,
                                  const std::vector<CUDASource> &headers,
                                  const std::vector<std::string> &options,
                                  const std::string &toolkit,
                                  CompileMessages *messages) {
  IncludeOptions read = readIncludeOptions(options);
  std::vector<std::string> directories = read.directories;
  if (!toolkit.empty())
    directories.push_back(toolkit);
  Gatherer gatherer(directories);
  gatherer.addSource(source);
  for (const CUDASource &header : headers)
    gatherer.addHeader(header);
  CompilerInput input;
  input.options = read.rest;
  input.options.emplace_back("--no-source-include");
  std::vector<std::string> preIncludes;
  for (const std::string &name : read.preIncludes)
    preIncludes.push_back(gatherer.addPreInclude(name));
  if (Refusal refusal = gatherer.follow()) {
    CompileMessages said = {std::move(*refusal)};
    addFunctions(said, source);
    if (messages)
      messages->push_back(said.front());
    return fail(ErrorCode::CompileError, "{}", summarizeErrors(said, {}));
  }

  input.isCacheable =
      gatherer.isComplete() && read.areKnown && !hasEnvironmentOptions();
  if (gatherer.isComplete()) {
    input.headers = gatherer.getTexts();
    input.source = std::move(input.headers.front());
    input.headers.erase(input.headers.begin());
  } else {
    input.source = source;
    input.headers = headers;
    preIncludes = read.preIncludes;
    for (std::string &other : gatherer.getOtherDirectories())
      directories.push_back(std::move(other));
    for (const std::string &directory : directories)
      input.options.push_back("--include-path=" + directory);
  }
  for (const std::string &name : preIncludes)
    input.options.push_back("--pre-include=" + name);
  std::error_code error;
  if (read.hasPaths)
    input.directory = fs::current_path(error).string();
  return input;
}

} // namespace carousel::runtime
