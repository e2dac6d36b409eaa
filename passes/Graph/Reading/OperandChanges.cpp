//===- OperandChanges.cpp - tables of changes -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandChanges.h"

#include "../../Block/Kernels/ElementChanges.h"
#include "../../Block/Kernels/ExtremumRows.h"
#include "ReadGraph.h"

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Differences of rows: which elements a body subtracts a row from, and what it
// computes of these. Where the row is the largest of the elements, they are
// bounded while it isn't complete, and so are their exponentials.
//===----------------------------------------------------------------------===//

namespace {

/// How a value of the body changes with the row.
enum class Kind {
  Same,       ///< it doesn't change, or is scaled
  Row,        ///< the row, perhaps bounded or replaced
  Difference, ///< of an element and the row, times a number
  Other,
};

/// A number and its sign where it multiplies a difference.
struct Found {
  Kind kind = Kind::Same;
  bool keepsSign = true;
  bool hasHigh = false, hasLow = false;
};

class DifferenceFinder {
public:
  DifferenceFinder(linalg::LinalgOp op, BlockArgument argument, Kind kind)
      : op(op), loops(op), changed(argument), rowLoops(loops.find(argument)) {
    known[argument] = {kind};
  }

  Found find(Value value);
  GraphDifference run(Value element);

private:
  Found compute(Operation *inner);
  Found choose(arith::SelectOp choice);
  bool isRow(Value value) { return loops.find(value).subsetOf(rowLoops); }
  bool isBelow(Value element, Value row);

  linalg::LinalgOp op;
  LoopFinder loops;
  BlockArgument changed;
  llvm::SmallBitVector rowLoops;
  llvm::DenseMap<Value, Found> known;
  GraphDifference result;
};

} // namespace

/// The place of an input among those that are tensors, which are reads.
static unsigned findRead(linalg::LinalgOp op, BlockArgument argument) {
  unsigned read = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input) == argument)
      break;
    read += isa<RankedTensorType>(input->get().getType());
  }
  return read;
}

static bool areEqual(Value a, Value b) {
  Attribute first, second;
  return a == b || (matchPattern(a, m_Constant(&first)) &&
                    matchPattern(b, m_Constant(&second)) && first == second);
}

