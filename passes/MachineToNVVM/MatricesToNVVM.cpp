//===- MatricesToNVVM.cpp - nvgpu's matrix ops to NVVM --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns convert `nvgpu.ldmatrix` and `nvgpu.mma.sync`. This file
// adds products of bf16, which upstream doesn't support.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace carousel;

/// Before upstream's.
static constexpr unsigned kBenefit = 2;

namespace {

/// PTX ISA, mma: bf16 comes in pairs, in registers of 32 bits without a type.
struct LowerBF16Product : public ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getMatrixA().getType().getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "not of bf16");
    VectorType type = op.getMatrixC().getType();
    if (!type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no sums of f32");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type(), f32 = rewriter.getF32Type();
    // A converted vector of rows is an array of vectors.
    auto getRows = [&](Value array) {
      SmallVector<Value> rows;
      auto of = cast<LLVM::LLVMArrayType>(array.getType());
      for (int64_t i = 0, e = of.getNumElements(); i < e; ++i)
        rows.push_back(LLVM::ExtractValueOp::create(rewriter, loc, array, i));
      return rows;
    };
    auto getWords = [&](Value array) {
      SmallVector<Value> words = getRows(array);
      for (Value &word : words)
        word = LLVM::BitcastOp::create(rewriter, loc, i32, word);
      return words;
    };
    SmallVector<Value> sums;
    for (Value row : getRows(adaptor.getMatrixC()))
      for (int64_t i = 0; i < type.getDimSize(1); ++i)
        sums.push_back(LLVM::ExtractElementOp::create(
            rewriter, loc, row,
            LLVM::ConstantOp::create(rewriter, loc, i32, i)));

    auto [m, n, k] = op.getMmaShapeAsArray();
    Type result = LLVM::LLVMStructType::getLiteral(
        op.getContext(), SmallVector<Type>(sums.size(), f32));
    Value product = NVVM::MmaOp::create(
        rewriter, loc, result, getWords(adaptor.getMatrixA()),
        getWords(adaptor.getMatrixB()), sums, ArrayRef<int64_t>{m, n, k},
        /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
        std::array<NVVM::MMATypes, 2>{NVVM::MMATypes::bf16,
                                      NVVM::MMATypes::bf16},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});

    Type converted = typeConverter->convertType(type);
    Value array = LLVM::PoisonOp::create(rewriter, loc, converted);
    auto rowType = cast<LLVM::LLVMArrayType>(converted).getElementType();
    for (int64_t row = 0, at = 0; row < type.getDimSize(0); ++row) {
      Value vector = LLVM::PoisonOp::create(rewriter, loc, rowType);
      for (int64_t i = 0; i < type.getDimSize(1); ++i, ++at)
        vector = LLVM::InsertElementOp::create(
            rewriter, loc, vector,
            LLVM::ExtractValueOp::create(rewriter, loc, product, at),
            LLVM::ConstantOp::create(rewriter, loc, i32, i));
      array = LLVM::InsertValueOp::create(rewriter, loc, array, vector, row);
    }
    rewriter.replaceOp(op, array);
    return success();
  }
};

} // namespace

void carousel::populateMatricesToNVVM(const LLVMTypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      ConversionTarget &target) {
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  patterns.add<LowerBF16Product>(converter, kBenefit);
  // Others move data without our knowledge.
  target.addLegalDialect<nvgpu::NVGPUDialect>();
  target.addIllegalOp<nvgpu::LdMatrixOp, nvgpu::MmaSyncOp>();
}
