//===- VerifyPTX.cpp - what a kernel's PTX must have ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares kernels with their text. Checks C239 to C241, C283 and C329 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/VerifyPTX.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Target/InspectPTX.h"
#include "carousel/Target/VerifyProducts.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

namespace {

struct KernelWrites {
  PTXWrites all = PTXWrites::None;
  PTXWrites sure = PTXWrites::None; ///< of ops that no condition removes
};

struct KindName {
  PTXWrites kind;
  StringLiteral name;
};

} // namespace

static constexpr KindName kKinds[] = {
    {PTXWrites::Global, "a store to global memory"},
    {PTXWrites::Bulk, "a bulk copy to global memory"},
    {PTXWrites::Reductions, "a reduction in global memory"},
    {PTXWrites::Signals, "a store or a reduction with release semantics"},
    {PTXWrites::Multimem, "a write to multicast memory"}};

/// The kind of a plain store to the memory. Memory without a space may be the
/// thread's own.
static PTXWrites getStoreKind(Value memory) {
  Type type = memory.getType();
  if (isSharedMemRef(type))
    return PTXWrites::Shared;
  if (isGlobalMemRef(type))
    return PTXWrites::Global;
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  if (!pointer)
    return PTXWrites::None;
  auto space = static_cast<NVVM::NVVMMemorySpace>(pointer.getAddressSpace());
  if (space == NVVM::NVVMMemorySpace::Shared)
    return PTXWrites::Shared;
  return space == NVVM::NVVMMemorySpace::Global ? PTXWrites::Global
                                                : PTXWrites::None;
}

static PTXWrites getAtomicKind(Value memory) {
  return getStoreKind(memory) == PTXWrites::Global ? PTXWrites::Reductions
                                                   : PTXWrites::None;
}

/// Stores of MLIR's dialects say what they write.
static PTXWrites getDeclaredKinds(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa_and_nonnull<CarouselDialect>(op->getDialect()))
    return PTXWrites::None;
  PTXWrites kinds = PTXWrites::None;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
      kinds |= getStoreKind(effect.getValue());
  return kinds;
}

static PTXWrites getKinds(Operation *op) {
  return llvm::TypeSwitch<Operation *, PTXWrites>(op)
      .Case<BulkStoreOp, BulkReduceOp, TensorStoreOp, TensorReduceOp>(
          [](auto) { return PTXWrites::Bulk; })
      .Case<SignalReleaseOp>([](auto) { return PTXWrites::Signals; })
      .Case<MultimemStoreOp, MultimemReduceOp>(
          [](auto) { return PTXWrites::Multimem; })
      .Case([](VectorReduceOp) { return PTXWrites::Reductions; })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(
          [](auto atomic) { return getAtomicKind(atomic.getMemref()); })
      .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
          [](auto atomic) { return getAtomicKind(atomic.getPtr()); })
      .Default([](Operation *op) { return getDeclaredKinds(op); });
}

/// Whether LLVM can't prove that the op is never executed: it is in loops and
/// under elections only. LLVM may know more of other conditions than MLIR.
static bool isSure(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<FunctionOpInterface>(parent);
       op = parent, parent = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(parent))
      continue;
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch || !branch.getCondition().getDefiningOp<ElectOp>())
      return false;
  }
  return op->getBlock()->isEntryBlock();
}

namespace {

/// Whether ops of a function may be executed, by constants and ranges.
class Reachability {
public:
  explicit Reachability(Operation *function) {
    // Constants of another analysis would overrule those of ranges.
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    isKnown = succeeded(solver.initializeAndRun(function));
  }

  bool isReached(Operation *op) {
    if (!isKnown)
      return true;
    const auto *state = solver.lookupState<dataflow::Executable>(
        solver.getProgramPointBefore(op->getBlock()));
    return state && state->isLive();
  }

private:
  DataFlowSolver solver;
  bool isKnown;
};

} // namespace

