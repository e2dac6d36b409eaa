//===- LowerToEmitC.cpp - machine phase to the EmitC form -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines carousel-lower-to-emitc and carousel-to-emitc. They share the
// expansions of carousel-lower-to-nvvm, with the same options, so that both
// compute the same bytes.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

void carousel::buildLowerToEmitCPipeline(OpPassManager &pm,
                                         const LowerToEmitCOptions &options) {
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();
  AttachTargetOptions target;
  target.chip = options.chip;
  target.ptxVersion = options.ptxVersion.getValue();
  gpu.addPass(createAttachTarget(target));
  if (options.debugWaits.has_value())
    gpu.addPass(createAssignWaitIds());
  gpu.addPass(createCanonicalizerPass()); // counts that are constants
  gpu.addPass(createLowerGPUOps());
  gpu.addPass(createVerifyChip());
  gpu.addPass(createVerifyMachine());
  gpu.addPass(createMarkOccupancy());
  gpu.addPass(createExpandMemory());

  gpu.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  gpu.addPass(createLowerVectors());
  gpu.addPass(memref::createExpandStridedMetadataPass());
  gpu.addPass(createLowerAffinePass());
  gpu.addPass(createExpandArith());
  gpu.addPass(arith::createArithExpandOpsPass());
  gpu.addPass(createExpandFloat8());
  gpu.addPass(createCanonicalizerPass());
  gpu.addPass(createCSEPass());

  ConvertToEmitCOptions conversion;
  conversion.indexBitwidth = options.indexBitwidth;
  conversion.debugWaits = options.debugWaits.getValue();
  gpu.addPass(createConvertToEmitC(conversion));
}

void carousel::buildToEmitCPipeline(OpPassManager &pm,
                                    const LowerToEmitCOptions &options) {
  LowerOptions lower;
  lower.chip = options.chip;
  lower.ptxVersion = options.ptxVersion;
  buildLowerPipeline(pm, lower);
  buildLowerToEmitCPipeline(pm, options);
}
