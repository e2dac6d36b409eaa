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

#include "../support/Process/Messages.h"
#include "../support/Tensors/Plan.h"
#include "Launcher.h"
#include "Report.h"
#include "Subject.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/Printable.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace carousel;
using namespace carousel::run;
using runtime::ErrorCode;
using runtime::fail;
using runtime::KernelInfo;
using runtime::SignatureInfo;

static Exit report(const runtime::Error &error) {
  printError(error.message);
  return error.code == ErrorCode::InvalidArgument ||
                 error.code == ErrorCode::NotFound
             ? Exit::Usage
             : Exit::Failure;
}

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

/// This program has one GPU, and no peer.
static Status checkSharing(const SignatureInfo &signature,
                           const Options &options) {
  using Sharing = runtime::ArgumentInfo::Sharing;
  for (const runtime::ArgumentInfo &argument : signature.arguments)
    if (argument.sharing == Sharing::Multicast)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a multicast address, got memory of one GPU, "
                  "where its instructions have no meaning; programs with peers "
                  "use SymmetricBuffer",
                  argument.name);
  if (options.plainSymmetric)
    return {};
  for (const runtime::ArgumentInfo &argument : signature.arguments)
    if (argument.sharing != Sharing::None)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected {} part of a symmetric buffer, got memory of "
                  "one GPU; --plain-symmetric passes that, and programs with "
                  "peers use SymmetricBuffer",
                  argument.name,
                  argument.sharing == Sharing::Peer ? "a peer's"
                                                    : "this rank's");
  return {};
}

static Result<Plan> makePlan(const Choice &choice, const Options &options) {
  if (choice.kernel)
    if (Status status = checkVariant(*choice.kernel, options.variant); !status)
      return tl::make_unexpected(status.error());
  return makePlan(
      choice.getSignature(),
      TensorOptions{options.arguments, options.outputs, options.expectations});
}

static Result<runtime::Context> createContext(const Options &options,
                                              ProgressMode progressMode) {
  Progress progress(progressMode, "starting the driver");
  runtime::ContextOptions contextOptions;
  contextOptions.device = options.device;
  contextOptions.cacheDirectory = options.cacheDirectory;
  contextOptions.trustSymmetric = options.plainSymmetric;
  return runtime::Context::create(contextOptions);
}

static Result<std::string> readText(const std::string &file) {
  std::string text;
  std::FILE *stream = std::fopen(file.c_str(), "rb");
  bool good = stream != nullptr;
  if (stream) {
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), stream))
      text.append(buffer, count);
    good = std::ferror(stream) == 0; // a folder can be opened
    int error = errno;
    std::fclose(stream);
    errno = error;
  }
  if (good)
    return text;
  return fail(ErrorCode::NotFound, "expected a file for --link, got '{}': {}",
              file, std::strerror(errno));
}

static Result<runtime::LoadOptions> makeLoadOptions(const Options &options) {
  runtime::LoadOptions load;
  load.via = options.via;
  load.cuda.fastMath = options.fastMath;
  load.cuda.lineInfo = options.lineInfo;
  for (const std::string &file : options.sources) {
    auto text = readText(file);
    if (!text)
      return tl::make_unexpected(text.error());
    load.deviceSources.push_back({file, std::move(*text)});
  }
  return load;
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
  auto samples = measure(
      context, name, [&] { return prepared.run(); }, options.benchmark,
      progressMode);
  if (!samples)
    return tl::make_unexpected(samples.error());
  std::vector<uint64_t> elements(signature.arguments.size(), 0);
  for (size_t i = 0; i < elements.size(); ++i)
    if (signature.arguments[i].kind == runtime::ArgumentInfo::Kind::Tensor)
      elements[i] = launcher.getLayout(i).elements;
  BenchReport result;
  result.launches = samples->size();
  result.summary = summarize(std::move(*samples));
  result.bytes = options.bytes.value_or(countBytes(signature, elements));
  result.cold = options.benchmark.cold;
  return result;
}

/// With --explain and arguments: what a launch would do.
static Status explainLaunch(const runtime::Package &package,
                            const Choice &choice, const Options &options,
                            ProgressMode progressMode,
                            Explanation &explanation) {
  auto plan = makePlan(choice, options);
  if (!plan)
    return tl::make_unexpected(plan.error());
  auto context = createContext(options, progressMode);
  if (!context) {
    explanation.note = context.error().message;
    return {};
  }
  // Addresses are looked at, contents aren't.
  auto launcher =
      Launcher::create(*context, choice.getSignature(), std::move(plan->values),
                       options.misalignment, progressMode);
  if (!launcher)
    return tl::make_unexpected(launcher.error());
  auto load = makeLoadOptions(options);
  if (!load)
    return tl::make_unexpected(load.error());
  auto arguments = launcher->getArguments();
  if (choice.kernel) {
    auto kernel =
        runtime::Kernel::get(*context, package, choice.kernel->name, *load);
    if (!kernel)
      return tl::make_unexpected(kernel.error());
    auto reports = kernel->explain(arguments.data(), arguments.size());
    if (!reports)
      return tl::make_unexpected(reports.error());
    explanation.reports = std::move(*reports);
  }
  if (choice.kernel && !options.bench)
    return {};
  if (Status status = checkSharing(choice.getSignature(), options); !status)
    return status;
  auto subject = Subject::get(*context, package, choice, *load);
  if (!subject)
    return tl::make_unexpected(subject.error());
  auto prepared = subject->prepare(arguments, "");
  if (!prepared)
    return tl::make_unexpected(prepared.error());
  if (const runtime::PreparedProgram *program = prepared->getProgram())
    explanation.prepared = *program;
  if (!options.bench)
    return {};
  Status status = launcher->upload();
  if (status)
    status = prepared->run();
  if (status)
    status = context->synchronize();
  if (!status)
    return status;
  auto measured = bench(*context, *prepared, choice.getSignature(), *launcher,
                        options, progressMode);
  if (!measured)
    return tl::make_unexpected(measured.error());
  explanation.bench = *measured;
  return {};
}

