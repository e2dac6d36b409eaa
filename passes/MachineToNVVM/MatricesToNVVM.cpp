//===- MatricesToNVVM.cpp - nvgpu's matrix ops to NVVM --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns convert `nvgpu.ldmatrix` and products of f16. This file
// adds those of bf16, which upstream doesn't support, of i8, whose sums
// upstream saturates, and of tf32.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace carousel;

/// These patterns come before upstream's.
static constexpr unsigned kBenefit = 2;

namespace {

/// PTX ISA, mma: elements come in registers of 32 bits without a type.
struct LowerProduct : public ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = op.getMatrixA().getType().getElementType();
    if (element.isF16())
      return rewriter.notifyMatchFailure(op, "upstream has f16");
    bool isInteger = element.isInteger();
    NVVM::MMATypes factor = element.isBF16() ? NVVM::MMATypes::bf16
                            : isInteger      ? NVVM::MMATypes::s8
                                             : NVVM::MMATypes::tf32;
    VectorType type = op.getMatrixC().getType();
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
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
        op.getContext(), SmallVector<Type>(sums.size(), type.getElementType()));
    Value product = NVVM::MmaOp::create(
        rewriter, loc, result, getWords(adaptor.getMatrixA()),
        getWords(adaptor.getMatrixB()), sums, ArrayRef<int64_t>{m, n, k},
        /*b1Op=*/std::nullopt,
        isInteger ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt,
        std::array<NVVM::MMATypes, 2>{factor, factor},
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
  patterns.add<LowerProduct>(converter, kBenefit);
  // Others move data without our knowledge.
  target.addLegalDialect<nvgpu::NVGPUDialect>();
  target.addIllegalOp<nvgpu::LdMatrixOp, nvgpu::MmaSyncOp>();
}
