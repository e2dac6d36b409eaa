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

static Status writeFile(const std::string &path, const std::string &text) {
  tools::NewFile file(path);
  Status status = file.create();
  if (status)
    status = file.write(text.data(), text.size());
  if (status)
    status = file.finish();
  return status;
}

//===----------------------------------------------------------------------===//
// Before the first schedule
//===----------------------------------------------------------------------===//

Status Simulation::findKernels(const Input &input) {
  std::vector<SignatureInfo> infos;
  for (const std::string &text : options.peers) {
    auto peer = parsePeer(text);
    if (!peer)
      return tl::make_unexpected(peer.error());
    peers.push_back(std::move(*peer));
  }
  for (const std::string &text : options.multicasts) {
    auto multicast = parseMulticast(text);
    if (!multicast)
      return tl::make_unexpected(multicast.error());
    peers.push_back(std::move(*multicast));
  }
  auto add = [&](const std::string &name, std::string_view option,
                 uint32_t gpu) -> Status {
    auto found = input.findKernel(name, option);
    if (!found)
      return tl::make_unexpected(found.error());
    auto described = describe(*found);
    if (!described)
      return tl::make_unexpected(described.error());
    if (options.gpus > 1)
      nameArguments(*described, gpu, options.gpus, peers);
    auto arguments = addArguments(info, *described);
    if (!arguments)
      return tl::make_unexpected(arguments.error());
    if (gpu == 0)
      info.name += (kernels.empty() ? "" : " then ") + described->name;
    kernels.push_back({*found, std::move(*arguments), nullptr, gpu});
    infos.push_back(std::move(*described));
    return {};
  };
  for (uint32_t gpu = 0; gpu < options.gpus; ++gpu) {
    if (Status status = add(options.kernel, "--kernel", gpu); !status)
      return status;
    for (const std::string &name : options.then)
      if (Status status = add(name, "--then", gpu); !status)
        return status;
  }
  if (Status status = checkUsed(peers, info.name); !status)
    return status;
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
    if (Status status =
            addWorkspaces(info, infos[i], known, kernels[i].arguments);
        !status)
      return status;
  }
  return {};
}

Status Simulation::findProgram(const Input &input) {
  auto found = input.findProgram(options.program);
  if (!found)
    return tl::make_unexpected(found.error());
  auto described = describe(*found);
  if (!described)
    return tl::make_unexpected(described.error());
  info = std::move(*described);
  return {};
}

bool Simulation::compileKernels(const Input &input, CompiledKernels &compiled,
                                tools::ProgressMode mode) {
  for (Kernel &kernel : kernels) {
    std::shared_ptr<sim::CompiledKernel> &known = compiled[kernel.func];
    if (!known) {
      tools::Progress progress(mode,
                               "compiling " + kernel.func.getName().str());
      auto made = sim::CompiledKernel::compile(input.getModule(),
                                               getQualifiedName(kernel.func));
      if (failed(made))
        return false;
      known = std::move(*made);
    }
    kernel.compiled = known;
  }
  if (options.program.empty())
    return true;
  tools::Progress progress(mode, "compiling " + info.name);
  auto made = sim::CompiledProgram::compile(input.getModule(), info.name);
  if (failed(made))
    return false;
  program = std::move(*made);
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
  auto made =
      makePlan(info, tools::TensorOptions{arguments, outputs, expectations,
                                          options.multiprocessors});
  if (!made)
    return tl::make_unexpected(made.error());
  plan = std::move(*made);
  for (const std::string &file : {options.record, options.trace})
    if (!file.empty())
      if (Status status = tools::checkWritable(file); !status)
        return status;
  if (!options.replay.empty()) {
    auto text = readFile(options.replay);
    if (!text)
      return tl::make_unexpected(text.error());
    replay = std::move(*text);
    if (replay.empty())
      return fail(
          ErrorCode::InvalidArgument,
          "{}: expected a record that --record wrote, got an empty file",
          options.replay);
  }
  auto loaded = Contents::make(info, plan.values, mode);
  if (!loaded)
    return tl::make_unexpected(loaded.error());
  contents = std::move(*loaded);
  return {};
}

Status Simulation::addExpectations(tools::ProgressMode mode) {
  for (tools::Output &output : plan.expectations) {
    auto made = makeExpected(info.arguments[output.argument], output, mode);
    if (!made)
      return tl::make_unexpected(made.error());
    expected.push_back({std::move(output), std::move(*made)});
  }
  return {};
}

Status Simulation::addReference(const Input &input, tools::ProgressMode mode) {
  auto function = input.findFunction(options.reference);
  if (!function)
    return tl::make_unexpected(function.error());
  auto signature = describe(*function, info);
  if (!signature)
    return tl::make_unexpected(signature.error());
  if (Status status = checkArguments(*signature, plan.values); !status)
    return fail(status.error().code, "--reference @{}: {}", signature->name,
                status.error().message);
  auto compiled =
      sim::CompiledFunction::compile(input.getModule(), signature->name);
  if (failed(compiled))
    return fail(ErrorCode::CompileError,
                "--reference @{}: cannot be compiled for the host",
                signature->name);
  auto memory = ArgumentMemory::copy(plan.values, contents);
  if (!memory)
    return tl::make_unexpected(memory.error());
  {
    tools::Progress progress(mode, "calling " + signature->name);
    std::string error = (*compiled)->call(
        memory->getArguments().take_front(info.countPassed()));
    if (!error.empty())
      return fail(ErrorCode::InvalidArgument, "--reference @{}: {}",
                  signature->name, error);
  }
  for (size_t i = 0; i < info.arguments.size(); ++i) {
    const RuntimeArgument &argument = info.arguments[i];
    if (argument.kind != RuntimeArgument::Kind::Tensor ||
        argument.access == RuntimeArgument::Access::In)
      continue;
    tools::Output output;
    output.argument = i;
    output.text = "@" + signature->name;
    output.expected.layout = plan.values[i].tensor.layout;
    auto result = memory->copyContents(i);
    if (!result)
      return tl::make_unexpected(result.error());
    expected.push_back({std::move(output), std::move(*result)});
  }
  if (expected.empty())
    return fail(ErrorCode::InvalidArgument,
                "expected --reference with a kernel that has an output, got {}",
                info.name);
  return {};
}

std::optional<Simulation> Simulation::create(const Input &input,
                                             const Options &options,
                                             CompiledKernels &compiled,
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
  run.bankConflicts = options.bankConflicts;
  run.findingLimit = options.findingLimit;
  run.stepLimit = options.stepLimit;
  return run;
}

sim::RunResult Simulation::launch(const ArgumentMemory &memory,
                                  const sim::RunOptions &runOptions) const {
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
  outcome.result = launch(*memory, runOptions);
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
    write(writeFile(options.record, outcome.result.record));
  if (!options.trace.empty())
    write(writeFile(options.trace, outcome.result.trace));
  return outcome;
}
