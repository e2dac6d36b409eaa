//===- AscendingNumbers.cpp - tables that never descend -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AscendingNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "AscendingNumbers.h"

#include "../Products/OneHotPoints.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowRanges.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

/// Whether a type has the numbers below the extent of a loop; an unknown one is
/// below 2^31.
static bool hasNumbers(Type type, int64_t extent) {
  constexpr unsigned kMostBits = 32;
  unsigned bits = type.isIndex()
                      ? kMostBits
                      : std::min(type.getIntOrFloatBitWidth(), kMostBits);
  return ShapedType::isDynamic(extent) ? bits == kMostBits
                                       : extent <= int64_t(1) << (bits - 1);
}

static bool isCast(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op);
}

/// Whether a cast keeps integers that ascend: they are numbers of loops, or
/// counts, if they aren't constant.
static bool keepsNumbers(linalg::GenericOp op, Operation *cast) {
  Value number = cast->getOperand(0);
  Type to = cast->getResult(0).getType();
  // With a sign, true is -1.
  if (to.isIndex() || isa<arith::ExtSIOp>(cast))
    return !number.getType().isInteger(1);
  if (auto loop = skipIndexCasts(number).getDefiningOp<linalg::IndexOp>())
    return hasNumbers(to, op.getStaticLoopRanges()[loop.getDim()]);
  return hasNumbers(to, ShapedType::kDynamic);
}

