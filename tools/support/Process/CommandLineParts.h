//===- CommandLineParts.h - shared parts of command lines -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, checks and help texts that carousel-run, carousel-tune and
// carousel-sim share.
// CLI11 throws, so files that include this are built with exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_COMMANDLINEPARTS_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_COMMANDLINEPARTS_H

#include "../Tensors/Compare.h"

#include <CLI/CLI.hpp>

namespace carousel::tools {

/// Shows the names of values and nothing of how CLI11 checks them.
struct HelpFormatter : CLI::Formatter {
  HelpFormatter() { column_width(26); }
  std::string make_option_opts(const CLI::Option *option) const override;
};

/// An option that may be given several times, each with one value.
CLI::Option *addList(CLI::App &app, const std::string &name,
                     std::vector<std::string> &target, const char *help,
                     const char *valueName);

/// --arg.
void addArguments(CLI::App &app, std::vector<std::string> &arguments);

/// --arg, --out, --expect, --rtol and --atol.
void addTensorOptions(CLI::App &app, std::vector<std::string> &arguments,
                      std::vector<std::string> &outputs,
                      std::vector<std::string> &expectations,
                      Tolerance &tolerance);

/// The values of --arg, and those of --expect, for the end of the help.
extern const char *const kTensorValuesHelp;
extern const char *const kExpectedValuesHelp;

/// Empty, or what is wrong with the text.
std::string checkInteger(const std::string &text, uint64_t least,
                         uint64_t most);
std::string checkPositive(const std::string &text);

/// How a command line ends the program.
enum class EarlyExit {
  Shown,    ///< help or the version was printed
  NotShown, ///< stdout couldn't be written to; an error was printed
  Usage,    ///< the command line is wrong; an error was printed
};

/// Reads the command line. Nothing: go on. `required` is the error where the
/// positional argument is left out.
std::optional<EarlyExit> parseOptions(CLI::App &app, int argc, char **argv,
                                      const char *required);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_COMMANDLINEPARTS_H
