//===- EmptyReads.cpp - reads of tensors without elements -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EmptyReads.h.
//
//===----------------------------------------------------------------------===//

#include "EmptyReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// Ops of tensor fold, or only name a tensor, unless they copy elements.
static bool readsElements(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(user))
    return structured.payloadUsesValueFromOperand(&use);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
    return &use == &insert.getSourceMutable();
  return isa<tensor::ExtractOp, tensor::PadOp>(user);
}

void carousel::fillReadEmpties(func::FuncOp func) {
  SmallVector<tensor::EmptyOp> empties;
  func.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp empty : empties) {
    OpBuilder builder(empty.getContext());
    TypedAttr zero = builder.getZeroAttr(empty.getType().getElementType());
    if (!zero || llvm::none_of(empty->getUses(), readsElements))
      continue;
    builder.setInsertionPointAfter(empty);
    Value number = arith::ConstantOp::create(builder, empty.getLoc(), zero);
    auto fill = linalg::FillOp::create(builder, empty.getLoc(), number,
                                       empty.getResult());
    empty.getResult().replaceUsesWithIf(fill.getResult(0), readsElements);
  }
}
