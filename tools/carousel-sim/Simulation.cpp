//===- Simulation.cpp - kernels with their arguments ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, compiles, and runs one schedule.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "../support/Process/Messages.h"
#include "../support/Process/NewFile.h"
#include "SharedArguments.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Runtime/Fail.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::SignatureInfo;
using runtime::Status;
using RuntimeArgument = runtime::ArgumentInfo;

static Result<std::string> readFile(const std::string &path) {
  // A device may have no end.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return fail(ErrorCode::InvalidArgument, "{}: expected a regular file",
                path);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(ErrorCode::InvalidArgument, "{}: cannot open: {}", path,
                buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

//===----------------------------------------------------------------------===//
// Before the first schedule
//===----------------------------------------------------------------------===//

Status Simulation::findKernels(const Input &input) {
  std::vector<SignatureInfo> infos;
  for (const std::string &text : options.peers) {
    CAROUSEL_TRY_ASSIGN(auto peer, parsePeer(text));
    peers.push_back(std::move(peer));
  }
  for (const std::string &text : options.multicasts) {
    CAROUSEL_TRY_ASSIGN(auto multicast, parseMulticast(text));
    peers.push_back(std::move(multicast));
  }
  auto add = [&](const std::string &name, std::string_view option,
                 uint32_t gpu) -> Status {
    CAROUSEL_TRY_ASSIGN(auto found, input.findKernel(name, option));
    CAROUSEL_TRY_ASSIGN(auto described, describe(found));
    if (options.gpus > 1)
      nameArguments(described, gpu, options.gpus, peers);
    CAROUSEL_TRY_ASSIGN(auto arguments, addArguments(info, described));
    if (gpu == 0)
      info.name += (kernels.empty() ? "" : " then ") + described.name;
    kernels.push_back({found, std::move(arguments), nullptr, gpu});
    infos.push_back(std::move(described));
    return {};
  };
  for (uint32_t gpu = 0; gpu < options.gpus; ++gpu) {
    CAROUSEL_TRY(add(options.kernel, "--kernel", gpu));
    for (const std::string &name : options.then)
      CAROUSEL_TRY(add(name, "--then", gpu));
  }
  CAROUSEL_TRY(checkUsed(peers, info.name));
  parts = addParts(info, options.gpus, peers);
  return addWorkspacesOf(infos);
}

/// Workspaces come after all passed arguments; launches of a kernel on one GPU
/// share them.
Status Simulation::addWorkspacesOf(const std::vector<SignatureInfo> &infos) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::vector<size_t> known;
    for (size_t before = 0; before < i; ++before)
      if (kernels[before].gpu == kernels[i].gpu &&
          carousel::getKernelName(kernels[before].func) ==
              carousel::getKernelName(kernels[i].func))
        known = kernels[before].arguments;
    CAROUSEL_TRY(addWorkspaces(info, infos[i], known, kernels[i].arguments));
  }
  return {};
}

Status Simulation::findProgram(const Input &input) {
  CAROUSEL_TRY_ASSIGN(auto found, input.findProgram(options.program));
  CAROUSEL_TRY_ASSIGN(info, describe(found));
  return {};
}

/// The code of a kernel: its own, or that of PTX.
static FailureOr<std::unique_ptr<sim::CompiledKernel>>
compile(const Input &input, StringRef name) {
  if (!input.hasCode())
    return sim::CompiledKernel::compile(input.getModule(), name);
  auto kernel = input.findKernel(name.str());
  auto code = kernel ? input.findCode(*kernel) : Result<const CodeText *>();
  for (const auto *failed :
       {kernel ? nullptr : &kernel.error(), code ? nullptr : &code.error()})
    if (failed) {
      tools::printError(failed->message);
      return failure();
    }
  return sim::CompiledKernel::compilePTX(input.getModule(), name,
                                         (*code)->module, (*code)->file,
                                         (*code)->parameters);
}

bool Simulation::compileKernels(const Input &input, CompiledCode &compiled,
                                tools::ProgressMode mode) {
  for (Kernel &kernel : kernels) {
    std::shared_ptr<sim::CompiledKernel> &known = compiled.kernels[kernel.func];
    if (!known) {
      tools::Progress progress(mode,
                               "compiling " + kernel.func.getName().str());
      auto made = compile(input, getQualifiedName(kernel.func));
      if (failed(made))
        return false;
      known = std::move(*made);
    }
    kernel.compiled = known;
  }
  if (options.program.empty())
    return true;
  program = compiled.programs[info.name];
  if (program)
    return true;
  tools::Progress progress(mode, "compiling " + info.name);
  auto made = sim::CompiledProgram::compile(
      input.getModule(), info.name,
      [&](StringRef kernel) { return compile(input, kernel); });
  if (failed(made))
    return false;
  program = compiled.programs[info.name] = std::move(*made);
  return true;
}

