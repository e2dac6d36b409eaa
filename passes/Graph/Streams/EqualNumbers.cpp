//===- EqualNumbers.cpp - masks that compare numbers in memory ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EqualNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "EqualNumbers.h"

#include "../Reading/ReadConvolution.h"

#include "StreamMasks.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

/// Two numbers that are widened in the same way are equal if these are.
static std::pair<Value, Value> skipWidening(arith::CmpIOp compare) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  for (;;) {
    Operation *a = lhs.getDefiningOp(), *b = rhs.getDefiningOp();
    bool areSame = a && b && a->getName() == b->getName() &&
                   isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(a) &&
                   a->getOperand(0).getType() == b->getOperand(0).getType() &&
                   !a->getOperand(0).getType().isIndex();
    if (!areSame)
      return {lhs, rhs};
    lhs = a->getOperand(0);
    rhs = b->getOperand(0);
  }
}

static std::optional<Numbers> findNumbers(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Numbers numbers;
  if (!op.isDpsInput(operand))
    return std::nullopt;
  numbers.tensor = operand->get();
  if (!isa<IntegerType>(getElementTypeOrSelf(numbers.tensor)))
    return std::nullopt;
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || numbers.has(loop.getPosition()))
      return std::nullopt;
    numbers.loops.push_back(loop.getPosition());
  }
  return numbers;
}

static bool isAnd(Value condition) {
  return isa_and_present<arith::AndIOp>(condition.getDefiningOp());
}

/// Whether a truth value is false where the condition is.
static bool implies(Value value, Value condition) {
  return isComputedOf(value, isAnd,
                      [&](Value part) { return part == condition; });
}

/// The choice of the body, by a condition that implies the comparison, of an
/// element that never counts, or of a constant.
static arith::SelectOp findChoice(linalg::GenericOp op, Value compare,
                                  bool ofAnyConstant = false) {
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    Value other = choice.getFalseValue();
    APFloat number(0.0);
    if (implies(choice.getCondition(), compare) &&
        (ofAnyConstant ? matchPattern(other, m_ConstantFloat(&number))
                       : excludes(other)))
      return choice;
  }
  return {};
}

static std::optional<EqualNumbers>
readNumbers(linalg::GenericOp op, arith::CmpIOp compare, unsigned element) {
  auto [first, second] = skipWidening(compare);
  std::optional<Numbers> lhs = findNumbers(op, first),
                         rhs = findNumbers(op, second);
  if (!lhs || !rhs || lhs->has(element) == rhs->has(element))
    return std::nullopt;
  EqualNumbers equal = {op, compare, *lhs, *rhs};
  if (lhs->has(element))
    std::swap(equal.ofRows, equal.ofElements);
  equal.element = element;
  SmallVector<unsigned> rows;
  for (unsigned loop : equal.ofRows.loops)
    (equal.ofElements.has(loop) ? equal.others : rows).push_back(loop);
  bool hasMore = llvm::any_of(equal.ofElements.loops, [&](unsigned loop) {
    return loop != element && !equal.ofRows.has(loop);
  });
  if (rows.size() != 1 || hasMore)
    return std::nullopt;
  equal.row = rows.front();
  return equal;
}

/// Whether a comparison of integers, or what it is widened from, may be one of
/// rows and elements.
static bool comparesNumbers(linalg::GenericOp op, arith::CmpIOp compare) {
  auto isOfTensor = [&](Value value) {
    while (Operation *source = value.getDefiningOp()) {
      if (source->getNumOperands() == 0 || source->getNumRegions() != 0 ||
          isa<linalg::IndexOp>(source))
        return false;
      value = source->getOperand(0);
    }
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == op.getBody();
  };
  return isOfTensor(compare.getLhs()) && isOfTensor(compare.getRhs());
}

