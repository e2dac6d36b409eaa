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

/// The number of elements, if it is known.
static std::optional<int64_t> count(RankedTensorType type) {
  return type.hasStaticShape() ? std::optional(type.getNumElements())
                               : std::nullopt;
}

/// Whether elements that no op has written are read. Ops of tensor fold, or
/// only name a tensor, unless they copy elements. \p left: how many elements of
/// the tensor are known not to be written.
static bool readsElements(OpOperand &first, std::optional<int64_t> left) {
  SmallVector<std::pair<OpOperand *, std::optional<int64_t>>> open = {
      {&first, left}};
  while (!open.empty()) {
    auto [use, left] = open.pop_back_val();
    Operation *user = use->getOwner();
    if (auto structured = dyn_cast<linalg::LinalgOp>(user)) {
      if (structured.payloadUsesValueFromOperand(use))
        return true;
      continue;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
      if (use == &insert.getSourceMutable())
        return true;
      std::optional<int64_t> written = count(insert.getSourceType());
      if (!left || !written || *written >= *left)
        continue;
      *left -= *written;
    } else if (isa<tensor::ExtractSliceOp>(user)) {
      left = std::nullopt;
    } else if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                    tensor::CastOp>(user)) {
      if (isa<tensor::ExtractOp, tensor::PadOp>(user))
        return true;
      continue;
    }
    for (OpOperand &next : user->getResult(0).getUses())
      open.push_back({&next, left});
  }
  return false;
}

void carousel::fillReadEmpties(func::FuncOp func) {
  SmallVector<tensor::EmptyOp> empties;
  func.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp empty : empties) {
    OpBuilder builder(empty.getContext());
    TypedAttr zero = builder.getZeroAttr(empty.getType().getElementType());
    auto isRead = [left = count(empty.getType())](OpOperand &use) {
      return readsElements(use, left);
    };
    if (!zero || count(empty.getType()) == 0 ||
        llvm::none_of(empty->getUses(), isRead))
      continue;
    builder.setInsertionPointAfter(empty);
    Value number = arith::ConstantOp::create(builder, empty.getLoc(), zero);
    auto fill = linalg::FillOp::create(builder, empty.getLoc(), number,
                                       empty.getResult());
    empty.getResult().replaceUsesWithIf(fill.getResult(0), isRead);
  }
}
