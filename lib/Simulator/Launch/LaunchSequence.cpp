//===- LaunchSequence.cpp - runs of several launches ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds the arguments of launches, runs them on the machine, and names what it
// finds. The memory of all launches' arguments, by their addresses, becomes
// regions of the machine's memory: with names for findings, and with what is
// known before the first launch of who has written it and who may.
//
//===----------------------------------------------------------------------===//

#include "../Compile/KernelModule.h"
#include "../Memory/Memory.h"
#include "LaunchArguments.h"
#include "LaunchShape.h"
#include "Machine.h"
#include "SimKernelImpl.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
using carousel::CarouselDialect;
using carousel::EncodeAttr;
using carousel::ExprAttr;
using carousel::LaunchAttr;
using carousel::VariantAttr;
using carousel::WorkspaceAttr;
using llvm::formatv;

namespace {

class ArgumentRegions {
public:
  /// Adds the memory of one more launch. The arguments stay where they are.
  /// `areInputs` are the arguments that the kernel only reads.
  void add(const LaunchArguments &arguments, const Signature &signature,
           llvm::ArrayRef<bool> areInputs) {
    // Arguments of one launch are separate entries: if one of them is written,
    // the memory is written.
    size_t ofOthers = memory.size();
    for (const ArgumentMemory &part : arguments.getMemory()) {
      const Argument &argument = arguments.getArguments()[part.argument];
      auto isSame = [&](const NamedMemory &known) {
        return known.begin == part.begin && known.size == part.size;
      };
      bool isInput = areInputs[part.argument];
      auto known =
          llvm::find_if(MutableArrayRef(memory).take_front(ofOthers), isSame);
      if (known != memory.data() + ofOthers) {
        known->isInput &= isInput;
        continue;
      }
      const ArgumentInfo &info = signature.arguments[part.argument];
      uint64_t elementBytes =
          *getElementBytes(cast<MemRefType>(info.type).getElementType());
      memory.push_back({part.begin, part.size,
                        argument.name.empty() ? info.name : argument.name,
                        argument.isWritten, &argument, elementBytes, isInput});
      // The parts of a multicast address, unless a launch passes it, too.
      for (const Argument &ofGPU : argument.parts) {
        auto *begin = static_cast<char *>(ofGPU.data);
        if (llvm::none_of(memory, [&](const NamedMemory &known) {
              return known.begin == begin && known.size == part.size;
            }))
          memory.push_back({begin, part.size, ofGPU.name, ofGPU.isWritten,
                            &ofGPU, elementBytes});
      }
    }
  }

  /// Overlapping arguments share a region.
  void addRegions(Memory &machine) const {
    std::vector<NamedMemory> sorted = memory;
    llvm::sort(sorted, [](const NamedMemory &a, const NamedMemory &b) {
      return std::tie(a.begin, b.size, a.name) <
             std::tie(b.begin, a.size, b.name);
    });
    for (size_t first = 0; first < sorted.size();) {
      char *end = sorted[first].begin;
      size_t last = first;
      for (;
           last < sorted.size() && (last == first || sorted[last].begin < end);
           ++last)
        end = std::max(end, sorted[last].begin + sorted[last].size);
      addRegion(machine, ArrayRef(sorted).slice(first, last - first));
      first = last;
    }
  }

  /// Poisons the memory that the kernels are to write.
  void poisonOutputs() const {
    for (const NamedMemory &part : memory) {
      bool isShared = llvm::any_of(memory, [&](const NamedMemory &other) {
        return &other != &part && other.overlaps(part);
      });
      if (!part.isWritten && !isShared)
        poisonElements(*part.argument, part.elementBytes);
    }
  }

private:
  /// The memory of an argument, with the name that the first launch gives it.
  struct NamedMemory {
    char *begin;
    uint64_t size;
    std::string name;
    bool isWritten;
    /// The memref, between whose elements may be other data.
    const Argument *argument;
    uint64_t elementBytes;
    /// Whether all launches only read it.
    bool isInput = false;

    bool overlaps(const NamedMemory &other) const {
      return begin < other.begin + other.size && other.begin < begin + size;
    }
  };

