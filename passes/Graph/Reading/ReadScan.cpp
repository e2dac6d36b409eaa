//===- ReadScan.cpp - structured ops that carry values --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReadScan.h.
//
//===----------------------------------------------------------------------===//

#include "ReadScan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace carousel;

static bool hasLoop(AffineMap map, unsigned loop) {
  return map.isFunctionOfDim(loop);
}

bool carousel::hasScannedResults(linalg::LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return !op.getTiedOpResult(&init).use_empty() &&
           llvm::any_of(reduced,
                        [&](unsigned loop) { return hasLoop(map, loop); });
  });
}

SmallVector<Value> CarriedValue::getParts() const {
  SmallVector<Value> parts = {element};
  if (factor)
    parts.push_back(factor);
  if (begins)
    parts.append({begins, first});
  return parts;
}

/// The other operand of two.
static Value getOther(Operation *op, Value operand) {
  return op->getOperand(op->getOperand(0) == operand ? 1 : 0);
}

/// The values of a body that depend on what iterations carry.
static llvm::DenseSet<Value> findDependent(Block *body,
                                           ArrayRef<CarriedValue> carried) {
  llvm::DenseSet<Value> dependent;
  for (const CarriedValue &value : carried)
    dependent.insert(value.before);
  auto isDependent = [&](Value value) { return dependent.contains(value); };
  for (Operation &op : *body) {
    WalkResult walked = op.walk([&](Operation *inner) {
      return llvm::any_of(inner->getOperands(), isDependent)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      dependent.insert_range(op.getResults());
  }
  return dependent;
}

/// Finds how a value of a body follows from the carried one.
static bool findStep(CarriedValue &carried, Value after) {
  Operation *last = after.getDefiningOp();
  if (!last)
    return false;
  auto uses = [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), carried.before);
  };
  if (auto fma = dyn_cast<math::FmaOp>(last)) {
    if (fma.getA() != carried.before && fma.getB() != carried.before)
      return false;
    carried.factor = getOther(fma, carried.before);
    carried.element = fma.getC();
    return true;
  }
  if (last->getNumOperands() != 2)
    return false;
  if (uses(last)) {
    if (!linalg::getCombinerOpKind(last))
      return false;
    carried.combiner = last;
    carried.element = getOther(last, carried.before);
    return true;
  }
  if (!isa<arith::AddFOp, arith::AddIOp>(last))
    return false;
  for (Value term : last->getOperands()) {
    Operation *product = term.getDefiningOp();
    if (!product || !isa<arith::MulFOp, arith::MulIOp>(product) ||
        !uses(product))
      continue;
    carried.factor = getOther(product, carried.before);
    carried.element = getOther(last, term);
    return true;
  }
  return false;
}

/// Finds how the value up to an element follows from the one before it.
static bool findSegmentStep(CarriedValue &carried) {
  auto choice = carried.upTo.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return findStep(carried, carried.upTo);
  carried.begins = choice.getCondition();
  carried.beginsWhereTrue = findStep(carried, choice.getFalseValue());
  carried.first =
      carried.beginsWhereTrue ? choice.getTrueValue() : choice.getFalseValue();
  return carried.beginsWhereTrue || findStep(carried, choice.getTrueValue());
}

std::optional<Scan> carousel::findScan(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 1 ||
      !hasScannedResults(op))
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  Scan scan{reduced.front(), {}};
  Block *body = op.getBlock();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    BlockArgument argument = op.getMatchingBlockArgument(&init);
    if (hasLoop(op.getMatchingIndexingMap(&init), scan.loop)) {
      if (!argument.use_empty())
        return std::nullopt;
      continue;
    }
    if (!op.getTiedOpResult(&init).use_empty())
      return std::nullopt;
    unsigned number = argument.getArgNumber() - op.getNumDpsInputs();
    CarriedValue carried;
    carried.init = number;
    carried.before = argument;
    carried.upTo = body->getTerminator()->getOperand(number);
    if (!findSegmentStep(carried))
      return std::nullopt;
    scan.carried.push_back(carried);
  }
  llvm::DenseSet<Value> dependent = findDependent(body, scan.carried);
  for (const CarriedValue &carried : scan.carried)
    for (Value part : carried.getParts())
      if (dependent.contains(part))
        return std::nullopt;
  return scan;
}

std::optional<Sort> carousel::findSort(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  auto all = body->getOps<SortedOp>();
  if (all.empty() || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() != 1)
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  Sort sort = {reduced.front(), 0, *all.begin()};
  auto isRead = [&](unsigned loop) {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return hasLoop(op.getMatchingIndexingMap(input), loop);
    });
  };
  SmallVector<unsigned> own;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!isRead(loop))
      own.push_back(loop);
  // All results are what the sort gives, and no operand knows its place.
  auto isSorted = [&](Value value) {
    return value.getDefiningOp() == sort.op.getOperation();
  };
  WalkResult walked = body->walk([&](Operation *inner) {
    bool isOther = (isa<SortedOp>(inner) && inner != sort.op) ||
                   (inner != body->getTerminator() &&
                    llvm::any_of(inner->getOperands(), isSorted)) ||
                   llvm::any_of(inner->getOperands(), [&](Value value) {
                     return llvm::is_contained(op.getRegionOutputArgs(), value);
                   });
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walked.wasInterrupted() || own.size() != 1 || own == reduced ||
      !llvm::all_of(body->getTerminator()->getOperands(), isSorted))
    return std::nullopt;
  sort.places = own.front();
  walked = body->walk([&](linalg::IndexOp index) {
    return index.getDim() == sort.places ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return std::nullopt;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (AffineMap map = op.getMatchingIndexingMap(&init);
        hasLoop(map, sort.reduced) || !hasLoop(map, sort.places))
      return std::nullopt;
  return sort;
}
