//===- OpFolders.cpp - constants of ops -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A count or size that is a constant value becomes a literal, which the op's
// verifier then checks. So a wrong one is an error at the op, and not a hang at
// run time. Numbers that are known are rounded.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace carousel;

/// Drops the operand, and sets the literal instead.
static LogicalResult foldLiteral(PatternRewriter &rewriter, Operation *op,
                                 MutableOperandRange operand,
                                 function_ref<void(IntegerAttr)> setLiteral) {
  IntegerAttr literal;
  if (operand.empty() ||
      !matchPattern(OperandRange(operand)[0], m_Constant(&literal)))
    return rewriter.notifyMatchFailure(op, "no constant operand");
  rewriter.modifyOpInPlace(op, [&] {
    operand.clear();
    setLiteral(literal);
  });
  return success();
}

template <typename Op>
static LogicalResult foldCount(Op op, PatternRewriter &rewriter) {
  return foldLiteral(
      rewriter, op, op.getCountMutable(),
      [&](IntegerAttr literal) { op.setStaticCountAttr(literal); });
}

template <typename Op>
static LogicalResult foldBytes(Op op, PatternRewriter &rewriter) {
  return foldLiteral(
      rewriter, op, op.getBytesMutable(),
      [&](IntegerAttr literal) { op.setStaticBytesAttr(literal); });
}

template <typename Op>
static LogicalResult foldSize(Op op, PatternRewriter &rewriter) {
  return foldLiteral(
      rewriter, op, op.getSizeMutable(),
      [&](IntegerAttr literal) { op.setStaticSizeAttr(literal); });
}

template <typename Op>
static LogicalResult foldId(Op op, PatternRewriter &rewriter) {
  return foldLiteral(rewriter, op, op.getIdMutable(),
                     [&](IntegerAttr literal) { op.setStaticIdAttr(literal); });
}

#define CAROUSEL_FOLD(Op, fold)                                                \
  LogicalResult Op::canonicalize(Op op, PatternRewriter &rewriter) {           \
    return fold(op, rewriter);                                                 \
  }
CAROUSEL_FOLD(MbarrierInitOp, foldCount)
CAROUSEL_FOLD(MbarrierExpectTxOp, foldBytes)
CAROUSEL_FOLD(MbarrierCompleteTxOp, foldBytes)
CAROUSEL_FOLD(MbarrierArriveOp, foldCount)
CAROUSEL_FOLD(MbarrierArriveDropOp, foldCount)
CAROUSEL_FOLD(MbarrierArriveExpectTxOp, foldBytes)
CAROUSEL_FOLD(MbarrierArriveDropExpectTxOp, foldBytes)
CAROUSEL_FOLD(BulkLoadOp, foldSize)
CAROUSEL_FOLD(BulkStoreOp, foldSize)
CAROUSEL_FOLD(BulkCopyClusterOp, foldSize)
CAROUSEL_FOLD(BulkReduceOp, foldSize)
CAROUSEL_FOLD(BulkReduceClusterOp, foldSize)
CAROUSEL_FOLD(BulkPrefetchOp, foldSize)
CAROUSEL_FOLD(BarrierSyncOp, foldId)
CAROUSEL_FOLD(BarrierArriveOp, foldId)
#undef CAROUSEL_FOLD

OpFoldResult RoundTF32Op::fold(FoldAdaptor adaptor) {
  if (getValue().getDefiningOp<RoundTF32Op>())
    return getValue();
  auto round = [](APFloat number) {
    bool losesInfo;
    if (number.isNaN())
      return number;
    number.convert(APFloat::FloatTF32(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number;
  };
  return constFoldUnaryOp<FloatAttr, APFloat, void>(adaptor.getOperands(),
                                                    round);
}