  /// Adds the region of arguments that share memory.
  void addRegion(Memory &machine, ArrayRef<NamedMemory> shared) const {
    const NamedMemory &first = shared.front();
    char *end = first.begin;
    for (const NamedMemory &part : shared)
      end = std::max(end, part.begin + part.size);
    bool all = llvm::all_of(
        shared, [](const NamedMemory &part) { return part.isWritten; });
    std::vector<char *> parts;
    for (const Argument &part : first.argument->parts)
      parts.push_back(static_cast<char *>(part.data));
    RegionId region =
        machine.addRegion({Space::Global, 0, first.name, first.begin,
                           uint64_t(end - first.begin), all, std::move(parts)});
    for (const NamedMemory &part : shared) {
      uint64_t offset = part.begin - first.begin;
      machine.nameRange(region, offset, part.size, part.name, /*slotBytes=*/0);
      // Memory that another argument marks as written is written.
      if (!all && part.isWritten)
        machine.setWritten(part.begin, part.size, true);
      if (llvm::all_of(shared, [&](const NamedMemory &other) {
            return other.isInput || !other.overlaps(part);
          }))
        machine.addInput(region, offset, part.size);
    }
  }

  std::vector<NamedMemory> memory;
};

} // namespace

/// The launches of a run, with their arguments bound and their shapes known.
class carousel::sim::LaunchSequence {
public:
  explicit LaunchSequence(const RunOptions &options) : options(options) {}

  /// Returns an empty string, or an error of one line.
  std::string bind(ArrayRef<Launch> launches, FindingLog &log);
  bool empty() const { return parts.empty(); }
  /// Poisons the memory that the kernels are to write.
  void poisonOutputs() const { memory.poisonOutputs(); }
  RunResult run(Schedule &schedule, FindingLog &log) const;

private:
  struct Part {
    const CompiledKernel::Impl *kernel;
    std::unique_ptr<LaunchArguments> arguments;
    LaunchShape shape;
    bool isDependent;
    uint32_t gpu = 0;
    Site firstSite = 0;
    uint32_t firstAccess = 0;
    /// "@k launched at program.mlir:12:5", or empty.
    std::string place = {};
  };

  std::string bind(const Launch &launch, FindingLog &log);
  static const CompiledKernel::Impl &widen(const CompiledKernel::Impl &kernel,
                                           const LaunchArguments &arguments,
                                           std::string &refusal);
  std::string checkMemory(const LaunchArguments &arguments,
                          const CompiledKernel::Impl &kernel,
                          uint32_t gpu) const;
  std::string nameLaunch(size_t number) const;
  std::string describeSite(Site site) const;
  std::vector<GridLaunch> getGrids() const;
  std::vector<KernelLaunch> getKernels() const;

  const RunOptions &options;
  std::vector<Part> parts;
  ArgumentRegions memory;
};

/// "@k", with the place of its launch if that is known.
static std::string nameKernel(const Launch &launch) {
  std::string name = "@" + launch.kernel->getName().str();
  return launch.place.empty() ? name : name + " launched at " + launch.place;
}

/// The kernel whose vectors cover the launch's extent.
const CompiledKernel::Impl &
LaunchSequence::widen(const CompiledKernel::Impl &kernel,
                      const LaunchArguments &arguments, std::string &refusal) {
  int64_t extent = 0;
  if (!kernel.wide || !arguments.evaluate(kernel.wide->getCovers(), extent) ||
      extent <= kernel.wide->getWidth())
    return kernel;
  // Globals are those of the kernel that was given.
  const CompiledKernel *wide =
      kernel.wide->find(extent, refusal, [&](const CompiledKernel &made) {
        made.impl->home = kernel.home;
      });
  return wide ? *wide->impl : kernel;
}

std::string LaunchSequence::bind(const Launch &launch, FindingLog &log) {
  const CompiledKernel::Impl &given = *launch.kernel->impl;
  auto arguments = std::make_unique<LaunchArguments>(
      given.signature, launch.arguments, options.multiprocessors);
  if (std::string error = arguments->bind(); !error.empty())
    return error;
  std::string refusal;
  const CompiledKernel::Impl &kernel = widen(given, *arguments, refusal);
  if (!refusal.empty())
    return refusal;
  RunOptions own = options;
  if (launch.grid)
    own.grid = launch.grid;
  if (launch.block)
    own.block = launch.block;
  if (launch.cluster)
    own.cluster = launch.cluster;
  if (launch.dynamicSharedBytes)
    own.dynamicSharedBytes = launch.dynamicSharedBytes;
  LaunchShape shape;
  if (std::string error = shape.compute(kernel.launch, kernel.isCoresident,
                                        kernel.isBlockProgram, kernel.layout,
                                        *arguments, own, log);
      !error.empty())
    return error;
  // A grid without CTAs does nothing.
  if (log.empty() && shape.grid.grid.count() == 0)
    return "";
  shape.grid.stepLimit = options.stepLimit;
  shape.grid.isCancelled = options.isCancelled;
  shape.grid.startsInOrder = kernel.startsInOrder;
  shape.grid.isCoresident = kernel.isCoresident;
  shape.grid.stackBytes = kernel.stackBytes;
  if (std::string error = checkMemory(*arguments, kernel, launch.gpu);
      !error.empty())
    return error;
  memory.add(*arguments, kernel.signature, kernel.areInputs);
  Part part{&kernel, std::move(arguments), shape, launch.dependent, launch.gpu};
  if (!launch.place.empty())
    part.place = nameKernel(launch);
  if (!parts.empty()) {
    const Part &last = parts.back();
    part.firstSite = last.firstSite + last.kernel->sites.size();
    part.firstAccess = last.firstAccess + last.kernel->accesses.size();
  }
  parts.push_back(std::move(part));
  return "";
}

