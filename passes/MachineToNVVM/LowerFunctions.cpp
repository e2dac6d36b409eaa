//===- LowerFunctions.cpp - device functions of the func dialect ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts func.func and its calls before the gpu conversion. That conversion
// would emit each function a second time as a C interface, and would call
// external functions by the name of the interface.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERFUNCTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct LowerFunctions
    : public carousel::impl::LowerFunctionsBase<LowerFunctions> {
  using LowerFunctionsBase::LowerFunctionsBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyIndexBitwidth(module, indexBitwidth)))
      return signalPassFailure();
    llvm::SmallSetVector<StringAttr, 4> privates;
    for (auto func : module.getOps<func::FuncOp>())
      if (func.isPrivate() && !func.isExternal())
        privates.insert(func.getSymNameAttr());

    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(indexBitwidth);
    LLVMTypeConverter converter(&getContext(), options);
    populateTypeConversions(converter);
    RewritePatternSet patterns(&getContext());
    populateFuncToLLVMConversionPatterns(converter, patterns);
    ConversionTarget legality(getContext());
    legality.addIllegalDialect<func::FuncDialect>();
    legality.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, legality, std::move(patterns))))
      return signalPassFailure();

    for (auto func : module.getOps<LLVM::LLVMFuncOp>())
      if (privates.contains(func.getSymNameAttr()))
        func.setLinkage(LLVM::Linkage::Internal);
  }
};

} // namespace
