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

#include "ExtentChecks.h"
#include "ExtentFactors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// Where types don't show it, a launch checks that a slice is inside.
static void checkSlice(OpBuilder &builder, Location loc, Value tensor,
                       OffsetSizeAndStrideOpInterface slice) {
  builder.setInsertionPoint(slice);
  auto check = [&](OpFoldResult lesser, OpFoldResult larger, int64_t dim) {
    if (getConstantIntValue(lesser) && getConstantIntValue(larger))
      return; // the op's verifier compared them
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sle,
        getValueOrCreateConstantIndexOp(builder, loc, lesser),
        getValueOrCreateConstantIndexOp(builder, loc, larger));
    cf::AssertOp::create(builder, loc, isInside,
                         "expected a slice inside of " +
                             describeDimension(tensor, dim));
  };
  AffineExpr offset, size, stride;
  bindSymbols(builder.getContext(), offset, size, stride);
  OpFoldResult zero = builder.getIndexAttr(0);
  for (auto [dim, from, length, step] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    if (isZeroInteger(from) && isOneInteger(step) &&
        factorizeExtent(length) == factorizeExtent(tensor, dim))
      continue;
    check(zero, from, dim);
    check(zero, length, dim);
    check(affine::makeComposedFoldedAffineApply(
              builder, loc, offset + (size - 1) * stride + 1,
              {from, length, step}),
          tensor::getMixedSize(builder, loc, tensor, dim), dim);
  }
}

void carousel::checkSlices(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  SmallVector<OffsetSizeAndStrideOpInterface> slices(
      func.getOps<OffsetSizeAndStrideOpInterface>());
  for (OffsetSizeAndStrideOpInterface slice : slices) {
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(*slice))
      checkSlice(builder, slice.getLoc(), extract.getSource(), slice);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(*slice))
      checkSlice(builder, slice.getLoc(), insert.getDest(), slice);
  }
}
