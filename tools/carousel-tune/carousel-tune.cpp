//===- carousel-tune.cpp - measures variants and stores their times -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the variants of a kernel that have a cost, on a device and with
// arguments as carousel-run takes them, and stores the times in the package's
// manifest.
//
//===----------------------------------------------------------------------===//

#include "../support/Launch/LaunchCommandLine.h"
#include "../support/Launch/LaunchOptions.h"
#include "../support/Launch/Launcher.h"
#include "../support/Launch/Statistics.h"
#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Messages.h"
#include "../support/Process/OutOfMemory.h"
#include "../support/Tensors/Plan.h"
#include "TuneReport.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <variant>

using namespace carousel;
using namespace carousel::tune;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;
using runtime::KernelInfo;

//===----------------------------------------------------------------------===//
// The command line of carousel-tune
//===----------------------------------------------------------------------===//

namespace {

struct Options : tools::LaunchOptions {
  Options() { benchmark.seconds = 0.2; } // of each variant
  bool dryRun = false;                   ///< store nothing
  bool jsonProgress = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The steps of carousel-tune
//
// Checks the whole command line before it opens the driver, as carousel-run
// does. The variants take turns, so that a clock that changes meanwhile is the
// same for all. Their results aren't compared: all compute the same.
//===----------------------------------------------------------------------===//

static constexpr unsigned kRounds = 3;

static Result<const KernelInfo *>
chooseKernel(const runtime::Manifest &manifest, const Options &options) {
  bool isNamed = !options.kernel.empty();
  if (!isNamed && manifest.kernels.size() == 1)
    return &manifest.kernels.front();
  if (const KernelInfo *kernel = manifest.find(options.kernel);
      kernel && isNamed)
    return kernel;
  std::string list = runtime::join(
      manifest.kernels, ", ", [](const KernelInfo &info) { return info.name; });
  return fail(isNamed ? ErrorCode::NotFound : ErrorCode::InvalidArgument,
              "expected a kernel's name after the package ({}), got {}",
              list.empty() ? "it has none" : list,
              isNamed ? "'" + options.kernel + "'" : "none");
}

static Status checkCosts(const KernelInfo &kernel) {
  if (std::any_of(kernel.variants.begin(), kernel.variants.end(),
                  [](const runtime::VariantInfo &variant) {
                    return variant.cost.has_value();
                  }))
    return {};
  return fail(ErrorCode::InvalidArgument,
              "expected variants of '{}' with a cost to choose from, got none",
              kernel.name);
}

namespace {
/// A variant to measure.
struct Candidate {
  runtime::VariantReport report;
  runtime::Launch launch;
  std::vector<double> samples; ///< microseconds
};
} // namespace

/// Those that have a cost and take the arguments.
static Result<std::vector<Candidate>>
findCandidates(const runtime::Kernel &kernel,
               const std::vector<runtime::Argument> &arguments) {
  CAROUSEL_TRY_ASSIGN(auto reports,
                      kernel.explain(arguments.data(), arguments.size()));
  const std::vector<runtime::VariantInfo> &variants = kernel.getInfo().variants;
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < reports.size(); ++i) {
    // In another module, a function may have the name of an earlier one, which
    // is what the name stands for.
    auto isNamed = [&](const Candidate &candidate) {
      return candidate.report.function == reports[i].function;
    };
    if (!reports[i].accepted || !variants[i].cost ||
        std::any_of(candidates.begin(), candidates.end(), isNamed))
      continue;
    CAROUSEL_TRY_ASSIGN(auto launch, kernel.prepareVariant(reports[i].function,
                                                           arguments.data(),
                                                           arguments.size()));
    std::array<uint32_t, 3> grid = launch.getGrid();
    if (std::find(grid.begin(), grid.end(), 0u) != grid.end())
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a grid with blocks to measure, got {}",
                  reports[i].function, fmt::join(grid, " x "));
    candidates.push_back({std::move(reports[i]), std::move(launch), {}});
  }
  if (!candidates.empty())
    return candidates;
  if (std::none_of(reports.begin(), reports.end(),
                   [](const runtime::VariantReport &report) {
                     return report.accepted;
                   })) // an error with the reasons
    CAROUSEL_TRY(kernel.prepare(arguments.data(), arguments.size()));
  return fail(ErrorCode::InvalidArgument,
              "expected arguments that a variant of '{}' with a cost takes, "
              "got some that none does",
              kernel.getInfo().name);
}

