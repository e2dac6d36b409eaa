//===- BytesToNVVM.cpp - permutations of a word's bytes -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle of two vectors of four bytes to one is an instruction, `prmt`.
// LLVM's code for it takes bytes apart, and puts them together again.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// Before upstream's pattern for all shuffles.
static constexpr unsigned kBytesBenefit = 2;

static bool isWordOfBytes(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() &&
         type.getNumElements() == 4 && type.getElementType().isInteger(8);
}

namespace {

struct PermuteBytes : public ConvertOpToLLVMPattern<vector::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(vector::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isWordOfBytes(op.getResultVectorType()) ||
        !isWordOfBytes(op.getV1VectorType()) ||
        !isWordOfBytes(op.getV2VectorType()))
      return rewriter.notifyMatchFailure(op, "expected words of four bytes");
    // A half byte for each byte of the result: its number in the two words.
    // Any byte does for one that is poison.
    uint32_t selector = 0;
    for (auto [at, from] : llvm::enumerate(op.getMask()))
      if (from != vector::ShuffleOp::kPoisonIndex)
        selector |= uint32_t(from) << (4 * at);
    Location loc = op.getLoc();
    Type word = rewriter.getI32Type();
    auto getWord = [&](Value bytes) -> Value {
      return LLVM::BitcastOp::create(rewriter, loc, word, bytes);
    };
    Value permuted = NVVM::PermuteOp::create(
        rewriter, loc, word, getWord(adaptor.getV1()), getWord(adaptor.getV2()),
        LLVM::ConstantOp::create(rewriter, loc, word,
                                 rewriter.getI32IntegerAttr(int32_t(selector))),
        NVVM::PermuteMode::DEFAULT);
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, adaptor.getV1().getType(),
                                                 permuted);
    return success();
  }
};

} // namespace

void carousel::populateBytesToNVVM(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<PermuteBytes>(converter, kBytesBenefit);
}