std::string LaunchSequence::bind(ArrayRef<Launch> launches, FindingLog &log) {
  for (auto [number, launch] : llvm::enumerate(launches)) {
    if (!launch.kernel)
      return formatv("expected a kernel in launch {0}", number);
    bool isFirst = number == 0 || launches[number - 1].gpu != launch.gpu;
    if (isFirst && launch.dependent)
      return "expected a launch before a dependent one";
    if (std::string error = bind(launch, log); !error.empty())
      return launches.size() == 1 && launch.place.empty()
                 ? error
                 : nameKernel(launch) + ": " + error;
  }
  return "";
}

/// Only symmetric memory is that of several GPUs.
std::string LaunchSequence::checkMemory(const LaunchArguments &arguments,
                                        const CompiledKernel::Impl &kernel,
                                        uint32_t gpu) const {
  for (const Part &part : parts) {
    if (part.gpu == gpu)
      continue;
    for (const ArgumentMemory &theirs : part.arguments->getMemory())
      for (const ArgumentMemory &mine : arguments.getMemory()) {
        const ArgumentInfo &info = kernel.signature.arguments[mine.argument];
        const ArgumentInfo &other =
            part.kernel->signature.arguments[theirs.argument];
        bool overlap = mine.begin < theirs.begin + theirs.size &&
                       theirs.begin < mine.begin + mine.size;
        if (overlap && !(info.isSymmetric && other.isSymmetric))
          return formatv("expected carousel.symmetric or carousel.peer on "
                         "arguments that share memory, got {0} on GPU {1} and "
                         "{2} on GPU {3}",
                         other.name, part.gpu, info.name, gpu);
      }
  }
  return "";
}

/// "@k", with the GPU if there are several, and with the launch's number if the
/// kernel is launched again.
std::string LaunchSequence::nameLaunch(size_t number) const {
  const Part &launch = parts[number];
  if (!launch.place.empty())
    return launch.place;
  const std::string &name = launch.kernel->name;
  auto isAgain = [&](const Part &part) {
    return part.kernel->name == name && part.gpu == launch.gpu;
  };
  std::string text = "@" + name;
  if (llvm::count_if(parts, isAgain) != 1)
    text += formatv(" (launch {0})", number).str();
  if (parts.back().gpu != 0)
    text += formatv(" on GPU {0}", launch.gpu).str();
  return text;
}

std::string LaunchSequence::describeSite(Site site) const {
  for (const Part &part : llvm::reverse(parts))
    if (site >= part.firstSite)
      return part.kernel->sites.describe(site - part.firstSite);
  return "";
}

static RunStatus getStatus(RunEnd end) {
  switch (end) {
  case RunEnd::Finished:
    return RunStatus::Finished;
  case RunEnd::Deadlock:
    return RunStatus::Deadlock;
  case RunEnd::StepLimit:
    return RunStatus::StepLimit;
  case RunEnd::Aborted:
    return RunStatus::Aborted;
  }
  return RunStatus::Aborted;
}

std::vector<GridLaunch> LaunchSequence::getGrids() const {
  std::vector<GridLaunch> grids;
  for (auto [number, part] : llvm::enumerate(parts))
    grids.push_back(
        {part.shape.grid, part.isDependent, nameLaunch(number), part.gpu});
  return grids;
}

std::vector<KernelLaunch> LaunchSequence::getKernels() const {
  std::vector<KernelLaunch> kernels;
  for (const Part &part : parts)
    kernels.push_back({&part.kernel->layout, part.shape.dynamicSharedBytes,
                       part.kernel->code->getEntry(),
                       part.arguments->getPacked(), part.firstSite,
                       part.kernel->home, part.firstAccess, part.gpu,
                       &part.kernel->poisonChecks, &part.kernel->assertions,
                       part.arguments->getMaps(), options.multiprocessors});
  return kernels;
}

