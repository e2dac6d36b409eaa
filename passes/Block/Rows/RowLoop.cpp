//===- RowLoop.cpp - a loop over rows, and what it carries ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowLoop.h.
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace carousel;

RowLoop::RowLoop(scf::ForOp loop, const RowLevels &outside)
    : loop(loop), levels(loop, outside), refusal(levels.getRefusal()) {
  if (!refusal.empty())
    return;
  for (Value result : loop.getResults())
    hasRowEffects |= !levels.isCovered(result.getType());
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool writes = !canRepeat(&op);
    (levels.isOfColumns(&op) ? hasColumnWrites : hasRowEffects) |= writes;
  }
  findDependent();
  findColumnOps();
  findKeptRows();
  findRowOps();
}

void RowLoop::findDependent() {
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (!levels.isCovered(carried.getType()))
      dependent.insert(carried);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (levels.isCoveredOp(&op) && !levels.isEnd(&op))
      continue;
    bool depends = levels.isEnd(&op) || !canRepeat(&op) ||
                   llvm::any_of(findOutsideValues(&op), [&](Value value) {
                     return dependent.contains(value);
                   });
    if (depends)
      dependent.insert(op.result_begin(), op.result_end());
  }
}

void RowLoop::findColumnOps() {
  Block *body = loop.getBody();
  llvm::DenseSet<Operation *> ops;
  llvm::SetVector<Value> values;
  SmallVector<Operation *> pending;
  auto add = [&](Value value) {
    if (dependent.contains(value)) {
      values.insert(value);
      return;
    }
    Operation *source = value.getDefiningOp();
    if (source && source->getBlock() == body && ops.insert(source).second)
      pending.push_back(source);
  };
  for (Value value : loop.getYieldedValues())
    if (levels.isCovered(value.getType()))
      add(value);
  for (Operation &op : body->without_terminator())
    if (levels.isOfColumns(&op) && !canRepeat(&op) && ops.insert(&op).second)
      pending.push_back(&op);
  while (!pending.empty())
    llvm::for_each(findOutsideValues(pending.pop_back_val()), add);
  for (Operation &op : body->without_terminator())
    if (ops.contains(&op))
      columnOps.insert(&op);
  rowValues = values.takeVector();
}

/// Finds the ops that each chunk executes again, if values aren't kept.
void RowLoop::findRowOps() {
  if (!repeatsRows())
    return;
  SmallVector<Value> pending(rowValues);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *source = value.getDefiningOp();
    if (!source) {
      bool isCarried = value.getParentBlock() == loop.getBody() &&
                       value != loop.getInductionVar();
      if (isCarried && !hasRowCarries) {
        hasRowCarries = true;
        for (Value yielded : loop.getYieldedValues())
          if (!levels.isCovered(yielded.getType()))
            pending.push_back(yielded);
      }
      continue;
    }
    if (source->getBlock() != loop.getBody() || !rowOps.insert(source).second)
      continue;
    if (!canRepeat(source)) {
      refusal = ("'" + source->getName().getStringRef() +
                 "' can't be executed again for each chunk")
                    .str();
      return;
    }
    llvm::append_range(pending, findOutsideValues(source));
  }
}

/// Values of so many rows are few beside a CTA's other shared memory.
void RowLoop::findKeptRows() {
  constexpr int64_t kMostBytes = 16384;
  int64_t bytes = 0;
  for (Value value : rowValues) {
    Type type = value.getType();
    bool isStored = type.isIndex() || (type.isIntOrFloat() &&
                                       type.getIntOrFloatBitWidth() % 8 == 0);
    if (!isStored)
      return;
    bytes += type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
  }
  Value upper = loop.getUpperBound(), lower = loop.getLowerBound();
  if (!upper.getType().isIndex() || rowValues.empty())
    return;
  MLIRContext *context = loop.getContext();
  AffineExpr span = getAffineDimExpr(0, context) - getAffineDimExpr(1, context);
  FailureOr<int64_t> most = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB,
      ValueBoundsConstraintSet::Variable(AffineMap::get(2, 0, span),
                                         ValueRange{upper, lower}),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  // A step of more than 1 takes fewer.
  if (succeeded(most) && *most > 0 && *most <= kMostBytes / bytes)
    keptRows = *most;
}

llvm::SetVector<Value> RowLoop::findColumnValues() const {
  llvm::SetVector<Value> values;
  scf::ForOp loop = this->loop; // its queries are not const
  auto add = [&](Value value) {
    bool isOutside = value.getParentRegion() != &loop.getRegion() &&
                     levels.isCovered(value.getType());
    if (isOutside)
      values.insert(value);
  };
  llvm::for_each(loop.getInitArgs(), add);
  for (Operation *op : columnOps)
    llvm::for_each(findOutsideValues(op), add);
  llvm::for_each(loop.getYieldedValues(), add);
  return values;
}
