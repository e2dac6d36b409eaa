//===- Lower.cpp - tile phase to machine phase ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines carousel-lower and carousel-to-ptx. The first lowers transfers
// to ops of the machine phase; the second continues to PTX.
//
//===----------------------------------------------------------------------===//

#include "../Tile/VerifyTile.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

/// Function by function, so that they are cleaned up at once.
static OpPassManager &addCleanup(OpPassManager &gpu) {
  OpPassManager &functions = gpu.nestAny();
  functions.addPass(createCanonicalize());
  functions.addPass(createCSEPass());
  return functions;
}

/// Lowers to the tile phase with its engines, a kernel for each variant.
static void addEngines(OpPassManager &gpu, const LowerOptions &options) {
  AttachTargetOptions target;
  target.chip = options.chip;
  target.ptxVersion = options.ptxVersion.getValue();
  gpu.addPass(createAttachTarget(target));

  // From the block phase, for kernels that are there.
  gpu.addPass(createVerifyBlock());
  if (!options.debugAssertions)
    gpu.addPass(createEraseAssertions());
  gpu.addPass(createInlineFunctions());
  if (options.debugAssertions)
    gpu.addPass(createCheckIndices());
  gpu.addPass(createFoldMasks());
  gpu.addPass(createWidenBits());
  if (options.variants)
    gpu.addPass(createVaryTiles());
  gpu.addPass(createSplitExtents());
  gpu.addPass(createExpandRows());
  SpecializeBlocksOptions specialize;
  specialize.variants = options.variants;
  gpu.addPass(createSpecializeBlocks(specialize));
  gpu.addPass(createNarrowExtrema());
  gpu.addPass(createHoistReads());
  gpu.addPass(createStreamRows());
  gpu.addPass(createBatchPrograms());
  gpu.addPass(createDistribute());

  // Into the tile phase. Running indices are carried through loops of scf.
  gpu.nestAny().addPass(
      createRunWherePresent({"affine"}, [](OpPassManager &pm) {
        pm.addPass(createLowerAffinePass());
      }));
  gpu.addPass(createRaiseToTransfers());
  addCleanup(gpu);
  gpu.addPass(createVerifyTile());
  gpu.addPass(createExpandAccumulate());
  gpu.addPass(createDrawTiles());
  gpu.addPass(createPadTiles());

  // Choose what carries each transfer out, with variants of kernels by that.
  SelectEngineOptions engines;
  engines.variants = options.variants;
  engines.preferEngine = options.preferEngine.getValue();
  gpu.addPass(createSelectEngine(engines));
  if (options.variants)
    gpu.addPass(createGuardBoxes());
  gpu.addPass(createFillInReaders());
}

/// Lowers from there to the machine phase, each kernel without the others.
static void addRings(OpPassManager &gpu, const LowerOptions &options) {
  // The ring phase.
  gpu.addPass(createStoreFromRegisters());
  gpu.addPass(createCircularBuffer());
  gpu.addPass(createSwizzleTiles());
  addCleanup(gpu);
  gpu.addPass(createMulticastLoads());
  gpu.addPass(createInsertAsyncSync());
  gpu.addPass(createRotateProducts());
  gpu.addPass(createVerifyRing());

  // The machine phase. From here on no pass needs the ranges of offsets, nor
  // knows which slots products in flight read.
  gpu.addPass(createLowerProducts());
  if (options.takeTurns)
    gpu.addPass(createTakeTurns());
  LowerRingsOptions rings;
  rings.commitGroups = options.commitGroups;
  rings.foldPrologues = options.foldPrologues;
  rings.prologueFoldThreshold = options.prologueFoldThreshold;
  gpu.addPass(createLowerRings(rings));
  gpu.addPass(createLowerGathers());
  gpu.nestAny().addPass(createSimplifyIndexArithmetic());
  gpu.addPass(createAllocateShared());
  addCleanup(gpu).addPass(createLoopInvariantCodeMotionPass());
  gpu.addPass(createVerifyChip());
  gpu.addPass(createVerifyMachine());
}

void carousel::buildEnginePipeline(OpPassManager &pm,
                                   const LowerOptions &options) {
  addEngines(pm.nest<gpu::GPUModuleOp>(), options);
}

void carousel::buildRingPipeline(OpPassManager &pm,
                                 const LowerOptions &options) {
  addRings(pm.nest<gpu::GPUModuleOp>(), options);
}

void carousel::buildLowerPipeline(OpPassManager &pm,
                                  const LowerOptions &options) {
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();
  addEngines(gpu, options);
  addRings(gpu, options);
}

void carousel::buildTileToNVVMPipeline(OpPassManager &pm,
                                       const LowerToNVVMOptions &options) {
  LowerOptions lower;
  lower.chip = options.chip;
  lower.ptxVersion = options.ptxVersion;
  buildLowerPipeline(pm, lower);
  LowerToNVVMOptions lowered;
  lowered.copyOptionValuesFrom(options);
  lowered.verify = false;
  buildLowerToNVVMPipeline(pm, lowered);
}

void carousel::buildToPTXPipeline(OpPassManager &pm,
                                  const ToPTXOptions &options) {
  buildTileToNVVMPipeline(pm, options);
  EmbedPTXOptions embedding;
  embedding.cudaRoot = options.cudaRoot;
  pm.addPass(createEmbedPTX(embedding));
}

bool carousel::isTilePhase(gpu::GPUModuleOp module) {
  bool hasBuffer = false, hasMachineOp = false;
  bool hasTransfer = module
                         .walk([&](Operation *op) {
                           if (isa<LoadOp, StoreOp, AccumulateOp, SerializeOp,
                                   GridTicketOp, SignalOp, WaitSignalOp>(op) ||
                               op->hasAttr(CarouselDialect::kBlockProgram))
                             return WalkResult::interrupt();
                           if (auto alloc = dyn_cast<memref::AllocOp>(op))
                             hasBuffer |= isSharedMemRef(alloc.getType());
                           hasMachineOp |= isa_and_nonnull<CarouselDialect>(
                                               op->getDialect()) &&
                                           !belongsToTilePhase(op);
                           return WalkResult::advance();
                         })
                         .wasInterrupted();
  return hasTransfer || (hasBuffer && !hasMachineOp);
}
