//===- IncludeOptions.cpp - NVRTC's options that name files ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accepts the spellings of NVRTC 13.0: "-Ix", "-I x", "-I=x", or two strings;
// "--include-path=x", or two strings.
//
//===----------------------------------------------------------------------===//

#include "IncludeOptions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

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
  /// What stands after `name` and '=', or in the next string.
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

} // namespace carousel::runtime