/// Whether a value is to an element what the other one is to the row, so that
/// their difference is one of these, times a number.
bool DifferenceFinder::isBelow(Value element, Value row) {
  for (;;) {
    element = skipRoundings(element);
    row = skipRoundings(row);
    if (find(row).kind == Kind::Row) {
      auto argument = dyn_cast<BlockArgument>(element);
      if (!argument || argument == changed ||
          argument.getOwner() != op.getBlock() || isRow(argument) ||
          argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
        return false;
      result.minuends.push_back(findRead(op, argument));
      return true;
    }
    Operation *of = element.getDefiningOp(), *with = row.getDefiningOp();
    // A number subtracted with the row changes no difference between elements.
    if (isa_and_present<arith::AddFOp, arith::SubFOp>(with)) {
      auto isSame = [&](unsigned other) {
        return find(with->getOperand(other)).kind == Kind::Same &&
               isRow(with->getOperand(other));
      };
      if (isSame(1))
        row = with->getOperand(0);
      else if (isa<arith::AddFOp>(with) && isSame(0))
        row = with->getOperand(1);
      else
        return false;
      continue;
    }
    if (!of || !with || of->getName() != with->getName() ||
        !isa<arith::MulFOp, arith::DivFOp>(of))
      return false;
    bool isBySecond = areEqual(of->getOperand(1), with->getOperand(1));
    if (!isBySecond && (!isa<arith::MulFOp>(of) ||
                        !areEqual(of->getOperand(0), with->getOperand(0))))
      return false;
    element = of->getOperand(isBySecond ? 0 : 1);
    row = with->getOperand(isBySecond ? 0 : 1);
  }
}

Found DifferenceFinder::find(Value value) {
  auto isOpen = [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    return source && source->getBlock() == op.getBlock() &&
           !known.contains(inner);
  };
  walkOperands(value, isOpen, [&](Value inner) {
    if (isOpen(inner)) {
      Found found = compute(inner.getDefiningOp());
      known[inner] = found;
    }
    return WalkResult::advance();
  });
  return known.lookup(value);
}

/// An infinite number that is chosen stays one.
Found DifferenceFinder::choose(arith::SelectOp choice) {
  for (auto [own, other] :
       {std::pair(choice.getTrueValue(), choice.getFalseValue()),
        std::pair(choice.getFalseValue(), choice.getTrueValue())}) {
    Found found = find(own);
    bool isHigh = matchPattern(other, m_PosInfFloat());
    if (found.kind == Kind::Same ||
        !(isHigh || matchPattern(other, m_NegInfFloat())))
      continue;
    (isHigh ? found.hasHigh : found.hasLow) = true;
    return found;
  }
  return {Kind::Other};
}

Found DifferenceFinder::compute(Operation *inner) {
  SmallVector<Found, 3> of;
  bool isSame = true, areRows = true;
  for (Value operand : inner->getOperands()) {
    of.push_back(find(operand));
    isSame &= of.back().kind == Kind::Same;
    areRows &= of.back().kind == Kind::Same || of.back().kind == Kind::Row;
  }
  if (isSame)
    return {};
  if (inner->getNumRegions() != 0)
    return {Kind::Other};
  auto isInfinite = [](Value operand) {
    return matchPattern(operand, m_PosInfFloat()) ||
           matchPattern(operand, m_NegInfFloat());
  };
  if (areRows && isRow(inner->getResult(0)) && keepsExtremum(inner))
    return {isa<arith::SelectOp>(inner) &&
                    llvm::any_of(inner->getOperands(), isInfinite)
                ? Kind::Other
                : Kind::Row};
  if (isa<math::ExpOp, math::Exp2Op>(inner)) {
    const Found &exponent = of.front();
    result.isUnbounded |= exponent.kind != Kind::Difference || exponent.hasHigh;
    result.keepsSign &= exponent.keepsSign;
    return {};
  }
  if (isa<arith::AddFOp, arith::SubFOp>(inner)) {
    Value first = inner->getOperand(0), second = inner->getOperand(1);
    bool isDifference = isa<arith::SubFOp>(inner);
    for (unsigned own : {0, 1}) {
      Found found = of[own];
      Value other = inner->getOperand(1 - own);
      if (found.kind != Kind::Difference || of[1 - own].kind != Kind::Same ||
          !isRow(other))
        continue;
      if (isDifference && own == 1) {
        found.keepsSign = !found.keepsSign;
        std::swap(found.hasHigh, found.hasLow);
      }
      return found;
    }
    if (isDifference && of[0].kind == Kind::Same)
      return {isBelow(first, second) ? Kind::Difference : Kind::Other};
    if (isDifference && of[1].kind == Kind::Same)
      return {isBelow(second, first) ? Kind::Difference : Kind::Other,
              /*keepsSign=*/false};
    for (auto [element, row] :
         {std::pair(first, second), std::pair(second, first)})
      if (auto negated = row.getDefiningOp<arith::NegFOp>())
        return {isBelow(element, negated.getOperand()) ? Kind::Difference
                                                       : Kind::Other};
    return {Kind::Other};
  }
  if (auto choice = dyn_cast<arith::SelectOp>(inner))
    return of[0].kind == Kind::Same ? choose(choice) : Found{Kind::Other};
  Found found = of.front();
  if (isa<arith::ExtFOp, arith::TruncFOp, RoundTF32Op>(inner))
    return found;
  if (isa<arith::NegFOp>(inner)) {
    std::swap(found.hasHigh, found.hasLow);
    found.keepsSign = !found.keepsSign;
    return found.kind == Kind::Row ? Found{Kind::Other} : found;
  }
  if (!isa<arith::MulFOp, arith::DivFOp>(inner))
    return {Kind::Other};
  unsigned own = found.kind == Kind::Same ? 1 : 0;
  found = of[own];
  if (of[1 - own].kind != Kind::Same || found.kind == Kind::Row ||
      (own == 1 && isa<arith::DivFOp>(inner)))
    return {Kind::Other};
  APFloat factor(0.0);
  bool isPositive =
      matchPattern(inner->getOperand(1 - own), m_ConstantFloat(&factor)) &&
      factor.isFiniteNonZero() && !factor.isNegative();
  if (!isPositive) {
    found.keepsSign = false;
    found.hasHigh = found.hasLow = found.hasHigh || found.hasLow;
  }
  return found;
}

GraphDifference DifferenceFinder::run(Value element) {
  Found found = find(element);
  result.isDifference = found.kind == Kind::Difference;
  result.keepsSign &= found.keepsSign;
  result.hasHigh = found.hasHigh;
  result.hasLow = found.hasLow;
  return result;
}

/// Finds the difference of \p element where an argument of the op's body is a
/// row, or, if \p isDifference, such a difference.
static GraphDifference findRowDifference(linalg::LinalgOp op,
                                         BlockArgument argument, Value element,
                                         bool isDifference) {
  return DifferenceFinder(op, argument,
                          isDifference ? Kind::Difference : Kind::Row)
      .run(element);
}

/// Whether exponentials depend on an argument that is scaled, by its logarithm.
static bool hasExponentials(linalg::LinalgOp op, BlockArgument argument,
                            Value element) {
  return DifferenceFinder(op, argument, Kind::Other).run(element).isUnbounded;
}

/// Whether an op's result is the number that it reads, perhaps bounded or
/// replaced where it isn't finite; of a reduction, whether the elements are.
static bool keepsIndex(linalg::LinalgOp op, BlockArgument argument) {
  if (op.getNumReductionLoops() != 0) {
    std::optional<Combination> combination = findCombination(op);
    return combination && skipRoundings(combination->element) == argument;
  }
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  Kind kind = DifferenceFinder(op, argument, Kind::Row).find(result).kind;
  return kind == Kind::Row;
}

//===----------------------------------------------------------------------===//
// Changes of operands
//===----------------------------------------------------------------------===//

const llvm::SmallBitVector &LoopFinder::find(Value value) {
  auto enters = [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    return source->getBlock() == op.getBlock() && source->getNumRegions() == 0;
  };
  return loops.get(value, enters, [&](Value inner) { return compute(inner); });
}

llvm::SmallBitVector LoopFinder::compute(Value value) {
  llvm::SmallBitVector found(op.getNumLoops());
  if (value.getParentBlock() != op.getBlock())
    return found;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getUnusedDimsBitVector(
               op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)))
        .flip();
  Operation *source = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return found.set(index.getDim());
  // Regions may read any element.
  if (source->getNumRegions() != 0)
    return found.set();
  for (Value operand : source->getOperands())
    found |= loops.lookup(operand);
  return found;
}