/// The writes of the function and of those that it calls. With `onlyReached`,
/// only of ops that may be executed.
static KernelWrites findWrites(Operation *kernel, bool onlyReached) {
  KernelWrites writes;
  llvm::SmallSetVector<Operation *, 4> functions;
  functions.insert(kernel);
  for (size_t i = 0; i < functions.size(); ++i) {
    std::optional<Reachability> reachability;
    if (onlyReached)
      reachability.emplace(functions[i]);
    functions[i]->walk([&](Operation *op) {
      if (op == functions[i] || (reachability && !reachability->isReached(op)))
        return;
      if (auto call = dyn_cast<CallOpInterface>(op)) {
        if (auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
          if (Operation *callee =
                  SymbolTable::lookupNearestSymbolFrom(kernel, name))
            functions.insert(callee);
        return;
      }
      PTXWrites kinds = getKinds(op);
      writes.all |= kinds;
      if (kinds != PTXWrites::None && i == 0 && isSure(op))
        writes.sure |= kinds;
    });
  }
  return writes;
}

static bool isKernel(FunctionOpInterface function) {
  if (auto func = dyn_cast<gpu::GPUFuncOp>(function.getOperation()))
    return func.isKernel();
  return function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// Finds the writes of the kernel that its PTX lacks, in words; empty if none.
static StringRef findMissing(const KernelWrites &wanted,
                             const PTXFunction &found) {
  auto has = [](PTXWrites set, PTXWrites kinds) {
    return (set & kinds) != PTXWrites::None;
  };
  bool isEmpty = !has(found.writes, kGlobalWrites);
  for (const KindName &kind : kKinds)
    if (has(isEmpty ? wanted.all : wanted.sure, kind.kind) &&
        !has(found.writes, kind.kind))
      return kind.name;
  // Tiles that nothing reads needn't be written.
  if (has(wanted.all, PTXWrites::Shared) && found.readsShared &&
      !has(found.writes, PTXWrites::Shared))
    return "a write to the shared memory that it reads";
  return {};
}

SmallVector<MissingWrite> carousel::findMissingWrites(
    gpu::GPUModuleOp module, StringRef ptx,
    llvm::function_ref<bool(FunctionOpInterface)> isInText) {
  std::vector<PTXFunction> functions = inspectPTX(ptx);
  SmallVector<MissingWrite> missing;
  for (auto kernel : module.getOps<FunctionOpInterface>()) {
    if (kernel.isExternal() || !isKernel(kernel) || !isInText(kernel))
      continue;
    auto found = llvm::find_if(functions, [&](const PTXFunction &function) {
      return function.isKernel && function.name == kernel.getName();
    });
    if (found == functions.end())
      continue; // an error of another check
    PTXFunction written = addCallees(*found, functions);
    StringRef kind = findMissing(findWrites(kernel, false), written);
    if (kind.empty())
      continue;
    StringRef reached = findMissing(findWrites(kernel, true), written);
    missing.push_back(
        {kernel, reached.empty() ? kind : reached, !reached.empty()});
  }
  return missing;
}

LogicalResult carousel::reportMissingWrites(ArrayRef<MissingWrite> missing,
                                            StringRef note) {
  LogicalResult result = success();
  for (MissingWrite write : missing) {
    Location loc = write.kernel.getLoc();
    StringRef name = write.kernel.getName();
    if (!write.canHappen) {
      // C283: a kernel changes memory as it says.
      emitWarning(loc) << "expected " << write.kind << " in kernel '" << name
                       << "' that can happen and change memory, got none";
      continue;
    }
    // C239: what the kernel writes is written in its PTX.
    InFlightDiagnostic error =
        emitError(loc) << "expected " << write.kind << " in the PTX of kernel '"
                       << name << "', as the kernel has, got none";
    error.attachNote() << note;
    result = failure();
  }
  return result;
}

LogicalResult carousel::verifyPTXCalls(gpu::GPUModuleOp module, StringRef ptx) {
  std::vector<PTXFunction> functions = inspectPTX(ptx);
  auto getLoc = [&](StringRef name) {
    Operation *function = module.lookupSymbol(name);
    return function ? function->getLoc() : module.getLoc();
  };
  for (const PTXFunction &function : functions)
    // C240: a call names its callee.
    if (function.callsIndirectly)
      return emitError(getLoc(function.name))
             << "expected calls of functions by name in the PTX of '"
             << function.name << "', got an indirect call";
  // C241: no stack is large enough.
  std::string name = findRecursion(functions);
  if (!name.empty())
    return emitError(getLoc(name))
           << "expected functions that don't call themselves, got '" << name
           << "', which does";
  return success();
}

static bool isProduct(Operation *op) {
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return text.getAsmString().contains("wgmma.mma_async");
  return isa<WgmmaMmaOp>(op);
}

/// The first product of the function, the function if it has none, or the
/// module if there is no such function.
static Operation *findProduct(Operation *module, StringRef name) {
  Operation *found = module;
  module->walk([&](FunctionOpInterface function) {
    if (function.getName() != name)
      return WalkResult::advance();
    found = function;
    function->walk([&](Operation *op) {
      if (!isProduct(op))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult carousel::verifyProducts(Operation *module, StringRef report) {
  // A line is "ptxas info : (CODE) Potential Performance Loss:
  // wgmma.mma_async instructions are serialized due to REASON in the function
  // 'f'", or "for the function 'f'".
  constexpr StringLiteral kSerialized = "instructions are serialized due to ";
  constexpr StringLiteral kFunction = " the function '";
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  llvm::erase_if(lines,
                 [&](StringRef line) { return !line.contains(kSerialized); });
  llvm::sort(lines); // threads of ptxas write them in any order
  for (StringRef line : lines) {
    size_t at = line.find(kSerialized);
    StringRef code = line.split('(').second.split(')').first;
    auto [reason, rest] =
        line.substr(at + kSerialized.size()).rsplit(kFunction);
    for (StringRef word : {" in", " for"})
      reason.consume_back(word);
    StringRef function = rest.split('\'').first;
    // C329
    emitError(findProduct(module, function)->getLoc())
        << "expected asynchronous products in '" << function
        << "', got ones that ptxas serialises (" << code << "): " << reason;
  }
  return failure(!lines.empty());
}
