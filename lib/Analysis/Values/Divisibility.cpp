//===- Divisibility.cpp - known divisors of indices -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse forward data-flow analysis on demand. The state of a value is the
// greatest common divisor of all values that can flow into it. So loop-carried
// values and branches need no special case.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Divisibility.h"

#include "carousel/Analysis/Values/IndexRanges.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Arithmetic of divisors
//===----------------------------------------------------------------------===//

/// A divisor of a constant that isn't negative in 64 bits. The least number has
/// no absolute value, and a large power of two divides it, too.
static int64_t getDivisor(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? int64_t(1) << 62
                                                      : std::abs(value);
}

/// A product of divisors. On overflow of 64 bits, the larger factor, which is
/// also a divisor.
static int64_t multiply(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
}

/// A divisor of x / y if x is a multiple of `lhs` and y is `divisor`.
static int64_t divide(int64_t lhs, std::optional<int64_t> divisor) {
  if (lhs == 0)
    return 0;
  if (!divisor || *divisor == 0 || lhs % *divisor != 0)
    return 1;
  return getDivisor(lhs / *divisor);
}

/// A divisor of an affine expression, with the divisors of its operands.
static int64_t getMultiple(AffineExpr expr, ArrayRef<int64_t> operands,
                           unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getDivisor(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = getMultiple(binary.getLHS(), operands, dims);
  int64_t rhs = getMultiple(binary.getRHS(), operands, dims);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul:
    return multiply(lhs, rhs);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return divide(lhs,
                  constant ? std::optional(constant.getValue()) : std::nullopt);
  default:
    return 1;
  }
}

static int64_t getMultiple(AffineMap map, ArrayRef<int64_t> operands) {
  int64_t divisor = 0;
  for (AffineExpr result : map.getResults())
    divisor =
        std::gcd(divisor, getMultiple(result, operands, map.getNumDims()));
  return divisor;
}

/// The divisor of an op's only result, from those of its operands.
static int64_t computeMultiple(Operation *op, ArrayRef<int64_t> operands) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.getSignificantBits() <= 64
               ? getDivisor(constant.getSExtValue())
               : 1;
  auto getConstant = [&](unsigned operand) {
    return getConstantIntValue(op->getOperand(operand));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
            arith::MaxSIOp, arith::MaxUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *) { return std::gcd(operands[0], operands[1]); })
      .Case([&](arith::MulIOp) { return multiply(operands[0], operands[1]); })
      .Case([&](arith::SelectOp) { return std::gcd(operands[1], operands[2]); })
      .Case<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
          [&](Operation *) { return divide(operands[0], getConstant(1)); })
      .Case<arith::DivUIOp, arith::CeilDivUIOp>([&](Operation *) {
        std::optional<int64_t> divisor = getConstant(1);
        if (divisor && *divisor < 0)
          divisor = std::nullopt;
        return divide(operands[0], divisor);
      })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> shift = getConstant(1);
        return shift && *shift >= 0 && *shift < 62
                   ? multiply(operands[0], int64_t(1) << *shift)
                   : operands[0];
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) -> int64_t {
        std::optional<int64_t> shift = getConstant(1);
        return shift && *shift >= 0 && *shift < 62
                   ? divide(operands[0], int64_t(1) << *shift)
                   : int64_t(operands[0] == 0 ? 0 : 1);
      })
      .Case([&](arith::AndIOp) {
        // Low bits that are zero in one are zero in the result.
        int64_t lhs = operands[0] & -operands[0];
        int64_t rhs = operands[1] & -operands[1];
        return lhs == 0 || rhs == 0 ? 0 : std::max(lhs, rhs);
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](Operation *) {
        int64_t both = std::gcd(operands[0], operands[1]);
        return both & -both;
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *) { return operands[0]; })
      .Case([&](affine::AffineApplyOp apply) {
        return getMultiple(apply.getAffineMap(), operands);
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto bound) { return getMultiple(bound.getMap(), operands); })
      .Default([](Operation *) { return 1; });
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

namespace {

/// A divisor, or nullopt until a value has arrived.
struct Divisor {
  std::optional<int64_t> value;

  bool operator==(const Divisor &other) const { return value == other.value; }
  static Divisor join(const Divisor &lhs, const Divisor &rhs) {
    if (!lhs.value || !rhs.value)
      return lhs.value ? lhs : rhs;
    return {std::gcd(*lhs.value, *rhs.value)};
  }
};

class Divisors : public DemandAnalysis<Divisor, Divisors> {
public:
  explicit Divisors(IndexRanges &ranges)
      : DemandAnalysis(isComputed), ranges(ranges) {}

private:
  friend DemandAnalysis;

