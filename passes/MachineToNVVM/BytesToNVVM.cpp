//===- BytesToNVVM.cpp - bytes of words -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle of two vectors of four bytes to one is an instruction, `prmt`.
// LLVM's code for it takes bytes apart, and puts them together again, as that
// for loads and stores of vectors of bytes does, which are those of words.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// Before upstream's pattern for all shuffles.
static constexpr unsigned kBytesBenefit = 2;

/// The words of a vector of bytes that is more than one.
static VectorType getWords(VectorType type) {
  constexpr int64_t kBytes = 4;
  int64_t count = type.getRank() == 1 ? type.getNumElements() : 0;
  return !type.isScalable() && type.getElementType().isInteger(8) &&
                 count > kBytes && count % kBytes == 0
             ? VectorType::get({count / kBytes},
                               IntegerType::get(type.getContext(), 32))
             : VectorType();
}

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

/// Stores words of which bytes are made.
struct StoreWords : public ConvertOpToLLVMPattern<vector::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType words = getWords(op.getVectorType());
    auto cast = adaptor.getValueToStore().getDefiningOp<LLVM::BitcastOp>();
    if (!words || !cast || cast.getArg().getType() != words ||
        !op.getAlignment())
      return rewriter.notifyMatchFailure(op, "no words");
    Value address =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                             adaptor.getBase(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, cast.getArg(), address, unsigned(*op.getAlignment()),
        /*isVolatile=*/false, op.getNontemporal());
    return success();
  }
};

/// Loads words for bytes that become words.
struct LoadWords : public ConvertOpToLLVMPattern<vector::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType words = getWords(op.getVectorType());
    bool isCast =
        llvm::all_of(op->getUsers(), llvm::IsaPred<vector::BitCastOp>);
    if (!words || !isCast || !op.getAlignment())
      return rewriter.notifyMatchFailure(op, "no words");
    Value address =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                             adaptor.getBase(), adaptor.getIndices());
    Value loaded = LLVM::LoadOp::create(
        rewriter, op.getLoc(), words, address, unsigned(*op.getAlignment()),
        /*isVolatile=*/false, op.getNontemporal());
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getVectorType(),
                                                 loaded);
    return success();
  }
};

} // namespace

void carousel::populateBytesToNVVM(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<PermuteBytes, StoreWords, LoadWords>(converter, kBytesBenefit);
}
