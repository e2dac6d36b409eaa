//===- Simulate.cpp - the steps of carousel-sim ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints lists, or runs schedules until one ends the search.
//
//===----------------------------------------------------------------------===//

#include "Simulate.h"

#include "../support/Process/Messages.h"
#include "../support/Process/NewFile.h"
#include "../support/Tensors/Arguments.h"
#include "../support/Tensors/Plan.h"
#include "Input/Input.h"
#include "Schedules.h"
#include "SeveralGPUs.h"
#include "SimOptions.h"
#include "SimulationReport.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Manifest.h"
#include "carousel/Simulator/Simulator.h"
#include "carousel/Support/Printable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::SignatureInfo;
using runtime::Status;
using tools::ArgumentValue;
using tools::HostBuffer;
using tools::Result;

//===----------------------------------------------------------------------===//
// Kernels with their arguments
//
// Checks and loads everything on the command line once. Each schedule then runs
// on memory of its own.
//===----------------------------------------------------------------------===//

namespace {

/// The contents of tensors before a run; nothing for scalars.
class Contents {
public:
  static tools::Result<Contents>
  make(const runtime::SignatureInfo &kernel,
       const std::vector<tools::ArgumentValue> &values,
       tools::ProgressMode mode);

private:
  friend class ArgumentMemory;
  std::vector<tools::HostBuffer> buffers;
};

/// A copy of the arguments' contents for one run, which writes to them.
class ArgumentMemory {
public:
  static tools::Result<ArgumentMemory>
  copy(const std::vector<tools::ArgumentValue> &values,
       const Contents &contents);

  ArrayRef<sim::Argument> getArguments() const { return arguments; }
  const std::byte *getData(size_t argument) const {
    return buffers[owners[argument]].getData();
  }
  /// A copy of what an argument holds.
  tools::Result<tools::HostBuffer> copyContents(size_t argument) const;

private:
  std::vector<tools::HostBuffer> buffers;
  std::vector<size_t> owners; ///< which buffer each argument has
  std::vector<sim::Argument> arguments;
};

/// Kernels by their functions, and programs by their names: runs of a file
/// share what they compile.
struct CompiledCode {
  std::map<Operation *, std::shared_ptr<sim::CompiledKernel>> kernels;
  std::map<std::string, std::shared_ptr<sim::CompiledProgram>> programs;
};

class Simulation {
public:
  /// Where that fails, an error or diagnostics were printed.
  static std::optional<Simulation> create(const Input &input,
                                          const Options &options,
                                          CompiledCode &compiled,
                                          tools::ProgressMode mode);

  /// "k", "k then l", "program".
  const std::string &getKernelName() const { return info.name; }
  uint64_t getScheduleCount() const {
    return options.schedules * options.policies.size();
  }

  /// Runs one schedule and checks it; may be called from several threads.
  /// `outputs` is set to what --out names.
  Outcome run(uint64_t index, std::vector<tools::OutputReport> &outputs) const;

private:
  explicit Simulation(const Options &options) : options(options) {}

  /// The expectation of an output.
  struct Expected {
    tools::Output output;
    tools::HostBuffer contents;
  };
  Outcome runAndCheck(uint64_t index,
                      std::vector<tools::OutputReport> &outputs) const;
  /// A kernel, and which of all arguments are its own.
  struct Kernel {
    gpu::GPUFuncOp func;
    std::vector<size_t> arguments;
    std::shared_ptr<sim::CompiledKernel> compiled;
    uint32_t gpu = 0;
  };
  runtime::Status findKernels(const Input &input);
  runtime::Status
  addWorkspacesOf(const std::vector<runtime::SignatureInfo> &infos);
  runtime::Status findProgram(const Input &input);
  bool compileKernels(const Input &input, CompiledCode &compiled,
                      tools::ProgressMode mode);
  runtime::Status prepare(tools::ProgressMode mode);
  /// `warns`: of kernels whose guards don't hold.
  sim::RunResult launch(const ArgumentMemory &memory,
                        const sim::RunOptions &runOptions, bool warns) const;
  runtime::Status addExpectations(tools::ProgressMode mode);
  runtime::Status addReference(const Input &input, tools::ProgressMode mode);

  const Options &options;
  runtime::SignatureInfo info; ///< with the arguments of all kernels
  tools::Plan plan;
  Contents contents;
  std::vector<Expected> expected;
  std::string replay;
  std::vector<Kernel> kernels;
  std::vector<PeerArgument> peers;
  /// The arguments that a multicast address stands for.
  std::map<size_t, std::vector<size_t>> parts;
  std::shared_ptr<sim::CompiledProgram> program; ///< instead of kernels
};

} // namespace

//===----------------------------------------------------------------------===//
// The arguments of several kernels
//
// Kernels that run one after the other share arguments by name: arguments of
// the same name are the same memory. Merges the descriptions of an argument: an
// extent that either kernel gives, and read and written if one kernel reads and
// another writes.
//===----------------------------------------------------------------------===//

