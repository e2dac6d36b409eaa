//===- RowUpdates.cpp - ops that change rows of their init ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowUpdates.h.
//
//===----------------------------------------------------------------------===//

#include "RowUpdates.h"

#include "OperandChanges.h"
#include "ReadGraph.h"
#include "RowRanges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

/// The condition under which an element isn't the one that is kept, if that is
/// read for this choice only.
static Value findCondition(Value result, BlockArgument kept) {
  if (!kept.hasOneUse())
    return {};
  if (auto choice = result.getDefiningOp<arith::SelectOp>())
    return choice.getFalseValue() == kept ? choice.getCondition() : Value();
  auto branch = result.getDefiningOp<scf::IfOp>();
  if (!branch || branch.getElseRegion().empty())
    return {};
  unsigned number = cast<OpResult>(result).getResultNumber();
  bool isKept = branch.elseYield().getOperand(number) == kept;
  return isKept ? branch.getCondition() : Value();
}

namespace {

/// Finds the rows for which a condition may hold.
class UpdateReader {
public:
  explicit UpdateReader(linalg::GenericOp op) : op(op), loops(op) {}

  std::optional<RowUpdate> find(Value condition) {
    SmallVector<Value> open = {condition};
    while (!open.empty()) {
      Value part = open.pop_back_val();
      if (auto both = part.getDefiningOp<arith::AndIOp>()) {
        open.push_back(both.getRhs());
        open.push_back(both.getLhs());
      } else if (auto compare = part.getDefiningOp<arith::CmpIOp>()) {
        compares.push_back(compare);
      }
    }
    for (arith::CmpIOp compare : compares)
      if (std::optional<RowUpdate> update = readEqual(compare))
        return update;
    for (arith::CmpIOp compare : compares)
      if (std::optional<RowUpdate> update = readDistance(compare))
        return update;
    return std::nullopt;
  }

private:
  /// The loop whose index a value is, if others after it are whole.
  std::optional<unsigned> findLoop(Value value) {
    auto index = skipIndexCasts(value).getDefiningOp<linalg::IndexOp>();
    if (!index || index.getDim() + 1 == op.getNumLoops())
      return std::nullopt;
    return index.getDim();
  }

  /// Whether the kernel's programs, of which each has one index of all loops
  /// but this one and the last, have one value.
  bool isFixed(Value value, unsigned loop) {
    const llvm::SmallBitVector &varying = loops.find(value);
    return !varying.test(loop) && !varying.test(op.getNumLoops() - 1);
  }

  /// index == offset
  std::optional<RowUpdate> readEqual(arith::CmpIOp compare) {
    if (compare.getPredicate() != Predicate::eq)
      return std::nullopt;
    for (unsigned own : {0, 1}) {
      Value offset = compare->getOperand(1 - own);
      if (auto loop = findLoop(compare->getOperand(own));
          loop && isFixed(offset, *loop))
        return RowUpdate{*loop, offset, 1};
    }
    return std::nullopt;
  }

  /// index - offset < count, without a sign, or with one beside >= 0. As
  /// extents are below 2^31, the difference doesn't wrap where that holds.
  std::optional<RowUpdate> readDistance(arith::CmpIOp compare) {
    auto distance = compare.getLhs().getDefiningOp<arith::SubIOp>();
    Predicate predicate = compare.getPredicate();
    bool isBelow = predicate == Predicate::ult || predicate == Predicate::slt;
    APInt count;
    if (!distance || !isBelow ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&count)) ||
        !count.isStrictlyPositive())
      return std::nullopt;
    auto isLeast = [&](arith::CmpIOp other) {
      return other.getPredicate() == Predicate::sge &&
             other.getLhs() == distance &&
             matchPattern(other.getRhs(), m_Zero());
    };
    if (predicate == Predicate::slt && llvm::none_of(compares, isLeast))
      return std::nullopt;
    std::optional<unsigned> loop = findLoop(distance.getLhs());
    if (!loop || !isFixed(distance.getRhs(), *loop))
      return std::nullopt;
    return RowUpdate{*loop, distance.getRhs(), count.getSExtValue()};
  }

  linalg::GenericOp op;
  LoopFinder loops;
  SmallVector<arith::CmpIOp> compares; ///< that hold together
};

} // namespace

std::optional<RowUpdate> carousel::findRowUpdate(linalg::GenericOp op,
                                                 unsigned result,
                                                 BlockArgument kept) {
  Value element = op.getBody()->getTerminator()->getOperand(result);
  Value condition = findCondition(element, kept);
  if (!condition)
    return std::nullopt;
  return UpdateReader(op).find(condition);
}

std::optional<RowUpdate> carousel::findRowUpdate(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumReductionLoops() != 0)
    return std::nullopt;
  // An element is read where it is written, and nowhere else.
  auto isReadOnce = [&](Value init) {
    return llvm::count_if(init.getUses(), [&](OpOperand &use) {
             return generic->isAncestor(use.getOwner());
           }) == 1;
  };
  std::optional<RowUpdate> all;
  for (OpOperand &init : generic.getDpsInitsMutable()) {
    unsigned result = generic.getTiedOpResult(&init).getResultNumber();
    if (!readsInit(op, result) || findFill(init.get()) ||
        !isReadOnce(init.get()) ||
        !generic.getMatchingIndexingMap(&init).isIdentity())
      return std::nullopt;
    std::optional<RowUpdate> own =
        findRowUpdate(generic, result, generic.getMatchingBlockArgument(&init));
    if (!own || (all && (all->loop != own->loop || all->count != own->count ||
                         all->offset != own->offset)))
      return std::nullopt;
    all = own;
  }
  return all;
}
