//===- carousel-run.cpp - runs the kernels of a package -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the kernels of a package that carousel-compile wrote. Runs one on .npy
// files, compares its results, times it, and explains which variant runs.
//
//===----------------------------------------------------------------------===//

#include "../support/Launch/LaunchCommandLine.h"
#include "../support/Launch/LaunchOptions.h"
#include "../support/Launch/Launcher.h"
#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Messages.h"
#include "../support/Process/OutOfMemory.h"
#include "../support/Tensors/Compare.h"
#include "../support/Tensors/Plan.h"
#include "Report.h"

#include "carousel/Runtime/Context.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Program.h"
#include "carousel/Support/Printable.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>

using namespace carousel;
using namespace carousel::run;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;
using runtime::KernelInfo;
using runtime::SignatureInfo;

//===----------------------------------------------------------------------===//
// The command line of carousel-run
//===----------------------------------------------------------------------===//

namespace {

struct Options : LaunchOptions {
  std::string program; ///< empty: the only one, unless a kernel is given
  std::string variant; ///< empty: the one that a launch chooses
  std::vector<std::string> outputs, expectations; ///< NAME=VALUE
  /// Bytes from an aligned address to the first element of each tensor.
  uint64_t misalignment = 0;
  Tolerance tolerance;
  bool explain = false;
  bool bench = false;
  bool loadsParameters = false;  ///< before the run
  std::optional<uint64_t> bytes; ///< instead of those of the arguments