/// False where both are known and differ.
static bool join(std::vector<int64_t> &sizes,
                 const std::vector<int64_t> &others) {
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == ArgumentInfo::kDynamic)
      sizes[dim] = others[dim];
    else if (others[dim] != ArgumentInfo::kDynamic && others[dim] != sizes[dim])
      return false;
  }
  return true;
}

static bool join(ArgumentInfo &argument, const ArgumentInfo &other) {
  if (argument.kind != other.kind || argument.element != other.element ||
      argument.extents.size() != other.extents.size() ||
      argument.contiguous != other.contiguous ||
      !join(argument.extents, other.extents) ||
      !join(argument.strides, other.strides))
    return false;
  if (argument.access != other.access)
    argument.access = ArgumentInfo::Access::InOut;
  return true;
}

/// Adds the arguments of `kernel` that callers pass and that `all` doesn't
/// have. Returns which of `all` each of them is; an error where one of the same
/// name is another kind of thing.
static Result<std::vector<size_t>> addArguments(SignatureInfo &all,
                                                const SignatureInfo &kernel) {
  std::vector<size_t> places;
  for (size_t i = 0; i < kernel.countPassed(); ++i) {
    const ArgumentInfo &argument = kernel.arguments[i];
    auto known = std::find_if(
        all.arguments.begin(), all.arguments.end(),
        [&](const ArgumentInfo &other) { return other.name == argument.name; });
    places.push_back(size_t(known - all.arguments.begin()));
    if (known == all.arguments.end())
      all.arguments.push_back(argument);
    else if (ArgumentInfo before = *known; !join(*known, argument))
      return fail(ErrorCode::InvalidArgument,
                  "expected {} of {} to be as it is of the kernels before, {}, "
                  "got {}",
                  argument.name, kernel.name, toString(before),
                  toString(argument));
  }
  return places;
}

