//===- LoopIndexPatterns.cpp - integers that follow from loops ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends compute with the numbers of loops: they limit indices to extents
// that loops have anyway, compare them, and divide what a reshape has joined.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "EqualExtents.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Numbers of loops
//===----------------------------------------------------------------------===//

/// The loop whose number a value is, perhaps as an integer that has all of
/// them; null if there is none.
static linalg::IndexOp findLoopIndex(Value value) {
  Type type = value.getType();
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  auto loops =
      index ? index->getParentOfType<linalg::LinalgOp>() : linalg::LinalgOp();
  if (!loops || type.isIndex())
    return index;
  int64_t extent = loops.getStaticLoopRanges()[index.getDim()];
  bool isWhole = !ShapedType::isDynamic(extent) &&
                 extent - 1 <= llvm::maxIntN(type.getIntOrFloatBitWidth());
  return isWhole ? index : linalg::IndexOp();
}

namespace {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

struct UpperLimit : public OpRewritePattern<arith::MinSIOp> {
  UpperLimit(MLIRContext *context, EqualExtentsListener &extents)
      : OpRewritePattern(context), extents(extents) {}

  LogicalResult matchAndRewrite(arith::MinSIOp op,
                                PatternRewriter &rewriter) const override {
    linalg::IndexOp index = findLoopIndex(op.getLhs());
    auto loops =
        index ? index->getParentOfType<linalg::LinalgOp>() : linalg::LinalgOp();
    if (!loops)
      return rewriter.notifyMatchFailure(op, "no loop's number");
    std::optional<ExtentFactors> limit = findLimit(op.getRhs());
    if (!limit)
      return rewriter.notifyMatchFailure(op, "not limited to an extent");
    for (const ExtentFactors &extent : findLoopExtents(loops, index.getDim())) {
      bool areConstant = extent.others.empty() && limit->others.empty();
      bool isWithin =
          areConstant ? !extent.isTooLarge && extent.constant <= limit->constant
                      : extent == *limit || extents.areEqual(extent, *limit);
      if (!isWithin)
        continue;
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the loop may be longer");
  }

private:
  /// The extent that a value is the last index of.
  static std::optional<ExtentFactors> findLimit(Value last) {
    APInt constant;
    if (matchPattern(last, m_ConstantInt(&constant))) {
      ExtentFactors extent;
      extent.constant = constant.getSExtValue() + 1;
      return extent;
    }
    auto difference = last.getDefiningOp<arith::SubIOp>();
    auto sum = last.getDefiningOp<arith::AddIOp>();
    if (difference && matchPattern(difference.getRhs(), m_One()))
      return factorizeExtent(difference.getLhs());
    if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
        constant.isAllOnes())
      return factorizeExtent(sum.getLhs());
    return std::nullopt;
  }

