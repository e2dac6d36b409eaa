//===- SliceChecks.cpp - slices inside of their tensors -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SliceChecks.h.
//
//===----------------------------------------------------------------------===//

#include "SliceChecks.h"

#include "../Reading/ExtentFactors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// C294: where constants don't show it, a launch checks that a slice is inside.
static LogicalResult checkSlice(OpBuilder &builder, Location loc, Value tensor,
                                OffsetSizeAndStrideOpInterface slice) {
  builder.setInsertionPoint(slice);
  auto check = [&](OpFoldResult lesser, OpFoldResult larger,
                   int64_t dim) -> LogicalResult {
    std::optional<int64_t> low = getConstantIntValue(lesser),
                           high = getConstantIntValue(larger);
    if (low && high && *low > *high)
      return slice->emitError("expected a slice inside of ")
             << describeDimension(tensor, dim) << ", got " << *low << " above "
             << *high;
    if (low && high)
      return success();
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sle,
        getValueOrCreateConstantIndexOp(builder, loc, lesser),
        getValueOrCreateConstantIndexOp(builder, loc, larger));
    cf::AssertOp::create(builder, loc, isInside,
                         "expected a slice inside of " +
                             describeDimension(tensor, dim));
    return success();
  };
  AffineExpr offset, size, stride, extent;
  bindSymbols(builder.getContext(), offset, size, stride, extent);
  auto compute = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, operands);
  };
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult longest = builder.getIndexAttr(int64_t(1) << 31);
  for (auto [dim, from, length, step] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    if (isWholeDim(slice, tensor, dim))
      continue;
    OpFoldResult whole = tensor::getMixedSize(builder, loc, tensor, dim);
    if (failed(check(zero, from, dim)) || failed(check(zero, length, dim)) ||
        failed(check(one, step, dim)))
      return failure();
    // Launches divide by constants only, and no number may wrap.
    if (std::optional<int64_t> known = getConstantIntValue(step)) {
      if (failed(check(compute(size - 1, {from, length, step, whole}),
                       compute((extent - 1 - offset).floorDiv(*known),
                               {from, length, step, whole}),
                       dim)))
        return failure();
      continue;
    }
    if (failed(check(step, longest, dim)) ||
        failed(check(length, whole, dim)) ||
        failed(check(compute(offset + (size - 1) * stride + 1,
                             {from, length, step, whole}),
                     whole, dim)))
      return failure();
  }
  return success();
}

LogicalResult carousel::checkSlices(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  SmallVector<OffsetSizeAndStrideOpInterface> slices(
      func.getOps<OffsetSizeAndStrideOpInterface>());
  for (OffsetSizeAndStrideOpInterface slice : slices) {
    Value tensor;
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(*slice))
      tensor = extract.getSource();
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(*slice))
      tensor = insert.getDest();
    if (tensor && failed(checkSlice(builder, slice.getLoc(), tensor, slice)))
      return failure();
  }
  return success();
}
