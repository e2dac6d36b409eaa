//===- Pipelines.h - named pipelines ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines that an embedder builds in C++ and that carousel-opt has by name.
// The passes that close a phase also verify all ops. So an embedder may turn
// off the pass manager's verification after each pass, and saves about 10 % of
// the time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PIPELINES_H
#define CAROUSEL_PASSES_PIPELINES_H

#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

struct LowerOptions : public mlir::PassPipelineOptions<LowerOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("Chip to compile for, e.g. sm_90a"),
      llvm::cl::init("sm_90a")};
  PassOptions::Option<std::optional<unsigned>> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86; if absent, 88")};
  PassOptions::Option<bool> variants{
      *this, "variants",
      llvm::cl::desc("Make variants of kernels with guards on their arguments"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> commitGroups{
      *this, "cp-async-groups",
      llvm::cl::desc(
          "Wait by commit groups and a barrier instead of mbarriers, "
          "for rings that cp.async fills ahead by the threads that "
          "use them"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> foldPrologues{
      *this, "fold-prologues",
      llvm::cl::desc("Fold large prologues into the steady-state loop"),
      llvm::cl::init(true)};
  PassOptions::Option<unsigned> prologueFoldThreshold{
      *this, "prologue-fold-threshold",
      llvm::cl::desc("Estimated instructions of a fill from which its prologue "
                     "is folded"),
      llvm::cl::init(32)};
  PassOptions::Option<bool> takeTurns{
      *this, "take-turns",
      llvm::cl::desc("Let warpgroups issue products by turns, where they "
                     "compute with the sums in between"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> debugAssertions{
      *this, "debug-assertions",
      llvm::cl::desc("Keep cf.assert of kernels, and assert that indices which "
                     "they read from memory are inside"),
      llvm::cl::init(false)};
  PassOptions::Option<std::optional<EngineKind>> preferEngine{
      *this, "prefer-engine",
      llvm::cl::desc("Use this engine wherever it can carry a transfer out: "
                     "tensor, bulk, cp_async or vector")};
};

/// `carousel-lower`: lowers the gpu.modules of a builtin module from the tile
/// phase to the machine phase, for one chip. First it raises copies between
/// global and shared memory to transfers.
void buildLowerPipeline(mlir::OpPassManager &pm, const LowerOptions &options);

/// The two halves of `carousel-lower`. The first ends at the tile phase, with
/// the engines of all transfers and all variants of kernels. The second lowers
/// each kernel independently of the others. Between them a caller may erase
/// kernels, or split the module to lower kernels in parallel (SplitKernels.h).
void buildEnginePipeline(mlir::OpPassManager &pm, const LowerOptions &options);
void buildRingPipeline(mlir::OpPassManager &pm, const LowerOptions &options);

struct LowerToNVVMOptions
    : public mlir::PassPipelineOptions<LowerToNVVMOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("Chip to compile for, e.g. sm_90a"),
      llvm::cl::init("sm_90a")};
  PassOptions::Option<std::optional<unsigned>> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86; if absent, 88")};
  PassOptions::Option<unsigned> indexBitwidth{
      *this, "index-bitwidth",
      llvm::cl::desc("Width of the index type in bits: 32 or 64"),
      llvm::cl::init(64)};
  PassOptions::Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("LLVM's optimisation: 2, the passes that ptxas doesn't "
                     "repeat; 1 and 3, LLVM's own levels; 0, none"),
      llvm::cl::init(kDefaultOptLevel)};
  PassOptions::Option<std::optional<unsigned>> debugWaits{
      *this, "debug-waits",
      llvm::cl::desc("Milliseconds after which a wait traps; if absent, waits "
                     "are unbounded")};
  PassOptions::Option<bool> verify{
      *this, "verify",
      llvm::cl::desc("Verify the machine phase first, as carousel-lower does"),
      llvm::cl::init(true)};
};

/// `carousel-lower-to-nvvm`: lowers the gpu.modules of a builtin module from
/// the machine phase (memref, vector, scf, arith, math, gpu and carousel ops)
/// to the LLVM and NVVM dialects, with a target attached. emitPTX translates
/// them.
void buildLowerToNVVMPipeline(mlir::OpPassManager &pm,
                              const LowerToNVVMOptions &options);

/// carousel-lower, then carousel-lower-to-nvvm, which doesn't repeat the
/// verification. emitPTX translates the result.
void buildTileToNVVMPipeline(mlir::OpPassManager &pm,
                             const LowerToNVVMOptions &options);

struct NormalizeGraphOptions
    : public mlir::PassPipelineOptions<NormalizeGraphOptions> {
  PassOptions::Option<ContractionSums> accumulate{
      *this, "accumulate", llvm::cl::desc("The least type in which sums add"),
      llvm::cl::init(ContractionSums::F32), getContractionSumsValues()};
  PassOptions::Option<int64_t> leastSavedOperations{
      *this, "least-saved-operations",
      llvm::cl::desc("Operations that reading few rows of a batch of products "
                     "has to save"),
      llvm::cl::init(int64_t(1) << 34)};
};

/// `carousel-normalize-graph`: brings the functions that front ends write into
/// few forms. `pm` is that of a module or a function.
void buildNormalizeGraphPipeline(mlir::OpPassManager &pm,
                                 const NormalizeGraphOptions &options);

struct GraphToBlockOptions
    : public mlir::PassPipelineOptions<GraphToBlockOptions> {
  PassOptions::Option<ContractionSums> accumulate{
      *this, "accumulate", llvm::cl::desc("The least type in which sums add"),
      llvm::cl::init(ContractionSums::F32), getContractionSumsValues()};
  PassOptions::Option<ProductFactors> products{
      *this, "products", llvm::cl::desc("How factors of f32 are multiplied"),
      llvm::cl::init(ProductFactors::Exact), getProductFactorsValues()};
  PassOptions::Option<bool> libraries{
      *this, "libraries",
      llvm::cl::desc("Let libraries compute the products that they compute "
                     "faster"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> streams{
      *this, "streams",
      llvm::cl::desc("Compute products and reductions in one pass; never with "
                     "accumulate=as-written"),
      llvm::cl::init(true)};
  PassOptions::Option<int64_t> leastSavedOperations{
      *this, "least-saved-operations",
      llvm::cl::desc("Operations that reading few rows of a batch of products "
                     "has to save"),
      llvm::cl::init(int64_t(1) << 34)};
  PassOptions::Option<int64_t> tiledElements{
      *this, "tiled-elements",
      llvm::cl::desc("Elements of a product from which on its columns are "
                     "reduced by tiles"),
      llvm::cl::init(16777216)};
};

/// `carousel-graph-to-block`: turns functions of linalg on tensors into
/// programs of kernels at the block phase, and into the kernels.
void buildGraphToBlockPipeline(mlir::OpPassManager &pm,
                               const GraphToBlockOptions &options);

/// Places the buffers of programs in workspaces. `pm` is that of a module.
void buildProgramPipeline(mlir::OpPassManager &pm);

struct ToPTXOptions : public LowerToNVVMOptions {
  PassOptions::Option<std::string> cudaRoot{
      *this, "cuda-root",
      llvm::cl::desc("CUDA toolkit with libdevice, for kernels that call math "
                     "functions"),
      llvm::cl::init("")};
};

/// `carousel-to-ptx`: lowers from the tile phase to gpu.binary ops that hold
/// PTX. The context must have what registerPTXTranslations registers.
void buildToPTXPipeline(mlir::OpPassManager &pm, const ToPTXOptions &options);

struct LowerToEmitCOptions
    : public mlir::PassPipelineOptions<LowerToEmitCOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("Chip to compile for, e.g. sm_90a"),
      llvm::cl::init("sm_90a")};
  PassOptions::Option<std::optional<unsigned>> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, e.g. 86; if absent, 88")};
  PassOptions::Option<unsigned> indexBitwidth{
      *this, "index-bitwidth",
      llvm::cl::desc("Width of the index type in bits: 32 or 64"),
      llvm::cl::init(64)};
  PassOptions::Option<std::optional<unsigned>> debugWaits{
      *this, "debug-waits",
      llvm::cl::desc("Milliseconds after which a wait traps; if absent, waits "
                     "are unbounded")};
};

/// `carousel-lower-to-emitc`: lowers the gpu.modules of a builtin module from
/// the machine phase to EmitC. emitCUDA translates them (docs/CUDA.md).
void buildLowerToEmitCPipeline(mlir::OpPassManager &pm,
                               const LowerToEmitCOptions &options);

/// `carousel-to-emitc`: carousel-lower, then carousel-lower-to-emitc.
void buildToEmitCPipeline(mlir::OpPassManager &pm,
                          const LowerToEmitCOptions &options);

/// Whether a module is at the tile phase or before it: it has block programs or
/// transfers, or it allocates
/// shared memory and has no op of the machine phase.
bool isTilePhase(mlir::gpu::GPUModuleOp module);

/// Registers the conversions of upstream dialects to LLVM, which the pipelines
/// need. mlir::registerAllExtensions registers them, too.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

/// Registers the pipelines by name.
void registerPipelines();

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_H