/// Finds the truth values that a sum counts; null for other ops, and for those
/// whose sums may wrap.
static arith::ExtUIOp findCount(Value table) {
  auto op = table.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() == 0)
    return {};
  std::optional<Combination> sum = findCombination(op);
  TypedAttr fill = sum ? findFill(op.getDpsInits()[0]) : TypedAttr();
  if (!fill || sum->kind != vector::CombiningKind::ADD ||
      !matchPattern(fill, m_Zero()))
    return {};
  int64_t most = 1;
  for (auto [extent, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      most = ShapedType::isDynamic(most) || ShapedType::isDynamic(extent)
                 ? ShapedType::kDynamic
                 : most * extent;
  // A count may be as high as the extent.
  if (!hasNumbers(fill.getType(),
                  ShapedType::isDynamic(most) ? most : most + 1))
    return {};
  auto count = sum->element.getDefiningOp<arith::ExtUIOp>();
  return count && count.getIn().getType().isInteger(1) ? count
                                                       : arith::ExtUIOp();
}

namespace {

/// The facts known of the integers of an op's body.
class BodyNumbers {
public:
  explicit BodyNumbers(linalg::GenericOp op) : op(op) {}

  /// Whether one is surely not negative.
  bool isNatural(Value value) {
    return get(natural, value, &BodyNumbers::computeNatural);
  }
  /// Whether one is surely below 2^31, as numbers of loops and counts are.
  bool isBelowLoops(Value value) {
    return get(belowLoops, value, &BodyNumbers::computeBelowLoops);
  }

private:
  using Known = OperandFold<bool>;

  bool get(Known &known, Value value, bool (BodyNumbers::*compute)(Value)) {
    auto keepsNumber = [](Value inner) {
      Operation *source = inner.getDefiningOp();
      return isa<arith::MinSIOp, arith::MaxSIOp>(source) || isCast(source);
    };
    return known.get(value, keepsNumber,
                     [&](Value inner) { return (this->*compute)(inner); });
  }
  bool isCount(BlockArgument argument) {
    return argument.getOwner() == op.getBody() &&
           findCount(op.getMatchingOpOperand(argument)->get());
  }
  bool computeBelowLoops(Value value);
  bool computeNatural(Value value);

  linalg::GenericOp op;
  Known natural, belowLoops;
};

} // namespace

bool BodyNumbers::computeBelowLoops(Value value) {
  constexpr unsigned kBits = 31;
  auto type = dyn_cast<IntegerType>(value.getType());
  if (type && type.getWidth() <= kBits + 1)
    return true;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.isIntN(kBits) || number.isNegative();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isCount(argument);
  Operation *source = value.getDefiningOp();
  auto isOne = [&](Value operand) { return isBelowLoops(operand); };
  if (isa<arith::MinSIOp>(source))
    return llvm::any_of(source->getOperands(), isOne);
  if (isa<arith::MaxSIOp>(source) || isCast(source))
    return llvm::all_of(source->getOperands(), isOne);
  auto extract = dyn_cast<tensor::ExtractOp>(source);
  return isa<linalg::IndexOp>(source) ||
         (extract && findCount(extract.getTensor()));
}

bool BodyNumbers::computeNatural(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isCount(argument);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.isNonNegative();
  Operation *source = value.getDefiningOp();
  if (auto extract = dyn_cast<tensor::ExtractOp>(source))
    return bool(findCount(extract.getTensor()));
  auto isOne = [&](Value operand) { return isNatural(operand); };
  if (isa<arith::MaxSIOp>(source))
    return llvm::any_of(source->getOperands(), isOne);
  if (isCast(source)) {
    Value number = source->getOperand(0);
    bool isWide =
        source->getResult(0).getType().isIndex() || isa<arith::ExtSIOp>(source);
    return (isWide || isBelowLoops(number)) && keepsNumbers(op, source) &&
           isOne(number);
  }
  return isa<linalg::IndexOp>(source) ||
         (isa<arith::MinSIOp>(source) &&
          llvm::all_of(source->getOperands(), isOne));
}

/// The number that a choice counts from the end if it is negative, which it
/// never is; null for other choices.
static Value findWrapped(BodyNumbers &numbers, arith::SelectOp choice) {
  auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  bool isWrap = compare && compare.getPredicate() == Predicate::slt &&
                matchPattern(compare.getRhs(), m_Zero()) &&
                numbers.isNatural(compare.getLhs());
  return isWrap ? choice.getFalseValue() : Value();
}

/// Finds n in n / c * c + n mod c; null for other numbers.
static Value findDivided(Value quotient, Value rest, int64_t factor) {
  auto division = quotient.getDefiningOp<arith::DivUIOp>();
  auto remainder = rest.getDefiningOp<arith::RemUIOp>();
  APInt divisor, modulus;
  bool isWhole = division && remainder &&
                 division.getLhs() == remainder.getLhs() &&
                 matchPattern(division.getRhs(), m_ConstantInt(&divisor)) &&
                 matchPattern(remainder.getRhs(), m_ConstantInt(&modulus)) &&
                 divisor == factor && modulus == factor;
  return isWhole ? remainder.getLhs() : Value();
}

/// Finds the factor of each of the two operands of a sum.
static std::optional<std::array<int64_t, 2>>
findStrides(affine::AffineApplyOp apply) {
  AffineMap map = apply.getAffineMap();
  if (apply.getNumOperands() != 2)
    return std::nullopt;
  SmallVector<AffineExpr> numbers(2);
  bindDimsList(map.getContext(), MutableArrayRef(numbers));
  AffineExpr sum = map.getResult(0).replaceDimsAndSymbols(
      ArrayRef(numbers).take_front(map.getNumDims()),
      ArrayRef(numbers).drop_front(map.getNumDims()));
  SmallVector<int64_t> strides(2, 0);
  int64_t offset = 0;
  if (!readLinear(sum, strides, offset) || offset != 0)
    return std::nullopt;
  return std::array{strides[0], strides[1]};
}

static Value findDividedOfSum(Operation *sum) {
  if (auto add = dyn_cast<arith::AddIOp>(sum)) {
    auto product = add.getLhs().getDefiningOp<arith::MulIOp>();
    APInt factor;
    return product && matchPattern(product.getRhs(), m_ConstantInt(&factor))
               ? findDivided(product.getLhs(), add.getRhs(),
                             factor.getSExtValue())
               : Value();
  }
  auto apply = dyn_cast<affine::AffineApplyOp>(sum);
  std::optional<std::array<int64_t, 2>> strides =
      apply ? findStrides(apply) : std::nullopt;
  for (unsigned at : {0, 1})
    if (strides && (*strides)[at] == 1)
      if (Value number = findDivided(apply.getOperand(1 - at),
                                     apply.getOperand(at), (*strides)[1 - at]))
        return number;
  return {};
}

/// Whether a number of a body is that of a place in a matrix along two loops,
/// of which the inner one has \p extent.
static bool isPlace(Value number, unsigned outer, unsigned inner,
                    int64_t extent) {
  auto apply = skipIndexCasts(number).getDefiningOp<affine::AffineApplyOp>();
  std::optional<std::array<int64_t, 2>> strides =
      apply ? findStrides(apply) : std::nullopt;
  if (!strides)
    return false;
  auto isAlong = [&](unsigned operand, unsigned loop, int64_t stride) {
    auto index = apply.getOperand(operand).getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() == loop && (*strides)[operand] == stride;
  };
  return (isAlong(0, outer, extent) && isAlong(1, inner, 1)) ||
         (isAlong(1, outer, extent) && isAlong(0, inner, 1));
}

/// Whether the integers of a matrix ascend, row by row: each counts what is
/// before its place.
static bool ascendsByRows(Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  arith::ExtUIOp count = findCount(matrix);
  auto compare =
      count ? count.getIn().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || type.getRank() != 2 || type.isDynamicDim(1) ||
      (compare.getPredicate() != Predicate::sle &&
       compare.getPredicate() != Predicate::slt))
    return false;
  auto op = matrix.getDefiningOp<linalg::GenericOp>();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!map.isProjectedPermutation())
    return false;
  unsigned outer = map.getDimPosition(0), inner = map.getDimPosition(1);
  return isFixedAlong(op, compare.getLhs(), outer) &&
         isFixedAlong(op, compare.getLhs(), inner) &&
         isPlace(compare.getRhs(), outer, inner, type.getDimSize(1));
}

