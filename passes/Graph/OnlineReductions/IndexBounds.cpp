//===- IndexBounds.cpp - conditions of indices as sums --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IndexBounds.h.
//
//===----------------------------------------------------------------------===//

#include "IndexBounds.h"

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Reads the bounds that follow from a condition.
class ConditionReader {
public:
  ConditionReader(linalg::LinalgOp op, IndexCondition &mask)
      : op(op), mask(mask) {}

  /// Reads a condition that holds, or doesn't.
  void read(Value condition, bool holds);

private:
  std::optional<IndexBound> readIndex(Value value);
  std::optional<IndexBound> computeIndex(Value value);
  /// A condition that isn't of others.
  void readOne(Value condition, bool holds);
  void addDifference(Value more, Value less, int64_t constant,
                     Value comparison);

  linalg::LinalgOp op;
  IndexCondition &mask;
  OperandFold<std::optional<IndexBound>> bounds;
};

} // namespace

/// Numbers in memory may be any: their sums and products have to be of 64 bits,
/// or say that they don't wrap, or the kernel compares them with kMostNumber.
static bool mayWrap(Operation *op, const IndexBound &sum) {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return !sum.numbers.empty() && !op->getResult(0).getType().isIndex() &&
         !(flags && flags.hasNoSignedWrap());
}

/// Whether a sum of a type has no more than that has if its numbers are less
/// than kMostNumber away from 0.
static bool fits(const IndexBound &sum, Type type, linalg::LinalgOp op) {
  constexpr int64_t kLeastBits = 32, kMost = 1 << 30;
  int64_t most = 0;
  bool isMore = type.getIntOrFloatBitWidth() < kLeastBits;
  auto add = [&](int64_t factor, int64_t of) {
    int64_t product;
    isMore |=
        llvm::MulOverflow(factor, of, product) || std::abs(product) > kMost;
    most += std::abs(product);
  };
  add(sum.constant, 1);
  for (const auto &number : sum.numbers)
    add(number.second, kMostNumber);
  for (auto [factor, extent] :
       llvm::zip_equal(sum.coefficients, op.getStaticLoopRanges())) {
    if (factor == 0)
      continue;
    isMore |= ShapedType::isDynamic(extent);
    add(factor, extent);
  }
  return !isMore && most <= kMost;
}

/// Adds a multiple of a sum to another one. Returns whether all numbers are of
/// 64 bits.
static bool addMultiple(IndexBound &sum, const IndexBound &other,
                        int64_t factor) {
  auto add = [&](int64_t &number, int64_t own) {
    int64_t multiple;
    return !llvm::MulOverflow(own, factor, multiple) &&
           !llvm::AddOverflow(number, multiple, number);
  };
  for (auto [own, more] : llvm::zip_equal(sum.coefficients, other.coefficients))
    if (!add(own, more))
      return false;
  for (const auto &more : other.numbers) {
    auto *own = llvm::find_if(sum.numbers, [&](const auto &known) {
      return known.first == more.first;
    });
    if (own == sum.numbers.end()) {
      sum.numbers.push_back({more.first, 0});
      own = &sum.numbers.back();
    }
    if (!add(own->second, more.second))
      return false;
    if (own->second == 0)
      sum.numbers.erase(own);
  }
  for (Value number : other.wrapping)
    if (!llvm::is_contained(sum.wrapping, number))
      sum.wrapping.push_back(number);
  return add(sum.constant, other.constant);
}

/// Whether an index is converted to a type of few bits, which may not hold it.
static bool mayCut(Operation *cast, const IndexBound &sum,
                   linalg::LinalgOp op) {
  constexpr unsigned kEnoughBits = 32;
  Type type = cast->getResult(0).getType();
  if (!isa<arith::IndexCastOp>(cast) || type.isIndex() ||
      type.getIntOrFloatBitWidth() >= kEnoughBits)
    return false;
  int64_t bound = int64_t(1) << (type.getIntOrFloatBitWidth() - 1);
  int64_t most = std::abs(sum.constant);
  for (auto [factor, extent] :
       llvm::zip_equal(sum.coefficients, op.getStaticLoopRanges())) {
    if (factor != 0 && (ShapedType::isDynamic(extent) || extent > bound ||
                        std::abs(factor) > bound))
      return true;
    if (factor != 0)
      most += std::abs(factor) * extent;
  }
  return !sum.numbers.empty() || most > bound;
}

std::optional<IndexBound> ConditionReader::readIndex(Value value) {
  auto isRead = [](Value inner) {
    return isa_and_present<arith::IndexCastOp, arith::ExtSIOp, arith::MulIOp,
                           arith::XOrIOp, arith::AddIOp, arith::SubIOp>(
        inner.getDefiningOp());
  };
  return bounds.get(value, isRead,
                    [&](Value inner) { return computeIndex(inner); });
}