static Exit explain(const runtime::Package &package, const Options &options,
                    ProgressMode progressMode) {
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
    auto choice = chooseSubject(manifest, options);
    if (!choice)
      return report(choice.error());
    if (choice->kernel)
      explanation.kernels.push_back(choice->kernel);
    else
      explanation.programs.push_back(choice->program);
    if (!options.arguments.empty() || choice->getSignature().countPassed() == 0)
      if (Status status = explainLaunch(package, *choice, options, progressMode,
                                        explanation);
          !status)
        return report(status.error());
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
    auto contents = launcher.download(i);
    if (!contents)
      return tl::make_unexpected(contents.error());
    const std::byte *data = std::as_const(*contents).getData();
    for (const Output &output : plan.files) {
      if (!isThis(output))
        continue;
      if (Status status =
              writeOutput(argument, output, layout, data, progressMode);
          !status)
        return status;
      run.outputs.push_back({argument.name, output.text});
    }
    for (const Output &output : plan.expectations) {
      if (!isThis(output))
        continue;
      auto expected = makeExpected(argument, output, progressMode);
      if (!expected)
        return tl::make_unexpected(expected.error());
      run.comparisons.push_back(compareOutput(argument, output, layout, data,
                                              *expected, options.tolerance,
                                              progressMode));
    }
  }
  return {};
}

static Exit runSubject(const runtime::Package &package, const Options &options,
                       ProgressMode progressMode) {
  auto choice = chooseSubject(package.getManifest(), options);
  if (!choice)
    return report(choice.error());
  const SignatureInfo &info = choice->getSignature();
  auto plan = makePlan(*choice, options);
  if (!plan)
    return report(plan.error());
  if (Status status = checkSharing(info, options); !status)
    return report(status.error());
  auto load = makeLoadOptions(options);
  if (!load)
    return report(load.error());
  auto context = createContext(options, progressMode);
  if (!context)
    return report(context.error());
  auto subject = Subject::get(*context, package, *choice, *load);
  if (!subject)
    return report(subject.error());
  auto launcher = Launcher::create(*context, info, std::move(plan->values),
                                   options.misalignment, progressMode);
  if (!launcher)
    return report(launcher.error());
  // Before the upload: whether a variant takes the arguments is known soon.
  std::vector<runtime::Argument> arguments = launcher->getArguments();
  auto prepared = [&] {
    Progress progress(progressMode, "compiling " + info.name);
    return subject->prepare(arguments, options.variant);
  }();
  if (!prepared)
    return report(prepared.error());
  if (!options.quiet)
    for (const runtime::CompileMessage &message : subject->getCompileMessages())
      fmt::print(stderr, "{}: {}\n", program_invocation_short_name,
                 toString(message));
  if (Status status = launcher->upload(); !status)
    return report(status.error());
  {
    Progress progress(progressMode, "running " + info.name);
    Status status = prepared->run();
    if (status)
      status = context->synchronize();
    if (!status)
      return report(status.error());
  }

  RunReport result;
  result.package = options.package;
  if (const runtime::Launch *launch = prepared->getLaunch()) {
    result.kernel = info.name;
    result.variant = &launch->getVariant();
    result.grid = launch->getGrid();
  } else {
    result.program = info.name;
    result.launches = prepared->getProgram()->getLaunches().size();
    result.workspaceBytes = prepared->getProgram()->getWorkspaceBytes();
  }
  result.device = context->getDevice();
  if (Status status =
          collect(info, *plan, *launcher, options, progressMode, result);
      !status)
    return report(status.error());
  std::optional<runtime::Error> benchError;
  if (options.bench) {
    auto measured =
        bench(*context, *prepared, info, *launcher, options, progressMode);
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
  auto package = [&] {
    Progress progress(progressMode, "reading " + options.package);
    return runtime::Package::open(options.package);
  }();
  if (!package)
    return report(package.error());
  if (options.explain)
    return explain(*package, options, progressMode);
  if (options.namesSubject())
    return runSubject(*package, options, progressMode);
  Listing listing = {options.package, &package->getManifest()};
  return print(options.json ? formatJSON(listing)
                            : escape(formatText(listing)));
}
