//===- Pipelines.h - named pipelines ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines that an embedder builds in C++ and carousel-opt has by name. The
// passes that close a phase verify all ops, too: an embedder can do without the
// pass manager's verification behind each pass, a tenth of the time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PIPELINES_H
#define CAROUSEL_PASSES_PIPELINES_H

#include "carousel/Target/TargetInfo.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

struct LowerOptions : public mlir::PassPipelineOptions<LowerOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip, e.g. sm_90a"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86 (0: the default)"),
      llvm::cl::init(0)};
  PassOptions::Option<bool> variants{
      *this, "variants",
      llvm::cl::desc("Make variants of kernels with guards on their arguments"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> commitGroups{
      *this, "cp-async-groups",
      llvm::cl::desc("Fill rings of cp.async by commit groups where it can be"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> foldPrologues{
      *this, "fold-prologues",
      llvm::cl::desc("Loops make the first fills of their rings, where a fill "
                     "is much code"),
      llvm::cl::init(true)};
  PassOptions::Option<unsigned> prologueFoldThreshold{
      *this, "prologue-fold-threshold",
      llvm::cl::desc("Instructions from which on a fill is much code"),
      llvm::cl::init(32)};
  PassOptions::Option<std::string> preferEngine{
      *this, "prefer-engine",
      llvm::cl::desc("Engine that carries out all that it can (none: by cost)"),
      llvm::cl::init("")};
};

/// `carousel-lower`: a builtin module whose gpu.modules are at the tile phase
/// (after copies between global and shared memory have been raised into it) to
/// one at the machine phase, for one chip.
void buildLowerPipeline(mlir::OpPassManager &pm, const LowerOptions &options);

/// The two halves of `carousel-lower`: up to the tile phase with the engines of
/// all transfers and all variants of kernels, and on from there, each kernel
/// without looking at others. Between them kernels may be left out, and taken
/// apart to be lowered at once (SplitKernels.h).
void buildEnginePipeline(mlir::OpPassManager &pm, const LowerOptions &options);
void buildRingPipeline(mlir::OpPassManager &pm, const LowerOptions &options);

struct LowerToNVVMOptions
    : public mlir::PassPipelineOptions<LowerToNVVMOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip, e.g. sm_90a"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86 (0: the default)"),
      llvm::cl::init(0)};
  PassOptions::Option<unsigned> indexBitwidth{
      *this, "index-bitwidth", llvm::cl::desc("Bits of an index: 32 or 64"),
      llvm::cl::init(64)};
  PassOptions::Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("Optimisation by LLVM: 2, what ptxas doesn't do as well; "
                     "1 and 3, LLVM's own levels; 0, none"),
      llvm::cl::init(kDefaultOptLevel)};
  PassOptions::Option<unsigned> debugWaits{
      *this, "debug-waits",
      llvm::cl::desc("Milliseconds after which a wait traps (0: never)"),
      llvm::cl::init(0)};
  PassOptions::Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("Verify kernels as carousel-lower does, for those that "
                     "don't come from there"),
      llvm::cl::init(true)};
};

/// `carousel-lower-to-nvvm`: a builtin module whose gpu.modules are at the
/// machine phase (memref, vector, scf, arith, math, gpu and carousel ops) to
/// one whose gpu.modules are in the LLVM and NVVM dialects, with a target
/// attached; emitPTX takes it from there.
void buildLowerToNVVMPipeline(mlir::OpPassManager &pm,
                              const LowerToNVVMOptions &options);

/// carousel-lower, then carousel-lower-to-nvvm without what the former has
/// verified; emitPTX takes it from there.
void buildTileToNVVMPipeline(mlir::OpPassManager &pm,
                             const LowerToNVVMOptions &options);

struct ToPTXOptions : public LowerToNVVMOptions {
  PassOptions::Option<std::string> cudaRoot{
      *this, "cuda-root",
      llvm::cl::desc("CUDA toolkit, for kernels that call math functions"),
      llvm::cl::init("")};
};

/// `carousel-to-ptx`: from the tile phase to gpu.binary ops that hold PTX. The
/// context has what registerPTXTranslations registers.
void buildToPTXPipeline(mlir::OpPassManager &pm, const ToPTXOptions &options);

struct LowerToEmitCOptions
    : public mlir::PassPipelineOptions<LowerToEmitCOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip, e.g. sm_90a"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86 (0: the default)"),
      llvm::cl::init(0)};
  PassOptions::Option<unsigned> indexBitwidth{
      *this, "index-bitwidth", llvm::cl::desc("Bits of an index: 32 or 64"),
      llvm::cl::init(64)};
  PassOptions::Option<unsigned> debugWaits{
      *this, "debug-waits",
      llvm::cl::desc("Milliseconds after which a wait traps (0: never)"),
      llvm::cl::init(0)};
};

/// `carousel-lower-to-emitc`: a builtin module whose gpu.modules are at the
/// machine phase to one whose gpu.modules are in EmitC; emitCUDA takes it from
/// there (docs/CUDA.md).
void buildLowerToEmitCPipeline(mlir::OpPassManager &pm,
                               const LowerToEmitCOptions &options);

/// `carousel-to-emitc`: carousel-lower, then carousel-lower-to-emitc.
void buildToEmitCPipeline(mlir::OpPassManager &pm,
                          const LowerToEmitCOptions &options);

/// Whether a module is to be lowered from the tile phase: it has transfers of
/// that phase, or it allocates shared memory, as only that phase can, and has
/// no op of the machine phase.
bool isTilePhase(mlir::gpu::GPUModuleOp module);

/// What the pipeline needs of upstream dialects: their conversions to LLVM. A
/// tool that calls mlir::registerAllExtensions has them.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

/// Registers the pipelines by name.
void registerPipelines();

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_H
