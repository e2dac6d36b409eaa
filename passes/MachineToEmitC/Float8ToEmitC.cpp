//===- Float8ToEmitC.cpp - conversions of 8-bit floats to EmitC -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the instructions that carousel-expand-float8 creates to functions of
// carousel/device/float8.h.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace carousel;

static std::string spellFormat(Type type) {
  return isa<Float8E4M3FNType>(type) ? "carousel::f8e4m3" : "carousel::f8e5m2";
}

/// Lowers the conversion of two floats, or of a vector of two f16.
template <typename OpTy>
static LogicalResult lowerNarrow(OpTy op, AdaptorOf<OpTy> adaptor,
                                 CBuilder &builder) {
  Type result = builder.types.convertType(op.getType());
  if (!op.getType().isInteger(16) || op.getRelu())
    return builder.rewriter.notifyMatchFailure(op, "not a word as it is");
  SmallVector<Value> operands;
  for (ValueRange operand : adaptor.getOperands())
    operands.push_back(one(operand));
  builder.rewriter.replaceOp(op, builder.pure(result, "carousel::narrow_pair",
                                              operands,
                                              {spellFormat(op.getDstTy())}));
  return success();
}

static LogicalResult lowerWiden(NVVM::ConvertF8x2ToF16x2Op op,
                                AdaptorOf<NVVM::ConvertF8x2ToF16x2Op> adaptor,
                                CBuilder &builder) {
  if (op.getRelu())
    return builder.rewriter.notifyMatchFailure(op, "not the numbers alone");
  builder.rewriter.replaceOp(
      op, builder.pure(builder.types.convertType(op.getType()),
                       "carousel::widen_pair", one(adaptor.getSrc()),
                       {spellFormat(op.getSrcType())}));
  return success();
}

void carousel::populateFloat8ToEmitC(RewritePatternSet &patterns,
                                     const CTypes &types) {
  addPattern<NVVM::ConvertF32x2ToF8x2Op>(
      patterns, types, lowerNarrow<NVVM::ConvertF32x2ToF8x2Op>);
  addPattern<NVVM::ConvertF16x2ToF8x2Op>(
      patterns, types, lowerNarrow<NVVM::ConvertF16x2ToF8x2Op>);
  addPattern<NVVM::ConvertF8x2ToF16x2Op>(patterns, types, lowerWiden);
}
