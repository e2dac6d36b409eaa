//===- SyncPositions.cpp - positions relative to loops --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncPositions.h. Ranges of values come from MLIR's integer range
// analysis.
//
//===----------------------------------------------------------------------===//

#include "SyncPositions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

/// The sum of two lower or two upper bounds. On overflow it is no bound.
static int64_t addBounds(int64_t lhs, int64_t rhs, int64_t none) {
  int64_t sum;
  if (lhs == none || rhs == none || llvm::AddOverflow(lhs, rhs, sum))
    return none;
  return sum;
}

IndexInterval IndexInterval::plus(const IndexInterval &other) const {
  return {addBounds(lo, other.lo, kLowest), addBounds(hi, other.hi, kHighest)};
}

IndexInterval IndexInterval::times(int64_t factor) const {
  if (factor == 0)
    return exactly(0);
  IndexInterval product;
  int64_t lowest = factor > 0 ? lo : hi, highest = factor > 0 ? hi : lo;
  bool isOpenBelow = lowest == kLowest || lowest == kHighest;
  bool isOpenAbove = highest == kLowest || highest == kHighest;
  if (isOpenBelow || llvm::MulOverflow(lowest, factor, product.lo))
    product.lo = kLowest;
  if (isOpenAbove || llvm::MulOverflow(highest, factor, product.hi))
    product.hi = kHighest;
  return product;
}

const unsigned *IndexPosition::getSingleValue() const {
  if (terms.size() != 1 || terms.front().second != 1)
    return nullptr;
  return &terms.front().first;
}

//===----------------------------------------------------------------------===//
// Positions of values
//===----------------------------------------------------------------------===//

SyncPositions::SyncPositions(gpu::GPUFuncOp kernel) : uniform(kernel) {}

unsigned SyncPositions::getNumber(Value value) {
  auto [entry, isNew] = numbers.try_emplace(value, values.size());
  if (isNew)
    values.push_back(value);
  return entry->second;
}

IndexInterval SyncPositions::getRange(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexInterval::exactly(*constant);
  IntegerValueRange known = ranges.get(value);
  if (known.isUninitialized())
    return {};
  const ConstantIntRanges &range = known.getValue();
  if (range.smin().getBitWidth() == 0 || range.smin().getBitWidth() > 64)
    return {};
  return {range.smin().getSExtValue(), range.smax().getSExtValue()};
}

IndexPosition SyncPositions::makeTerm(Value value) {
  return {{{getNumber(value), 1}}, IndexInterval::exactly(0)};
}

IndexPosition SyncPositions::add(const IndexPosition &lhs,
                                 const IndexPosition &rhs, int64_t factor) {
  IndexPosition sum;
  if (factor == 0)
    return lhs;
  const auto *left = lhs.terms.begin(), *right = rhs.terms.begin();
  while (left != lhs.terms.end() || right != rhs.terms.end()) {
    bool takesLeft = right == rhs.terms.end() ||
                     (left != lhs.terms.end() && left->first <= right->first);
    bool takesRight = left == lhs.terms.end() ||
                      (right != rhs.terms.end() && right->first <= left->first);
    unsigned number = takesLeft ? left->first : right->first;
    int64_t product = 0, total = takesLeft ? left->second : 0;
    if (takesRight && (llvm::MulOverflow(right->second, factor, product) ||
                       llvm::AddOverflow(total, product, total)))
      return IndexPosition::unknown();
    if (total != 0)
      sum.terms.push_back({number, total});
    left += takesLeft;
    right += takesRight;
  }
  sum.rest = lhs.rest.plus(rhs.rest.times(factor));
  return sum;
}