namespace {

/// Numbers are the loops that they vary along.
class VaryingLoops {
public:
  using Number = llvm::SmallBitVector;

  VaryingLoops(linalg::LinalgOp op, BlockArgument changed)
      : loops(op), rowLoops(loops.find(changed)) {}

  bool isRow(Value value) {
    return !rowLoops.all() && loops.find(value).subsetOf(rowLoops);
  }
  Number getDifference(Value row) { return getValue(row); }

  Number getValue(Value value) { return loops.find(value); }
  Number add(Number a, const Number &b) { return a |= b; }
  Number multiply(Number a, const Number &b) { return a |= b; }
  Number divide(Number a, const Number &b) { return a |= b; }
  Number negate(const Number &a) { return a; }
  Number invert(const Number &a) { return a; }
  Number apply(Operation *, const Number &a) { return a; }

private:
  LoopFinder loops;
  Number rowLoops;
};

} // namespace

void carousel::findOperandChanges(linalg::LinalgOp op, OpOperand *input,
                                  GraphAccess &read) {
  // No op of an online reduction has as many, and each takes walks through the
  // whole body.
  constexpr int64_t kMostInputs = 64;
  std::optional<Combination> combination = findCombination(op);
  bool reduces = op.getNumReductionLoops() != 0;
  if (op.getNumDpsInits() != 1 || (reduces && !combination) ||
      op.getNumDpsInputs() > kMostInputs)
    return;
  Value element = reduces ? combination->element
                          : op.getBlock()->getTerminator()->getOperand(0);
  BlockArgument argument = op.getMatchingBlockArgument(input);
  using Changes = ElementChanges<VaryingLoops>;
  auto find = [&](llvm::function_ref<void(Changes &)> set) {
    VaryingLoops domain(op, argument);
    Changes changes(domain, op.getBlock());
    set(changes);
    auto change = changes.compute(element);
    GraphChange found;
    found.kind = change.kind;
    found.loops.assign(change.number.set_bits_begin(),
                       change.number.set_bits_end());
    if (Operation *obstacle = changes.getObstacle())
      found.obstacle = obstacle->getName().getStringRef().str();
    // Online reductions of graphs have no sums of the factors.
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
  read.isKept = keepsIndex(op, argument);
}