Status Simulation::prepare(tools::ProgressMode mode) {
  auto repeat = [&](const std::vector<std::string> &given) {
    return options.gpus > 1 ? repeatForGPUs(given, options.gpus) : given;
  };
  std::vector<std::string> arguments = repeat(options.arguments),
                           outputs = repeat(options.outputs),
                           expectations = repeat(options.expectations);
  for (std::string &value : makeMulticastValues(peers))
    arguments.push_back(std::move(value));
  CAROUSEL_TRY_ASSIGN(plan, makePlan(info, tools::TensorOptions{
                                               arguments, outputs, expectations,
                                               options.multiprocessors}));
  for (const std::string &file : {options.record, options.trace})
    if (!file.empty())
      CAROUSEL_TRY(tools::checkWritable(file));
  if (!options.replay.empty()) {
    CAROUSEL_TRY_ASSIGN(replay, readFile(options.replay));
    if (replay.empty())
      return fail(
          ErrorCode::InvalidArgument,
          "{}: expected a record that --record wrote, got an empty file",
          options.replay);
  }
  CAROUSEL_TRY_ASSIGN(contents, Contents::make(info, plan.values, mode));
  return {};
}

Status Simulation::addExpectations(tools::ProgressMode mode) {
  for (tools::Output &output : plan.expectations) {
    CAROUSEL_TRY_ASSIGN(
        auto made, makeExpected(info.arguments[output.argument], output, mode));
    expected.push_back({std::move(output), std::move(made)});
  }
  return {};
}

Status Simulation::addReference(const Input &input, tools::ProgressMode mode) {
  CAROUSEL_TRY_ASSIGN(auto function, input.findFunction(options.reference));
  CAROUSEL_TRY_ASSIGN(auto signature, describe(function, info));
  CAROUSEL_TRY(prefixError(checkArguments(signature, plan.values),
                           "--reference @{}", signature.name));
  auto compiled =
      sim::CompiledFunction::compile(input.getModule(), signature.name);
  if (failed(compiled))
    return fail(ErrorCode::CompileError,
                "--reference @{}: cannot be compiled for the host",
                signature.name);
  CAROUSEL_TRY_ASSIGN(auto memory, ArgumentMemory::copy(plan.values, contents));
  {
    tools::Progress progress(mode, "calling " + signature.name);
    std::string error =
        (*compiled)->call(memory.getArguments().take_front(info.countPassed()));
    if (!error.empty())
      return fail(ErrorCode::InvalidArgument, "--reference @{}: {}",
                  signature.name, error);
  }
  for (size_t i = 0; i < info.arguments.size(); ++i) {
    const RuntimeArgument &argument = info.arguments[i];
    if (argument.kind != RuntimeArgument::Kind::Tensor ||
        argument.access == RuntimeArgument::Access::In)
      continue;
    tools::Output output;
    output.argument = i;
    output.text = "@" + signature.name;
    output.expected.layout = plan.values[i].tensor.layout;
    CAROUSEL_TRY_ASSIGN(auto result, memory.copyContents(i));
    expected.push_back({std::move(output), std::move(result)});
  }
  if (expected.empty())
    return fail(ErrorCode::InvalidArgument,
                "expected --reference with a kernel that has an output, got {}",
                info.name);
  return {};
}

std::optional<Simulation> Simulation::create(const Input &input,
                                             const Options &options,
                                             CompiledCode &compiled,
                                             tools::ProgressMode mode) {
  Simulation simulation(options);
  auto check = [](const Status &status) {
    if (!status)
      tools::printError(status.error().message);
    return status.has_value();
  };
  if (!check(options.program.empty() ? simulation.findKernels(input)
                                     : simulation.findProgram(input)) ||
      !check(simulation.prepare(mode)) ||
      !simulation.compileKernels(input, compiled, mode) ||
      !check(simulation.addExpectations(mode)))
    return std::nullopt;
  if (!options.reference.empty() &&
      !check(simulation.addReference(input, mode)))
    return std::nullopt;
  return simulation;
}

//===----------------------------------------------------------------------===//
// One schedule
//===----------------------------------------------------------------------===//

static sim::RunOptions makeRunOptions(const Options &options) {
  sim::RunOptions run;
  run.record = !options.record.empty();
  run.trace = !options.trace.empty();
  run.tracedCTAs = options.tracedCTAs;
  run.grid = options.grid;
  run.block = options.block;
  run.cluster = options.cluster;
  run.dynamicSharedBytes = options.sharedBytes;
  run.multiprocessors = options.multiprocessors;
  run.residentPerMultiprocessor = options.resident;
  run.chip = options.chip;
  run.stopGPU = options.stopGPU;
  run.stopWithin = options.stopWithin;
  run.strict = options.strict;
  run.loadsParameters = options.loadsParameters;
  run.bankConflicts = options.bankConflicts;
  run.findingLimit = options.findingLimit;
  run.stepLimit = options.stepLimit;
  return run;
}