  EqualExtentsListener &extents;
};

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

/// An integer from 0 to below 1 is 0: scatters compare the distance between a
/// loop and where a window of one element begins with its extent.
struct RangeOfOne : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned = op.getPredicate() == Predicate::ult;
    if ((!isUnsigned && op.getPredicate() != Predicate::slt) ||
        !matchPattern(op.getRhs(), m_One()))
      return rewriter.notifyMatchFailure(op, "expected a number below one");
    if (!isUnsigned && !isOnlyWithSign(op.getResult(), op.getLhs()))
      return rewriter.notifyMatchFailure(op, "the number may be negative");
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(op.getLhs().getType()));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, Predicate::eq, op.getLhs(),
                                               zero);
    return success();
  }

  /// Whether a conjunction says that a number isn't negative.
  static bool saysSign(Value conjunction, Value number) {
    auto isConjunction = [](Value value) {
      return value.getDefiningOp<arith::AndIOp>() != nullptr;
    };
    return walkOperands(conjunction, isConjunction,
                        [&](Value value) {
                          auto compare = value.getDefiningOp<arith::CmpIOp>();
                          return compare && compare.getLhs() == number &&
                                         compare.getPredicate() ==
                                             arith::CmpIPredicate::sge &&
                                         matchPattern(compare.getRhs(),
                                                      m_Zero())
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
        .wasInterrupted();
  }

  /// Whether a condition is used only where the number isn't negative.
  static bool isOnlyWithSign(Value condition, Value number) {
    auto addUses = [&](Value value, SmallVectorImpl<Value> &conjunctions) {
      for (Operation *user : value.getUsers())
        if (isa<arith::AndIOp>(user) && !saysSign(user->getResult(0), number))
          conjunctions.push_back(user->getResult(0));
    };
    auto visit = [](Value value) {
      bool isElsewhere = value.use_empty() ||
                         llvm::any_of(value.getUsers(), [](Operation *user) {
                           return !isa<arith::AndIOp>(user);
                         });
      return isElsewhere ? WalkResult::interrupt() : WalkResult::advance();
    };
    return !walkSources(condition, addUses, visit).wasInterrupted();
  }
};

struct DifferenceOfZero : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto difference = op.getLhs().getDefiningOp<arith::SubIOp>();
    if (op.getPredicate() != arith::CmpIPredicate::eq || !difference ||
        !matchPattern(op.getRhs(), m_Zero()))
      return rewriter.notifyMatchFailure(op, "expected a difference of zero");
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, op.getPredicate(), difference.getLhs(), difference.getRhs());
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions of loops' indices
//===----------------------------------------------------------------------===//

namespace {

using IndexRange = std::pair<int64_t, int64_t>; ///< the least and the largest

/// Reads integers of a body as functions of the numbers of its loops. What may
/// wrap has none.
class LoopFunctions {
public:
  explicit LoopFunctions(linalg::GenericOp op)
      : op(op), extents(op.getStaticLoopRanges()) {}

  /// Null if there is none. A truth value is 1 or 0.
  AffineExpr read(Value value);

private:
  AffineExpr compute(Value value);
  void findLimits(Operation *place);
  void limit(Value condition, bool holds);
  AffineExpr readOperand(OpOperand *operand);
  AffineExpr computeUnlimited(Operation *source);
  AffineExpr compare(arith::CmpIPredicate predicate, AffineExpr lhs,
                     AffineExpr rhs);
  AffineExpr choose(Value condition, Value first, Value second);
  AffineExpr divide(AffineExpr dividend, AffineExpr by, bool takesRemainder);
  std::optional<IndexRange> findRange(AffineExpr expr);
  AffineExpr getConstant(int64_t value) {
    return getAffineConstantExpr(value, op.getContext());
  }
  AffineExpr simplify(AffineExpr expr) {
    return simplifyAffineExpr(expr, extents.size(), /*numSymbols=*/0);
  }

  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  /// The numbers of the loops where the value is that is read.
  SmallVector<IndexRange> limits;
  llvm::DenseMap<Value, AffineExpr> known;
};

/// An integer of a body that is a simpler function of its loops' indices than
/// what computes it.
struct FunctionOfLoops : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

/// The inverse of a truth value, by one op.
struct ComparisonWithFalse : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getPredicate() != arith::CmpIPredicate::eq ||
        !op.getLhs().getType().isInteger(1) ||
        !matchPattern(op.getRhs(), m_Zero()))
      return rewriter.notifyMatchFailure(op,
                                         "expected a comparison with false");
    Value isTrue = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             rewriter.getBoolAttr(true));
    rewriter.replaceOpWithNewOp<arith::XOrIOp>(op, op.getLhs(), isTrue);
    return success();
  }
};

} // namespace

/// The only result of a branch.
static Value findYielded(scf::IfOp branch, bool holds) {
  if (branch.getNumResults() != 1)
    return {};
  return (holds ? branch.thenYield() : branch.elseYield()).getOperand(0);
}

AffineExpr LoopFunctions::read(Value value) {
  auto addSources = [&](Value inner, SmallVectorImpl<Value> &sources) {
    Operation *source = inner.getDefiningOp();
    if (known.contains(inner) || !source || !op->isProperAncestor(source))
      return;
    if (auto branch = dyn_cast<scf::IfOp>(source);
        branch && findYielded(branch, true))
      sources.append({findYielded(branch, true), findYielded(branch, false)});
    llvm::append_range(sources, source->getOperands());
  };
  walkSources(value, addSources, [&](Value inner) {
    if (!known.contains(inner)) {
      AffineExpr expr = compute(inner);
      known[inner] = expr;
    }
    return WalkResult::advance();
  });
  return known.lookup(value);
}

