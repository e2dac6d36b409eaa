//===- NarrowDivisions.cpp - divisions of small numbers -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs divide by routines: of 64 bits it is one of a hundred instructions that
// is called, and a fifth of what ptxas does for a small kernel. What is
// divided may be known to be small where the divisor isn't: one that is larger
// than all numbers of 32 bits gives what the largest of these does. Tiles of an
// extent are counted by one that is rounded up, where zero is no case of its
// own as long as there is a sum.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_NARROWDIVISIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();

namespace {

struct NarrowDivisions
    : public carousel::impl::NarrowDivisionsBase<NarrowDivisions> {
  using NarrowDivisionsBase::NarrowDivisionsBase;

  void runOnOperation() override {
    SmallVector<Operation *> divisions, roundings;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op) &&
          op->getResult(0).getType().isIntOrIndex() &&
          matchPattern(op->getOperand(1), m_Constant()))
        roundings.push_back(op);
      // By a constant it is a multiplication or a shift.
      if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
              arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
              arith::FloorDivSIOp>(op) &&
          isWide(op->getResult(0).getType()) &&
          !matchPattern(op->getOperand(1), m_Constant()))
        divisions.push_back(op);
    });
    // What is known is known of values, so none may go before all is asked.
    SmallVector<Narrowing> narrowings;
    IndexRanges ranges;
    Divisibility multiples;
    for (Operation *op : divisions)
      if (std::optional<Narrowing> found = plan(op, ranges, multiples))
        narrowings.push_back(*found);
    llvm::erase_if(roundings, [&](Operation *op) {
      return !canAddDivisor(op, ranges, multiples);
    });
    llvm::for_each(roundings, roundUp);
    quotientsRounded += roundings.size();
    for (const Narrowing &narrowing : narrowings)
      narrow(narrowing);
    divisionsNarrowed += narrowings.size();
  }

private:
  struct Narrowing {
    Operation *op;
    std::optional<uint64_t> cap; ///< of the divisor
  };

  static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

  /// Of signed divisions both numbers have to be known not to be negative.
  static std::optional<Narrowing> plan(Operation *op, IndexRanges &ranges,
                                       const Divisibility &multiples) {
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                        arith::FloorDivSIOp>(op);
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isSigned && !(ranges.isNonNegative(lhs) && ranges.isNonNegative(rhs)))
      return std::nullopt;
    std::optional<uint64_t> most = getMost(lhs, ranges);
    if (!most || *most > kMost)
      return std::nullopt;
    std::optional<uint64_t> mostBy = getMost(rhs, ranges);
    if (mostBy && *mostBy <= kMost)
      return Narrowing{op, std::nullopt};
    // Divisors that are larger than all that is divided are one like the
    // other. What is a multiple of something stays one.
    uint64_t multiple = std::max<int64_t>(multiples.getMultiple(rhs), 1);
    uint64_t cap = kMost / multiple * multiple;
    if (cap <= *most)
      return std::nullopt;
    return Narrowing{op, cap};
  }

  /// Whether a dividend and a constant divisor have a sum; of signed ones both
  /// have to be known not to be negative, and the sum is without a sign. What
  /// is known of the quotient's divisors the sum would hide.
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
    APInt most = APInt::getMaxValue(divisor.getBitWidth());
    return range.getValue().umax().ule(most - divisor);
  }

  /// Of a number that may be the largest of its type that takes a comparison
  /// and a selection.
  static void roundUp(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    APInt divisor;
    matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
    Value less = arith::ConstantOp::create(
        b, b.getIntegerAttr(op->getResult(0).getType(), divisor - 1));
    Value sum = arith::AddIOp::create(b, op->getOperand(0), less);
    Value result = arith::DivUIOp::create(b, sum, op->getOperand(1));
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  }

  static void narrow(const Narrowing &narrowing) {
    Operation *op = narrowing.op;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (narrowing.cap) {
      Attribute cap = b.getIntegerAttr(rhs.getType(), *narrowing.cap);
      rhs = arith::MinUIOp::create(
          b, rhs, arith::ConstantOp::create(b, cast<TypedAttr>(cap)));
    }
    Value result = createDivision(op, b, truncate(b, lhs), truncate(b, rhs));
    op->replaceAllUsesWith(ValueRange{extend(b, result, lhs.getType())});
    op->erase();
  }

  static std::optional<uint64_t> getMost(Value value, IndexRanges &ranges) {
    IntegerValueRange range = ranges.get(value);
    if (range.isUninitialized())
      return std::nullopt;
    return range.getValue().umax().getZExtValue();
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
};

} // namespace
