//===- Run.cpp - the steps of carousel-run --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the whole command line before it opens the driver. Then the steps of a
// run follow: upload, launch, download, compare, write, time.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "../support/Launch/Launcher.h"
#include "../support/Launch/Setup.h"
#include "../support/Process/Messages.h"
#include "../support/Tensors/Plan.h"
#include "Report.h"
#include "RunOptions.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Program.h"
#include "carousel/Support/Printable.h"

#include <algorithm>
#include <variant>

using namespace carousel;
using namespace carousel::run;

//===----------------------------------------------------------------------===//
// What a command line runs
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
  /// Of a program: does once what follows from parameters.
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

using runtime::ErrorCode;

using runtime::fail;

using runtime::SignatureInfo;

template <typename Info>
static std::string listNames(const std::vector<Info> &infos) {
  std::string list = runtime::join(
      infos, ", ", [](const SignatureInfo &info) { return info.name; });
  return list.empty() ? "none" : list;
}

/// What the options name: if they name nothing, the only program, or else the
/// only kernel.
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

using runtime::ErrorCode;
using runtime::fail;
using runtime::KernelInfo;
using runtime::SignatureInfo;

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

Exit run::run(const Options &options) {
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
