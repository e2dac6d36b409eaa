//===- RunCommandLine.cpp - reads the command line of carousel-run --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help text. CLI11 throws, so this file is built with
// exceptions; none leaves it.
//
//===----------------------------------------------------------------------===//

#include "RunCommandLine.h"

#include "../support/Launch/LaunchCommandLine.h"
#include "../support/Process/Messages.h"

#include <fmt/format.h>

#include <limits>

using namespace carousel::run;

static constexpr const char *kDescription =
    "Lists the kernels and programs of a package, or runs one: compares its "
    "outputs, times it.";

static constexpr const char *kExamples = R"(
Examples:
  carousel-run copy.pkg
      lists the kernels
  carousel-run copy.pkg --arg x=in.npy --arg y=like:x --out y=out.npy
      runs the only kernel and writes its output
  carousel-run copy.pkg --kernel copy --arg x=random:4096 --arg y=like:x \
      --expect y=random:4096
      runs a copy and compares its output exactly
  carousel-run math.pkg --kernel scale --arg x=in.npy --arg y=like:x --arg a=2.5 \
      --expect y=ref.npy --rtol 1e-5
      compares with a tolerance
  carousel-run copy.pkg --arg x=random:536870912 --arg y=like:x --bench --json
      times a copy of 2 GiB, with a cold L2 cache
  carousel-run copy.pkg --explain --arg x=empty:4097 --arg y=like:x
      says which variant would run, and why not the others
  carousel-run activation.pkg --link relu.cu --arg x=random:4096 ...
      runs a kernel that calls a function of relu.cu
  carousel-run --batch FILE
      runs the command lines of a file, one a line, in one process; prints
      'batch LINE: STATUS' after each, and exits with the highest status

Exit status: 0 success; 1 an output differs from --expect; 2 the command line, or a
value or file that it names, is invalid; 3 the package, the driver, the device or
the file system failed.)";

static std::string checkL2(const std::string &text) {
  if (text != "cold" && text != "warm")
    return "expected cold or warm, got '" + text + "'";
  return {};
}

static std::string checkCount(const std::string &text) {
  return checkInteger(text, 1, std::numeric_limits<uint64_t>::max());
}

static std::string checkMisalignment(const std::string &text) {
  return checkInteger(text, 0, 255);
}

/// Refuses options that have no meaning in this combination.
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
  for (const char *name : {"--out", "--expect", "--variant"})
    if (given(name) && options.explain)
      return fmt::format("expected {} without --explain", name);
  if (given("--program"))
    for (const char *name : {"--kernel", "--variant"})
      if (given(name))
        return fmt::format("expected {} or --program, got both", name);
  if (options.explain && options.bench && options.arguments.empty())
    return "expected --arg with --explain and --bench, got none";
  return {};
}

std::variant<Options, Exit> carousel::run::parseCommandLine(int argc,
                                                            char **argv) {
  Options options;
  std::string l2 = "cold";
  CLI::App app(kDescription, "carousel-run");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_help_ptr()->description("print this help");
  app.footer(std::string(kTensorValuesHelp) + kExpectedValuesHelp + kExamples);
  app.set_version_flag("--version", "carousel-run " CAROUSEL_VERSION,
                       "print the version");
  app.add_option("DIR", options.package, "the directory of the package")
      ->required()
      ->type_name("");

  app.option_defaults()->group("Running a kernel or a program");
  app.add_option("--kernel", options.kernel,
                 "the kernel; optional if the package has one only,\n"
                 "and no program")
      ->type_name("NAME");
  app.add_option("--program", options.program,
                 "the program; optional if the package has one only")
      ->type_name("NAME");
  addTensorOptions(app, options.arguments, options.outputs,
                   options.expectations, options.tolerance);
  app.add_option("--misalign", options.misalignment,
                 "begin each tensor N bytes after an aligned address (0)")
      ->type_name("N")
      ->check(checkMisalignment);
  app.add_flag("--load-parameters", options.loadsParameters,
               "of a program: first do what follows from parameters and\n"
               "constants alone, so that the run and --bench don't");
  addPlainSymmetric(app, options);
  app.add_option("--variant", options.variant,
                 "run this variant; fail if its guards don't hold")
      ->type_name("FUNCTION");
  addLoadOptions(app, options);
  app.add_flag("--explain", options.explain,
               "don't run: show variants, guards and the compiler's\n"
               "decisions; with --arg, show which variant would run, and\n"
               "why not the others; with --bench, run and time it");

  app.option_defaults()->group("Timing it");
  app.add_flag("--bench", options.bench,
               "time it after the run that is compared");
  app.add_option_function<uint64_t>(
         "--iterations",
         [&](uint64_t count) { options.benchmark.iterations = count; },
         "time this many launches")
      ->type_name("N")
      ->check(checkCount);
  app.add_option("--seconds", options.benchmark.seconds,
                 "time launches for S seconds, at least 10 of them (1)")
      ->type_name("S")
      ->check(checkPositive);
  app.add_option("--l2", l2,
                 "cold: overwrite the L2 cache before every launch;\n"
                 "warm: keep what the previous launch left (cold)")
      ->type_name("cold|warm")
      ->check(checkL2);
  app.add_option_function<uint64_t>(
         "--bytes", [&](uint64_t bytes) { options.bytes = bytes; },
         "bytes that a launch moves, for GB/s (the size of the\n"
         "tensors read plus that of the tensors written)")
      ->type_name("N")
      ->check(checkCount);

  app.option_defaults()->group("Other options");
  addDeviceOptions(app, options);
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--quiet", options.quiet,
               "print only errors and what --bench or --json asks for");

  constexpr const char *kRequired =
      "expected the directory of a package; --help has examples";
  if (auto end = parse(app, argc, argv, kRequired))
    return *end;
  options.benchmark.cold = l2 == "cold";
  if (std::string conflict = findConflict(app, options); !conflict.empty()) {
    printError(conflict);
    return Exit::Usage;
  }
  return options;
}