/// Adds the kernel's workspaces, once `all` has all other arguments, and
/// appends which of `all` they are. An error where another argument has the
/// name, unless `known` has it: those of the same kernel in an earlier launch.
static runtime::Status addWorkspaces(SignatureInfo &all,
                                     const SignatureInfo &kernel,
                                     const std::vector<size_t> &known,
                                     std::vector<size_t> &places) {
  for (size_t i = kernel.countPassed(); i < kernel.arguments.size(); ++i) {
    if (i < known.size()) {
      places.push_back(known[i]);
      continue;
    }
    ArgumentInfo workspace = kernel.arguments[i];
    for (const ArgumentInfo &other : all.arguments)
      if (other.name == workspace.name)
        return fail(ErrorCode::InvalidArgument,
                    "expected {} of {} to have a name of its own, since it is "
                    "a workspace, got that of {}",
                    workspace.name, kernel.name, toString(other));
    // Expressions count the kernel's arguments.
    for (runtime::Expression &extent : workspace.workspaceExtents)
      for (runtime::Expression::Node &node : extent.nodes)
        if (node.op == runtime::Expression::Op::Extent ||
            node.op == runtime::Expression::Op::Stride ||
            node.op == runtime::Expression::Op::Scalar)
          node.argument = static_cast<uint16_t>(places[node.argument]);
    places.push_back(all.arguments.size());
    all.arguments.push_back(std::move(workspace));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The memory of one run
//===----------------------------------------------------------------------===//

// An empty tensor begins as unwritten; all others count as written.

using TensorKind = tools::TensorValue::Kind;

static bool isTensor(const runtime::ArgumentInfo &argument) {
  return argument.kind != runtime::ArgumentInfo::Kind::Scalar;
}

Result<Contents> Contents::make(const SignatureInfo &kernel,
                                const std::vector<ArgumentValue> &values,
                                tools::ProgressMode mode) {
  Contents contents;
  contents.buffers.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const runtime::ArgumentInfo &argument = kernel.arguments[i];
    if (!isTensor(argument) || values[i].sameAs)
      continue;
    const tools::TensorValue &tensor = values[i].tensor;
    bool file = tensor.kind == TensorKind::File;
    tools::Progress progress(
        mode, (file ? "loading " : "generating ") + argument.name,
        tensor.layout.elements * runtime::getBytes(argument.element),
        tools::ProgressUnit::Bytes);
    CAROUSEL_TRY_ASSIGN(
        contents.buffers[i],
        prefixError(makeContents(tensor, argument.element, progress), "{}",
                    argument.name));
  }
  return contents;
}

static Result<HostBuffer> copyBuffer(const HostBuffer &from) {
  auto buffer = HostBuffer::allocate(from.getBytes());
  if (buffer && from.getBytes() != 0)
    std::memcpy(buffer->getData(), from.getData(), from.getBytes());
  return buffer;
}

Result<ArgumentMemory>
ArgumentMemory::copy(const std::vector<ArgumentValue> &values,
                     const Contents &contents) {
  ArgumentMemory memory;
  for (size_t i = 0; i < values.size(); ++i) {
    CAROUSEL_TRY_ASSIGN(auto buffer, copyBuffer(contents.buffers[i]));
    memory.buffers.push_back(std::move(buffer));
    memory.owners.push_back(values[i].sameAs.value_or(i));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    size_t owner = memory.owners[i];
    const tools::Layout &layout = values[i].tensor.layout;
    sim::Argument &argument = memory.arguments.emplace_back();
    argument.data = memory.buffers[owner].getData();
    argument.extents.assign(layout.extents.begin(), layout.extents.end());
    argument.strides.assign(layout.strides.begin(), layout.strides.end());
    argument.isWritten = values[owner].tensor.kind != TensorKind::Empty;
    argument.bits = values[i].scalar;
  }
  return memory;
}

Result<HostBuffer> ArgumentMemory::copyContents(size_t argument) const {
  return copyBuffer(buffers[owners[argument]]);
}

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

//===----------------------------------------------------------------------===//
// The steps of carousel-sim
//===----------------------------------------------------------------------===//

static Exit print(const std::string &text, Exit exit = Exit::Success) {
  return tools::printResult(text) ? exit : Exit::Usage;
}

/// Lines with names and places of the input, for a terminal.
static std::string escape(const std::string &text) {
  return escapeControls(text, "\n\t");
}

template <typename T> static std::string toText(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static Exit listKernels(const Input &input, const Options &options) {
  std::vector<KernelListing> listings;
  for (gpu::GPUFuncOp kernel : input.getKernels()) {
    KernelListing &listing = listings.emplace_back();
    listing.module =
        kernel->getParentOfType<gpu::GPUModuleOp>().getName().str();
    listing.name = kernel.getName().str();
    for (const KernelArgument &argument : getKernelArguments(kernel))
      listing.arguments.push_back(
          {argument.name, toText(argument.type),
           argument.workspace
               ? "workspace"
               : stringifyArgumentAccess(argument.access).str()});
    if (Attribute launch = kernel->getDiscardableAttr(CarouselDialect::kLaunch))
      listing.launch = toText(launch);
  }
  return print(options.json ? formatJSON(listings)
                            : escape(formatText(listings)));
}

static Exit runSchedules(const Simulation &simulation, const Options &options,
                         tools::ProgressMode mode) {
  SimulationReport report;
  report.input = options.input;
  report.kernel = simulation.getKernelName();
  report.policies = options.policies;
  report.firstSeed = options.seed;
  report.schedules = simulation.getScheduleCount();
  report.expectations = options.findings;
  report.replay = options.replay;
  report.bankConflicts = options.bankConflicts;

  unsigned jobs = options.jobs;
  if (jobs == 0)
    jobs = std::max(1u, std::thread::hardware_concurrency());
  std::mutex mutex;
  bool any = false;
  auto begin = std::chrono::steady_clock::now();
  {
    bool several = report.schedules > 1;
    tools::Progress progress(
        mode,
        several ? fmt::format("running schedules of {}", report.kernel)
                : "running " + report.kernel,
        several ? report.schedules : 0, tools::ProgressUnit::Count);
    findFirst(report.schedules, jobs, [&](uint64_t index) {
      std::vector<tools::OutputReport> outputs;
      Outcome outcome = simulation.run(index, outputs);
      progress.advance(1);
      std::lock_guard<std::mutex> lock(mutex);
      ++report.schedulesRun;
      report.steps += outcome.result.figures.steps;
      // The first of those that end the search; until there is one, the first.
      const Outcome &shown = report.shown;
      bool ends = outcome.ends;
      if (!any || ends > shown.ends ||
          (ends == shown.ends && outcome.index < shown.index)) {
        report.shown = std::move(outcome);
        report.outputs = std::move(outputs);
        any = true;
      }
      return ends;
    });
  }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  report.seconds = seconds.count();
  if (const std::string &error = report.shown.result.error; !error.empty()) {
    tools::printError(error);
    return Exit::Usage;
  }
  // A search ends well at the schedule that was sought, all else without an
  // end.
  report.passed =
      !report.shown.failed && report.shown.ends == options.findings.searches;
  Exit exit = report.passed ? Exit::Success : Exit::Failure;
  if (options.json)
    return print(formatJSON(report), exit);
  return options.quiet && report.passed
             ? exit
             : print(escape(formatText(report)), exit);
}

static Exit run(const Input &input, const Options &options,
                CompiledCode &compiled) {
  if (options.listKernels)
    return listKernels(input, options);
  if (options.bankConflicts && input.hasCode()) {
    tools::printError("expected --bank-conflicts and --bank-conflict-limit "
                      "without PTX, whose accesses aren't counted");
    return Exit::Usage;
  }
  tools::ProgressMode mode = tools::chooseProgressMode(options.quiet);
  auto simulation = Simulation::create(input, options, compiled, mode);
  if (!simulation)
    return Exit::Usage;
  return runSchedules(*simulation, options, mode);
}

Exit simtool::simulate(ArrayRef<Options> runs) {
  const Options &first = runs.front();
  if (first.listFindings)
    return print(first.json ? listFindingsJSON() : listFindingsText());
  Input input;
  if (!input.load(first))
    return Exit::Usage;
  CompiledCode compiled;
  Exit worst = Exit::Success;
  for (const Options &options : runs)
    worst = std::max(worst, run(input, options, compiled));
  return worst;
}
