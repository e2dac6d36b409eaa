//===- LowerToHost.cpp - upstream dialects to LLVM --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"
#include "KernelModule.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel::sim;

/// What neither LLVM nor libm has as one function.
static LogicalResult expandMath(ModuleOp module) {
  MLIRContext *context = module.getContext();
  PassManager manager(context, ModuleOp::getOperationName());
  ConvertMathToLLVMPassOptions options;
  // The shortcut log(1 + x) loses what log1p is for.
  options.approximateLog1p = false;
  manager.addPass(createConvertMathToLLVMPass(options));
  manager.addPass(createConvertMathToLibmPass());
  return manager.run(module);
}

static LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns,
                                            /*abortOnFailure=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  // What has no pattern is found by the walk below, which tells where.
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult verifyLowered(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) ||
        isa<UnrealizedConversionCastOp>(op))
      return WalkResult::advance();
    op->emitError("the simulated machine doesn't know this operation: '")
        << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult carousel::sim::lowerToHost(ModuleOp module) {
  MLIRContext *context = module.getContext();
  if (failed(prepareVectors(module)) || failed(lowerNarrowFloats(module)))
    return module.emitError("expected a kernel of vectors and floats that the "
                            "host can compute with");
  PassManager expand(context, ModuleOp::getOperationName());
  expand.addPass(memref::createExpandOpsPass());
  expand.addPass(memref::createExpandStridedMetadataPass());
  expand.addPass(createLowerAffinePass());
  expand.addPass(createSCFToControlFlowPass());
  if (failed(expand.run(module)) || failed(expandMath(module)) ||
      failed(convertToLLVM(module)) || failed(verifyLowered(module)))
    return failure();
  PassManager clean(context, ModuleOp::getOperationName());
  clean.addPass(createReconcileUnrealizedCastsPass());
  // Addresses come out of descriptors that the same function has built.
  clean.addPass(createCanonicalizerPass());
  clean.addPass(createCSEPass());
  return clean.run(module);
}