  /// Whether the analysis knows how the op computes its results.
  static bool isComputed(Operation *op) {
    return op->getNumResults() == 1 &&
           (op->hasTrait<OpTrait::ConstantLike>() ||
            isa_and_nonnull<arith::ArithDialect, affine::AffineDialect>(
                op->getDialect()));
  }

  static Divisor getUnknown(Value) { return {1}; }

  Divisor update(const ValueSources &sources, const Divisor &old) {
    switch (sources.kind) {
    case ValueSources::Result: {
      SmallVector<int64_t> divisors;
      for (Value source : sources.values) {
        if (!getState(source).value)
          return old;
        divisors.push_back(*getState(source).value);
      }
      Operation *op = sources.value.getDefiningOp();
      // Bits that are lost or gained are multiples of powers of two.
      if (!readsSignedNumbers(op, divisors))
        llvm::for_each(divisors, [](int64_t &known) { known &= -known; });
      int64_t divisor = computeMultiple(op, divisors);
      if (!llvm::isPowerOf2_64(divisor) && !keepsNumber(op))
        divisor &= -divisor;
      return Divisor::join(old, {divisor});
    }
    case ValueSources::Joined: {
      Divisor divisor = old;
      for (Value source : sources.values)
        divisor = Divisor::join(divisor, getState(source));
      return divisor;
    }
    case ValueSources::Induction: {
      std::optional<int64_t> divisor =
          getInduction(sources.loop, sources.variable);
      // An unsigned count may leave the range of signed numbers.
      auto counted = dyn_cast<scf::ForOp>(*sources.loop);
      if (divisor && counted && counted.getUnsignedCmp() &&
          !sources.value.getType().isIndex() &&
          !ranges.isNonNegative(sources.value))
        *divisor &= -*divisor;
      return Divisor::join(old, {divisor});
    }
    case ValueSources::Unknown:
      break;
    }
    return getUnknown(sources.value);
  }

  /// Whether the op reads its operands as the signed numbers whose divisors are
  /// known. An unsigned op does if none can be negative.
  bool readsSignedNumbers(Operation *op, ArrayRef<int64_t> divisors) {
    return !isa<arith::RemUIOp, arith::DivUIOp, arith::CeilDivUIOp,
                arith::ShRUIOp>(op) ||
           llvm::all_of(divisors, llvm::isPowerOf2_64) ||
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return ranges.isNonNegative(operand);
           });
  }

  /// Whether the result is the number whose divisor is computed, and not
  /// truncated to fewer bits.
  bool keepsNumber(Operation *op) {
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
      return keepsSum(op);
    if (!isa<arith::TruncIOp, arith::ExtUIOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op))
      return true;
    unsigned width = ConstantIntRanges::getStorageBitwidth(
        getElementTypeOrSelf(op->getResult(0).getType()));
    IntegerValueRange known = ranges.get(op->getOperand(0));
    if (known.isUninitialized())
      return true;
    const ConstantIntRanges &range = known.getValue();
    unsigned from = range.umax().getBitWidth();
    bool isNarrower = width < from;
    if (isa<arith::ExtUIOp>(op) ||
        (isa<arith::IndexCastUIOp>(op) && !isNarrower))
      return range.smin().isNonNegative();
    // The number fits with its sign: a reader of the signed number gets the
    // same value.
    return !isNarrower || (range.smin().isSignedIntN(width) &&
                           range.smax().isSignedIntN(width));
  }

  /// Whether a sum or a product narrower than an index doesn't overflow, by the
  /// op's flags or its operands' ranges.
  bool keepsSum(Operation *op) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(
        getElementTypeOrSelf(op->getResult(0).getType()));
    if (width >= IndexType::kInternalStorageBitWidth)
      return true;
    auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (flags.hasNoSignedWrap())
      return true;
    IntegerValueRange lhs = ranges.get(op->getOperand(0));
    IntegerValueRange rhs = ranges.get(op->getOperand(1));
    if (lhs.isUninitialized() || rhs.isUninitialized())
      return true;
    // The extremes are at extremes of the operands.
    auto compute = [&](const APInt &lhs, const APInt &rhs) {
      APInt left = lhs.sext(4 * width), right = rhs.sext(4 * width);
      return llvm::TypeSwitch<Operation *, APInt>(op)
          .Case([&](arith::AddIOp) { return left + right; })
          .Case([&](arith::SubIOp) { return left - right; })
          .Case([&](arith::MulIOp) { return left * right; })
          .Default([&](Operation *) {
            return left << rhs.getLimitedValue(2 * width);
          });
    };
    for (const APInt &left : {lhs.getValue().smin(), lhs.getValue().smax()})
      for (const APInt &right : {rhs.getValue().smin(), rhs.getValue().smax()})
        if (!compute(left, right).isSignedIntN(width))
          return false;
    return true;
  }

  IndexRanges &ranges;

  /// A divisor of an induction variable, or nullopt if its bounds have no value
  /// yet.
  std::optional<int64_t> getInduction(LoopLikeOpInterface loop,
                                      unsigned number) {
    auto getDivisorOf = [&](OpFoldResult bound) -> std::optional<int64_t> {
      if (std::optional<int64_t> constant = getConstantIntValue(bound))
        return getDivisor(*constant);
      return getState(cast<Value>(bound)).value;
    };
    if (auto affineLoop = dyn_cast<affine::AffineForOp>(*loop)) {
      SmallVector<int64_t> operands;
      for (Value operand : affineLoop.getLowerBoundOperands()) {
        std::optional<int64_t> divisor = getDivisorOf(operand);
        if (!divisor)
          return std::nullopt;
        operands.push_back(*divisor);
      }
      return std::gcd(::getMultiple(affineLoop.getLowerBoundMap(), operands),
                      affineLoop.getStepAsInt());
    }
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
    std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
    if (!lower || !steps)
      return 1;
    std::optional<int64_t> first = getDivisorOf((*lower)[number]);
    std::optional<int64_t> step = getDivisorOf((*steps)[number]);
    if (!first || !step)
      return std::nullopt;
    return std::gcd(*first, *step);
  }
};

} // namespace

