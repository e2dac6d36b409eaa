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
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
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

using Along = std::pair<Value, int64_t>;

/// Whether a vector is uniform along a dimension if `others` are.
static bool isUniformIf(Value vector, int64_t dim,
                        llvm::SetVector<Along> &others) {
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
        if (own)
          others.insert({copies.getSource(), *own});
        return true;
      })
      .Case([&](vector::TransposeOp transpose) {
        others.insert({transpose.getVector(), transpose.getPermutation()[dim]});
        return true;
      })
      .Case([&](vector::TransferReadOp read) {
        return isa<AffineConstantExpr>(
                   read.getPermutationMap().getResult(dim)) &&
               !read.getMask();
      })
      .Default([&](Operation *) {
        for (Value operand : op->getOperands())
          others.insert({operand, dim});
        return OpTrait::hasElementwiseMappableTraits(op);
      });
}

bool carousel::isUniformAlong(Value vector, int64_t dim) {
  llvm::SetVector<Along> open;
  open.insert({vector, dim});
  for (unsigned i = 0; i < open.size(); ++i) {
    auto [value, along] = open[i];
    if (!isUniformIf(value, along, open))
      return false;
  }
  return true;
}

/// The operand and its dimension along which it has to count for the op's
/// result to do so, or null.
static Along findCounting(Operation *op, int64_t dim) {
  return llvm::TypeSwitch<Operation *, Along>(op)
      .Case([&](vector::BroadcastOp copies) {
        std::optional<int64_t> own = findSourceDim(copies, dim);
        return own ? Along(copies.getSource(), *own) : Along();
      })
      .Case([&](vector::TransposeOp transpose) {
        return Along(transpose.getVector(), transpose.getPermutation()[dim]);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>([&](auto cast) { return Along(cast.getIn(), dim); })
      .Case([&](arith::AddIOp sum) {
        if (isUniformAlong(sum.getRhs(), dim))
          return Along(sum.getLhs(), dim);
        return isUniformAlong(sum.getLhs(), dim) ? Along(sum.getRhs(), dim)
                                                 : Along();
      })
      .Case([&](arith::SubIOp difference) {
        return isUniformAlong(difference.getRhs(), dim)
                   ? Along(difference.getLhs(), dim)
                   : Along();
      })
      .Default(Along());
}

bool carousel::countsAlong(Value vector, int64_t dim) {
  while (Operation *op = vector ? vector.getDefiningOp() : nullptr) {
    if (isa<vector::StepOp>(op))
      return true;
    std::tie(vector, dim) = findCounting(op, dim);
  }
  return false;
}

/// The elements of a run, at most `most`, that begins at multiples of them as
/// far as is known: by the constants in sums of indices, and by those that are
/// factors of their terms.
static int64_t findAlignedRun(Value indices, int64_t most) {
  llvm::SetVector<Value> terms;
  terms.insert(indices);
  auto note = [&](Value value) {
    APInt number;
    while (matchPattern(value, m_ConstantInt(&number)) &&
           number.getSExtValue() % most != 0)
      most /= 2;
  };
  for (unsigned i = 0; i < terms.size(); ++i) {
    note(terms[i]);
    Operation *op = terms[i].getDefiningOp();
    if (isa_and_nonnull<arith::MulIOp>(op))
      llvm::for_each(op->getOperands(), note);
    else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::IndexCastOp,
                             arith::IndexCastUIOp, arith::ExtSIOp,
                             arith::ExtUIOp, vector::BroadcastOp,
                             vector::ShapeCastOp, vector::TransposeOp>(op))
      terms.insert_range(op->getOperands());
  }
  return most;
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
  if (findAlignedRun(op.getIndices(), /*most=*/2) == 1)
    return "its indices begin beside multiples";
  return "";
}

int64_t carousel::getMostRun(vector::GatherOp op) {
  VectorType type = op.getVectorType();
  int64_t bytes = std::max<int64_t>(1, getElementBits(type) / 8);
  int64_t extent = type.getShape().back();
  return findAlignedRun(
      op.getIndices(),
      std::min(std::max<int64_t>(rules::kBulkGranule / bytes, 1),
               extent & -extent));
}
