//===- Divisibility.cpp - what indices are multiples of -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse forward data-flow analysis of what is asked for: the state of a
// value is the greatest common divisor of what can flow into it, so that
// loop-carried values and branches need no case of their own. What a launch
// would have to check is found afterwards, by going back from a value to the
// kernel's arguments.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Divisibility.h"

#include "carousel/Analysis/IndexRanges.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Arithmetic of divisors
//===----------------------------------------------------------------------===//

/// A divisor of a constant that isn't negative in 64 bits. The least number
/// has no absolute value; a large power of two divides it as well.
static int64_t getDivisor(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? int64_t(1) << 62
                                                      : std::abs(value);
}

/// A product of divisors; half of what is known where 64 bits don't do.
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

/// The divisor of an op's only result, with those of its operands.
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
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>(
          [&](Operation *) { return divide(operands[0], getConstant(1)); })
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

/// A divisor, or nothing as long as no value has come.
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

  /// Of the others nothing is known.
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
      int64_t divisor = computeMultiple(op, divisors);
      // What bits are lost or gained by is a multiple of powers of two.
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
    case ValueSources::Induction:
      return Divisor::join(old, {getInduction(sources.loop, sources.variable)});
    case ValueSources::Unknown:
      break;
    }
    return getUnknown(sources.value);
  }

  /// Whether the op, if it is a cast, makes the same number of another width of
  /// what is known of its operand.
  bool keepsNumber(Operation *op) {
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
    // With its sign: who reads it as a signed number gets the same.
    return !isNarrower || (range.smin().isSignedIntN(width) &&
                           range.smax().isSignedIntN(width));
  }

  IndexRanges &ranges;

  /// What an induction variable is a multiple of; nothing if its bounds have no
  /// value yet.
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
  // Without a value it is never executed; nobody gains by knowing more.
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

static bool isNonNegativeExpr(AffineExpr expr,
                              function_ref<bool(unsigned)> isOperand,
                              unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isOperand(dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isOperand(dims + symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  // A remainder of affine maps is never negative.
  if (expr.getKind() == AffineExprKind::Mod)
    return true;
  return isNonNegativeExpr(binary.getLHS(), isOperand, dims) &&
         isNonNegativeExpr(binary.getRHS(), isOperand, dims);
}

bool Divisibility::isNonNegative(Value value) const {
  if (analyses->ranges.isNonNegative(value))
    return true;
  // The range analysis doesn't know the affine dialect.
  auto areResults = [&](AffineMap map, ValueRange operands) {
    return llvm::all_of(map.getResults(), [&](AffineExpr result) {
      return isNonNegativeExpr(
          result,
          [&](unsigned operand) { return isNonNegative(operands[operand]); },
          map.getNumDims());
    });
  };
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return areResults(apply.getAffineMap(), apply.getOperands());
  if (auto min = dyn_cast_or_null<affine::AffineMinOp>(op))
    return areResults(min.getMap(), min.getOperands());
  if (affine::AffineForOp loop = affine::getForInductionVarOwner(value))
    return areResults(loop.getLowerBoundMap(), loop.getLowerBoundOperands());
  if (auto add = dyn_cast_or_null<arith::AddIOp>(op))
    return isNonNegative(add.getLhs()) && isNonNegative(add.getRhs());
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op))
    return isNonNegative(mul.getLhs()) && isNonNegative(mul.getRhs());
  return false;
}

//===----------------------------------------------------------------------===//
// What a launch would have to check
//===----------------------------------------------------------------------===//

namespace {

class NeedFinder {
public:
  NeedFinder(const Divisibility &facts,
             SmallVectorImpl<DivisibilityNeed> &needs)
      : facts(facts), needs(needs) {}

  bool find(OpFoldResult value, int64_t divisor) {
    if (isMultiple(facts.getMultiple(value), divisor))
      return true;
    auto known = dyn_cast<Value>(value);
    return known && find(known, divisor);
  }

private:
  bool find(Value value, int64_t divisor) {
    // Deeper than any index is; keeps the search short.
    if (depth == kMaxDepth)
      return false;
    ++depth;
    size_t before = needs.size();
    bool found = findSource(value, divisor);
    if (!found)
      needs.truncate(before);
    --depth;
    return found;
  }

  bool findAll(ValueRange values, int64_t divisor) {
    return llvm::all_of(values, [&](Value value) {
      return find(OpFoldResult(value), divisor);
    });
  }

  /// One factor brings what the other lacks.
  bool findProduct(Value lhs, Value rhs, int64_t divisor) {
    auto rest = [&](Value factor) {
      return divisor / std::gcd(divisor, facts.getMultiple(factor));
    };
    return find(OpFoldResult(lhs), rest(rhs)) ||
           find(OpFoldResult(rhs), rest(lhs));
  }

  bool findSource(Value value, int64_t divisor) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return findArgument(argument, divisor);
    return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case([&](memref::DimOp) {
          needs.push_back({value, divisor});
          return true;
        })
        .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
              arith::MaxSIOp, arith::MaxUIOp, arith::IndexCastOp,
              arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
            [&](Operation *op) { return findAll(op->getOperands(), divisor); })
        .Case([&](arith::SelectOp op) {
          return findAll(op->getOperands().drop_front(), divisor);
        })
        .Case([&](arith::MulIOp op) {
          return findProduct(op.getLhs(), op.getRhs(), divisor);
        })
        .Case([&](arith::ShLIOp op) {
          std::optional<int64_t> shift = getConstantIntValue(op.getRhs());
          return shift && *shift >= 0 && *shift < 62 &&
                 find(OpFoldResult(op.getLhs()),
                      divisor / std::gcd(divisor, int64_t(1) << *shift));
        })
        .Case([&](affine::AffineApplyOp op) {
          return findExpr(op.getAffineMap().getResult(0), op.getOperands(),
                          op.getAffineMap().getNumDims(), divisor);
        })
        .Default([](Operation *) { return false; });
  }

  bool findArgument(BlockArgument argument, int64_t divisor) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FunctionOpInterface>(parent) &&
        argument.getOwner()->isEntryBlock()) {
      if (!argument.getType().isIntOrIndex())
        return false;
      needs.push_back({argument, divisor});
      return true;
    }
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      return false;
    std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
    std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
    if (!variables || !lower || !steps)
      return false;
    const auto *variable = llvm::find(*variables, argument);
    if (variable == variables->end())
      return false;
    size_t number = variable - variables->begin();
    return find((*lower)[number], divisor) && find((*steps)[number], divisor);
  }

  bool findExpr(AffineExpr expr, ValueRange operands, unsigned dims,
                int64_t divisor) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return isMultiple(constant.getValue(), divisor);
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return find(OpFoldResult(operands[dim.getPosition()]), divisor);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return find(OpFoldResult(operands[dims + symbol.getPosition()]), divisor);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (expr.getKind() == AffineExprKind::Add)
      return findExpr(binary.getLHS(), operands, dims, divisor) &&
             findExpr(binary.getRHS(), operands, dims, divisor);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() != AffineExprKind::Mul || !constant)
      return false;
    return findExpr(binary.getLHS(), operands, dims,
                    divisor / std::gcd(divisor, constant.getValue()));
  }

  static constexpr unsigned kMaxDepth = 12;
  const Divisibility &facts;
  SmallVectorImpl<DivisibilityNeed> &needs;
  unsigned depth = 0;
};

} // namespace

LogicalResult
Divisibility::require(Value value, int64_t divisor,
                      SmallVectorImpl<DivisibilityNeed> &needs) const {
  return success(NeedFinder(*this, needs).find(OpFoldResult(value), divisor));
}
