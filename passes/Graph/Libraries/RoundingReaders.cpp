//===- RoundingReaders.cpp - who rounds a tensor first --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RoundingReaders.h.
//
//===----------------------------------------------------------------------===//

#include "RoundingReaders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

RoundingReaders::RoundingReaders(Value tensor, Type rounded)
    : rounded(rounded),
      areAll(rounded.getIntOrFloatBitWidth() < 32 && !tensor.use_empty()) {
  collect(tensor);
}

void RoundingReaders::rewrite() {
  for (Value reshape : reshapes)
    reshape.setType(cast<RankedTensorType>(reshape.getType()).clone(rounded));
  for (BlockArgument element : elements) {
    for (Operation *user : llvm::make_early_inc_range(element.getUsers())) {
      user->getResult(0).replaceAllUsesWith(element);
      user->erase();
    }
    element.setType(rounded);
  }
}

void RoundingReaders::collect(Value tensor) {
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
      reshapes.push_back(user->getResult(0));
      collect(user->getResult(0));
      continue;
    }
    auto op = dyn_cast<linalg::GenericOp>(user);
    areAll &= op && op.isDpsInput(&use) && isRounded(op, use);
  }
}

bool RoundingReaders::isRounded(linalg::GenericOp op, OpOperand &use) {
  elements.push_back(op.getMatchingBlockArgument(&use));
  return llvm::all_of(elements.back().getUsers(), [&](Operation *user) {
    auto rounding = dyn_cast<arith::TruncFOp>(user);
    return rounding && rounding.getType() == rounded &&
           !rounding.getRoundingmode();
  });
}
