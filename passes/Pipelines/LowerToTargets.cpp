//===- LowerToTargets.cpp - machine phase to NVVM and to EmitC ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines carousel-lower-to-nvvm, carousel-lower-to-emitc and
// carousel-to-emitc: MLIR's conversions, with Carousel's passes before, between
// and after them.
//
//===----------------------------------------------------------------------===//

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
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Passes that both targets share
//
// The passes from the machine phase to ops that both NVVM and C++ have. What a
// kernel computes is decided here, once: both targets give the same bytes.
//===----------------------------------------------------------------------===//

namespace {

struct ExpansionOptions {
  AttachTargetOptions target;
  /// Number the waits, which a bounded wait reports.
  bool assignWaitIds = false;
  /// Verify the machine phase. Kernels of carousel-lower are verified already.
  bool verify = true;
  /// Make LLVM's intrinsics of math that is one PTX instruction.
  bool lowerMath = false;
  /// Make i8 of 8-bit floats. LLVM has no such type; the device headers have.
  bool float8AsBytes = false;
};

} // namespace

/// Adds verifiers, which report while the ops are still those that users wrote.
static void addVerification(OpPassManager &gpu,
                            const ExpansionOptions &options) {
  gpu.addPass(createAttachTarget(options.target));
  if (options.assignWaitIds)
    gpu.addPass(createAssignWaitIds());
  if (options.verify)
    gpu.nestAny().addPass(createCanonicalize()); // counts that are constants
  gpu.addPass(createLowerGPUOps());
  if (options.verify) {
    gpu.addPass(createVerifyChip());
    gpu.addPass(createVerifyMachine());
  }
}

/// Adds the expansions to a pass manager of gpu.modules.
static void addExpansions(OpPassManager &gpu, const ExpansionOptions &options) {
  addVerification(gpu, options);
  gpu.addPass(createMarkOccupancy());
  gpu.addPass(createExpandMemory());

  // Unrolled, since a loop over rows would keep the vector in local memory.
  gpu.nestAny().addPass(createRunWherePresent(
      {"vector.transfer_read", "vector.transfer_write", "vector.print"},
      [](OpPassManager &pm) {
        pm.addPass(createConvertVectorToSCFPass(
            VectorTransferToSCFOptions().enableFullUnroll()));
      }));
  gpu.addPass(createLowerVectors());
  OpPassManager &functions = gpu.nestAny();
  functions.addPass(createRunWherePresent(
      {"memref.subview", "memref.expand_shape", "memref.collapse_shape",
       "memref.extract_strided_metadata",
       "memref.extract_aligned_pointer_as_index"},
      [](OpPassManager &pm) {
        pm.addPass(memref::createExpandStridedMetadataPass());
      }));
  functions.addPass(createRunWherePresent({"affine"}, [](OpPassManager &pm) {
    pm.addPass(createLowerAffinePass());
  }));
  functions.addPass(createExpandArith());
  ExpandFloat8Options float8;
  float8.asBytes = options.float8AsBytes;
  gpu.addPass(createExpandFloat8(float8));
  // Floats of 8 bits have become f32.
  if (options.lowerMath)
    gpu.nestAny().addPass(createLowerMath());
}

//===----------------------------------------------------------------------===//
// Machine phase to target phase
//===----------------------------------------------------------------------===//

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

  // Tell NVVM and LLVM about kernels.
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
  PassPipelineRegistration<NormalizeGraphOptions>(
      "carousel-normalize-graph", "Bring what front ends write into few forms",
      buildNormalizeGraphPipeline);
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

//===----------------------------------------------------------------------===//
// Machine phase to the EmitC form
//
// The pipelines carousel-lower-to-emitc and carousel-to-emitc. They share the
// expansions of carousel-lower-to-nvvm, with the same options, so that both
// compute the same bytes.
//===----------------------------------------------------------------------===//

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
