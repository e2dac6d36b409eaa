//===- CompiledKernel.cpp - from a kernel to a run ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/Simulator.h"

#include "HostCode.h"
#include "LaunchArguments.h"
#include "LaunchShape.h"
#include "Machine.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace carousel::sim;
using carousel::CarouselDialect;
using carousel::EncodeAttr;
using carousel::LaunchAttr;

struct CompiledKernel::Impl {
  std::string name;
  Signature signature;
  LaunchAttr launch;
  StaticMemory layout;
  SiteTable sites;
  uint32_t stackBytes = 0;
  std::unique_ptr<HostCode> code;

  /// The regions of the arguments' memory; those that overlap share one.
  void addArgumentMemory(Memory &memory, const LaunchArguments &bound) const;
  RunResult launchGrid(const LaunchArguments &bound, void **packed,
                       const LaunchShape &shape, const RunOptions &options,
                       Schedule &schedule, FindingLog &log) const;
};

CompiledKernel::CompiledKernel(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledKernel::~CompiledKernel() = default;

ArrayRef<ArgumentInfo> CompiledKernel::getArguments() const {
  return impl->signature.arguments;
}
StringRef CompiledKernel::getName() const { return impl->name; }
bool CompiledKernel::hasLaunch() const { return bool(impl->launch); }

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static FailureOr<Signature> getSignature(gpu::GPUFuncOp kernel) {
  // Says what no kernel argument can be.
  if (failed(carousel::getKernelParameters(kernel)))
    return failure();
  Signature signature;
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (const carousel::KernelArgument &argument :
       carousel::getKernelArguments(kernel)) {
    numbers[argument.position] = signature.arguments.size();
    signature.arguments.push_back({argument.name, argument.type});
    if (isa<VectorType>(argument.type))
      return kernel.emitError("expected kernel arguments that are memrefs or "
                              "numbers, got ")
             << argument.type;
  }
  for (auto [position, type] :
       llvm::enumerate(kernel.getFunctionType().getInputs())) {
    Parameter parameter;
    parameter.type = type;
    parameter.argument = numbers.lookup(position);
    if (isa<carousel::TensorMapType>(type)) {
      parameter.encode = kernel.getArgAttrOfType<EncodeAttr>(
          position, CarouselDialect::kEncode);
      if (!parameter.encode)
        return kernel.emitError("expected carousel.encode on kernel argument ")
               << position << ", a tensor map, to run the kernel";
      parameter.argument = parameter.encode.getArgument();
    }
    signature.parameters.push_back(parameter);
  }
  return signature;
}

/// Local memory, and room for vectors that don't fit the host's registers.
static uint32_t estimateStack(ModuleOp module) {
  constexpr uint64_t kBase = 64 << 10, kMost = 16 << 20;
  uint64_t locals = 0, widest = 0;
  module.walk([&](Operation *op) {
    if (auto local = dyn_cast<LLVM::AllocaOp>(op)) {
      APInt count;
      uint64_t number =
          matchPattern(local.getArraySize(), m_ConstantInt(&count))
              ? count.getZExtValue()
              : 1;
      if (auto bytes = getElementBytes(local.getElemType()))
        locals += number * *bytes;
    }
    for (Type type : op->getResultTypes())
      if (isa<VectorType>(type))
        if (auto bytes = getElementBytes(type))
          widest = std::max<uint64_t>(widest, *bytes);
  });
  constexpr uint64_t kSpills = 32;
  return std::min(kBase + 2 * locals + kSpills * widest, kMost);
}

FailureOr<std::unique_ptr<CompiledKernel>>
CompiledKernel::compile(ModuleOp module, StringRef name) {
  HostCode::loadDialects(*module.getContext());
  FailureOr<gpu::GPUFuncOp> kernel = findKernel(module, name);
  if (failed(kernel))
    return failure();
  FailureOr<Signature> signature = getSignature(*kernel);
  if (failed(signature))
    return failure();
  auto impl = std::make_unique<Impl>();
  impl->name = kernel->getName().str();
  impl->signature = std::move(*signature);
  impl->launch = (*kernel)->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);

  FailureOr<KernelModule> clone = cloneKernel(*kernel);
  if (failed(clone) || failed(lowerMachineOps(*clone, impl->sites)) ||
      failed(lowerToHost(*clone->module)) ||
      failed(instrumentMemory(*clone->module, impl->sites)))
    return failure();
  impl->layout = std::move(clone->memory);
  impl->stackBytes = estimateStack(*clone->module);
  auto code = HostCode::compile(*clone->module, clone->entry);
  if (failed(code))
    return failure();
  impl->code = std::move(*code);
  impl->sites.forgetLocations();
  return std::unique_ptr<CompiledKernel>(new CompiledKernel(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void CompiledKernel::Impl::addArgumentMemory(
    Memory &memory, const LaunchArguments &bound) const {
  SmallVector<ArgumentMemory> parts(bound.getMemory());
  llvm::sort(parts, [](const ArgumentMemory &a, const ArgumentMemory &b) {
    return a.begin < b.begin;
  });
  for (size_t first = 0; first < parts.size();) {
    char *begin = parts[first].begin, *end = begin;
    size_t last = first;
    for (; last < parts.size() && (last == first || parts[last].begin < end);
         ++last)
      end = std::max(end, parts[last].begin + parts[last].size);
    ArrayRef<ArgumentMemory> shared =
        ArrayRef(parts).slice(first, last - first);
    auto isWritten = [&](const ArgumentMemory &part) {
      return bound.getArguments()[part.argument].isWritten;
    };
    bool all = llvm::all_of(shared, isWritten);
    auto getName = [&](const ArgumentMemory &part) {
      return "%" + signature.arguments[part.argument].name;
    };
    RegionId region =
        memory.addRegion({Space::Global, 0, getName(shared.front()), begin,
                          uint64_t(end - begin), all});
    for (const ArgumentMemory &part : shared) {
      memory.nameRange(region, part.begin - begin, part.size, getName(part),
                       /*slotBytes=*/0);
      // What another argument's holder has written is written.
      if (!all && isWritten(part))
        memory.setWritten(part.begin, part.size, true);
    }
    first = last;
  }
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

RunResult CompiledKernel::Impl::launchGrid(
    const LaunchArguments &bound, void **packed, const LaunchShape &shape,
    const RunOptions &options, Schedule &schedule, FindingLog &log) const {
  RunResult result;
  auto describeSite = [this](Site site) { return sites.describe(site); };
  log.setLocationResolver(describeSite);
  MemoryRules memoryRules;
  memoryRules.strictFences = options.strict;
  AsyncRules asyncRules;
  asyncRules.strictFences = options.strict;

  Memory memory(log, memoryRules);
  addArgumentMemory(memory, bound);
  GridShape gridShape = shape.grid;
  gridShape.stepLimit = options.stepLimit;
  gridShape.stackBytes = stackBytes;
  Grid grid(gridShape, schedule, log, describeSite);
  AsyncMachine async(memory, grid, schedule, log, asyncRules);
  Machine machine(layout, shape.dynamicSharedBytes, grid, memory, async, log);
  result.status = getStatus(machine.run(code->getEntry(), packed));

  result.figures.threads = gridShape.grid.count() * gridShape.block.count();
  result.figures.steps = grid.getSteps();
  result.figures.transfers = async.getFigures().transfers;
  result.figures.transferredBytes = async.getFigures().transferredBytes;
  result.figures.cycles =
      std::max(machine.getCycles(), async.getFigures().lastCycles);
  return result;
}

/// Between the elements of a strided argument may lie what isn't its own.
static bool hasGaps(const Argument &argument) {
  int64_t contiguous = 1;
  for (size_t dim = argument.extents.size(); dim-- > 0;) {
    if (argument.extents[dim] > 1 && argument.strides[dim] != contiguous)
      return true;
    contiguous *= argument.extents[dim];
  }
  return false;
}

/// Memory that the kernel is to write starts as what no result looks like.
static void poisonOutputs(const LaunchArguments &bound) {
  for (const ArgumentMemory &part : bound.getMemory()) {
    const Argument &argument = bound.getArguments()[part.argument];
    bool isShared =
        llvm::any_of(bound.getMemory(), [&](const ArgumentMemory &other) {
          return &other != &part && other.begin < part.begin + part.size &&
                 part.begin < other.begin + other.size;
        });
    if (!argument.isWritten && !isShared && !hasGaps(argument))
      poison(part.begin, part.size);
  }
}

RunResult CompiledKernel::run(ArrayRef<Argument> arguments,
                              const RunOptions &options) const {
  RunResult result;
  LaunchArguments bound(impl->signature, arguments, options.multiprocessors);
  result.error = bound.bind();
  if (!result.error.empty())
    return result;
  FindingLog log(options.findingLimit);
  LaunchShape shape;
  result.error = shape.compute(impl->launch, impl->layout, bound, options, log);
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
  // A grid without CTAs has nothing to do.
  if (shape.grid.grid.count() == 0)
    return result;
  poisonOutputs(bound);
  if (options.record) {
    RecordingSchedule recording(*schedule);
    result = impl->launchGrid(bound, bound.getPacked(), shape, options,
                              recording, log);
    result.record = recording.getRecord();
  } else {
    result = impl->launchGrid(bound, bound.getPacked(), shape, options,
                              *schedule, log);
  }
  if (replay)
    result.error = replay->getError();
  result.findings = std::move(log.getFindings());
  return result;
}