/// The op that computes the integers of a tensor with one dimension.
static linalg::GenericOp findTable(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  bool isTable = op && op.getNumDpsInits() == 1 && type &&
                 type.getRank() == 1 && type.getElementType().isIntOrIndex();
  return isTable ? op : linalg::GenericOp();
}

namespace {

/// Tables, and values of the bodies that compute them.
class AscendingTables {
public:
  bool ascends(Value table) {
    return tables.get(
        table, [](Value tensor) { return bool(findTable(tensor)); },
        [&](Value tensor) { return compute(tensor); });
  }

private:
  bool compute(Value table);

  OperandFold<bool> tables;
};

/// Whether values of a body don't descend along a loop, by what they are
/// computed from.
class AscendingValues {
public:
  AscendingValues(AscendingTables &tables, linalg::GenericOp op, unsigned loop)
      : tables(tables), op(op), numbers(op), loop(loop) {}

  bool ascends(Value value) {
    auto isOfBody = [&](Value inner) {
      return inner.getParentBlock() == op.getBody();
    };
    return known.get(value, isOfBody,
                     [&](Value inner) { return compute(inner); });
  }

private:
  bool compute(Value value);
  bool isFixed(Value side) { return isFixedAlong(op, side, loop); }

  AscendingTables &tables;
  linalg::GenericOp op;
  BodyNumbers numbers;
  unsigned loop;
  OperandFold<bool> known;
};

} // namespace

bool AscendingValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return false;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    AffineMap map = op.getMatchingIndexingMap(operand);
    return !map.isFunctionOfDim(loop) ||
           (map.getNumResults() == 1 && isa<AffineDimExpr>(map.getResult(0)) &&
            tables.ascends(operand->get()));
  }
  Operation *source = value.getDefiningOp();
  if (matchPattern(value, m_Constant()) || isa<linalg::IndexOp>(source))
    return true;
  auto doesOne = [&](Value operand) { return ascends(operand); };
  if (auto extract = dyn_cast<tensor::ExtractOp>(source)) {
    ValueRange at = extract.getIndices();
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    Value place = at.size() == 2 ? findDivided(at[0], at[1], type.getDimSize(1))
                                 : Value();
    if (place)
      return doesOne(place) && ascendsByRows(extract.getTensor());
    return at.size() == 1 && doesOne(at[0]) &&
           tables.ascends(extract.getTensor());
  }
  if (auto choice = dyn_cast<arith::SelectOp>(source)) {
    Value number = findWrapped(numbers, choice);
    return number && doesOne(number);
  }
  if (isa<arith::AddIOp, affine::AffineApplyOp>(source)) {
    Value number = findDividedOfSum(source);
    return number && doesOne(number);
  }
  bool isTruth = isa<arith::ExtUIOp>(source) &&
                 source->getOperand(0).getType().isInteger(1);
  if (isTruth || isa<arith::MinSIOp, arith::MaxSIOp>(source))
    return llvm::all_of(source->getOperands(), doesOne);
  if (isCast(source))
    return keepsNumbers(op, source) && doesOne(source->getOperand(0));
  auto compare = dyn_cast<arith::CmpIOp>(source);
  // With a sign, true is below false.
  if (!compare || compare.getLhs().getType().isInteger(1))
    return false;
  bool isLeast = llvm::is_contained({Predicate::sle, Predicate::slt},
                                    compare.getPredicate());
  bool isMost = llvm::is_contained({Predicate::sge, Predicate::sgt},
                                   compare.getPredicate());
  return (isLeast && doesOne(compare.getRhs()) && isFixed(compare.getLhs())) ||
         (isMost && doesOne(compare.getLhs()) && isFixed(compare.getRhs()));
}

bool AscendingTables::compute(Value table) {
  linalg::GenericOp op = findTable(table);
  if (!op)
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(0));
  if (!loop)
    return false;
  AscendingValues values(*this, op, loop.getPosition());
  if (op.getNumReductionLoops() == 0)
    return values.ascends(op.getBody()->getTerminator()->getOperand(0));
  // A sum of what doesn't descend.
  arith::ExtUIOp count = findCount(table);
  return count && values.ascends(count);
}

bool carousel::isAscending(Value table) {
  return AscendingTables().ascends(table);
}
