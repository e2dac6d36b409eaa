//===- HostCode.cpp - the JIT ---------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "../Launch/Machine.h"
#include "Machine/WatchLoops.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace mlir;
using namespace carousel::sim;

HostCode::HostCode() = default;
HostCode::~HostCode() = default;

void HostCode::loadDialects(MLIRContext &context) {
  context
      .loadDialect<CarouselDialect, affine::AffineDialect, arith::ArithDialect,
                   cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                   index::IndexDialect, LLVM::LLVMDialect, math::MathDialect,
                   memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                   ub::UBDialect, vector::VectorDialect>();
}

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

static llvm::orc::SymbolMap
makeSymbolMap(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap map;
  for (ArrayRef<HostSymbol> symbols :
       {getFloatSymbols(), getMathSymbols(), getMachineSymbols(),
        getMachineCollectiveSymbols(), getMachineAsyncSymbols(),
        getMachineTileSymbols(), getMachineProductSymbols(),
        getMachinePTXSymbols(), getMachinePTXWarpSymbols()})
    for (const HostSymbol &symbol : symbols)
      map[interner(symbol.name)] = {
          llvm::orc::ExecutorAddr::fromPtr(symbol.address),
          llvm::JITSymbolFlags::Exported};
  return map;
}

/// Puts variables into registers and removes what is computed twice. Most runs
/// are short, and calls into the machine take most of the time of long ones. So
/// further passes cost more than they save.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      functions.invalidate(function, passes.run(function, functions));
      watchLoops(function, functions.getResult<llvm::LoopAnalysis>(function));
    }
}

/// How well to choose code. LLVM's passes over loops take time and memory that
/// are quadratic in their number, and recurse from loop to loop.
static llvm::CodeGenOptLevel chooseLevel(ModuleOp module, HostCodeKind kind) {
  constexpr unsigned kMostBlocks = 4096;
  unsigned blocks = 0;
  module.walk([&](Block *) { ++blocks; });
  return kind == HostCodeKind::Threads || blocks > kMostBlocks
             ? llvm::CodeGenOptLevel::None
             : llvm::CodeGenOptLevel::Less;
}

FailureOr<std::unique_ptr<HostCode>>
HostCode::compile(ModuleOp module, StringRef entry, HostCodeKind kind) {
  initializeTarget();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto fail = [&](llvm::Error error) {
    return module.emitError("the host's compiler failed: ")
           << llvm::toString(std::move(error));
  };

  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(builder.takeError());
  // LLVM keeps bf16 values as f32 between blocks. Their instruction that
  // narrows makes subnormals zero; without it, LLVM calls __truncsfbf2.
  builder->addFeatures({"-avx512bf16", "-avxneconvert"});
  // The engine takes the machine as it is, without its own option of the level.
  builder->setCodeGenOptLevel(chooseLevel(module, kind));
  auto machine = builder->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());
  auto transform = [target = machine->get()](llvm::Module *translated) {
    optimize(*translated, *target);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return fail(engine.takeError());
  (*engine)->registerSymbols(makeSymbolMap);
  auto function = (*engine)->lookupPacked(entry);
  if (!function)
    return fail(function.takeError());
  std::unique_ptr<HostCode> code(new HostCode());
  code->engine = std::move(*engine);
  code->entry = *function;
  return code;
}
