//===- CommandLineParts.cpp - shared parts of command lines ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parseOptions catches all exceptions of CLI11.
//
//===----------------------------------------------------------------------===//

#include "CommandLineParts.h"

#include "Messages.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>

using namespace carousel::tools;

const char *const carousel::tools::kTensorValuesHelp =
    R"(Values of --arg, for tensors:
  FILE.npy              the array of a file; bf16 as uint16, fp8 as uint8
  empty:SHAPE           uninitialised memory; a pattern fills it, so that elements
                        that the kernel doesn't write are seen
  zeros:SHAPE           zeros
  random:SHAPE[:SEED]   the same numbers on every machine; floats from [-1, 1)
  iota:SHAPE[:COUNT]    0, 1, 2...; starts again at 0 after COUNT numbers, or
                        when the type can't hold the next integer exactly
  like:NAME             as empty, with the shape and strides of argument NAME
SHAPE is 4096, 64x128, or [] for no dimensions; with strides in elements,
64x128@136x1. For scalars: a number (12, -0x10, 1.5e3, inf), true or false.
)";

const char *const carousel::tools::kExpectedValuesHelp =
    R"(
--expect takes the same, except empty: and like:. An element matches if
|got - want| <= atol + rtol * |want|; NaN matches NaN.
)";

std::string HelpFormatter::make_option_opts(const CLI::Option *option) const {
  std::string name = option->get_type_name();
  return name.empty() ? "" : " " + name;
}

CLI::Option *carousel::tools::addList(CLI::App &app, const std::string &name,
                                      std::vector<std::string> &target,
                                      const char *help, const char *valueName) {
  // By default CLI11 takes several values after one option.
  return app.add_option(name, target, help)
      ->type_name(valueName)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

static std::string checkTolerance(const std::string &text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !(value >= 0) ||
      std::isinf(value))
    return "expected a number of 0 or more, got '" + text + "'";
  return {};
}

void carousel::tools::addArguments(CLI::App &app,
                                   std::vector<std::string> &arguments) {
  addList(app, "--arg", arguments,
          "the value of an argument (see below); repeatable", "NAME=VALUE");
}

void carousel::tools::addTensorOptions(CLI::App &app,
                                       std::vector<std::string> &arguments,
                                       std::vector<std::string> &outputs,
                                       std::vector<std::string> &expectations,
                                       Tolerance &tolerance) {
  addArguments(app, arguments);
  addList(app, "--out", outputs,
          "write a tensor to a file after the run; repeatable", "NAME=FILE");
  addList(app, "--expect", expectations,
          "compare a tensor after the run; repeatable", "NAME=VALUE");
  app.add_option("--rtol", tolerance.relative,
                 "tolerance relative to the expected value (0)")
      ->type_name("X")
      ->check(checkTolerance);
  app.add_option("--atol", tolerance.absolute, "absolute tolerance (0)")
      ->type_name("X")
      ->check(checkTolerance);
}

std::string carousel::tools::checkPositive(const std::string &text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !(value > 0) ||
      std::isinf(value))
    return "expected a number above 0, got '" + text + "'";
  return {};
}

/// CLI11's own conversions accept a number that is too large.
std::string carousel::tools::checkInteger(const std::string &text,
                                          uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < least || value > most)
    return fmt::format("expected an integer from {} to {}, got '{}'", least,
                       most, text);
  return {};
}

/// Rewrites CLI11's messages for an option without a value or given twice.
static std::string describeMismatch(const std::string &text) {
  std::string name = text.substr(0, text.find(':'));
  if (text.find("missing") != std::string::npos)
    return fmt::format("expected a value after {}, got none", name);
  if (text.find("At Most 1 ") != std::string::npos)
    return fmt::format("expected {} once, got it again", name);
  return text;
}

std::optional<EarlyExit> carousel::tools::parseOptions(CLI::App &app, int argc,
                                                       char **argv,
                                                       const char *required) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) { // --help, --version
    app.exit(success);
    if (std::cout.flush())
      return EarlyExit::Shown;
    printError(fmt::format("cannot write to the standard output: {}",
                           std::strerror(errno)));
    return EarlyExit::NotShown;
  } catch (const CLI::RequiredError &) {
    printError(required);
    return EarlyExit::Usage;
  } catch (const CLI::ExtrasError &) {
    printError(fmt::format("expected an option that --help lists, got '{}'",
                           app.remaining().front()));
    return EarlyExit::Usage;
  } catch (const CLI::ArgumentMismatch &error) {
    printError(describeMismatch(error.what()));
    return EarlyExit::Usage;
  } catch (const CLI::ParseError &error) {
    printError(error.what());
    return EarlyExit::Usage;
  }
  return std::nullopt;
}