static Status measureAll(const runtime::Context &context,
                         std::vector<Candidate> &candidates,
                         const Options &options, ProgressMode progressMode) {
  BenchOptions bench = options.benchmark;
  bench.seconds /= kRounds;
  size_t done = 0;
  for (unsigned round = 0; round < kRounds; ++round)
    for (Candidate &candidate : candidates) {
      if (options.jsonProgress)
        fmt::print(stderr, "{}",
                   formatStep(candidate.report.function, done++,
                              kRounds * candidates.size()));
      CAROUSEL_TRY_ASSIGN(std::vector<double> samples,
                          measure(
                              context, candidate.report.function,
                              [&] { return candidate.launch.run(); }, bench,
                              progressMode));
      candidate.samples.insert(candidate.samples.end(), samples.begin(),
                               samples.end());
    }
  return {};
}

/// Puts the times into the report, and the fastest first in its entry.
static void summarize(std::vector<Candidate> candidates, TuneReport &report) {
  std::vector<TunedEntry::Time> &times = report.entry.times;
  for (Candidate &candidate : candidates) {
    report.launches += candidate.samples.size();
    double median = tools::summarize(std::move(candidate.samples)).median;
    int64_t nanoseconds = std::llround(median * 1e3);
    candidate.report.measured = nanoseconds;
    // Its place is after those that are as fast and come before it in the
    // package.
    auto place =
        std::upper_bound(times.begin(), times.end(), nanoseconds,
                         [](int64_t value, const TunedEntry::Time &time) {
                           return value < time.nanoseconds;
                         });
    times.insert(place, {candidate.report.function, nanoseconds});
    report.variants.push_back(std::move(candidate.report));
  }
  for (runtime::VariantReport &variant : report.variants)
    variant.chosen = variant.function == times.front().function;
}

static Result<Exit> tuneKernel(const Options &options,
                               ProgressMode progressMode) {
  CAROUSEL_TRY_ASSIGN(auto package, [&] {
    Progress progress(progressMode, "reading " + options.package);
    return runtime::Package::open(options.package);
  }());
  CAROUSEL_TRY_ASSIGN(const auto *info,
                      chooseKernel(package.getManifest(), options));
  CAROUSEL_TRY(checkCosts(*info));
  const std::vector<std::string> none; // outputs, expectations
  CAROUSEL_TRY_ASSIGN(
      auto plan, makePlan(*info, TensorOptions{options.arguments, none, none}));
  CAROUSEL_TRY(checkSharing(*info, options));
  CAROUSEL_TRY_ASSIGN(auto load, makeLoadOptions(options));
  CAROUSEL_TRY_ASSIGN(auto context, createContext(options, progressMode));
  CAROUSEL_TRY_ASSIGN(auto kernel,
                      runtime::Kernel::get(context, package, info->name, load));
  CAROUSEL_TRY_ASSIGN(auto launcher,
                      Launcher::create(context, *info, std::move(plan.values),
                                       /*misalignment=*/0, progressMode));
  std::vector<runtime::Argument> arguments = launcher.getArguments();
  CAROUSEL_TRY_ASSIGN(auto candidates, [&] {
    Progress progress(progressMode, "compiling " + info->name);
    return findCandidates(kernel, arguments);
  }());

  TuneReport result;
  result.package = options.package;
  result.kernel = info->name;
  result.entry.device = context.getDevice().name;
  CAROUSEL_TRY_ASSIGN(
      result.entry.values,
      kernel.getTunedValues(arguments.data(), arguments.size()));
  CAROUSEL_TRY(launcher.upload());
  CAROUSEL_TRY(measureAll(context, candidates, options, progressMode));
  summarize(std::move(candidates), result);

  // Measurements are printed whether they can be stored or not.
  Status stored;
  if (!options.dryRun)
    stored = storeEntry(options.package, package.getManifestText(), info->name,
                        result.entry);
  if (!options.dryRun && stored)
    result.file = getManifestPath(options.package);
  std::string text;
  if (options.json)
    text = formatJSON(result);
  else if (!options.quiet)
    text = escapeControls(formatText(result), "\n");
  bool isPrinted = printResult(text);
  CAROUSEL_TRY(stored);
  return isPrinted ? Exit::Success : Exit::Failure;
}

/// Measures and stores, as the options say. Results go to stdout, errors and
/// progress to stderr.
static Exit measureAndStore(const Options &options) {
  Result<Exit> exit = tuneKernel(
      options, chooseProgressMode(options.quiet || options.jsonProgress));
  return exit ? *exit : tools::report(exit.error());
}

//===----------------------------------------------------------------------===//
// Reads carousel-tune's command line
//
// The options and the help text. CLI11 throws, so this file is built with
// exceptions; none leaves it.
//===----------------------------------------------------------------------===//

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

/// The options, or how the program ends without them: help was asked for, or an
/// error was printed.
static std::variant<Options, Exit> parseCommandLine(int argc, char **argv) {
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

//===----------------------------------------------------------------------===//
// Measures variants and stores their times
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  blockFileSizeSignal();
  installOutOfMemoryHandler();
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(measureAndStore(std::get<Options>(parsed)));
}