std::optional<IndexBound> ConditionReader::computeIndex(Value value) {
  IndexBound sum;
  sum.coefficients.resize(op.getNumLoops());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    sum.constant = constant.getSExtValue();
    return sum;
  }
  Operation *source = value.getDefiningOp();
  if (!source) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock() ||
        !value.getType().isIntOrIndex())
      return std::nullopt;
    sum.numbers.push_back({value, 1});
    return sum;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(source)) {
    sum.coefficients[index.getDim()] = 1;
    return sum;
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(source)) {
    const std::optional<IndexBound> &own = bounds.lookup(source->getOperand(0));
    return own && !mayCut(source, *own, op) ? own : std::nullopt;
  }
  auto addOperand = [&](unsigned operand, int64_t factor) {
    const std::optional<IndexBound> &own =
        bounds.lookup(source->getOperand(operand));
    return own && addMultiple(sum, *own, factor);
  };
  bool isSum = false;
  if (isa<arith::AddIOp, arith::SubIOp>(source)) {
    isSum =
        addOperand(0, 1) && addOperand(1, isa<arith::AddIOp>(source) ? 1 : -1);
  } else if (isa<arith::MulIOp, arith::XOrIOp>(source) &&
             matchPattern(source->getOperand(1), m_ConstantInt(&constant))) {
    // The complement of x is -x - 1.
    bool isProduct = isa<arith::MulIOp>(source);
    sum.constant = isProduct ? 0 : -1;
    isSum = (isProduct || constant.isAllOnes()) &&
            addOperand(0, isProduct ? constant.getSExtValue() : -1);
    if (!isProduct)
      return isSum ? std::optional(std::move(sum)) : std::nullopt;
  } else if (source->getNumRegions() == 0 &&
             source->getResult(0).getType().isIntOrIndex()) {
    sum.numbers.push_back({value, 1}); // such as one between two others
    return sum;
  }
  if (isSum && mayWrap(source, sum)) {
    for (const auto &number : sum.numbers)
      if (!llvm::is_contained(sum.wrapping, number.first))
        sum.wrapping.push_back(number.first);
    isSum = fits(sum, source->getResult(0).getType(), op);
  }
  return isSum ? std::optional(std::move(sum)) : std::nullopt;
}

/// more - less + constant isn't negative.
void ConditionReader::addDifference(Value more, Value less, int64_t constant,
                                    Value comparison) {
  std::optional<IndexBound> lhs = readIndex(more), rhs = readIndex(less);
  if (!lhs || !rhs || !addMultiple(*lhs, *rhs, -1) ||
      llvm::AddOverflow(lhs->constant, constant, lhs->constant)) {
    mask.isExact = false;
    return;
  }
  lhs->comparison = comparison;
  mask.bounds.push_back(*lhs);
}

void ConditionReader::read(Value condition, bool holds) {
  SmallVector<std::pair<Value, unsigned>> open = {{condition, holds}};
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  while (!open.empty()) {
    auto [value, isTrue] = open.pop_back_val();
    if (!seen.insert({value, isTrue}).second)
      continue;
    Operation *source = value.getDefiningOp();
    bool isBoth = isTrue ? isa_and_present<arith::AndIOp>(source)
                         : isa_and_present<arith::OrIOp>(source);
    auto inverse = dyn_cast_if_present<arith::XOrIOp>(source);
    if (isBoth) {
      open.push_back({source->getOperand(1), isTrue});
      open.push_back({source->getOperand(0), isTrue});
    } else if (inverse && matchPattern(inverse.getRhs(), m_One())) {
      open.push_back({inverse.getLhs(), !isTrue});
    } else {
      readOne(value, isTrue);
    }
  }
}

void ConditionReader::readOne(Value condition, bool holds) {
  Operation *source = condition.getDefiningOp();
  // Either a tile as a whole, or each element.
  if (holds && isa_and_present<arith::OrIOp>(source) && !mask.whole) {
    mask.whole = source->getOperand(0);
    return;
  }
  auto compare = dyn_cast_if_present<arith::CmpIOp>(source);
  if (!compare) {
    mask.isExact = false;
    return;
  }
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = holds ? compare.getPredicate()
                              : arith::invertPredicate(compare.getPredicate());
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  if (lhs.getDefiningOp<linalg::IndexOp>() &&
      rhs.getDefiningOp<linalg::IndexOp>())
    predicate = getSigned(predicate);
  switch (predicate) {
  case Predicate::sge:
    return addDifference(lhs, rhs, 0, compare);
  case Predicate::sgt:
    return addDifference(lhs, rhs, -1, compare);
  case Predicate::sle:
    return addDifference(rhs, lhs, 0, compare);
  case Predicate::slt:
    return addDifference(rhs, lhs, -1, compare);
  default:
    mask.isExact = false;
  }
}

std::optional<SmallVector<IndexBound>>
carousel::readBounds(linalg::LinalgOp op, Value condition, bool holds) {
  IndexCondition mask = readCondition(op, condition, holds);
  if (!mask.isExact || mask.whole)
    return std::nullopt;
  return std::move(mask.bounds);
}

IndexCondition carousel::readCondition(linalg::LinalgOp op, Value condition,
                                       bool holds) {
  IndexCondition read;
  ConditionReader(op, read).read(condition, holds);
  return read;
}

bool carousel::holdOfOwn(ArrayRef<IndexBound> bounds, unsigned row,
                         unsigned element) {
  return llvm::all_of(bounds, [&](const IndexBound &bound) {
    for (auto [loop, factor] : llvm::enumerate(bound.coefficients))
      if (loop != row && loop != element && factor != 0)
        return false;
    return bound.isOfIndices() && bound.constant >= 0 &&
           bound.coefficients[row] + bound.coefficients[element] == 0;
  });
}
