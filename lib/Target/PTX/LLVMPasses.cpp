//===- LLVMPasses.cpp - LLVM's passes, for kernels ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LLVMPasses.h.
//
//===----------------------------------------------------------------------===//

#include "LLVMPasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

/// What LLVM would do that ptxas does again, for the machine it knows: it costs
/// most where indices of 64 bits meet in many addresses. Kernels ran no slower
/// without it.
bool isLeftToPTXAS(StringRef pass) {
  static constexpr StringLiteral kBackEndPasses[] = {
      "Loop Strength Reduction", "Straight line strength reduction",
      "Nary reassociation"};
  static constexpr StringLiteral kOptimisations[] = {"IndVarSimplifyPass"};
  return is_contained(kBackEndPasses, pass) ||
         is_contained(kOptimisations, pass);
}

/// What looks for things that lowered kernels don't have, as vectorisers and
/// libraries' calls, or that other passes find as well: without it ptxas makes
/// the same code of the examples (benchmarks/RESULTS.md).
bool findsNothing(StringRef pass) {
  static constexpr StringLiteral kPasses[] = {
      "CallSiteSplittingPass",   "ConstraintEliminationPass",
      "Float2IntPass",           "LibCallsShrinkWrapPass",
      "LoopDistributePass",      "LoopIdiomRecognizePass",
      "LoopLoadEliminationPass", "LoopSinkPass",
      "LoopVectorizePass",       "MergedLoadStoreMotionPass",
      "OpenMPOptCGSCCPass",      "OpenMPOptPass",
      "VectorCombinePass"};
  return is_contained(kPasses, pass);
}

/// Marks loops whose turns are too many instructions to be written one behind
/// the other. LLVM would find that out by asking for the cost of each, and by
/// going through all turns of those with few, to see what becomes a constant:
/// of what is computed from tiles nothing does. ptxas may unroll them still.
class KeepLargeLoops : public PassInfoMixin<KeepLargeLoops> {
public:
  static constexpr StringLiteral kName = "keep-large-loops";

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    if (loops.empty())
      return PreservedAnalyses::all();
    auto &numbers = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      uint64_t size = loop->getLoopID() ? 0 : countInstructions(*loop);
      if (size > kPartSize &&
          size * numbers.getSmallConstantTripCount(loop) > kWholeSize)
        addStringMetadataToLoop(loop, "llvm.loop.disable_nonforced", 1);
    }
    return PreservedAnalyses::all();
  }

private:
  /// LLVM's thresholds of level 3 for what it unrolls as a whole, and in parts.
  static constexpr uint64_t kWholeSize = 300, kPartSize = 75;

  /// Of scalars, but for addresses and what is only another view of a register.
  static uint64_t countInstructions(const Loop &loop) {
    uint64_t count = 0;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        if (isa<PHINode, GetElementPtrInst, CastInst, ExtractElementInst,
                InsertElementInst, ShuffleVectorInst>(instruction))
          continue;
        auto *vector = dyn_cast<FixedVectorType>(instruction.getType());
        bool isMemory = instruction.mayReadOrWriteMemory();
        count += vector && !isMemory ? vector->getNumElements() : 1;
      }
    return count;
  }
};

/// Makes scalars of wide vectors, apart from what is loaded and stored. A
/// thread has no registers for them, and instruction selection would do it with
/// the square of the elements and more: 1024 of them took five minutes instead
/// of seven seconds.
class SplitWideVectors : public PassInfoMixin<SplitWideVectors> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (none_of(instructions(function), isWide))
      return PreservedAnalyses::all();
    return ScalarizerPass().run(function, analyses);
  }

private:
  /// Narrower ones are left to the back end, which has accesses and arithmetic
  /// for some of them.
  static constexpr unsigned kWideElements = 32;

  static bool isWide(const Instruction &instruction) {
    auto *vector = dyn_cast<FixedVectorType>(instruction.getType());
    return vector && vector->getNumElements() > kWideElements;
  }
};

/// Level 2, in the syntax of `opt -passes`. Found by leaving out what changes
/// no kernel's code, or changes it by a few hundredths (docs/Rationale.md).
constexpr StringLiteral kKernelPipeline =
    // Calls: of helpers, and of libdevice, which asks by name how exact it has
    // to be.
    "nvvm-reflect,"
    "function(nvvm-intr-range,simplifycfg,sroa),"
    "cgscc(inline),"
    // The ranges of thread and block numbers, through all that is computed of
    // them: without, indices stay signed and of 64 bits.
    "ipsccp,globaldce,"
    "function("
    "instcombine<no-verify-fixpoint>,"
    // What is invariant moves out of loops that are tested at their ends.
    "loop-mssa(loop-rotate,licm),"
    "instcombine<no-verify-fixpoint>,gvn,infer-alignment,"
    "simplifycfg<hoist-common-insts;sink-common-insts>,"
    // As a whole, or in parts where trip counts are known while the kernel
    // runs: ptxas would do it otherwise. The back end begins with another sroa.
    "keep-large-loops,loop-unroll<O3>,instcombine<no-verify-fixpoint>,"
    "div-rem-pairs,simplifycfg),"
    "globaldce";

/// What of the back end changes nothing behind that pipeline (subexpressions,
/// what is invariant, costly constants), prepares for a pass that is left out
/// (freezes), or changes nothing for the better behind ptxas (order; addresses
/// that are computed once more in each block).
bool isNotForKernels(StringRef pass) {
  static constexpr StringLiteral kPasses[] = {
      "Canonicalize Freeze Instructions in Loops",
      "CodeGen Prepare",
      "Constant Hoisting",
      "Early CSE",
      "Early Machine Loop Invariant Code Motion",
      "Machine Instruction Scheduler",
      "Merge contiguous icmps into a memcmp",
      "Partially inline calls to library functions"};
  return is_contained(kPasses, pass);
}

/// The passes of the back end, which has no option to leave one out.
class BackEndPasses : public legacy::PassManager {
public:
  explicit BackEndPasses(unsigned level) : level(level) {}

  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    if (isLeftToPTXAS(name) || (level == 2 && isNotForKernels(name)))
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  unsigned level;
};

} // namespace

Error carousel::optimizeKernels(Module &module, TargetMachine &machine,
                                unsigned level) {
  PipelineTuningOptions tuning;
  // A thread has no vector units.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any) {
    return !isLeftToPTXAS(pass) && !findsNothing(pass);
  });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  ModulePassManager passes;
  if (level == 2) {
    builder.registerPipelineParsingCallback(
        [](StringRef name, FunctionPassManager &manager,
           ArrayRef<PassBuilder::PipelineElement>) {
          if (name != KeepLargeLoops::kName)
            return false;
          manager.addPass(KeepLargeLoops());
          return true;
        });
    if (Error error = builder.parsePassPipeline(passes, kKernelPipeline))
      return error;
  } else {
    static const OptimizationLevel kLevels[] = {
        OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
        OptimizationLevel::O3};
    passes = builder.buildPerModuleDefaultPipeline(kLevels[level]);
  }
  createModuleToFunctionPassAdaptor(SplitWideVectors()).run(module, modules);
  passes.run(module, modules);
  return Error::success();
}

Expected<SmallVector<char, 0>>
carousel::generatePTX(Module &module, TargetMachine &machine, unsigned level) {
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  BackEndPasses passes(level);
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return createStringError(
        "expected LLVM's NVPTX target to print PTX, got no printer");
  passes.run(module);
  return text;
}
