//===- RestoreBounds.cpp - bounds of vector transfers ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RestoreBounds.h.
//
//===----------------------------------------------------------------------===//

#include "RestoreBounds.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

template <typename Op> static void restore(Op op) {
  SmallVector<bool> inBounds = op.getInBoundsValues();
  bool changes = false;
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (!along || !inBounds[dim])
      continue;
    std::optional<int64_t> index =
        getConstantIntValue(op.getIndices()[along.getPosition()]);
    if (index && *index < 0) {
      inBounds[dim] = false;
      changes = true;
    }
  }
  if (changes)
    op.setInBoundsAttr(Builder(op.getContext()).getBoolArrayAttr(inBounds));
}

void carousel::restoreBounds(Operation *root) {
  root->walk([](vector::TransferReadOp op) { restore(op); });
  root->walk([](vector::TransferWriteOp op) { restore(op); });
}