SmallVector<EqualNumbers>
carousel::findEqualNumbers(linalg::GenericOp op, unsigned element,
                           SmallVectorImpl<std::string> &refusals) {
  SmallVector<EqualNumbers> found;
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    if (compare.getPredicate() != Predicate::eq ||
        !comparesNumbers(op, compare))
      continue;
    arith::SelectOp choice = findChoice(op, compare);
    if (!choice) {
      if (findChoice(op, compare, /*ofAnyConstant=*/true))
        refusals.push_back("the number of what they exclude may be a score, as "
                           "it is more than -2^29");
      continue;
    }
    std::optional<EqualNumbers> equal = readNumbers(op, compare, element);
    if (!equal)
      refusals.push_back("its numbers aren't those of one row and one element, "
                         "each of a tensor");
    else if (!matchPattern(choice.getFalseValue(), m_NegInfFloat()))
      refusals.push_back(
          "a finite number excludes elements, and a row may have "
          "no other");
    else
      found.push_back(std::move(*equal));
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Whether a condition is one of two others, or both.
static bool isJunction(Value condition) {
  return isa_and_present<arith::AndIOp, arith::OrIOp>(
      condition.getDefiningOp());
}

/// The opposite of a condition.
static Value invert(RewriterBase &rewriter, Value condition) {
  llvm::DenseMap<Value, Value> opposites;
  auto compute = [&](Value value) -> Value {
    Location loc = value.getLoc();
    Operation *source = value.getDefiningOp();
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(source))
      return arith::CmpIOp::create(
          rewriter, loc, arith::invertPredicate(compare.getPredicate()),
          compare.getLhs(), compare.getRhs());
    if (isJunction(value)) {
      Value lhs = opposites.lookup(source->getOperand(0)),
            rhs = opposites.lookup(source->getOperand(1));
      if (isa<arith::AndIOp>(source))
        return arith::OrIOp::create(rewriter, loc, lhs, rhs);
      return arith::AndIOp::create(rewriter, loc, lhs, rhs);
    }
    if (auto other = dyn_cast_if_present<arith::XOrIOp>(source);
        other && matchPattern(other.getRhs(), m_One()))
      return other.getLhs();
    Value yes =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    return arith::XOrIOp::create(rewriter, loc, value, yes);
  };
  walkOperands(condition, isJunction, [&](Value value) {
    Value opposite = compute(value);
    opposites[value] = opposite;
    return WalkResult::advance();
  });
  return opposites.lookup(condition);
}

/// Whether a condition holds where two numbers differ.
static bool holdsOfOthers(Value condition) {
  auto isOr = [](Value value) {
    return isa_and_present<arith::OrIOp>(value.getDefiningOp());
  };
  return isComputedOf(condition, isOr, [](Value value) {
    Operation *source = value.getDefiningOp();
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(source))
      return compare.getPredicate() == Predicate::ne;
    auto other = dyn_cast_if_present<arith::XOrIOp>(source);
    auto compare =
        other ? other.getLhs().getDefiningOp<arith::CmpIOp>() : nullptr;
    return compare && matchPattern(other.getRhs(), m_One()) &&
           compare.getPredicate() == Predicate::eq;
  });
}

void carousel::invertChoices(linalg::GenericOp op, RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto choice :
       llvm::make_early_inc_range(op.getBody()->getOps<arith::SelectOp>())) {
    if (!excludes(choice.getTrueValue()) ||
        !holdsOfOthers(choice.getCondition()))
      continue;
    rewriter.setInsertionPoint(choice);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        choice, invert(rewriter, choice.getCondition()), choice.getFalseValue(),
        choice.getTrueValue());
  }
}

/// Whether a value of a body is the difference from a row, of which only the
/// exponential is read.
static bool isOfExponential(Operation *user, Value argument) {
  if (!isa<arith::SubFOp>(user) || user->getOperand(0) != argument)
    return false;
  while (isa<arith::SubFOp, arith::ExtFOp, arith::TruncFOp>(user)) {
    if (!user->hasOneUse())
      return false;
    user = *user->user_begin();
  }
  return isa<math::ExpOp, math::Exp2Op>(user);
}

