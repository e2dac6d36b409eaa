//===- NarrowDivisions.cpp - 64-bit divisions to 32 bits ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs divide by routines. That of 64 bits has about a hundred instructions,
// and takes 20 % of ptxas's work for a small kernel. A dividend may be known
// to fit 32 bits where its divisor isn't: then all larger divisors give the
// quotient that the largest 32-bit one gives. A quotient that is rounded up by
// a constant becomes that of a sum if the sum can't wrap, which saves the case
// of a zero dividend.
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-simplify-index-arithmetic"

using namespace mlir;
using namespace carousel;

static constexpr uint64_t kMaxUInt32 = std::numeric_limits<uint32_t>::max();

namespace {

/// A division that 32 bits suffice for.
struct Narrowing {
  Operation *op;
  std::optional<uint64_t> clamp; ///< of the divisor
};

} // namespace

static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

static std::optional<uint64_t> getMax(Value value, IndexRanges &ranges) {
  IntegerValueRange range = ranges.get(value);
  if (range.isUninitialized())
    return std::nullopt;
  return range.getValue().umax().getZExtValue();
}

/// Operands of signed divisions have to be known to be non-negative.
static std::optional<Narrowing> planNarrowing(Operation *op,
                                              IndexRanges &ranges,
                                              const Divisibility &multiples) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                      arith::FloorDivSIOp>(op);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isSigned && !(ranges.isNonNegative(lhs) && ranges.isNonNegative(rhs)))
    return std::nullopt;
  std::optional<uint64_t> max = getMax(lhs, ranges);
  if (!max || *max > kMaxUInt32)
    return std::nullopt;
  std::optional<uint64_t> maxDivisor = getMax(rhs, ranges);
  if (maxDivisor && *maxDivisor <= kMaxUInt32)
    return Narrowing{op, std::nullopt};
  // All divisors above the dividend give the same. The clamped one keeps the
  // known factor.
  uint64_t factor = std::max<int64_t>(multiples.getMultiple(rhs), 1);
  uint64_t clamp = kMaxUInt32 / factor * factor;
  if (clamp <= *max)
    return std::nullopt;
  return Narrowing{op, clamp};
}

/// Whether the sum of a dividend and a constant divisor can't wrap. Signed ones
/// have to be known to be non-negative; the sum is unsigned. A dividend that is
/// a multiple of the divisor stays, since the sum would hide that.
static bool canAddDivisor(Operation *op, IndexRanges &ranges,
                          const Divisibility &multiples) {
  APInt divisor;
  Value dividend = op->getOperand(0);
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      divisor.isZero() ||
      isMultiple(multiples.getMultiple(dividend), divisor.getSExtValue()))
    return false;
  if (isa<arith::CeilDivSIOp>(op) &&
      (divisor.isNegative() || !ranges.isNonNegative(dividend)))
    return false;
  IntegerValueRange range = ranges.get(dividend);
  if (range.isUninitialized())
    return false;
  APInt max = APInt::getMaxValue(divisor.getBitWidth());
  return range.getValue().umax().ule(max - divisor);
}

/// Replaces a rounded-up quotient by that of a sum. The general form takes a
/// comparison and a select, for a dividend of zero.
static void roundUpBySum(Operation *op) {
  LDBG() << op->getLoc() << ": rounded " << op->getName() << " up by a sum";
  ImplicitLocOpBuilder b(op->getLoc(), op);
  APInt divisor;
  matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
  Value addend = arith::ConstantOp::create(
      b, b.getIntegerAttr(op->getResult(0).getType(), divisor - 1));
  Value sum = arith::AddIOp::create(b, op->getOperand(0), addend);
  Value result = arith::DivUIOp::create(b, sum, op->getOperand(1));
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

static Value truncate(ImplicitLocOpBuilder &b, Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(b, b.getI32Type(), value);
  return arith::TruncIOp::create(b, b.getI32Type(), value);
}

static Value extend(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (type.isIndex())
    return arith::IndexCastUIOp::create(b, type, value);
  return arith::ExtUIOp::create(b, type, value);
}

static Value createDivision(Operation *op, ImplicitLocOpBuilder &b, Value lhs,
                            Value rhs) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return arith::RemUIOp::create(b, lhs, rhs); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return arith::CeilDivUIOp::create(b, lhs, rhs); })
      .Default(
          [&](Operation *) { return arith::DivUIOp::create(b, lhs, rhs); });
}

static void narrow(const Narrowing &narrowing) {
  Operation *op = narrowing.op;
  LDBG() << op->getLoc() << ": narrowed " << op->getName()
         << ", with divisors of at most "
         << narrowing.clamp.value_or(kMaxUInt32);
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (narrowing.clamp) {
    Attribute clamp = b.getIntegerAttr(rhs.getType(), *narrowing.clamp);
    rhs = arith::MinUIOp::create(
        b, rhs, arith::ConstantOp::create(b, cast<TypedAttr>(clamp)));
  }
  Value result = createDivision(op, b, truncate(b, lhs), truncate(b, rhs));
  op->replaceAllUsesWith(ValueRange{extend(b, result, lhs.getType())});
  op->erase();
}

/// Threads of several turns have the same remainder by a power of 2, in which
/// they differ by a multiple of it. Sums may wrap around: 2^32 and 2^64 are
/// multiples, too.
static void dropMultiples(arith::RemUIOp op) {
  APInt divisor, addend;
  if (!matchPattern(op.getRhs(), m_ConstantInt(&divisor)) ||
      !divisor.isPowerOf2())
    return;
  while (auto sum = op.getLhs().getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&addend)) ||
        addend.countr_zero() < divisor.countr_zero())
      return;
    op.getLhsMutable().assign(sum.getLhs());
  }
}

NarrowedDivisions carousel::narrowDivisions(Operation *root) {
  root->walk(dropMultiples);
  SmallVector<Operation *> divisions, roundings;
  root->walk([&](Operation *op) {
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op) &&
        op->getResult(0).getType().isIntOrIndex() &&
        matchPattern(op->getOperand(1), m_Constant()))
      roundings.push_back(op);
    // A division by a constant is a multiplication or a shift.
    if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::DivSIOp,
            arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op) &&
        isWide(op->getResult(0).getType()) &&
        !matchPattern(op->getOperand(1), m_Constant()))
      divisions.push_back(op);
  });
  // Analyses know values by name, so all are asked before the first is
  // replaced.
  SmallVector<Narrowing> narrowings;
  IndexRanges ranges;
  Divisibility multiples;
  for (Operation *op : divisions)
    if (std::optional<Narrowing> found = planNarrowing(op, ranges, multiples))
      narrowings.push_back(*found);
  llvm::erase_if(roundings, [&](Operation *op) {
    return !canAddDivisor(op, ranges, multiples);
  });
  llvm::for_each(roundings, roundUpBySum);
  llvm::for_each(narrowings, narrow);
  return {static_cast<unsigned>(narrowings.size()),
          static_cast<unsigned>(roundings.size())};
}
