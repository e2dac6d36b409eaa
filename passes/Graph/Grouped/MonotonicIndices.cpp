//===- MonotonicIndices.cpp - tables that never descend -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MonotonicIndices.h.
//
//===----------------------------------------------------------------------===//

#include "MonotonicIndices.h"

#include "../Products/OneHotIndices.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

namespace {

/// How many of some conditions hold.
struct Count {
  Value condition;
  int64_t most = 0;
};

} // namespace

/// Finds the count that elements of a tensor are, if it surely doesn't wrap.
static std::optional<Count> findCount(Value table) {
  auto op = table.getDefiningOp<linalg::GenericOp>();
  Value term = op ? findSummand(op) : Value();
  auto one = term ? term.getDefiningOp<arith::ExtUIOp>() : arith::ExtUIOp();
  if (!one || !one.getIn().getType().isInteger(1))
    return std::nullopt;
  SmallVector<int64_t> reduced;
  for (auto [extent, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      reduced.push_back(extent);
  int64_t most = llvm::is_contained(reduced, ShapedType::kDynamic)
                     ? kMostOfLoop
                     : ShapedType::getNumElements(reduced);
  if (most > llvm::maxIntN(one.getType().getIntOrFloatBitWidth()))
    return std::nullopt;
  return Count{one.getIn(), most};
}

/// The range of a count that a body reads, or of an index of a loop.
static IntegerValueRange findRange(Value value) {
  Value tensor;
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>())
    tensor = extract.getTensor();
  else if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto op =
            dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp()))
      tensor = op.getMatchingOpOperand(argument)->get();
  std::optional<Count> count =
      tensor ? findCount(tensor) : std::optional<Count>();
  if (!count)
    return findLoopRange(value);
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  return ConstantIntRanges::fromSigned(APInt(width, 0),
                                       APInt(width, count->most));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {

/// Indices of a body as affine expressions, whose dimensions are the values
/// that aren't sums, products, quotients or remainders.
class IndexExprs {
public:
  AffineExpr get(Value value) {
    return exprs.get(
        value,
        [](Value inner) {
          return isa_and_present<arith::AddIOp, arith::MulIOp, arith::DivUIOp,
                                 arith::RemUIOp, affine::AffineApplyOp>(
              inner.getDefiningOp());
        },
        [&](Value inner) { return compute(inner); });
  }
  /// Finds the values in a sum and their factors. One of constants alone has
  /// none; nothing for other expressions.
  std::optional<SmallVector<std::pair<Value, int64_t>>>
  findTerms(AffineExpr expr) const;

private:
  AffineExpr compute(Value value);

  OperandFold<AffineExpr> exprs;
  SmallVector<Value> values; ///< by dimension
};

} // namespace

AffineExpr IndexExprs::compute(Value value) {
  MLIRContext *context = value.getContext();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), context);
  Operation *source = value.getDefiningOp();
  if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(source)) {
    AffineMap map = apply.getAffineMap();
    auto operands = llvm::map_to_vector(
        apply.getOperands(), [&](Value own) { return exprs.lookup(own); });
    return map.getResult(0).replaceDimsAndSymbols(
        ArrayRef(operands).take_front(map.getNumDims()),
        ArrayRef(operands).drop_front(map.getNumDims()));
  }
  auto get = [&](unsigned at) { return exprs.lookup(source->getOperand(at)); };
  if (isa_and_present<arith::AddIOp>(source))
    return get(0) + get(1);
  if (isa_and_present<arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(source) &&
      matchPattern(source->getOperand(1), m_ConstantInt(&number)) &&
      number.isStrictlyPositive())
    return isa<arith::MulIOp>(source)    ? get(0) * get(1)
           : isa<arith::DivUIOp>(source) ? get(0).floorDiv(get(1))
                                         : get(0) % get(1);
  values.push_back(value);
  return getAffineDimExpr(values.size() - 1, context);
}

