//===- OperandChanges.cpp - changes of a structured op's operands ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OperandChanges.h.
//
//===----------------------------------------------------------------------===//

#include "OperandChanges.h"

#include "../../Block/Kernels/ElementChanges.h"
#include "ReadGraph.h"
#include "RowDifferences.h"

using namespace mlir;
using namespace carousel;

static SmallVector<unsigned> unite(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  SmallVector<unsigned> both(a);
  llvm::append_range(both, b);
  llvm::sort(both);
  both.erase(llvm::unique(both), both.end());
  return both;
}

ArrayRef<unsigned> LoopFinder::find(Value value) {
  auto enters = [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    return source->getBlock() == op.getBlock() && source->getNumRegions() == 0;
  };
  return loops.get(value, enters, [&](Value inner) { return compute(inner); });
}

SmallVector<unsigned> LoopFinder::compute(Value value) {
  SmallVector<unsigned> loops;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return {};
    AffineMap map =
        op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
    for (unsigned loop = 0; loop != map.getNumDims(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.push_back(loop);
    return loops;
  }
  Operation *source = value.getDefiningOp();
  if (source->getBlock() != op.getBlock())
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return {static_cast<unsigned>(index.getDim())};
  // What regions read is any element.
  if (source->getNumRegions() != 0)
    return llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  for (Value operand : source->getOperands())
    loops = unite(loops, this->loops.lookup(operand));
  return loops;
}

namespace {

/// Numbers are the loops that they vary along.
class LoopsOfNumbers {
public:
  using Number = SmallVector<unsigned>;

  LoopsOfNumbers(linalg::LinalgOp op, BlockArgument changed)
      : op(op), loops(op), rowLoops(loops.find(changed)) {}

  bool isRow(Value value) {
    return rowLoops.size() != op.getNumLoops() &&
           llvm::all_of(getValue(value), [&](unsigned loop) {
             return llvm::is_contained(rowLoops, loop);
           });
  }
  Number getDifference(Value row) { return getValue(row); }

  Number getValue(Value value) { return Number(loops.find(value)); }
  Number add(const Number &a, const Number &b) { return unite(a, b); }
  Number multiply(const Number &a, const Number &b) { return unite(a, b); }
  Number divide(const Number &a, const Number &b) { return unite(a, b); }
  Number negate(const Number &a) { return a; }
  Number invert(const Number &a) { return a; }
  Number apply(Operation *, const Number &a) { return a; }

private:
  linalg::LinalgOp op;
  LoopFinder loops;
  Number rowLoops;
};

} // namespace

void carousel::findOperandChanges(linalg::LinalgOp op, OpOperand *input,
                                  GraphAccess &read) {
  // No op of a stream has as many, and each takes walks through the whole body.
  constexpr int64_t kMostInputs = 64;
  std::optional<Combination> combination = findCombination(op);
  bool reduces = op.getNumReductionLoops() != 0;
  if (op.getNumDpsInits() != 1 || (reduces && !combination) ||
      op.getNumDpsInputs() > kMostInputs)
    return;
  Value element = reduces ? combination->element
                          : op.getBlock()->getTerminator()->getOperand(0);
  BlockArgument argument = op.getMatchingBlockArgument(input);
  using Changes = ElementChanges<LoopsOfNumbers>;
  auto find = [&](llvm::function_ref<void(Changes &)> set) {
    LoopsOfNumbers domain(op, argument);
    Changes changes(domain, op.getBlock());
    set(changes);
    auto change = changes.compute(element);
    GraphChange found;
    found.kind = change.kind;
    found.loops.assign(change.number.begin(), change.number.end());
    if (Operation *obstacle = changes.getObstacle())
      found.obstacle = obstacle->getName().getStringRef().str();
    // Streams of graphs have no sums of the factors.
    if (change.kind == ChangeKind::Product)
      found = {
          ChangeKind::Unknown, {}, arith::MulFOp::getOperationName().str()};
    return found;
  };
  auto setKind = [&](ChangeKind kind) {
    return find([&](Changes &changes) { changes.set(argument, kind, {}); });
  };
  read.shifted = setKind(ChangeKind::Shift);
  read.scaled = setKind(ChangeKind::Scale);
  read.replaced =
      find([&](Changes &changes) { changes.setReplaced(argument); });
  read.shifted.difference =
      findRowDifference(op, argument, element, /*isDifference=*/true);
  read.replaced.difference =
      findRowDifference(op, argument, element, /*isDifference=*/false);
  read.scaled.difference.isUnbounded = hasExponentials(op, argument, element);
  read.isKept = keepsNumber(op, argument);
}