  /// Whether anything but the name of the package is given: then a kernel or
  /// program is run or explained, otherwise all are listed.
  bool namesSubject() const {
    bool loads = via != runtime::LoadOptions::Via::Any || !sources.empty() ||
                 fastMath || lineInfo;
    return loads || !kernel.empty() || !program.empty() || !variant.empty() ||
           !arguments.empty() || !outputs.empty() || !expectations.empty() ||
           bench || loadsParameters;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The steps of carousel-run
//
// Checks the whole command line before it opens the driver. Then the steps of a
// run follow: upload, launch, download, compare, write, time.
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// The subject of a command line
//
// A kernel or a program of a package.
//===----------------------------------------------------------------------===//

namespace {

/// One of the two.
struct Choice {
  const runtime::KernelInfo *kernel = nullptr;
  const runtime::ProgramInfo *program = nullptr;

  const runtime::SignatureInfo &getSignature() const {
    if (kernel)
      return *kernel;
    return *program;
  }
};

/// A launch of a kernel or of a program, which has its arguments.
class PreparedRun {
public:
  explicit PreparedRun(runtime::Launch launch) : run_(std::move(launch)) {}
  explicit PreparedRun(runtime::PreparedProgram program)
      : run_(std::move(program)) {}

  Status run() const;
  /// Does a program's steps once that follow from parameters.
  Status loadParameters() const;
  /// Null for that of the other.
  const runtime::Launch *getLaunch() const {
    return std::get_if<runtime::Launch>(&run_);
  }
  const runtime::PreparedProgram *getProgram() const {
    return std::get_if<runtime::PreparedProgram>(&run_);
  }
  /// Whether it starts no block: there is nothing to time.
  bool isEmpty() const;

private:
  std::variant<runtime::Launch, runtime::PreparedProgram> run_;
};

class Subject {
public:
  static Result<Subject> get(const runtime::Context &context,
                             const runtime::Package &package,
                             const Choice &choice,
                             const runtime::LoadOptions &options);

  /// `variant`: of a kernel; empty: the first whose guards hold.
  Result<PreparedRun> prepare(const std::vector<runtime::Argument> &arguments,
                              const std::string &variant) const;
  std::vector<runtime::CompileMessage> getCompileMessages() const;

private:
  using Code = std::variant<runtime::Kernel, runtime::Program>;
  explicit Subject(Code code) : code(std::move(code)) {}

  Code code;
};

} // namespace

template <typename Info>
static std::string listNames(const std::vector<Info> &infos) {
  std::string list = runtime::join(
      infos, ", ", [](const SignatureInfo &info) { return info.name; });
  return list.empty() ? "none" : list;
}

/// Chooses what the options name: if they name nothing, the only program, or
/// else the only kernel.
static Result<Choice> chooseSubject(const runtime::Manifest &manifest,
                                    const Options &options) {
  bool namesNone = options.kernel.empty() && options.program.empty();
  if (namesNone && manifest.programs.size() == 1)
    return Choice{nullptr, &manifest.programs.front()};
  if (namesNone && manifest.programs.size() > 1)
    return fail(ErrorCode::InvalidArgument,
                "expected --program with one of {}, or --kernel, got none",
                listNames(manifest.programs));
  if (namesNone && manifest.kernels.size() == 1)
    return Choice{&manifest.kernels.front(), nullptr};
  if (namesNone)
    return fail(ErrorCode::InvalidArgument,
                "expected --kernel with one of {}, got none",
                listNames(manifest.kernels));
  if (!options.program.empty()) {
    if (const auto *program = manifest.findProgram(options.program))
      return Choice{nullptr, program};
    return fail(ErrorCode::NotFound,
                "expected --program with one of {}, got '{}'",
                listNames(manifest.programs), options.program);
  }
  if (const auto *kernel = manifest.find(options.kernel))
    return Choice{kernel, nullptr};
  return fail(ErrorCode::NotFound, "expected --kernel with one of {}, got '{}'",
              listNames(manifest.kernels), options.kernel);
}

Status PreparedRun::run() const {
  return std::visit([](const auto &prepared) { return prepared.run(); }, run_);
}

Status PreparedRun::loadParameters() const {
  const runtime::PreparedProgram *program = getProgram();
  return program ? program->loadParameters() : Status();
}

bool PreparedRun::isEmpty() const {
  if (const runtime::PreparedProgram *program = getProgram())
    return program->getLaunches().empty();
  std::array<uint32_t, 3> grid = getLaunch()->getGrid();
  return std::find(grid.begin(), grid.end(), 0u) != grid.end();
}

Result<Subject> Subject::get(const runtime::Context &context,
                             const runtime::Package &package,
                             const Choice &choice,
                             const runtime::LoadOptions &options) {
  auto wrap = [](auto &&found) { return Subject(std::move(found)); };
  if (choice.kernel)
    return runtime::Kernel::get(context, package, choice.kernel->name, options)
        .map(wrap);
  return runtime::Program::get(context, package, choice.program->name, options)
      .map(wrap);
}

Result<PreparedRun>
Subject::prepare(const std::vector<runtime::Argument> &arguments,
                 const std::string &variant) const {
  auto wrap = [](auto &&prepared) { return PreparedRun(std::move(prepared)); };
  const runtime::Argument *data = arguments.data();
  if (const auto *program = std::get_if<runtime::Program>(&code))
    return program->prepare(data, arguments.size()).map(wrap);
  const auto &kernel = std::get<runtime::Kernel>(code);
  if (variant.empty())
    return kernel.prepare(data, arguments.size()).map(wrap);
  return kernel.prepareVariant(variant, data, arguments.size()).map(wrap);
}

std::vector<runtime::CompileMessage> Subject::getCompileMessages() const {
  return std::visit(
      [](const auto &compiled) { return compiled.getCompileMessages(); }, code);
}

//===----------------------------------------------------------------------===//
// The steps of carousel-run
//===----------------------------------------------------------------------===//

static Exit print(const std::string &text) {
  return printResult(text) ? Exit::Success : Exit::Failure;
}

/// Lines with what a package says, for a terminal.
static std::string escape(const std::string &text) {
  return escapeControls(text, "\n");
}

static Status checkVariant(const KernelInfo &kernel,
                           const std::string &variant) {
  for (const runtime::VariantInfo &info : kernel.variants)
    if (variant.empty() || info.function == variant)
      return {};
  std::string list = runtime::join(
      kernel.variants, ", ",
      [](const runtime::VariantInfo &info) { return info.function; });
  return fail(ErrorCode::NotFound,
              "expected --variant with one of {}, got '{}'",
              list.empty() ? "none" : list, variant);
}

static Result<Plan> makePlan(const Choice &choice, const Options &options) {
  if (choice.kernel)
    CAROUSEL_TRY(checkVariant(*choice.kernel, options.variant));
  return makePlan(
      choice.getSignature(),
      TensorOptions{options.arguments, options.outputs, options.expectations});
}

static Result<BenchReport>
bench(const runtime::Context &context, const PreparedRun &prepared,
      const SignatureInfo &signature, const Launcher &launcher,
      const Options &options, ProgressMode progressMode) {
  const runtime::Launch *launch = prepared.getLaunch();
  if (prepared.isEmpty())
    return fail(ErrorCode::InvalidArgument,
                "expected a grid with blocks for --bench, got {}",
                launch ? fmt::format("{}", fmt::join(launch->getGrid(), " x "))
                       : "no launch");
  const std::string &name =
      launch ? launch->getVariant().function : signature.name;
  CAROUSEL_TRY_ASSIGN(auto samples,
                      measure(
                          context, name, [&] { return prepared.run(); },
                          options.benchmark, progressMode));
  std::vector<uint64_t> elements(signature.arguments.size(), 0);
  for (size_t i = 0; i < elements.size(); ++i)
    if (signature.arguments[i].kind == runtime::ArgumentInfo::Kind::Tensor)
      elements[i] = launcher.getLayout(i).elements;
  BenchReport result;
  result.launches = samples.size();
  result.summary = summarize(std::move(samples));
  result.bytes = options.bytes.value_or(countBytes(signature, elements));
  result.cold = options.benchmark.cold;
  return result;
}

/// Explains, with --explain and arguments, what a launch would do.
static Status explainLaunch(const runtime::Package &package,
                            const Choice &choice, const Options &options,
                            ProgressMode progressMode,
                            Explanation &explanation) {
  CAROUSEL_TRY_ASSIGN(auto plan, makePlan(choice, options));
  auto context = createContext(options, progressMode);
  if (!context) {
    explanation.note = context.error().message;
    return {};
  }
  // Addresses are looked at, contents aren't.
  CAROUSEL_TRY_ASSIGN(auto launcher,
                      Launcher::create(*context, choice.getSignature(),
                                       std::move(plan.values),
                                       options.misalignment, progressMode));
  CAROUSEL_TRY_ASSIGN(auto load, makeLoadOptions(options));
  auto arguments = launcher.getArguments();
  if (choice.kernel) {
    CAROUSEL_TRY_ASSIGN(
        auto kernel,
        runtime::Kernel::get(*context, package, choice.kernel->name, load));
    CAROUSEL_TRY_ASSIGN(explanation.reports,
                        kernel.explain(arguments.data(), arguments.size()));
  }
  if (choice.kernel && !options.bench)
    return {};
  CAROUSEL_TRY(checkSharing(choice.getSignature(), options));
  CAROUSEL_TRY_ASSIGN(auto subject,
                      Subject::get(*context, package, choice, load));
  CAROUSEL_TRY_ASSIGN(auto prepared, subject.prepare(arguments, ""));
  if (const runtime::PreparedProgram *program = prepared.getProgram())
    explanation.prepared = *program;
  if (!options.bench)
    return {};
  CAROUSEL_TRY(launcher.upload());
  if (options.loadsParameters)
    CAROUSEL_TRY(prepared.loadParameters());
  CAROUSEL_TRY(prepared.run());
  CAROUSEL_TRY(context->synchronize());
  CAROUSEL_TRY_ASSIGN(explanation.bench,
                      bench(*context, prepared, choice.getSignature(), launcher,
                            options, progressMode));
  return {};
}

static Result<Exit> explain(const runtime::Package &package,
                            const Options &options, ProgressMode progressMode) {
  const runtime::Manifest &manifest = package.getManifest();
  Explanation explanation;
  explanation.package = options.package;
  explanation.manifest = &manifest;
  if (!options.namesSubject()) {
    for (const KernelInfo &kernel : manifest.kernels)
      explanation.kernels.push_back(&kernel);
    for (const runtime::ProgramInfo &program : manifest.programs)
      explanation.programs.push_back(&program);
  } else {
    CAROUSEL_TRY_ASSIGN(auto choice, chooseSubject(manifest, options));
    if (choice.kernel)
      explanation.kernels.push_back(choice.kernel);
    else
      explanation.programs.push_back(choice.program);
    if (!options.arguments.empty() || choice.getSignature().countPassed() == 0)
      CAROUSEL_TRY(
          explainLaunch(package, choice, options, progressMode, explanation));
  }
  return print(options.json ? formatJSON(explanation)
                            : escape(formatText(explanation)));
}

static Status collect(const SignatureInfo &kernel, const Plan &plan,
                      const Launcher &launcher, const Options &options,
                      ProgressMode progressMode, RunReport &run) {
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    auto isThis = [i](const Output &output) { return output.argument == i; };
    if (std::none_of(plan.files.begin(), plan.files.end(), isThis) &&
        std::none_of(plan.expectations.begin(), plan.expectations.end(),
                     isThis))
      continue;
    const runtime::ArgumentInfo &argument = kernel.arguments[i];
    const Layout &layout = launcher.getLayout(i);
    CAROUSEL_TRY_ASSIGN(auto contents, launcher.download(i));
    const std::byte *data = std::as_const(contents).getData();
    for (const Output &output : plan.files) {
      if (!isThis(output))
        continue;
      CAROUSEL_TRY(writeOutput(argument, output, layout, data, progressMode));
      run.outputs.push_back({argument.name, output.text});
    }
    for (const Output &output : plan.expectations) {
      if (!isThis(output))
        continue;
      CAROUSEL_TRY_ASSIGN(auto expected,
                          makeExpected(argument, output, progressMode));
      run.comparisons.push_back(compareOutput(argument, output, layout, data,
                                              expected, options.tolerance,
                                              progressMode));
    }
  }
  return {};
}

static Result<Exit> runSubject(const runtime::Package &package,
                               const Options &options,
                               ProgressMode progressMode) {
  CAROUSEL_TRY_ASSIGN(auto choice,
                      chooseSubject(package.getManifest(), options));
  const SignatureInfo &info = choice.getSignature();
  CAROUSEL_TRY_ASSIGN(auto plan, makePlan(choice, options));
  CAROUSEL_TRY(checkSharing(info, options));
  CAROUSEL_TRY_ASSIGN(auto load, makeLoadOptions(options));
  CAROUSEL_TRY_ASSIGN(auto context, createContext(options, progressMode));
  CAROUSEL_TRY_ASSIGN(auto subject,
                      Subject::get(context, package, choice, load));
  CAROUSEL_TRY_ASSIGN(auto launcher,
                      Launcher::create(context, info, std::move(plan.values),
                                       options.misalignment, progressMode));
  // This comes before the upload, so that it is known soon whether a variant
  // takes the arguments.
  std::vector<runtime::Argument> arguments = launcher.getArguments();
  CAROUSEL_TRY_ASSIGN(auto prepared, [&] {
    Progress progress(progressMode, "compiling " + info.name);
    return subject.prepare(arguments, options.variant);
  }());
  if (!options.quiet)
    for (const runtime::CompileMessage &message : subject.getCompileMessages())
      fmt::print(stderr, "{}: {}\n", program_invocation_short_name,
                 toString(message));
  CAROUSEL_TRY(launcher.upload());
  {
    Progress progress(progressMode, "running " + info.name);
    if (options.loadsParameters)
      CAROUSEL_TRY(prepared.loadParameters());
    CAROUSEL_TRY(prepared.run());
    CAROUSEL_TRY(context.synchronize());
  }

  RunReport result;
  result.package = options.package;
  if (const runtime::Launch *launch = prepared.getLaunch()) {
    result.kernel = info.name;
    result.variant = &launch->getVariant();
    result.grid = launch->getGrid();
  } else {
    result.program = info.name;
    result.launches = prepared.getProgram()->getLaunches().size();
    result.workspaceBytes = prepared.getProgram()->getWorkspaceBytes();
  }
  result.device = context.getDevice();
  CAROUSEL_TRY(collect(info, plan, launcher, options, progressMode, result));
  std::optional<runtime::Error> benchError;
  if (options.bench) {
    auto measured =
        bench(context, prepared, info, launcher, options, progressMode);
    if (measured)
      result.bench = *measured;
    else
      benchError = measured.error();
  }

  std::string text;
  if (options.json)
    text = formatJSON(result);
  else if (!options.quiet)
    text = formatText(result);
  else if (result.bench)
    text = formatText(*result.bench) + "\n";
  Exit exit = print(text);
  for (const ComparisonReport &comparison : result.comparisons)
    if (comparison.comparison.mismatches != 0) {
      printError(formatText(comparison));
      exit = exit == Exit::Success ? Exit::Mismatch : exit;
    }
  return benchError ? report(*benchError) : exit;
}

/// Lists, explains or runs, as the options say. Results go to stdout, errors
/// and progress to stderr.
static Exit runCommand(const Options &options) {
  ProgressMode progressMode = chooseProgressMode(options.quiet);
  Result<Exit> exit = [&]() -> Result<Exit> {
    CAROUSEL_TRY_ASSIGN(auto package, [&] {
      Progress progress(progressMode, "reading " + options.package);
      return runtime::Package::open(options.package);
    }());
    if (options.explain)
      return explain(package, options, progressMode);
    if (options.namesSubject())
      return runSubject(package, options, progressMode);
    Listing listing = {options.package, &package.getManifest()};
    return print(options.json ? formatJSON(listing)
                              : escape(formatText(listing)));
  }();
  return exit ? *exit : report(exit.error());
}

//===----------------------------------------------------------------------===//
// Parses the command line
//
// The options and the help text. CLI11 throws, so this file is built with
// exceptions; none leaves it.
//===----------------------------------------------------------------------===//

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

/// The options, or how the program ends without them: help was asked for, or an
/// error was printed.
static std::variant<Options, Exit> parseCommandLine(int argc, char **argv) {
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

//===----------------------------------------------------------------------===//
// Runs many command lines in one process
//===----------------------------------------------------------------------===//

static Exit runLine(const std::string &line) {
  std::vector<std::string> words = {"carousel-run"};
  std::istringstream stream(line);
  for (std::string word; stream >> word;)
    words.push_back(word);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  auto parsed =
      parseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  if (auto *end = std::get_if<Exit>(&parsed))
    return *end;
  return runCommand(std::get<Options>(parsed));
}

/// Runs the command lines of a file, one a line, with words separated by
/// spaces. Keeps one context, because starting the driver takes longer than
/// most kernels. Prints `batch LINE: STATUS` after each. Returns the highest
/// status. After a kernel that traps, all later lines fail.
static Exit runBatch(const std::string &file) {
  std::ifstream stream(file);
  if (!stream) {
    printError(fmt::format("can't read '{}'", file));
    return Exit::Failure;
  }
  auto context = runtime::Context::create(runtime::ContextOptions());
  if (!context) {
    printError(context.error().message);
    return Exit::Failure;
  }
  Exit worst = Exit::Success;
  unsigned number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(' ') == std::string::npos)
      continue;
    Exit exit = runLine(line);
    worst = std::max(worst, exit);
    fmt::print("batch {}: {}\n", number, static_cast<int>(exit));
    std::fflush(stdout);
  }
  // A directory can be opened, and nothing be read.
  if (stream.bad()) {
    printError(fmt::format("can't read '{}'", file));
    return Exit::Failure;
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Runs the kernels of a package
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  blockFileSizeSignal();
  installOutOfMemoryHandler();
  // --batch stands by itself: the lines have all other options.
  if (argc > 1 && std::string_view(argv[1]) == "--batch") {
    if (argc == 3)
      return static_cast<int>(runBatch(argv[2]));
    printError("expected --batch with one file and nothing else");
    return static_cast<int>(Exit::Usage);
  }
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(runCommand(std::get<Options>(parsed)));
}