std::optional<SmallVector<std::pair<Value, int64_t>>>
IndexExprs::findTerms(AffineExpr expr) const {
  expr = simplifyAffineExpr(expr, values.size(), 0);
  SmallVector<int64_t> strides(values.size(), 0);
  int64_t offset = 0;
  if (!readLinear(expr, strides, offset))
    return std::nullopt;
  SmallVector<std::pair<Value, int64_t>> terms;
  for (auto [value, stride] : llvm::zip_equal(values, strides))
    if (stride != 0)
      terms.push_back({value, stride});
  if (offset != 0 && !terms.empty())
    return std::nullopt;
  return terms;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The op that computes the integers of a tensor.
static linalg::GenericOp findTable(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  bool isTable = op && op.getNumDpsInits() == 1 && type &&
                 type.getRank() != 0 && type.getElementType().isIntOrIndex();
  return isTable ? op : linalg::GenericOp();
}

static bool isCast(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op);
}

namespace {

/// Tables, and values of the bodies that compute them.
class MonotonicTables {
public:
  bool isMonotonicAlong(Value table) {
    return tables.get(
        table, [](Value tensor) { return bool(findTable(tensor)); },
        [&](Value tensor) { return compute(tensor); });
  }

private:
  bool compute(Value table);

  OperandFold<bool> tables;
};

/// Whether values of a body don't descend along loops, of which the last one is
/// the innermost, by what they are computed from.
class MonotonicValues {
public:
  MonotonicValues(MonotonicTables &tables, linalg::GenericOp op,
                  ArrayRef<unsigned> loops)
      : tables(tables), op(op), loops(loops), ranges(findRange) {}

  bool isMonotonicAlong(Value value) {
    auto isOfBody = [&](Value inner) {
      return inner.getParentBlock() == op.getBody();
    };
    return known.get(value, isOfBody,
                     [&](Value inner) { return compute(inner); });
  }

private:
  bool compute(Value value);
  bool ascendsAsInput(BlockArgument argument);
  bool ascendsAsSum(AffineExpr expr);
  bool ascendsAsRead(tensor::ExtractOp extract);
  bool ascendsAsTruth(arith::CmpIOp compare);
  bool keepsOrder(Operation *cast);
  /// The value that a choice takes, which counts it from the end where it is
  /// negative, as it never is; null for other choices.
  Value findWrapped(arith::SelectOp choice);

  MonotonicTables &tables;
  linalg::GenericOp op;
  ArrayRef<unsigned> loops;
  IndexRanges ranges;
  IndexExprs exprs;
  OperandFold<bool> known;
};

} // namespace

bool MonotonicValues::ascendsAsInput(BlockArgument argument) {
  if (argument.getOwner() != op.getBody())
    return false;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (llvm::none_of(loops,
                    [&](unsigned loop) { return map.isFunctionOfDim(loop); }))
    return true;
  return map == AffineMap::getMultiDimMapWithTargets(op.getNumLoops(), loops,
                                                     op.getContext()) &&
         tables.isMonotonicAlong(operand->get());
}

/// Whether an expression is a value that ascends, or the place that the loops
/// go to.
bool MonotonicValues::ascendsAsSum(AffineExpr expr) {
  auto terms = exprs.findTerms(expr);
  if (!terms || terms->size() < 2)
    return terms &&
           (terms->empty() || (terms->front().second == 1 &&
                               isMonotonicAlong(terms->front().first)));
  int64_t stride = 1;
  for (unsigned loop : llvm::reverse(loops)) {
    bool hasLoop = llvm::any_of(*terms, [&](auto term) {
      auto index = term.first.template getDefiningOp<linalg::IndexOp>();
      return index && index.getDim() == loop && term.second == stride;
    });
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (!hasLoop || (loop != loops.front() && ShapedType::isDynamic(extent)))
      return false;
    stride *= extent;
  }
  return terms->size() == loops.size();
}

/// Whether a table that ascends is read at places that do.
bool MonotonicValues::ascendsAsRead(tensor::ExtractOp extract) {
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  if (shape.empty() ||
      llvm::is_contained(shape.drop_front(), ShapedType::kDynamic))
    return false;
  AffineExpr place = exprs.get(extract.getIndices().front());
  for (auto [index, extent] :
       llvm::zip_equal(extract.getIndices().drop_front(), shape.drop_front()))
    place = place * extent + exprs.get(index);
  return ascendsAsSum(place) && tables.isMonotonicAlong(extract.getTensor());
}

