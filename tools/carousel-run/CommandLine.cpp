//===- CommandLine.cpp - reads the command line of carousel-run -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help. CLI11 throws, so this file is built with
// exceptions; none leaves it.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "Run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>

using namespace carousel::run;

static constexpr const char *kDescription =
    "Lists the kernels of a package, runs one, compares its outputs, times it.";

static constexpr const char *kFooter = R"(Values of --arg, for tensors:
  FILE.npy              the array of a file; bf16 as uint16, fp8 as uint8
  empty:SHAPE           memory filled with the byte 0xA5, so that what the kernel
                        leaves unwritten is seen
  zeros:SHAPE           zeros
  random:SHAPE[:SEED]   the same numbers on every machine; floats from [-1, 1)
  iota:SHAPE            0, 1, 2..., from 0 again where the type ends
  like:NAME             empty, with the shape and strides of another argument
SHAPE is 4096, 64x128, or [] for no dimensions; with strides in elements,
64x128@136x1. For scalars: a number (12, -0x10, 1.5e3, inf), true or false.

--expect takes the same, but for empty: and like:. An element matches when
|got - want| <= atol + rtol * |want|; NaN matches NaN.

Examples:
  carousel-run copy.pkg
      lists the kernels
  carousel-run copy.pkg --arg x=in.npy --arg y=like:x --out y=out.npy
      runs the only kernel and writes its output
  carousel-run copy.pkg --kernel copy --arg x=random:4096 --arg y=like:x \
      --expect y=random:4096
      runs a copy and compares it bit by bit
  carousel-run math.pkg --kernel scale --arg x=in.npy --arg y=like:x --arg a=2.5 \
      --expect y=ref.npy --rtol 1e-5
      compares with a tolerance
  carousel-run copy.pkg --arg x=random:536870912 --arg y=like:x --bench --json
      times a copy of 2 GiB, with a cold L2 cache
  carousel-run copy.pkg --explain --arg x=empty:4097 --arg y=like:x
      says which variant would run, and why not the others

Exit status: 0 success; 1 an output isn't what --expect says; 2 the command line,
or a value or file that it names, is wrong; 3 the package, the driver, the device
or the file system failed.)";

namespace {

/// Shows the names of values and nothing of how CLI11 checks them.
struct HelpFormatter : CLI::Formatter {
  HelpFormatter() { column_width(26); }
  std::string make_option_opts(const CLI::Option *option) const override {
    std::string name = option->get_type_name();
    return name.empty() ? "" : " " + name;
  }
};

} // namespace

/// CLI11 takes several values after one option unless told otherwise.
static void addList(CLI::App &app, const std::string &name,
                    std::vector<std::string> &target, const char *help,
                    const char *valueName) {
  app.add_option(name, target, help)
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

static std::string checkL2(const std::string &text) {
  if (text != "cold" && text != "warm")
    return "expected cold or warm, got '" + text + "'";
  return {};
}

static std::string checkPositive(const std::string &text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !(value > 0) ||
      std::isinf(value))
    return "expected a number above 0, got '" + text + "'";
  return {};
}

/// CLI11's own conversions let a number that is too large pass.
static std::string checkInteger(const std::string &text, uint64_t least,
                                uint64_t most) {
  uint64_t value = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < least || value > most)
    return fmt::format("expected an integer from {} to {}, got '{}'", least,
                       most, text);
  return {};
}

static std::string checkCount(const std::string &text) {
  return checkInteger(text, 1, std::numeric_limits<uint64_t>::max());
}

static std::string checkOrdinal(const std::string &text) {
  return checkInteger(text, 0, std::numeric_limits<int>::max());
}

/// What CLI11 says of an option without a value, or given twice, isn't plain.
static std::string describeMismatch(const std::string &text) {
  std::string name = text.substr(0, text.find(':'));
  if (text.find("missing") != std::string::npos)
    return fmt::format("expected a value after {}, got none", name);
  if (text.find("At Most 1 ") != std::string::npos)
    return fmt::format("expected {} once, got it again", name);
  return text;
}

