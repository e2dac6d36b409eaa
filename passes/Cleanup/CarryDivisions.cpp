//===- CarryDivisions.cpp - quotients that are counted along a loop -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one tile of a persistent loop to the next its row and column, quotient
// and remainder of its number, grow by those of the step, and one more where
// remainders overflow, as the digits of a counter do. What is divided then is
// where the loop begins and its step, both small. The routine that divides 64
// bits is in a kernel once, however many divisions call it, and a digit costs
// two divisions of 32 bits for each number: all have to be carried, and few.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace carousel {
#define GEN_PASS_DEF_CARRYDIVISIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Numbers of blocks are no larger: divided in 32 bits, by what isn't known to
/// be a multiple of more.
static constexpr uint64_t kSmall = rules::kMaxGridX;

static bool isQuotient(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op);
}

static bool isRemainder(Operation *op) {
  return isa<arith::RemUIOp, arith::RemSIOp>(op);
}

namespace {

/// A value that counts along a loop: its variable, or a quotient.
struct Counter {
  unsigned argument;     ///< of the loop's body
  Value first, step;     ///< in front of the loop
  Value carry = nullptr; ///< whether it takes one more in this iteration
};

/// A counter's divisions in the loop, by one value.
struct Digit {
  Value divisor;
  SmallVector<Operation *> quotients, remainders;
};

struct CarryDivisions
    : public carousel::impl::CarryDivisionsBase<CarryDivisions> {
  using CarryDivisionsBase::CarryDivisionsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    llvm::DenseSet<Operation *> carried;
    unsigned digits = 0;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isSteady(loop))
        return;
      loops.push_back(loop);
      digits += plan(loop, {loop.getInductionVar()}, carried);
    });
    if (digits > mostDigits || leavesDivisions(carried)) {
      divisionsKept += carried.size();
      return;
    }
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      SmallVector<Counter> counters = {
          {0, loop.getLowerBound(), loop.getStep()}};
      while (!counters.empty()) {
        Value dividend = loop.getBody()->getArgument(counters.back().argument);
        std::optional<Digit> digit = findDigit(loop, dividend, {});
        if (digit)
          loop =
              carry(loop, Counter(counters.back()), *digit, counters, rewriter);
        else
          counters.pop_back();
      }
    }
  }

private:
  static bool isSteady(scf::ForOp loop);
  static std::optional<Digit>
  findDigit(scf::ForOp loop, ValueRange dividends,
            const llvm::DenseSet<Operation *> &known);
  static unsigned plan(scf::ForOp loop, ValueRange dividends,
                       llvm::DenseSet<Operation *> &carried);
  bool leavesDivisions(const llvm::DenseSet<Operation *> &carried);
  scf::ForOp carry(scf::ForOp loop, Counter counter, const Digit &digit,
                   SmallVectorImpl<Counter> &counters, IRRewriter &rewriter);
};

} // namespace

/// Whether the loop counts from a small number by small steps, so that its
/// variable is never negative.
bool CarryDivisions::isSteady(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  if (!type.isIndex() && !type.isInteger(64))
    return false;
  IndexRanges ranges;
  Value counts[] = {loop.getLowerBound(), loop.getStep()};
  return llvm::all_of(counts, [&](Value value) {
    IntegerValueRange range = ranges.get(value);
    return !range.isUninitialized() && range.getValue().umax().ule(kSmall);
  });
}

/// Of a number that is there as one value or several, the divisions by one
/// value, but those that are known. By a constant there is nothing to gain, and
/// a divisor that is signed and perhaps negative would count down.
std::optional<Digit>
CarryDivisions::findDigit(scf::ForOp loop, ValueRange dividends,
                          const llvm::DenseSet<Operation *> &known) {
  Digit digit;
  IndexRanges ranges;
  for (Value dividend : dividends)
    for (Operation *user : dividend.getUsers()) {
      if ((!isQuotient(user) && !isRemainder(user)) || known.contains(user))
        continue;
      Value divisor = user->getOperand(1);
      if (user->getOperand(0) != dividend ||
          !loop.isDefinedOutsideOfLoop(divisor) ||
          (digit.divisor && digit.divisor != divisor) ||
          matchPattern(divisor, m_Constant()))
        continue;
      if (!isa<arith::DivUIOp, arith::RemUIOp>(user) &&
          !ranges.isNonNegative(divisor))
        continue;
      digit.divisor = divisor;
      (isQuotient(user) ? digit.quotients : digit.remainders).push_back(user);
    }
  if (!digit.divisor)
    return std::nullopt;
  return digit;
}

