//===- CompiledKernel.cpp - kernels that the machine runs -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a kernel to a run: what a kernel says of its arguments and its launch,
// its code, wider kernels for larger extents, and the report of its accesses.
//
//===----------------------------------------------------------------------===//

#include "SimKernelImpl.h"

#include "LaunchShape.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "carousel/Dialect/Transforms/InlineBodies.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace carousel::sim;
using namespace mlir;
using namespace carousel;
namespace sim = carousel::sim;
using carousel::CarouselDialect;
using carousel::EncodeAttr;
using carousel::ExprAttr;
using carousel::LaunchAttr;
using carousel::VariantAttr;
using carousel::WorkspaceAttr;
using llvm::formatv;

void AccessReport::add(const AccessOps &ops, const SiteTable &sites,
                       llvm::ArrayRef<WarpAccessCount> counts, uint32_t first) {
  uint32_t number = first;
  for (const AccessOp &op : ops) {
    ++number;
    if (number >= counts.size() || counts[number].executions == 0)
      continue;
    const WarpAccessCount &count = counts[number];
    const std::string &location = sites.describe(op.site);
    auto row = llvm::find_if(rows, [&](const SharedAccesses &known) {
      return known.location == location && known.op == op.name &&
             known.bytes == op.bytes;
    });
    if (row == rows.end())
      row = rows.insert(row, {location, op.name.str(), op.bytes});
    row->executions += count.executions;
    row->wavefronts += count.wavefronts;
    row->least += count.least;
  }
}

WideKernels::WideKernels(gpu::GPUFuncOp kernel, BlockProgramAttr program)
    : program(program), module(ModuleOp::create(kernel.getLoc())) {
  auto home = kernel->getParentOfType<gpu::GPUModuleOp>();
  name = (home.getName() + "::" + kernel.getName()).str();
  OpBuilder::atBlockEnd(module->getBody()).clone(*home);
}

static constexpr int64_t kMostElements = int64_t(1) << 20; // C210

std::string WideKernels::explainMost(int64_t extent) const {
  return formatv("expected {0} for which vectors have at most {1} elements, "
                 "got more than {2}",
                 program.getCovers(), kMostElements, extent);
}

const CompiledKernel *
WideKernels::find(int64_t extent, std::string &reason,
                  llvm::function_ref<void(const CompiledKernel &)> prepare) {
  // The vectors that cover it would have more elements by themselves.
  if (extent > kMostElements) {
    reason = explainMost(kMostElements);
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  int64_t width = llvm::PowerOf2Ceil(extent);
  auto [kernel, isNew] = kernels.try_emplace(width);
  Wide &wide = kernel->second;
  if (isNew)
    wide.kernel = compile(width, wide.reason);
  if (isNew && wide.kernel)
    prepare(*wide.kernel);
  if (!wide.kernel && wide.reason.empty())
    wide.reason = formatv("expected vectors of a width that the simulated "
                          "machine can compile, got {0}",
                          width);
  reason = wide.reason;
  return wide.kernel.get();
}

/// The extents of vectors, and their most elements.
static int64_t collectExtents(gpu::GPUFuncOp kernel,
                              std::set<int64_t> &extents) {
  int64_t most = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type)) {
        extents.insert(vector.getShape().begin(), vector.getShape().end());
        most = std::max(most, vector.getNumElements());
      }
  });
  return most;
}

std::unique_ptr<CompiledKernel> WideKernels::compile(int64_t extent,
                                                     std::string &reason) {
  OwningOpRef<ModuleOp> copy = module->clone();
  for (auto home : copy->getOps<gpu::GPUModuleOp>())
    if (failed(inlineFunctions(home)))
      return nullptr;
  FailureOr<gpu::GPUFuncOp> kernel = findKernel(*copy, name);
  if (failed(kernel))
    return nullptr;
  if (std::optional<FixedWidth> fixed =
          findFixedWidth(*kernel, program.getWidth())) {
    reason = formatv("expected {0} of at most {1}, the width of the vectors, "
                     "got more: {2}",
                     program.getCovers(), program.getWidth(), fixed->reason);
    return nullptr;
  }
  // Vectors of the new width are to be the only ones.
  std::set<int64_t> extents;
  collectExtents(*kernel, extents);
  int64_t width = extent;
  while (extents.count(width))
    width *= 2;
  resizeVectors(*kernel, program.getWidth(), width);
  if (collectExtents(*kernel, extents) > kMostElements) {
    reason = explainMost(extent / 2);
    return nullptr;
  }
  (*kernel)->setAttr(CarouselDialect::kBlockProgram,
                     BlockProgramAttr::get(kernel->getContext(), width,
                                           program.getCovers(),
                                           program.getPrograms(), /*keeps=*/0));
  auto compiled = CompiledKernel::compile(*copy, name);
  return succeeded(compiled) ? std::move(*compiled) : nullptr;
}

