//===- HostCode.cpp - the JIT ---------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module of the LLVM dialect to machine code of the host, with a
// call of the machine in loops that may wait for other threads.
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "../Launch/Machine.h"

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
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace carousel::sim;
using namespace mlir;

/// The calls for which the machine notes what they find.
static constexpr llvm::StringLiteral kPolls[] = {
    "carousel_sim_atomic", "carousel_sim_atomic_load",
    "carousel_sim_ptx_load_strong", "carousel_sim_ptx_atomic"};

/// A function that is called may have such calls.
static bool mayPoll(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && (!callee->isDeclaration() ||
                    llvm::is_contained(kPolls, callee->getName()));
}

/// Whether the loop stores to memory of the thread's own that is read. The
/// machine notes other stores.
static bool
keepsInMemory(const llvm::Loop &loop,
              const llvm::SmallPtrSetImpl<const llvm::Value *> &loaded) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        const llvm::Value *object =
            llvm::getUnderlyingObject(store->getPointerOperand());
        if (loaded.contains(object) &&
            llvm::isa<llvm::AllocaInst, llvm::Argument>(object))
          return true;
      }
  return false;
}

namespace {

/// A hash of values at the end of a block, which 64-bit words are mixed into.
struct StateHash {
  StateHash(llvm::BasicBlock &block, uint64_t first)
      : builder(block.getTerminator()), hash(builder.getInt64(first)) {}

  /// Fails on types that have no bits.
  bool add(llvm::Value *value) {
    llvm::Type *type = value->getType();
    if (type->isPtrOrPtrVectorTy()) {
      type = type->getWithNewType(builder.getInt64Ty());
      value = builder.CreatePtrToInt(value, type);
    }
    unsigned bits = type->getPrimitiveSizeInBits().getKnownMinValue();
    if (bits == 0 || bits > kMostBits)
      return false;
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
    for (unsigned from = 0; from < bits; from += 64) {
      llvm::Value *word = builder.CreateZExtOrTrunc(
          builder.CreateLShr(value, from), builder.getInt64Ty());
      // The factor of splitmix64.
      hash = builder.CreateMul(builder.CreateXor(hash, word),
                               builder.getInt64(0xbf58476d1ce4e5b9));
      hash = builder.CreateXor(hash, builder.CreateLShr(hash, 31));
    }
    return true;
  }

  static constexpr unsigned kMostBits = 1024;
  llvm::IRBuilder<> builder;
  llvm::Value *hash;
};

} // namespace

/// Finds the values that decide about the next iterations of a loop, and the
/// loops in it. Others only count iterations.
static llvm::SmallPtrSet<const llvm::Value *, 32>
findState(const llvm::Loop &outermost) {
  llvm::SmallPtrSet<const llvm::Value *, 32> known;
  llvm::SmallVector<const llvm::Instruction *> open;
  auto visit = [&](const llvm::Instruction *instruction) {
    if (instruction && outermost.contains(instruction) &&
        known.insert(instruction).second)
      open.push_back(instruction);
  };
  for (const llvm::BasicBlock *block : outermost.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (instruction.isTerminator() || instruction.mayHaveSideEffects())
        visit(&instruction);
  while (!open.empty())
    for (const llvm::Value *operand : open.pop_back_val()->operands())
      visit(llvm::dyn_cast<llvm::Instruction>(operand));
  return known;
}

/// The hash at the end of an iteration; or null.
static llvm::Value *
hashState(const llvm::Loop &loop, llvm::BasicBlock &latch, uint64_t number,
          const llvm::SmallPtrSetImpl<const llvm::Value *> &known) {
  StateHash state(latch, number);
  for (const llvm::Loop *own = &loop; own; own = own->getParentLoop())
    for (llvm::PHINode &phi : own->getHeader()->phis())
      if (known.contains(&phi) &&
          !state.add(own == &loop ? phi.getIncomingValueForBlock(&latch)
                                  : &phi))
        return nullptr;
  return state.hash;
}

/// At the end of each iteration of a loop with atomics, calls the machine with
/// a hash of the values that the loop and those around it carry, and that the
/// loops use. A thread that comes back with equal values, and whose atomics
/// find what they found, has no way out of the loop; one that counts its polls
/// to a limit has one. Each call of a function begins anew. Loops that keep
/// values in memory of the thread's own, or carry aggregates, aren't watched.
/// Expects variables in SSA form.
static void watchLoops(llvm::Function &function, const llvm::LoopInfo &loops) {
  auto polls = [](const llvm::BasicBlock *block) {
    return llvm::any_of(*block, mayPoll);
  };
  llvm::Module &module = *function.getParent();
  if (llvm::none_of(
          kPolls,
          [&](llvm::StringRef name) { return module.getFunction(name); }) ||
      llvm::none_of(llvm::make_pointer_range(function), polls))
    return;
  llvm::SmallPtrSet<const llvm::Value *, 16> loaded;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      loaded.insert(llvm::getUnderlyingObject(load->getPointerOperand()));

  llvm::IRBuilder<> builder(function.getContext());
  llvm::FunctionCallee turn = module.getOrInsertFunction(
      "carousel_sim_turn", builder.getVoidTy(), builder.getInt64Ty());
  llvm::FunctionCallee forget = module.getOrInsertFunction(
      "carousel_sim_forget_polls", builder.getVoidTy());
  uint64_t number = llvm::xxh3_64bits(function.getName());
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (llvm::none_of(loop->blocks(), polls) ||
        keepsInMemory(*loop->getOutermostLoop(), loaded))
      continue;
    auto known = findState(*loop->getOutermostLoop());
    llvm::SmallVector<llvm::BasicBlock *> latches;
    loop->getLoopLatches(latches);
    for (llvm::BasicBlock *latch : latches)
      if (llvm::Value *state = hashState(*loop, *latch, ++number, known)) {
        builder.SetInsertPoint(latch->getTerminator());
        builder.CreateCall(turn, {state});
      }
  }
  builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  builder.CreateCall(forget);
}

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
