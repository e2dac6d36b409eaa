//===- LowerToNVVM.cpp - machine phase to target phase --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline carousel-lower-to-nvvm: MLIR's conversions, with Carousel's
// passes before, between and after them.
//
//===----------------------------------------------------------------------===//

#include "Expansions.h"

#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

void carousel::buildLowerToNVVMPipeline(OpPassManager &pm,
                                        const LowerToNVVMOptions &options) {
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();

  ExpansionOptions expansions;
  expansions.target.chip = options.chip;
  expansions.target.ptxVersion = options.ptxVersion.getValue();
  expansions.target.optLevel = options.optLevel;
  expansions.assignWaitIds = options.debugWaits.has_value();
  expansions.verify = options.verify;
  expansions.lowerMath = true;
  expansions.float8AsBytes = true;
  addExpansions(gpu, expansions);

  // The dialect's ops and the kernels' signatures.
  ExpandKernelABIOptions abi;
  abi.indexBitwidth = options.indexBitwidth;
  gpu.addPass(createExpandKernelABI(abi));
  ConvertCarouselToNVVMOptions conversion;
  conversion.indexBitwidth = options.indexBitwidth;
  conversion.debugWaits = options.debugWaits.getValue();
  gpu.addPass(createConvertCarouselToNVVM(conversion));

  // Everything else, by MLIR's own conversions.
  OpPassManager &bodies = gpu.nestAny();
  bodies.addPass(createSCFToControlFlowPass());
  LowerFunctionsOptions functions;
  functions.indexBitwidth = options.indexBitwidth;
  gpu.addPass(createLowerFunctions(functions));
  ConvertGPUToNVVMOptions toNVVM;
  toNVVM.indexBitwidth = options.indexBitwidth;
  gpu.addPass(createConvertGPUToNVVM(toNVVM));
  // Nest on functions only: with a global of shared memory beside it, a single
  // kernel would run on another thread.
  OpPassManager &lowered = gpu.nest<LLVM::LLVMFuncOp>();
  // Functions that libdevice doesn't have.
  lowered.addPass(createRunWherePresent({"math"}, [](OpPassManager &pm) {
    pm.addPass(createConvertMathToLLVMPass());
  }));
  lowered.addPass(createReconcileUnrealizedCastsPass());
  lowered.addPass(createCanonicalizerPass()); // also merges equal counters
  lowered.addPass(createCSEPass());

  // What NVVM and LLVM have to be told about kernels.
  gpu.addPass(createMarkConvergent());
  gpu.addPass(createMarkGridConstants());
  gpu.addPass(createPinSharedMemory());
  gpu.addPass(createVerifyTarget());
}

void carousel::registerLoweringInterfaces(DialectRegistry &registry) {
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
}

void carousel::registerPipelines() {
  PassPipelineRegistration<GraphToBlockOptions>(
      "carousel-graph-to-block",
      "Turn linalg on tensors into programs of kernels at the block phase",
      buildGraphToBlockPipeline);
  PassPipelineRegistration<LowerOptions>(
      "carousel-lower",
      "Lower gpu.modules from the tile phase to the machine phase",
      buildLowerPipeline);
  PassPipelineRegistration<ToPTXOptions>(
      "carousel-to-ptx",
      "Lower gpu.modules from the tile phase to gpu.binary ops that hold PTX",
      buildToPTXPipeline);
  PassPipelineRegistration<LowerToEmitCOptions>(
      "carousel-lower-to-emitc",
      "Lower gpu.modules from the machine phase to the EmitC form",
      buildLowerToEmitCPipeline);
  PassPipelineRegistration<LowerToEmitCOptions>(
      "carousel-to-emitc",
      "Lower gpu.modules from the tile phase to the EmitC form of CUDA C++",
      buildToEmitCPipeline);
  PassPipelineRegistration<LowerToNVVMOptions>(
      "carousel-lower-to-nvvm",
      "Lower gpu.modules from the machine phase to the LLVM and NVVM dialects",
      buildLowerToNVVMPipeline);
}