bool MonotonicValues::ascendsAsTruth(arith::CmpIOp compare) {
  // With a sign, true is below false.
  if (compare.getLhs().getType().isInteger(1))
    return false;
  auto isFixed = [&](Value side) {
    return llvm::all_of(
        loops, [&](unsigned loop) { return isFixedAlong(op, side, loop); });
  };
  bool isLeast = llvm::is_contained({Predicate::sle, Predicate::slt},
                                    compare.getPredicate());
  bool isMost = llvm::is_contained({Predicate::sge, Predicate::sgt},
                                   compare.getPredicate());
  return (isLeast && isMonotonicAlong(compare.getRhs()) &&
          isFixed(compare.getLhs())) ||
         (isMost && isMonotonicAlong(compare.getLhs()) &&
          isFixed(compare.getRhs()));
}

bool MonotonicValues::keepsOrder(Operation *cast) {
  Value number = cast->getOperand(0);
  unsigned from = ConstantIntRanges::getStorageBitwidth(number.getType()),
           to = ConstantIntRanges::getStorageBitwidth(
               cast->getResult(0).getType());
  // With a sign, true is -1.
  if (to >= from)
    return from != 1;
  // Values that ascend are indices of loops, counts and constants.
  if (kMostOfLoop <= llvm::maxIntN(to))
    return true;
  IntegerValueRange range = ranges.get(number);
  return !range.isUninitialized() && range.getValue().smin().isSignedIntN(to) &&
         range.getValue().smax().isSignedIntN(to);
}

Value MonotonicValues::findWrapped(arith::SelectOp choice) {
  auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  bool isWrap = compare && compare.getPredicate() == Predicate::slt &&
                matchPattern(compare.getRhs(), m_Zero()) &&
                ranges.isNonNegative(compare.getLhs());
  return isWrap ? choice.getFalseValue() : Value();
}

bool MonotonicValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ascendsAsInput(argument);
  Operation *source = value.getDefiningOp();
  if (matchPattern(value, m_Constant()))
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return index.getDim() == loops.front() ||
           !llvm::is_contained(loops, index.getDim());
  if (auto extract = dyn_cast<tensor::ExtractOp>(source))
    return ascendsAsRead(extract);
  if (auto choice = dyn_cast<arith::SelectOp>(source)) {
    Value number = findWrapped(choice);
    return number && isMonotonicAlong(number);
  }
  if (isa<arith::AddIOp, affine::AffineApplyOp>(source))
    return ascendsAsSum(exprs.get(value));
  if (auto compare = dyn_cast<arith::CmpIOp>(source))
    return ascendsAsTruth(compare);
  bool isTruth = isa<arith::ExtUIOp>(source) &&
                 source->getOperand(0).getType().isInteger(1);
  if (isTruth || isa<arith::MinSIOp, arith::MaxSIOp>(source))
    return llvm::all_of(source->getOperands(), [&](Value operand) {
      return isMonotonicAlong(operand);
    });
  return isCast(source) && keepsOrder(source) &&
         isMonotonicAlong(source->getOperand(0));
}

bool MonotonicTables::compute(Value table) {
  linalg::GenericOp op = findTable(table);
  if (!op)
    return false;
  SmallVector<unsigned> loops;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return false;
    loops.push_back(loop.getPosition());
  }
  MonotonicValues values(*this, op, loops);
  if (op.getNumReductionLoops() == 0)
    return values.isMonotonicAlong(
        op.getBody()->getTerminator()->getOperand(0));
  // A count of conditions that begin to hold somewhere.
  std::optional<Count> count = findCount(table);
  return count && values.isMonotonicAlong(count->condition);
}

bool carousel::isMonotonic(Value table) {
  return MonotonicTables().isMonotonicAlong(table);
}