IndexPosition SyncPositions::computeAffine(AffineExpr expr, ValueRange operands,
                                           unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {{}, IndexInterval::exactly(constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return get(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return get(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexPosition lhs = computeAffine(binary.getLHS(), operands, dims);
  IndexPosition rhs = computeAffine(binary.getRHS(), operands, dims);
  if (expr.getKind() == AffineExprKind::Add)
    return add(lhs, rhs);
  if (expr.getKind() == AffineExprKind::Mul && rhs.isConstant())
    return add({{}, IndexInterval::exactly(0)}, lhs, rhs.rest.lo);
  return IndexPosition::unknown();
}

IndexPosition SyncPositions::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {{}, IndexInterval::exactly(*constant)};
  Operation *op = value.getDefiningOp();
  // Other integers wrap around.
  if (!op || !value.getType().isIndex())
    return makeTerm(value);
  const IndexPosition zero = {{}, IndexInterval::exactly(0)};
  return llvm::TypeSwitch<Operation *, IndexPosition>(op)
      .Case([&](arith::AddIOp sum) {
        return add(get(sum.getLhs()), get(sum.getRhs()));
      })
      .Case([&](arith::SubIOp difference) {
        return add(get(difference.getLhs()), get(difference.getRhs()), -1);
      })
      .Case([&](arith::MulIOp product) {
        IndexPosition lhs = get(product.getLhs()), rhs = get(product.getRhs());
        if (rhs.isConstant())
          return add(zero, lhs, rhs.rest.lo);
        if (lhs.isConstant())
          return add(zero, rhs, lhs.rest.lo);
        return makeTerm(value);
      })
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getAffineMap();
        IndexPosition result = computeAffine(
            map.getResult(0), apply.getMapOperands(), map.getNumDims());
        return result == IndexPosition::unknown() ? makeTerm(value) : result;
      })
      .Default([&](Operation *) { return makeTerm(value); });
}

IndexPosition SyncPositions::get(Value value) {
  // No index of a usual kernel has more.
  constexpr size_t kMostTerms = 64;
  auto isSum = [](Value inner) {
    return inner.getType().isIndex() &&
           isa<arith::AddIOp, arith::SubIOp, arith::MulIOp,
               affine::AffineApplyOp>(inner.getDefiningOp());
  };
  return known.get(value, isSum, [&](Value inner) {
    IndexPosition position = compute(inner);
    return position.terms.size() > kMostTerms ? makeTerm(inner) : position;
  });
}

void SyncPositions::fold(IndexPosition &position,
                         function_ref<bool(Value)> which) {
  llvm::erase_if(position.terms, [&](const auto &term) {
    Value value = values[term.first];
    if (!which(value))
      return false;
    position.rest = position.rest.plus(getRange(value).times(term.second));
    return true;
  });
}

IndexPosition SyncPositions::getUniform(Value value) {
  return getUniform(get(value));
}

IndexPosition SyncPositions::getUniform(IndexPosition position) {
  fold(position, [&](Value term) { return !uniform.contains(term); });
  return position;
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

IndexInterval SyncPositions::subtract(const IndexPosition &lhs,
                                      const IndexPosition &rhs) {
  IndexPosition difference = add(lhs, rhs, -1);
  fold(difference, [](Value) { return true; });
  return difference.rest;
}

IndexPosition SyncPositions::hull(const IndexPosition &lhs,
                                  const IndexPosition &rhs) {
  IndexPosition covering = lhs;
  if (lhs.terms == rhs.terms) {
    covering.rest = lhs.rest.hull(rhs.rest);
    return covering;
  }
  // rhs = lhs's terms + the rest.
  IndexPosition base = {lhs.terms, IndexInterval::exactly(0)};
  covering.rest = lhs.rest.hull(subtract(rhs, base));
  return covering;
}

IndexPosition SyncPositions::substitute(const IndexPosition &position,
                                        const PositionMap &map,
                                        function_ref<bool(Value)> isGone) {
  // Usually one value, which an iteration later is another value plus a
  // constant.
  if (position.terms.size() == 1 && position.terms.front().second == 1)
    if (auto found = map.find(position.terms.front().first); found != map.end())
      return {found->second.terms, position.rest.plus(found->second.rest)};
  IndexPosition result = {{}, position.rest};
  for (auto [number, factor] : position.terms) {
    auto found = map.find(number);
    IndexPosition term = {{{number, 1}}, IndexInterval::exactly(0)};
    if (found != map.end())
      term = found->second;
    else if (isGone)
      fold(term, isGone);
    result = add(result, term, factor);
  }
  return result;
}