RunResult LaunchSequence::run(Schedule &schedule, FindingLog &log) const {
  RunResult result;
  auto describe = [this](Site site) { return describeSite(site); };
  log.setLocationResolver(describe);
  MemoryRules memoryRules;
  memoryRules.strictFences = options.strict;
  AsyncRules asyncRules;
  asyncRules.strictFences = options.strict;

  Memory machineMemory(log, memoryRules);
  memory.addRegions(machineMemory);
  Grid grid(getGrids(), schedule, log, describe);
  machineMemory.setGPUs(grid.getFirstCTAs());
  if (options.stopGPU)
    grid.setStop({*options.stopGPU, options.stopWithin});
  log.setKernelResolver([&](Actor &actor) { grid.nameLaunch(actor); });
  std::unique_ptr<Timeline> timeline;
  if (options.trace)
    timeline = std::make_unique<Timeline>(grid, machineMemory, describe,
                                          options.tracedCTAs);
  AsyncMachine async(machineMemory, grid, schedule, log, asyncRules,
                     timeline.get());
  async.setSiteNames(describe);
  Machine machine(getKernels(), grid, machineMemory, async, log);
  machine.timeline = timeline.get();
  WarpAccesses warpAccesses;
  if (options.bankConflicts)
    machine.warpAccesses = &warpAccesses;
  result.status = getStatus(machine.run());
  if (timeline)
    result.trace = timeline->write();
  log.setKernelResolver(nullptr);
  result.stopped = grid.describeStop();
  result.expiredWaits = async.signals.countExpired();

  AccessReport accesses;
  for (const Part &part : parts) {
    result.figures.threads +=
        part.shape.grid.grid.count() * part.shape.grid.block.count();
    accesses.add(part.kernel->accesses, part.kernel->sites,
                 warpAccesses.getCounts(), part.firstAccess);
  }
  result.sharedAccesses = accesses.take();
  result.figures.steps = grid.getSteps();
  result.figures.transfers = async.getFigures().transfers;
  result.figures.transferredBytes = async.getFigures().transferredBytes;
  result.figures.readBytes = machineMemory.getTraffic().readBytes;
  result.figures.writtenBytes = machineMemory.getTraffic().writtenBytes;
  result.figures.cycles =
      std::max(machine.getCycles(), async.getFigures().lastCycles);
  return result;
}

RunResult CompiledKernel::run(ArrayRef<Argument> arguments,
                              const RunOptions &options) const {
  Launch launch;
  launch.kernel = this;
  launch.arguments = arguments;
  return sim::run(launch, options);
}

RunResult carousel::sim::run(ArrayRef<Launch> given,
                             const RunOptions &options) {
  RunResult result;
  FindingLog log(options.findingLimit);
  LaunchSequence sequence(options);
  // By GPU, and in order on each.
  uint32_t numGPUs = 0;
  for (const Launch &launch : given)
    numGPUs = std::max(numGPUs, launch.gpu + 1);
  SmallVector<Launch> launches;
  for (uint32_t gpu = 0; gpu < numGPUs; ++gpu)
    llvm::copy_if(given, std::back_inserter(launches),
                  [&](const Launch &launch) { return launch.gpu == gpu; });
  if (options.stopGPU && *options.stopGPU >= numGPUs) {
    result.error = formatv("expected to stop a GPU that has a launch, got {0}",
                           *options.stopGPU);
    return result;
  }
  result.error = sequence.bind(launches, log);
  if (!result.error.empty())
    return result;
  if (!log.empty()) {
    result.status = RunStatus::Aborted;
    result.findings = std::move(log.getFindings());
    return result;
  }

  std::unique_ptr<Schedule> schedule;
  ReplaySchedule *replay = nullptr;
  if (!options.replay.empty()) {
    auto replayed = ReplaySchedule::create(options.replay, result.error);
    if (!replayed)
      return result;
    replay = replayed.get();
    schedule = std::move(replayed);
  } else {
    std::optional<Policy> policy = parsePolicy(options.policy);
    if (!policy) {
      result.error =
          "expected the name of a policy, got '" + options.policy + "'";
      return result;
    }
    schedule = createSchedule(*policy, options.seed);
  }
  if (sequence.empty()) {
    if (options.trace)
      result.trace = "{\"traceEvents\":[]}\n";
    return result;
  }
  sequence.poisonOutputs();
  if (options.record) {
    RecordingSchedule recording(*schedule);
    result = sequence.run(recording, log);
    result.record = recording.getRecord();
  } else {
    result = sequence.run(*schedule, log);
  }
  for (const Launch &launch : launches)
    result.figures.operandBytes += countOperandBytes(launch);
  if (replay)
    result.error = replay->getError();
  result.findings = std::move(log.getFindings());
  return result;
}
