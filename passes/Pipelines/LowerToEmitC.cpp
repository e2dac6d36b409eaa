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

#include "Expansions.h"

#include "carousel/Passes/Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

void carousel::buildLowerToEmitCPipeline(OpPassManager &pm,
                                         const LowerToEmitCOptions &options) {
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();
  ExpansionOptions expansions;
  expansions.target.chip = options.chip;
  expansions.target.ptxVersion = options.ptxVersion.getValue();
  expansions.assignWaitIds = options.debugWaits.has_value();
  addExpansions(gpu, expansions);
  gpu.addPass(createCanonicalize());
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