struct Divisibility::Analyses {
  IndexRanges ranges;
  Divisors divisors{ranges};
};

Divisibility::Divisibility() : analyses(std::make_unique<Analyses>()) {}
Divisibility::~Divisibility() = default;

int64_t Divisibility::getMultiple(Value value) const {
  // Without a value it is never executed, so any divisor is correct.
  return analyses->divisors.get(value).value.value_or(1);
}

int64_t Divisibility::getMultiple(OpFoldResult value) const {
  if (auto attr = dyn_cast<Attribute>(value))
    return getDivisor(cast<IntegerAttr>(attr).getInt());
  return getMultiple(cast<Value>(value));
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// Adds operands for which holds: if none is negative, the result of the
/// expression isn't negative. Returns false if there are none.
static bool addNeeded(AffineExpr expr, ValueRange operands, unsigned dims,
                      llvm::SetVector<Value> &needed) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    needed.insert(operands[dim.getPosition()]);
    return true;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    needed.insert(operands[dims + symbol.getPosition()]);
    return true;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  // A remainder of affine maps is never negative.
  if (expr.getKind() == AffineExprKind::Mod)
    return true;
  return addNeeded(binary.getLHS(), operands, dims, needed) &&
         addNeeded(binary.getRHS(), operands, dims, needed);
}

/// The same for the op that defines a value. The range analysis doesn't support
/// the affine dialect.
static bool addNeeded(Value value, llvm::SetVector<Value> &needed) {
  auto addResults = [&](AffineMap map, ValueRange operands) {
    return llvm::all_of(map.getResults(), [&](AffineExpr result) {
      return addNeeded(result, operands, map.getNumDims(), needed);
    });
  };
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return addResults(apply.getAffineMap(), apply.getOperands());
  if (auto min = dyn_cast_or_null<affine::AffineMinOp>(op))
    return addResults(min.getMap(), min.getOperands());
  if (affine::AffineForOp loop = affine::getForInductionVarOwner(value))
    return addResults(loop.getLowerBoundMap(), loop.getLowerBoundOperands());
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
    return false;
  needed.insert_range(op->getOperands());
  return true;
}

bool Divisibility::isNonNegative(Value value) const {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  for (unsigned i = 0; i < needed.size(); ++i)
    if (!analyses->ranges.isNonNegative(needed[i]) &&
        !addNeeded(needed[i], needed))
      return false;
  return true;
}