/// No memory has more elements.
static constexpr int64_t kMostElements = int64_t(1) << 48;

/// The numbers that branches leave to the loops that they compare.
void LoopFunctions::findLimits(Operation *place) {
  limits.clear();
  for (int64_t extent : extents)
    limits.emplace_back(0, ShapedType::isDynamic(extent)
                               ? kMostElements
                               : std::max<int64_t>(extent, 2) - 1);
  for (Operation *inner = place; inner != op; inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      limit(branch.getCondition(), inner->getBlock() == branch.thenBlock());
}

void LoopFunctions::limit(Value condition, bool holds) {
  using Predicate = arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto index =
      compare ? compare.getLhs().getDefiningOp<linalg::IndexOp>() : nullptr;
  APInt constant;
  if (!index || !matchPattern(compare.getRhs(), m_ConstantInt(&constant)) ||
      constant.isNegative() || constant.ugt(kMostElements))
    return;
  // Numbers of loops have no sign.
  Predicate predicate = getSigned(compare.getPredicate());
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  int64_t bound = constant.getSExtValue();
  auto [first, last] = limits[index.getDim()];
  if (predicate == Predicate::slt || predicate == Predicate::sle)
    last = std::min(last, bound - (predicate == Predicate::slt ? 1 : 0));
  if (predicate == Predicate::sgt || predicate == Predicate::sge)
    first = std::max(first, bound + (predicate == Predicate::sgt ? 1 : 0));
  if (first <= last) // others aren't reached
    limits[index.getDim()] = {first, last};
}

std::optional<IndexRange> LoopFunctions::findRange(AffineExpr expr) {
  SmallVector<int64_t> factors(extents.size(), 0);
  int64_t first = 0;
  if (!readLinear(expr, factors, first))
    return std::nullopt;
  int64_t last = first;
  for (auto [factor, limit] : llvm::zip_equal(factors, limits)) {
    int64_t least, most;
    if (llvm::MulOverflow(factor, limit.first, least) ||
        llvm::MulOverflow(factor, limit.second, most))
      return std::nullopt;
    if (factor < 0)
      std::swap(least, most);
    if (llvm::AddOverflow(first, least, first) ||
        llvm::AddOverflow(last, most, last))
      return std::nullopt;
  }
  return IndexRange(first, last);
}

AffineExpr LoopFunctions::compare(arith::CmpIPredicate predicate,
                                  AffineExpr lhs, AffineExpr rhs) {
  using Predicate = arith::CmpIPredicate;
  std::optional<IndexRange> own = findRange(lhs), other = findRange(rhs),
                            difference = findRange(simplify(lhs - rhs));
  if (!own || !other || !difference)
    return {};
  // Comparisons without signs are those with signs, of numbers that have none.
  bool areNatural = own->first >= 0 && other->first >= 0;
  if (Predicate withSigns = getSigned(predicate); withSigns != predicate) {
    if (!areNatural)
      return {};
    predicate = withSigns;
  }
  std::optional<bool> result = intrange::evaluatePred(
      static_cast<intrange::CmpPredicate>(predicate),
      ConstantIntRanges::fromSigned(APInt(64, difference->first, true),
                                    APInt(64, difference->second, true)),
      ConstantIntRanges::constant(APInt(64, 0)));
  return result ? getConstant(*result) : AffineExpr();
}

AffineExpr LoopFunctions::choose(Value condition, Value first, Value second) {
  AffineExpr isFirst = known.lookup(condition);
  AffineExpr own = known.lookup(first), other = known.lookup(second);
  if (isa_and_present<AffineConstantExpr>(isFirst))
    return isFirst == getConstant(0) ? other : own;
  if (!own || !other || own == other)
    return own == other ? own : AffineExpr();
  // Where a loop is at one number, both may be equal.
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return {};
  AffineExpr lhs = known.lookup(compare.getLhs()),
             rhs = known.lookup(compare.getRhs());
  auto loop = dyn_cast_if_present<AffineDimExpr>(lhs);
  if (!loop || !isa_and_present<AffineConstantExpr>(rhs))
    return {};
  auto take = [&](AffineExpr expr) {
    return simplify(expr.replace(loop, rhs));
  };
  return take(own) == take(other) ? other : AffineExpr();
}

/// The quotient or the remainder where loops' indices are digits of the
/// dividend, as those of a dimension are that joins several.
AffineExpr LoopFunctions::divide(AffineExpr dividend, AffineExpr by,
                                 bool takesRemainder) {
  auto divisor = dyn_cast<AffineConstantExpr>(by);
  SmallVector<int64_t> factors(extents.size(), 0);
  int64_t first = 0;
  if (!divisor || divisor.getValue() <= 0 ||
      !readLinear(dividend, factors, first))
    return {};
  AffineExpr quotient = getConstant(first / divisor.getValue()),
             rest = getConstant(first % divisor.getValue());
  for (auto [loop, factor] : llvm::enumerate(factors)) {
    AffineExpr index = getAffineDimExpr(loop, op.getContext());
    if (factor % divisor.getValue() == 0)
      quotient = quotient + index * (factor / divisor.getValue());
    else
      rest = rest + index * factor;
  }
  auto isWithin = [&](AffineExpr expr, int64_t end) {
    std::optional<IndexRange> range = findRange(simplify(expr));
    return range && range->first >= 0 && range->second < end;
  };
  if (!isWithin(quotient, std::numeric_limits<int64_t>::max()) ||
      !isWithin(rest, divisor.getValue()))
    return {};
  return takesRemainder ? rest : quotient;
}

AffineExpr LoopFunctions::computeUnlimited(Operation *source) {
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return getAffineDimExpr(index.getDim(), op.getContext());
  if (auto choice = dyn_cast<arith::SelectOp>(source))
    return choose(choice.getCondition(), choice.getTrueValue(),
                  choice.getFalseValue());
  if (auto branch = dyn_cast<scf::IfOp>(source))
    return branch.getNumResults() == 1
               ? choose(branch.getCondition(), findYielded(branch, true),
                        findYielded(branch, false))
               : AffineExpr();
  SmallVector<AffineExpr> operands;
  for (Value operand : source->getOperands()) {
    operands.push_back(known.lookup(operand));
    if (!operands.back())
      return {};
  }
  if (operands.empty()) // a constant that sums would wrap
    return {};
  if (auto apply = dyn_cast<affine::AffineApplyOp>(source)) {
    unsigned dims = apply.getAffineMap().getNumDims();
    return apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
        ArrayRef(operands).take_front(dims),
        ArrayRef(operands).drop_front(dims));
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(source))
    return source->getOperand(0).getType().isInteger(1) ? AffineExpr()
                                                        : operands[0];
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(source)) {
    std::optional<IndexRange> range = findRange(operands[0]);
    return range && range->first >= 0 ? operands[0] : AffineExpr();
  }
  if (source->getResult(0).getType().isInteger(1) &&
      !isa<arith::CmpIOp>(source))
    return {};
  if (auto comparison = dyn_cast<arith::CmpIOp>(source))
    return compare(comparison.getPredicate(), operands[0], operands[1]);
  if (isa<arith::AddIOp>(source))
    return operands[0] + operands[1];
  if (isa<arith::SubIOp>(source))
    return operands[0] - operands[1];
  if (auto factor = dyn_cast<AffineConstantExpr>(operands.back());
      factor && isa<arith::MulIOp>(source)) {
    std::optional<IndexRange> range = findRange(operands[0]);
    int64_t first, last;
    return range &&
                   !llvm::MulOverflow(range->first, factor.getValue(), first) &&
                   !llvm::MulOverflow(range->second, factor.getValue(), last)
               ? operands[0] * operands[1]
               : AffineExpr();
  }
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(
          source))
    return divide(operands[0], operands[1],
                  isa<arith::RemUIOp, arith::RemSIOp>(source));
  if (isa<arith::MinSIOp, arith::MaxSIOp>(source)) {
    // Where both are equal, either one is the result.
    for (unsigned least : {0, 1})
      if (compare(arith::CmpIPredicate::sle, operands[least],
                  operands[1 - least]) == getConstant(1))
        return operands[isa<arith::MinSIOp>(source) ? least : 1 - least];
  }
  return {};
}