/// Whether all that reads the op's result are maxima and exponentials.
static bool isOfSoftmax(linalg::GenericOp op) {
  if (op.getBody()->getTerminator()->getNumOperands() != 1)
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<linalg::GenericOp>(user);
    return reader && llvm::all_of(reader->getOpOperands(), [&](OpOperand &use) {
             if (use.get() != op.getResult(0))
               return true;
             BlockArgument argument = reader.getMatchingBlockArgument(&use);
             return reader.isDpsInput(&use) &&
                    llvm::all_of(argument.getUsers(), [&](Operation *inner) {
                      return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner) ||
                             isOfExponential(inner, argument);
                    });
           });
  });
}

/// Whether an op's body has a number that may exclude elements beside \p own.
static bool hasHugeNumber(linalg::LinalgOp op, Value own) {
  constexpr double kHuge = 0x1p29;
  bool hasOne = false;
  op.getBlock()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      APFloat number(0.0);
      hasOne |= operand != own &&
                matchPattern(operand, m_ConstantFloat(&number)) &&
                !(std::abs(number.convertToDouble()) < kHuge);
    }
  });
  return hasOne;
}

/// Whether scores are products of matrices, and what follows from them alone:
/// nothing else excludes an element. The number of the op that does is \p own.
static bool isOfProduct(linalg::LinalgOp op, Value own) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (unsigned i = 0; i < ops.size(); ++i) {
    auto source = cast<linalg::LinalgOp>(ops[i]);
    if (isContraction(source))
      continue;
    if (source.getNumReductionLoops() != 0 ||
        hasHugeNumber(source, i == 0 ? own : Value()))
      return false;
    for (OpOperand *input : source.getDpsInputOperands()) {
      if (!isa<FloatType>(getElementTypeOrSelf(input->get())))
        continue;
      if (!input->get().getDefiningOp<linalg::LinalgOp>())
        return false;
      ops.insert(input->get().getDefiningOp());
    }
  }
  return true;
}

/// Whether a condition, which is no other ones' conjunction, holds of each
/// row's element with its own number.
static bool holdsOfOwn(Value condition, const EqualNumbers &equal) {
  if (condition.getDefiningOp() == equal.compare) {
    SmallVector<unsigned> loops = equal.ofRows.loops;
    llvm::replace(loops, equal.row, equal.element);
    return equal.ofRows.tensor == equal.ofElements.tensor &&
           loops == equal.ofElements.loops;
  }
  std::optional<SmallVector<IndexBound>> bounds =
      readBounds(equal.op, condition);
  return bounds && llvm::all_of(*bounds, [&](const IndexBound &bound) {
           for (auto [loop, factor] : llvm::enumerate(bound.coefficients))
             if (loop != equal.row && loop != equal.element && factor != 0)
               return false;
           return bound.numbers.empty() && bound.constant >= 0 &&
                  bound.coefficients[equal.row] +
                          bound.coefficients[equal.element] ==
                      0;
         });
}

void carousel::excludeByInfinities(linalg::GenericOp op, unsigned element,
                                   RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto compare : op.getBody()->getOps<arith::CmpIOp>()) {
    std::optional<EqualNumbers> equal = readNumbers(op, compare, element);
    if (compare.getPredicate() != Predicate::eq || !equal)
      continue;
    arith::SelectOp choice = findChoice(op, compare);
    auto isLostOfOwn = [&](Value condition) {
      return !isAnd(condition) && !holdsOfOwn(condition, *equal);
    };
    // The choice is the result: nothing else computes with it.
    Value result = op.getBody()->getTerminator()->getOperand(0);
    if (!choice || choice.getResult() != result ||
        matchPattern(choice.getFalseValue(), m_NegInfFloat()) ||
        isComputedOf(choice.getCondition(), isAnd, isLostOfOwn) ||
        !isOfSoftmax(op) || !isOfProduct(op, choice.getFalseValue()))
      continue;
    rewriter.setInsertionPoint(choice);
    auto type = cast<FloatType>(choice.getType());
    Value never = arith::ConstantOp::create(
        rewriter, choice.getLoc(),
        rewriter.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                    /*Negative=*/true)));
    rewriter.modifyOpInPlace(
        choice, [&] { choice.getFalseValueMutable().assign(never); });
  }
}
