//===- TuneCommandLine.cpp - reads carousel-tune's command line -----------===//
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

#include "TuneCommandLine.h"

#include "../support/Launch/LaunchCommandLine.h"

using namespace carousel;
using namespace carousel::tune;

static constexpr const char *kDescription =
    "Measures the variants of a kernel that have a cost, and stores their "
    "times "
    "in the package.";

static constexpr const char *kExamples = R"(
Examples:
  carousel-tune matmul.pkg --arg x=random:4096x4096 --arg w=random:4096x4096 \
      --arg y=empty:4096x4096
      measures the variants of the only kernel, and stores their times; launches
      with these extents take the fastest variant then
  carousel-tune mlp.pkg matmul_2 --arg x=random:32x768 ... --dry-run
      measures those of one kernel of several, and stores nothing

Exit status: 0 success; 2 the command line, or a value or file that it names, is
invalid, or no variant has a cost; 3 the package, the driver, the device or the
file system failed, or no variant takes the arguments.)";

std::variant<Options, Exit> tune::parseCommandLine(int argc, char **argv) {
  Options options;
  CLI::App app(kDescription, "carousel-tune");
  app.formatter(std::make_shared<tools::HelpFormatter>());
  app.get_help_ptr()->description("print this help");
  app.footer(std::string(tools::kTensorValuesHelp) + kExamples);
  app.set_version_flag("--version", "carousel-tune " CAROUSEL_VERSION,
                       "print the version");
  app.add_option("DIR", options.package, "the directory of the package")
      ->required()
      ->type_name("");
  app.add_option("KERNEL", options.kernel,
                 "the kernel; optional if the package has one only")
      ->type_name("");

  app.option_defaults()->group("Launching the variants");
  tools::addArguments(app, options.arguments);
  tools::addPlainSymmetric(app, options);
  tools::addLoadOptions(app, options);
  app.add_option("--seconds", options.benchmark.seconds,
                 "time each variant for S seconds, in three rounds of\n"
                 "at least 10 launches (0.2)")
      ->type_name("S")
      ->check(tools::checkPositive);

  app.option_defaults()->group("Other options");
  app.add_flag("--dry-run", options.dryRun, "store nothing");
  tools::addDeviceOptions(app, options);
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--json-progress", options.jsonProgress,
               "print a line of JSON on stderr before each measurement,\n"
               "instead of other progress");
  app.add_flag("--quiet", options.quiet,
               "print only errors and what --json asks for");

  constexpr const char *kRequired =
      "expected the directory of a package; --help has examples";
  if (auto end = tools::parse(app, argc, argv, kRequired))
    return *end;
  return options;
}