AffineExpr LoopFunctions::readOperand(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!producer || !isOfIndices(producer) || !op.isDpsInput(operand) ||
      !producer.getIndexingMapsArray().front().isIdentity())
    return {};
  AffineExpr expr = LoopFunctions(producer).read(
      producer.getBody()->getTerminator()->getOperand(0));
  return expr ? simplify(expr.replaceDims(
                    op.getMatchingIndexingMap(operand).getResults()))
              : expr;
}

AffineExpr LoopFunctions::compute(Value value) {
  Type type = value.getType();
  APInt constant;
  constexpr unsigned kBits = 60; // sums of two, and their factors, don't wrap
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= kBits)
    return getConstant(type.isInteger(1) ? constant.getZExtValue()
                                         : constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBody())
    return readOperand(op.getMatchingOpOperand(argument));
  Operation *source = value.getDefiningOp();
  if (!source || !op->isProperAncestor(source) ||
      !(type.isIndex() || type.isSignlessInteger()))
    return {};
  findLimits(source);
  AffineExpr expr = computeUnlimited(source);
  if (!expr)
    return {};
  expr = simplify(expr);
  std::optional<IndexRange> range = findRange(expr);
  unsigned bits =
      type.isIndex() ? kBits : std::min(type.getIntOrFloatBitWidth(), kBits);
  IndexRange whole = bits == 1
                         ? IndexRange(0, 1)
                         : IndexRange(llvm::minIntN(bits), llvm::maxIntN(bits));
  bool isWhole =
      range && range->first >= whole.first && range->second <= whole.second;
  return isWhole ? expr : AffineExpr();
}