/// Options that mean nothing beside others are refused, not ignored.
static std::string findConflict(const CLI::App &app, const Options &options) {
  auto given = [&app](const char *name) { return app.count(name) > 0; };
  for (const char *name : {"--iterations", "--seconds", "--l2", "--bytes"})
    if (given(name) && !options.bench)
      return fmt::format("expected {} with --bench", name);
  if (given("--iterations") && given("--seconds"))
    return "expected --iterations or --seconds, got both";
  for (const char *name : {"--rtol", "--atol"})
    if (given(name) && options.expectations.empty())
      return fmt::format("expected {} with --expect", name);
  for (const char *name : {"--bench", "--out", "--expect", "--variant"})
    if (given(name) && options.explain)
      return fmt::format("expected {} without --explain", name);
  return {};
}

std::variant<Options, Exit> carousel::run::parseCommandLine(int argc,
                                                            char **argv) {
  Options options;
  std::string l2 = "cold";
  CLI::App app(kDescription, "carousel-run");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_help_ptr()->description("print this help");
  app.footer(kFooter);
  app.set_version_flag("--version", "carousel-run " CAROUSEL_VERSION,
                       "print the version");
  app.add_option("DIR", options.package, "the directory of the package")
      ->required()
      ->type_name("");

  app.option_defaults()->group("Running a kernel");
  app.add_option("--kernel", options.kernel,
                 "the kernel; may be left out where the package has one")
      ->type_name("NAME");
  addList(app, "--arg", options.arguments,
          "the value of an argument, see below", "NAME=VALUE");
  addList(app, "--out", options.outputs,
          "write a tensor to a file after the run", "NAME=FILE");
  addList(app, "--expect", options.expectations,
          "compare a tensor after the run", "NAME=VALUE");
  app.add_option("--rtol", options.tolerance.relative,
                 "tolerance relative to the expected value (0)")
      ->type_name("X")
      ->check(checkTolerance);
  app.add_option("--atol", options.tolerance.absolute, "absolute tolerance (0)")
      ->type_name("X")
      ->check(checkTolerance);
  app.add_option("--variant", options.variant,
                 "run this variant; an error if its guards don't hold")
      ->type_name("FUNCTION");
  app.add_flag("--explain", options.explain,
               "don't run: show variants and guards; with --arg, which\n"
               "variant would run and why not the others");

  app.option_defaults()->group("Timing it");
  app.add_flag("--bench", options.bench, "time the kernel after that run");
  app.add_option_function<uint64_t>(
         "--iterations",
         [&](uint64_t count) { options.benchmark.iterations = count; },
         "time this many launches")
      ->type_name("N")
      ->check(checkCount);
  app.add_option("--seconds", options.benchmark.seconds,
                 "time as many launches as fit, at least 10 (1)")
      ->type_name("S")
      ->check(checkPositive);
  app.add_option("--l2", l2,
                 "cold: overwrite the L2 cache before every launch;\n"
                 "warm: leave it as the launch before did (cold)")
      ->type_name("cold|warm")
      ->check(checkL2);
  app.add_option_function<uint64_t>(
         "--bytes", [&](uint64_t bytes) { options.bytes = bytes; },
         "bytes that a launch moves, for GB/s (those of the\n"
         "tensors read plus those of the tensors written)")
      ->type_name("N")
      ->check(checkCount);

  app.option_defaults()->group("Other options");
  app.add_option("--device", options.device, "the ordinal of the device (0)")
      ->type_name("N")
      ->check(checkOrdinal);
  app.add_option("--cache-dir", options.cacheDirectory,
                 "where compiled code is kept (~/.cache/carousel)")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--quiet", options.quiet,
               "no progress; of a run, print errors and what --bench or --json "
               "asks for, no more");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) { // --help, --version
    app.exit(success);
    if (std::cout.flush())
      return Exit::Success;
    printError(fmt::format("cannot write to the standard output: {}",
                           std::strerror(errno)));
    return Exit::Failure;
  } catch (const CLI::RequiredError &) {
    printError("expected the directory of a package; --help has examples");
    return Exit::Usage;
  } catch (const CLI::ExtrasError &) {
    printError(fmt::format("expected an option that --help lists, got '{}'",
                           app.remaining().front()));
    return Exit::Usage;
  } catch (const CLI::ArgumentMismatch &error) {
    printError(describeMismatch(error.what()));
    return Exit::Usage;
  } catch (const CLI::ParseError &error) {
    printError(error.what());
    return Exit::Usage;
  }
  options.benchmark.cold = l2 == "cold";
  if (std::string conflict = findConflict(app, options); !conflict.empty()) {
    printError(conflict);
    return Exit::Usage;
  }
  return options;
}