/// Adds what would be carried; returns how many digits those are.
unsigned CarryDivisions::plan(scf::ForOp loop, ValueRange dividends,
                              llvm::DenseSet<Operation *> &carried) {
  unsigned digits = 0;
  // Quotients are dividends in turn.
  SmallVector<SmallVector<Value>> open = {llvm::to_vector(dividends)};
  while (!open.empty()) {
    std::optional<Digit> digit = findDigit(loop, open.back(), carried);
    if (!digit) {
      open.pop_back();
      continue;
    }
    ++digits;
    carried.insert_range(digit->quotients);
    carried.insert_range(digit->remainders);
    SmallVector<Value> quotients;
    for (Operation *op : digit->quotients)
      quotients.push_back(op->getResult(0));
    open.push_back(std::move(quotients));
  }
  return digits;
}

/// Whether some division, but the carried ones, is one of 64 bits.
bool CarryDivisions::leavesDivisions(
    const llvm::DenseSet<Operation *> &carried) {
  IndexRanges ranges;
  WalkResult result = getOperation()->walk([&](Operation *op) {
    if ((!isQuotient(op) && !isRemainder(op) &&
         !isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) ||
        carried.contains(op) || matchPattern(op->getOperand(1), m_Constant()))
      return WalkResult::advance();
    // Of 32 bits already, or of fewer.
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
    if (type && type.getWidth() <= 32)
      return WalkResult::advance();
    IntegerValueRange range = ranges.get(op->getOperand(0));
    return WalkResult(success(range.isUninitialized() ||
                              range.getValue().umax().ule(kSmall)));
  });
  return result.wasInterrupted();
}

/// Makes the digit's quotient, where it is asked for, and its remainder values
/// of the loop. The quotient is a counter in turn.
scf::ForOp CarryDivisions::carry(scf::ForOp loop, Counter counter,
                                 const Digit &digit,
                                 SmallVectorImpl<Counter> &counters,
                                 IRRewriter &rewriter) {
  Location loc = digit.divisor.getLoc();
  rewriter.setInsertionPoint(loop);
  Type type = digit.divisor.getType();
  Value one = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getIntegerAttr(type, 1));
  // In front of a loop without iterations nobody promises that it isn't zero.
  Value divisor = arith::MaxUIOp::create(rewriter, loc, digit.divisor, one);
  auto getQuotient = [&](Value value) {
    return rewriter.createOrFold<arith::DivUIOp>(loc, value, divisor);
  };
  auto getRemainder = [&](Value value) {
    return rewriter.createOrFold<arith::RemUIOp>(loc, value, divisor);
  };
  bool hasQuotient = !digit.quotients.empty();
  Value stepRemainder = getRemainder(counter.step);
  SmallVector<Value> firsts = {getRemainder(counter.first)};
  Counter quotient{loop.getBody()->getNumArguments() + 1, nullptr, nullptr};
  if (hasQuotient) {
    quotient.first = getQuotient(counter.first);
    quotient.step = getQuotient(counter.step);
    firsts.push_back(quotient.first);
  }

  auto addOneIf = [&](OpBuilder &b, Value condition, Value value) -> Value {
    Value more = arith::AddIOp::create(b, loc, value, one);
    return arith::SelectOp::create(b, loc, condition, more, value);
  };
  auto count = [&](OpBuilder &b, Location,
                   ArrayRef<BlockArgument> digits) -> SmallVector<Value> {
    // Both are below the divisor, so one overflow is all that there can be.
    Value sum = arith::AddIOp::create(b, loc, digits[0], stepRemainder);
    if (counter.carry)
      sum = addOneIf(b, counter.carry, sum);
    quotient.carry =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, sum, divisor);
    Value rest = arith::SubIOp::create(b, loc, sum, divisor);
    SmallVector<Value> next = {
        arith::SelectOp::create(b, loc, quotient.carry, rest, sum)};
    if (hasQuotient)
      next.push_back(
          addOneIf(b, quotient.carry,
                   arith::AddIOp::create(b, loc, digits[1], quotient.step)));
    return next;
  };
  LoopLikeOpInterface extended = *loop.replaceWithAdditionalYields(
      rewriter, firsts, /*replaceInitOperandUsesInLoop=*/false, count);
  loop = cast<scf::ForOp>(extended);

  auto replace = [&](ArrayRef<Operation *> divisions, Value by) {
    for (Operation *division : divisions)
      rewriter.replaceOp(division, by);
    divisionsCarried += divisions.size();
  };
  Block &body = *loop.getBody();
  replace(digit.remainders, body.getArgument(quotient.argument - 1));
  if (hasQuotient) {
    replace(digit.quotients, body.getArgument(quotient.argument));
    counters.push_back(quotient);
  }
  return loop;
}