CompiledKernel::CompiledKernel(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledKernel::~CompiledKernel() = default;

ArrayRef<ArgumentInfo> CompiledKernel::getArguments() const {
  return impl->signature.arguments;
}

StringRef CompiledKernel::getName() const { return impl->name; }
bool CompiledKernel::hasLaunch() const { return bool(impl->launch); }

/// 90 of "sm_90a".
static int64_t getCapability(StringRef chip) {
  int64_t capability = 0;
  chip.consume_front("sm_");
  chip.consumeInteger(10, capability);
  return capability;
}

std::string CompiledKernel::findRefusal(ArrayRef<Argument> arguments,
                                        const RunOptions &options) const {
  LaunchArguments values(impl->signature, arguments, options.multiprocessors);
  std::string refusal;
  if (impl->variant)
    for (carousel::GuardAttr guard : impl->variant.getGuards())
      if (refusal.empty() && !values.holds(guard, getCapability(options.chip)))
        llvm::raw_string_ostream(refusal) << guard;
  return refusal;
}

std::optional<int64_t>
CompiledKernel::findCost(ArrayRef<Argument> arguments,
                         const RunOptions &options) const {
  if (!impl->variant || !impl->variant.getCost())
    return std::nullopt;
  LaunchArguments values(impl->signature, arguments, options.multiprocessors);
  int64_t cost = 0;
  if (!values.evaluate(impl->variant.getCost(), cost) || cost < 0)
    return std::numeric_limits<int64_t>::max();
  return cost;
}

std::optional<SmallVector<int64_t>>
CompiledKernel::getWorkspaceExtents(unsigned argument,
                                    ArrayRef<Argument> arguments,
                                    const RunOptions &options) const {
  LaunchArguments values(impl->signature, arguments, options.multiprocessors);
  SmallVector<int64_t> extents(
      cast<MemRefType>(impl->signature.arguments[argument].type).getShape());
  ArrayRef<ExprAttr> given = impl->workspaces[argument].getExtents();
  for (int64_t &extent : extents) {
    if (!ShapedType::isDynamic(extent))
      continue;
    if (!values.evaluate(given.front(), extent) || extent < 0)
      return std::nullopt;
    given = given.drop_front();
  }
  return extents;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static FailureOr<Signature> getSignature(gpu::GPUFuncOp kernel) {
  // Emits an error for types that no kernel argument can have.
  if (failed(carousel::getKernelParameters(kernel)))
    return failure();
  Signature signature;
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (const carousel::KernelArgument &argument :
       carousel::getKernelArguments(kernel)) {
    numbers[argument.position] = signature.arguments.size();
    signature.arguments.push_back(
        {argument.name, argument.type, argument.mayAlias,
         bool(argument.workspace),
         carousel::isSharedWithPeers(kernel.getArgument(argument.position)),
         carousel::isMulticast(kernel.getArgument(argument.position))});
    if (isa<VectorType>(argument.type))
      return kernel.emitError("expected kernel arguments that are memrefs or "
                              "numbers, got ")
             << argument.type;
    if (isa<MemRefType>(argument.type) &&
        (carousel::isSharedMemRef(argument.type) ||
         carousel::isLocalMemRef(argument.type) ||
         carousel::isClusterMemRef(argument.type)))
      return kernel.emitError(
                 "expected kernel arguments in global memory, got ")
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

FailureOr<uint32_t> sim::estimateStack(ModuleOp module) {
  constexpr uint64_t kBase = 64 << 10, kMost = 16 << 20;
  // The frame of a call: its return address, saved registers and alignment.
  constexpr uint64_t kFrame = 256;
  uint64_t locals = 0, widest = 0, results = 0;
  module.walk([&](Operation *op) {
    if (isa<LLVM::LLVMFuncOp>(op))
      locals += kFrame;
    if (auto local = dyn_cast<LLVM::AllocaOp>(op)) {
      APInt count;
      uint64_t number =
          matchPattern(local.getArraySize(), m_ConstantInt(&count))
              ? count.getZExtValue()
              : 1;
      if (auto bytes = getElementBytes(local.getElemType()))
        locals += number * *bytes;
    }
    for (Type type : op->getResultTypes()) {
      auto bytes = isa<VectorType>(type) ? getElementBytes(type) : std::nullopt;
      widest = std::max<uint64_t>(widest, bytes.value_or(0));
      results += std::max<uint64_t>(bytes.value_or(0), sizeof(uint64_t));
    }
  });
  // A frame of more bytes can pass the guard of the stack at once.
  if (uint64_t least = kBase + locals + widest; least > kMost)
    return module.emitError("expected the frames of a thread to fit ")
           << kMost << " bytes of the host's stack, got " << least;
  constexpr uint64_t kSpills = 32;
  // Each value may have a place of its own.
  uint64_t bytes = kBase + 2 * locals + kSpills * widest + results;
  return uint32_t(std::min(bytes, kMost));
}

/// At the block phase a cluster executes a program as one CTA would.
static LaunchAttr withoutCluster(LaunchAttr launch) {
  return LaunchAttr::get(launch.getContext(), launch.getGrid(),
                         launch.getBlock(), /*cluster=*/{}, launch.getShared());
}

FailureOr<std::unique_ptr<CompiledKernel::Impl>>
CompiledKernel::Impl::describe(gpu::GPUFuncOp kernel) {
  FailureOr<Signature> signature = getSignature(kernel);
  if (failed(signature))
    return failure();
  auto impl = std::make_unique<Impl>();
  impl->name = kernel.getName().str();
  impl->signature = std::move(*signature);
  impl->home = kernel->getParentOp();
  impl->launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  impl->variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  for (const carousel::KernelArgument &argument :
       carousel::getKernelArguments(kernel)) {
    impl->workspaces.push_back(argument.workspace);
    impl->areInputs.push_back(argument.access == carousel::ArgumentAccess::In);
  }
  impl->isCoresident = kernel->hasAttr(CarouselDialect::kCoresident);
  impl->startsInOrder = kernel->hasAttr(CarouselDialect::kStartsInOrder);
  impl->isBlockProgram = kernel->hasAttr(CarouselDialect::kBlockProgram);
  return impl;
}

FailureOr<std::unique_ptr<CompiledKernel>>
CompiledKernel::compile(ModuleOp module, StringRef name) {
  HostCode::loadDialects(*module.getContext());
  FailureOr<gpu::GPUFuncOp> kernel = findKernel(module, name);
  if (failed(kernel))
    return failure();
  FailureOr<std::unique_ptr<Impl>> described = Impl::describe(*kernel);
  if (failed(described))
    return failure();
  std::unique_ptr<Impl> impl = std::move(*described);
  if (auto program = (*kernel)->getAttrOfType<carousel::BlockProgramAttr>(
          CarouselDialect::kBlockProgram);
      program && program.getWidth() != 0)
    impl->wide = std::make_unique<WideKernels>(*kernel, program);
  if (impl->launch && impl->isBlockProgram && !isProgramOfCTA(*kernel))
    impl->launch = withoutCluster(impl->launch);

  FailureOr<KernelModule> clone = cloneKernel(*kernel);
  if (failed(clone) ||
      failed(lowerMachineOps(*clone, impl->sites, impl->assertions)) ||
      failed(lowerToHost(*clone->module)))
    return failure();
  trackPoison(*clone, impl->sites, impl->poisonChecks);
  if (failed(instrumentMemory(*clone->module, impl->sites, impl->accesses)))
    return failure();
  impl->layout = std::move(clone->memory);
  FailureOr<uint32_t> stackBytes = estimateStack(*clone->module);
  if (failed(stackBytes))
    return failure();
  impl->stackBytes = *stackBytes;
  auto code = HostCode::compile(*clone->module, clone->entry,
                                impl->isBlockProgram ? HostCodeKind::Loops
                                                     : HostCodeKind::Threads);
  if (failed(code))
    return failure();
  impl->code = std::move(*code);
  impl->sites.forgetLocations();
  return std::unique_ptr<CompiledKernel>(new CompiledKernel(std::move(impl)));
}