LogicalResult
FunctionOfLoops::matchAndRewrite(linalg::GenericOp op,
                                 PatternRewriter &rewriter) const {
  LoopFunctions functions(op);
  SmallVector<std::pair<Operation *, AffineExpr>> simpler;
  op.getBody()->walk([&](Operation *inner) {
    if (inner->getNumResults() != 1 || inner->use_empty() ||
        !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::DivUIOp, arith::DivSIOp, arith::RemUIOp,
             arith::RemSIOp, arith::CmpIOp, arith::SelectOp, scf::IfOp>(inner))
      return;
    AffineExpr expr = functions.read(inner->getResult(0));
    bool isChoice = !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner);
    if (expr && (isChoice || isa<AffineDimExpr, AffineConstantExpr>(expr)))
      simpler.push_back({inner, expr});
  });
  SmallVector<Value> loops(op.getNumLoops());
  for (auto [inner, expr] : simpler) {
    Location loc = inner->getLoc();
    Type type = inner->getResult(0).getType();
    // Branches have no loops of their own.
    rewriter.setInsertionPointToStart(op.getBody());
    for (auto [number, loop] : llvm::enumerate(loops))
      if (expr.isFunctionOfDim(number))
        loop = linalg::IndexOp::create(rewriter, loc, number);
    rewriter.setInsertionPoint(inner);
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          inner, rewriter.getIntegerAttr(type, constant.getValue()));
      continue;
    }
    Value result = affine::expandAffineExpr(rewriter, loc, expr, loops, {});
    if (type != result.getType())
      result = arith::IndexCastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(inner, result);
  }
  return success(!simpler.empty());
}

void carousel::populateLoopIndexPatterns(RewritePatternSet &patterns,
                                         EqualExtentsListener &extents) {
  patterns
      .add<FunctionOfLoops, ComparisonWithFalse, RangeOfOne, DifferenceOfZero>(
          patterns.getContext());
  patterns.add<UpperLimit>(patterns.getContext(), extents);
}
