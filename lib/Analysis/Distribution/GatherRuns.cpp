//===- GatherRuns.cpp - gathers of neighbouring elements ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GatherRuns.h. Indices are sums whose terms are looked at one by one.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/GatherRuns.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

/// The source's dimension that a broadcast has along one of the result's;
/// nullopt if that repeats elements.
static std::optional<int64_t> findSourceDim(vector::BroadcastOp op,
                                            int64_t dim) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source)
    return std::nullopt;
  int64_t own = dim - (op.getResultVectorType().getRank() - source.getRank());
  bool repeats = own < 0 || source.getDimSize(own) !=
                                op.getResultVectorType().getDimSize(dim);
  return repeats ? std::nullopt : std::optional(own);
}

bool carousel::isUniformAlong(Value vector, int64_t dim) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type || type.getDimSize(dim) == 1)
    return true;
  Operation *op = vector.getDefiningOp();
  if (!op)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([&](vector::BroadcastOp copies) {
        std::optional<int64_t> own = findSourceDim(copies, dim);
        return !own || isUniformAlong(copies.getSource(), *own);
      })
      .Case([&](vector::TransposeOp transpose) {
        return isUniformAlong(transpose.getVector(),
                              transpose.getPermutation()[dim]);
      })
      .Case([&](vector::TransferReadOp read) {
        return isa<AffineConstantExpr>(
                   read.getPermutationMap().getResult(dim)) &&
               !read.getMask();
      })
      .Default([&](Operation *) {
        return OpTrait::hasElementwiseMappableTraits(op) &&
               llvm::all_of(op->getOperands(), [&](Value operand) {
                 return isUniformAlong(operand, dim);
               });
      });
}

bool carousel::countsAlong(Value vector, int64_t dim) {
  Operation *op = vector.getDefiningOp();
  if (!op)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](vector::StepOp) { return true; })
      .Case([&](vector::BroadcastOp copies) {
        std::optional<int64_t> own = findSourceDim(copies, dim);
        return own && countsAlong(copies.getSource(), *own);
      })
      .Case([&](vector::TransposeOp transpose) {
        return countsAlong(transpose.getVector(),
                           transpose.getPermutation()[dim]);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>(
          [&](auto cast) { return countsAlong(cast.getIn(), dim); })
      .Case([&](arith::AddIOp sum) {
        return (countsAlong(sum.getLhs(), dim) &&
                isUniformAlong(sum.getRhs(), dim)) ||
               (isUniformAlong(sum.getLhs(), dim) &&
                countsAlong(sum.getRhs(), dim));
      })
      .Case([&](arith::SubIOp difference) {
        return countsAlong(difference.getLhs(), dim) &&
               isUniformAlong(difference.getRhs(), dim);
      })
      .Default(false);
}

std::string carousel::explainNoRuns(vector::GatherOp op) {
  auto memref = dyn_cast<MemRefType>(op.getBaseType());
  SmallVector<int64_t> strides;
  int64_t first;
  if (!memref || failed(memref.getStridesAndOffset(strides, first)) ||
      strides.empty() || strides.back() != 1)
    return "its memref's elements don't follow each other";
  for (Value offset : op.getOffsets().drop_back())
    if (!isConstantIntValue(offset, 0))
      return "it doesn't count from the memref's beginning";
  int64_t dim = op.getVectorType().getRank() - 1;
  if (!countsAlong(op.getIndices(), dim))
    return "its indices aren't known to count along the last dimension";
  return "";
}

int64_t carousel::getMostRun(vector::GatherOp op) {
  VectorType type = op.getVectorType();
  int64_t bytes = std::max<int64_t>(1, getElementBits(type) / 8);
  int64_t extent = type.getShape().back();
  return std::min(std::max<int64_t>(rules::kBulkGranule / bytes, 1),
                  extent & -extent);
}
