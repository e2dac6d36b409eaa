//===- MarkGridConstants.cpp - tensor map parameters are constant ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks the by-value parameters that hold tensor maps as grid constants.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace carousel {
#define GEN_PASS_DEF_MARKGRIDCONSTANTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct MarkGridConstants
    : public carousel::impl::MarkGridConstantsBase<MarkGridConstants> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    Type bytes = LLVM::LLVMArrayType::get(IntegerType::get(context, 8),
                                          rules::kTensorMapBytes);
    Builder builder(context);
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      auto positions = dyn_cast_or_null<DenseI32ArrayAttr>(
          func->removeDiscardableAttr(CarouselDialect::kTensorMapParameters));
      if (!positions)
        continue;
      for (int32_t i : positions.asArrayRef()) {
        func.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(bytes));
        func.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(rules::kTensorMapAlignment));
        func.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
      }
    }
  }
};

} // namespace