sim::RunResult Simulation::launch(const ArgumentMemory &memory,
                                  const sim::RunOptions &runOptions,
                                  bool warns) const {
  if (program)
    return program->run(memory.getArguments(), runOptions);
  std::vector<std::vector<sim::Argument>> arguments;
  std::vector<sim::Launch> launches;
  for (const Kernel &kernel : kernels) {
    std::vector<sim::Argument> &own = arguments.emplace_back();
    for (size_t argument : kernel.arguments) {
      own.push_back(memory.getArguments()[argument]);
      if (options.gpus > 1)
        own.back().name = info.arguments[argument].name;
      if (auto found = parts.find(argument); found != parts.end())
        for (size_t part : found->second) {
          own.back().parts.push_back(memory.getArguments()[part]);
          own.back().parts.back().name = info.arguments[part].name;
        }
    }
  }
  for (auto [kernel, own] : llvm::zip_equal(kernels, arguments)) {
    if (warns)
      if (std::string guard = kernel.compiled->findRefusal(own, runOptions);
          !guard.empty())
        tools::printWarning("expected the guards of @" +
                            kernel.compiled->getName().str() +
                            " to hold, as they do for what launches choose, "
                            "got arguments for which this one doesn't: " +
                            guard);
    sim::Launch &launch = launches.emplace_back();
    launch.kernel = kernel.compiled.get();
    launch.arguments = own;
    launch.gpu = kernel.gpu;
    launch.dependent = options.dependent && launches.size() > 1 &&
                       launches[launches.size() - 2].gpu == kernel.gpu;
  }
  return sim::run(launches, runOptions);
}

Outcome Simulation::run(uint64_t index,
                        std::vector<tools::OutputReport> &outputs) const {
  Outcome outcome = runAndCheck(index, outputs);
  bool found = options.findings.searches && outcome.verdict.isComplete();
  outcome.ends = outcome.failed || found || !outcome.result.error.empty();
  return outcome;
}

Outcome
Simulation::runAndCheck(uint64_t index,
                        std::vector<tools::OutputReport> &outputs) const {
  Outcome outcome;
  outcome.index = index;
  sim::RunOptions runOptions = makeRunOptions(options);
  if (replay.empty()) {
    outcome.policy = options.policies[index % options.policies.size()];
    outcome.seed = options.seed + index / options.policies.size();
    runOptions.policy = outcome.policy;
    runOptions.seed = outcome.seed;
  } else {
    runOptions.replay = replay;
  }
  auto memory = ArgumentMemory::copy(plan.values, contents);
  if (!memory) {
    outcome.result.error = memory.error().message;
    return outcome;
  }
  outcome.result = launch(*memory, runOptions, /*warns=*/index == 0);
  if (!outcome.result.error.empty())
    return outcome;

  bool finished = outcome.result.status == sim::RunStatus::Finished;
  outcome.verdict = options.findings.check(getKinds(outcome.result.findings));
  outcome.failed = options.findings.isFailure(outcome.verdict) ||
                   (!finished && outcome.result.findings.empty());
  outcome.hasExcess =
      options.bankConflictLimit &&
      outcome.result.countExcessWavefronts() > *options.bankConflictLimit;
  outcome.failed |= outcome.hasExcess;
  // A run that didn't finish has no outputs. Where waits have expired, a kernel
  // rightly gives up.
  for (const Expected &wanted : expected) {
    if (!finished || outcome.result.expiredWaits != 0)
      break;
    size_t i = wanted.output.argument;
    outcome.comparisons.push_back(compareOutput(
        info.arguments[i], wanted.output, plan.values[i].tensor.layout,
        memory->getData(i), wanted.contents, options.tolerance,
        tools::ProgressMode::Off));
    outcome.failed |= outcome.comparisons.back().comparison.mismatches != 0;
  }
  auto write = [&outcome](const Status &status) {
    if (!status && outcome.result.error.empty())
      outcome.result.error = status.error().message;
  };
  for (const tools::Output &output : plan.files) {
    size_t i = output.argument;
    write(writeOutput(info.arguments[i], output, plan.values[i].tensor.layout,
                      memory->getData(i), tools::ProgressMode::Off));
    outputs.push_back({info.arguments[i].name, output.text});
  }
  if (!options.record.empty())
    write(tools::writeText(options.record, outcome.result.record));
  if (!options.trace.empty())
    write(tools::writeText(options.trace, outcome.result.trace));
  return outcome;
}
