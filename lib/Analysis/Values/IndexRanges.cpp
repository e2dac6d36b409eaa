//===- IndexRanges.cpp - ranges of integers -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/IndexRanges.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

IndexRanges::IndexRanges(FindRange findRange)
    : DemandAnalysis(
          [](Operation *op) { return isa<InferIntRangeInterface>(op); }),
      findRange(findRange) {}

bool IndexRanges::isNonNegative(Value value) {
  IntegerValueRange range = get(value);
  return !range.isUninitialized() && range.getValue().smin().isNonNegative();
}

/// The guards of the kernel's variant: `range` on the extent itself.
static ConstantIntRanges narrowByGuards(memref::DimOp dim,
                                        ConstantIntRanges range) {
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> index = dim.getConstantIndex();
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  auto variant =
      kernel ? kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant)
             : VariantAttr();
  if (!variant || !index || !argument.getOwner()->isEntryBlock())
    return range;
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  for (GuardAttr guard : variant.getGuards()) {
    ExprAttr value = guard.getValue();
    if (guard.getKind() == GuardKind::Range &&
        value.getKind() == ExprKind::Extent && value.getValue() == *index &&
        positions[value.getArgument()] == argument.getArgNumber()) {
      unsigned width = range.smin().getBitWidth();
      range = range.intersection(ConstantIntRanges::fromSigned(
          APInt(width, guard.getLeast(), /*isSigned=*/true),
          APInt(width, guard.getMost(), /*isSigned=*/true)));
    }
  }
  return range;
}

/// A launch has at most as many blocks as a grid can have (C110).
static ConstantIntRanges addGridLimits(Operation *op, ConstantIntRanges range) {
  auto limit = [&](gpu::Dimension dimension, int64_t first) {
    unsigned width = range.smin().getBitWidth();
    int64_t most =
        dimension == gpu::Dimension::x ? rules::kMaxGridX : rules::kMaxGridYZ;
    return range.intersection(ConstantIntRanges::fromSigned(
        APInt(width, first), APInt(width, most - 1 + first)));
  };
  if (auto blocks = dyn_cast<gpu::GridDimOp>(op))
    return limit(blocks.getDimension(), 1);
  if (auto block = dyn_cast<gpu::BlockIdOp>(op))
    return limit(block.getDimension(), 0);
  return range;
}

/// The range that the op infers for its result. A yielded value that changes
/// becomes unknown at once, as in MLIR's solver.
IntegerValueRange IndexRanges::infer(const ValueSources &sources,
                                     const IntegerValueRange &old) {
  Operation *op = sources.value.getDefiningOp();
  SmallVector<IntegerValueRange> operands;
  for (Value source : sources.values)
    operands.push_back(getState(source));
  IntegerValueRange range = old;
  cast<InferIntRangeInterface>(op).inferResultRangesFromOptional(
      operands, [&](Value value, const IntegerValueRange &inferred) {
        if (value == sources.value)
          range = IntegerValueRange::join(range, inferred);
      });
  if (auto dim = dyn_cast<memref::DimOp>(op); dim && !range.isUninitialized())
    range = IntegerValueRange(narrowByGuards(dim, range.getValue()));
  if (!range.isUninitialized())
    range = IntegerValueRange(addGridLimits(op, range.getValue()));
  bool isYielded = llvm::any_of(sources.value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
  if (isYielded && !old.isUninitialized() && !(range == old))
    return getUnknown(sources.value);
  return range;
}

/// The range from the first number to the one before the upper bound. Unknown
/// steps are assumed to be positive.
IntegerValueRange IndexRanges::getInduction(const ValueSources &sources) {
  LoopLikeOpInterface loop = sources.loop;
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  auto counted = dyn_cast<scf::ForOp>(*loop);
  if (!lower || !upper || !steps || (counted && counted.getUnsignedCmp()))
    return getUnknown(sources.value);
  unsigned width =
      ConstantIntRanges::getStorageBitwidth(sources.value.getType());
  auto getBound = [&](const SmallVector<OpFoldResult> &bounds, bool isUpper) {
    OpFoldResult bound = bounds[sources.variable];
    if (auto attr = dyn_cast<Attribute>(bound)) {
      if (auto constant = dyn_cast<IntegerAttr>(attr))
        return constant.getValue();
    } else {
      IntegerValueRange range = getState(cast<Value>(bound));
      if (!range.isUninitialized())
        return isUpper ? range.getValue().smax() : range.getValue().smin();
    }
    return isUpper ? APInt::getSignedMaxValue(width)
                   : APInt::getSignedMinValue(width);
  };
  APInt least = getBound(*lower, /*isUpper=*/false);
  APInt most = getBound(*upper, /*isUpper=*/true);
  if (getBound(*steps, /*isUpper=*/true).isNegative())
    std::swap(least, most);
  else
    most -= 1;
  if (most.slt(least))
    return IntegerValueRange();
  return IntegerValueRange(ConstantIntRanges::fromSigned(least, most));
}

IntegerValueRange IndexRanges::update(const ValueSources &sources,
                                      const IntegerValueRange &old) {
  switch (sources.kind) {
  case ValueSources::Result:
    return infer(sources, old);
  case ValueSources::Induction:
    return IntegerValueRange::join(old, getInduction(sources));
  case ValueSources::Joined: {
    IntegerValueRange range = old;
    for (Value source : sources.values)
      range = IntegerValueRange::join(range, getState(source));
    return range;
  }
  case ValueSources::Unknown:
    break;
  }
  return findRange(sources.value);
}
