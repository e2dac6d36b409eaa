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

#include "Canonicalizer.h"

#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
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
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace carousel;

void carousel::buildLowerToNVVMPipeline(OpPassManager &pm,
                                        const LowerToNVVMOptions &options) {
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();

  // Say what is wrong while the ops are still those that the user wrote.
  AttachTargetOptions target;
  target.chip = options.chip;
  target.ptxVersion = options.ptxVersion.getValue();
  target.optLevel = options.optLevel;
  gpu.addPass(createAttachTarget(target));
  if (options.debugWaits.has_value())
    gpu.addPass(createAssignWaitIds());
  if (options.verify)
    gpu.nestAny().addPass(
        createPatternCanonicalizer()); // counts that are constants
  gpu.addPass(createLowerGPUOps());
  if (options.verify) {
    gpu.addPass(createVerifyChip());
    gpu.addPass(createVerifyMachine());
  }
  gpu.addPass(createMarkOccupancy());
  gpu.addPass(createExpandMemory());

  // The dialect's ops and the kernels' signatures.
  ExpandKernelABIOptions abi;
  abi.indexBitwidth = options.indexBitwidth;
  gpu.addPass(createExpandKernelABI(abi));
  ConvertCarouselToNVVMOptions conversion;
  conversion.indexBitwidth = options.indexBitwidth;
  conversion.debugWaits = options.debugWaits.getValue();
  gpu.addPass(createConvertCarouselToNVVM(conversion));

  // Everything else, by MLIR's own conversions.
  // Unrolled, since a loop over rows would keep the vector in local memory.
  gpu.nestAny().addPass(createRunWherePresent(
      {"vector.transfer_read", "vector.transfer_write", "vector.print"},
      [](OpPassManager &pm) {
        pm.addPass(createConvertVectorToSCFPass(
            VectorTransferToSCFOptions().enableFullUnroll()));
      }));
  gpu.addPass(createLowerVectors());
  OpPassManager &functionsBefore = gpu.nestAny();
  functionsBefore.addPass(createExpandViews());
  functionsBefore.addPass(
      createRunWherePresent({"affine"}, [](OpPassManager &pm) {
        pm.addPass(createLowerAffinePass());
      }));
  functionsBefore.addPass(createExpandArith());
  ExpandFloat8Options float8;
  float8.asBytes = true;
  gpu.addPass(createExpandFloat8(float8));
  OpPassManager &functionsAfter = gpu.nestAny();
  functionsAfter.addPass(createLowerMath());
  functionsAfter.addPass(createSCFToControlFlowPass());
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
