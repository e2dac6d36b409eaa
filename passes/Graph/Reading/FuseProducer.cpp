//===- FuseProducer.cpp - an op with what computes its operand ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FuseProducer.h.
//
//===----------------------------------------------------------------------===//

#include "FuseProducer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

/// Upstream's fusion computes the numbers of a producer's loops from those of
/// all loops.
static void foldLoopNumbers(RewriterBase &rewriter, linalg::GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(
           op.getBody()->getOps<affine::AffineApplyOp>()))
    if (auto dim = dyn_cast<AffineDimExpr>(apply.getAffineMap().getResult(0)))
      rewriter.replaceOp(apply, apply.getMapOperands()[dim.getPosition()]);
}

FailureOr<linalg::GenericOp> carousel::fuseProducer(RewriterBase &rewriter,
                                                    linalg::GenericOp op,
                                                    OpOperand &input) {
  OpBuilder::InsertionGuard guard(rewriter);
  auto producer = input.get().getDefiningOp<linalg::GenericOp>();
  if (!producer)
    return failure();
  // With a user of its own, no result of it is kept.
  Value original = input.get();
  rewriter.setInsertionPoint(op);
  auto own = cast<linalg::GenericOp>(rewriter.clone(*producer));
  unsigned result = cast<OpResult>(original).getResultNumber();
  rewriter.modifyOpInPlace(op, [&] { input.set(own.getResult(result)); });
  FailureOr<linalg::ElementwiseOpFusionResult> fused = failure();
  rewriter.setInsertionPointAfter(op);
  if (linalg::areElementwiseOpsFusable(&input))
    fused = linalg::fuseElementwiseOps(rewriter, &input);
  rewriter.modifyOpInPlace(op, [&] { input.set(original); });
  rewriter.eraseOp(own);
  if (failed(fused))
    return failure();
  auto all = cast<linalg::GenericOp>(fused->fusedOp);
  foldLoopNumbers(rewriter, all);
  return all;
}
