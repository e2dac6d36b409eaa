//===- ReduceDivisions.cpp - strength reduction of divisions --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent loop divides its tile number into a row and a column. From one
// iteration to the next, quotient and remainder grow by those of the step, with
// a carry if the remainder reaches the divisor. So the loop can carry both.
// Divisions of the loop's start and step are left before the loop; both are
// small. The 64-bit routine is in a kernel once, however many divisions call
// it, and each divisor costs four 32-bit divisions. So either all divisions are
// replaced, and few, or none is.
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-simplify-index-arithmetic"

using namespace mlir;
using namespace carousel;

/// Numbers of blocks are no larger, and are divided in 32 bits.
static constexpr uint64_t kSmall = rules::kMaxGridX;

static bool isQuotient(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op);
}

static bool isRemainder(Operation *op) {
  return isa<arith::RemUIOp, arith::RemSIOp>(op);
}

namespace {

/// A dividend that a loop carries: its induction variable, or a quotient.
struct Dividend {
  unsigned argument;     ///< of the loop's body
  Value start, step;     ///< before the loop
  Value carry = nullptr; ///< whether this iteration adds one more
};

/// The divisions of one dividend by one divisor.
struct DivisionGroup {
  Value divisor;
  SmallVector<Operation *> quotients, remainders;
};

/// Replaces the divisions of one group after the other by values that the loop
/// carries.
class LoopReducer {
public:
  LoopReducer(scf::ForOp loop, IRRewriter &rewriter)
      : loop(loop), rewriter(rewriter) {}

  /// Returns the number of divisions replaced.
  unsigned run();

private:
  void replace(Dividend dividend, const DivisionGroup &group);

  scf::ForOp loop;
  IRRewriter &rewriter;
  SmallVector<Dividend> open;
  unsigned reduced = 0;
};

} // namespace

/// Whether start and step of the loop are small, so that its variable is never
/// negative.
static bool isSteady(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  if (!type.isIndex() && !type.isInteger(64))
    return false;
  IndexRanges ranges;
  Value values[] = {loop.getLowerBound(), loop.getStep()};
  return llvm::all_of(values, [&](Value value) {
    IntegerValueRange range = ranges.get(value);
    return !range.isUninitialized() && range.getValue().umax().ule(kSmall);
  });
}

/// The divisions of `dividends`, which are one number, by one divisor, except
/// those in `known`. A division by a constant is cheap already. A signed
/// divisor that may be negative would make the quotient shrink.
static std::optional<DivisionGroup>
findGroup(scf::ForOp loop, ValueRange dividends,
          const llvm::DenseSet<Operation *> &known) {
  DivisionGroup group;
  IndexRanges ranges;
  for (Value dividend : dividends)
    for (Operation *user : dividend.getUsers()) {
      if ((!isQuotient(user) && !isRemainder(user)) || known.contains(user))
        continue;
      Value divisor = user->getOperand(1);
      if (user->getOperand(0) != dividend ||
          !loop.isDefinedOutsideOfLoop(divisor) ||
          (group.divisor && group.divisor != divisor) ||
          matchPattern(divisor, m_Constant()))
        continue;
      if (!isa<arith::DivUIOp, arith::RemUIOp>(user) &&
          !ranges.isNonNegative(divisor))
        continue;
      group.divisor = divisor;
      (isQuotient(user) ? group.quotients : group.remainders).push_back(user);
    }
  if (!group.divisor)
    return std::nullopt;
  return group;
}

/// Adds the divisions that `loop` could carry to `candidates`; returns the
/// number of their groups.
static unsigned findCandidates(scf::ForOp loop,
                               llvm::DenseSet<Operation *> &candidates) {
  unsigned groups = 0;
  // Quotients are dividends in turn.
  SmallVector<SmallVector<Value>> open = {{loop.getInductionVar()}};
  while (!open.empty()) {
    std::optional<DivisionGroup> group =
        findGroup(loop, open.back(), candidates);
    if (!group) {
      open.pop_back();
      continue;
    }
    ++groups;
    candidates.insert_range(group->quotients);
    candidates.insert_range(group->remainders);
    SmallVector<Value> quotients;
    for (Operation *op : group->quotients)
      quotients.push_back(op->getResult(0));
    open.push_back(std::move(quotients));
  }
  return groups;
}

/// A 64-bit division in `root` that is no candidate; null if there is none.
static Operation *
findOtherDivision(Operation *root,
                  const llvm::DenseSet<Operation *> &candidates) {
  IndexRanges ranges;
  Operation *other = nullptr;
  root->walk([&](Operation *op) {
    if ((!isQuotient(op) && !isRemainder(op) &&
         !isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) ||
        candidates.contains(op) ||
        matchPattern(op->getOperand(1), m_Constant()))
      return WalkResult::advance();
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
    if (type && type.getWidth() <= 32)
      return WalkResult::advance();
    IntegerValueRange range = ranges.get(op->getOperand(0));
    if (!range.isUninitialized() && range.getValue().umax().ule(kSmall))
      return WalkResult::advance();
    other = op;
    return WalkResult::interrupt();
  });
  return other;
}

unsigned LoopReducer::run() {
  open = {{0, loop.getLowerBound(), loop.getStep()}};
  while (!open.empty()) {
    Value dividend = loop.getBody()->getArgument(open.back().argument);
    if (std::optional<DivisionGroup> group = findGroup(loop, dividend, {}))
      replace(open.back(), *group);
    else
      open.pop_back();
  }
  return reduced;
}

/// Makes the group's remainder, and its quotient if there is one, values of the
/// loop. The quotient is a dividend in turn.
void LoopReducer::replace(Dividend dividend, const DivisionGroup &group) {
  Location loc = group.divisor.getLoc();
  rewriter.setInsertionPoint(loop);
  Type type = group.divisor.getType();
  Value one = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getIntegerAttr(type, 1));
  // The divisor may be zero if the loop has no iteration.
  Value divisor = arith::MaxUIOp::create(rewriter, loc, group.divisor, one);
  auto getQuotient = [&](Value value) {
    return rewriter.createOrFold<arith::DivUIOp>(loc, value, divisor);
  };
  auto getRemainder = [&](Value value) {
    return rewriter.createOrFold<arith::RemUIOp>(loc, value, divisor);
  };
  bool hasQuotient = !group.quotients.empty();
  Value stepRemainder = getRemainder(dividend.step);
  SmallVector<Value> starts = {getRemainder(dividend.start)};
  Dividend quotient{loop.getBody()->getNumArguments() + 1, nullptr, nullptr};
  if (hasQuotient) {
    quotient.start = getQuotient(dividend.start);
    quotient.step = getQuotient(dividend.step);
    starts.push_back(quotient.start);
  }

  auto addOneIf = [&](OpBuilder &b, Value condition, Value value) -> Value {
    Value more = arith::AddIOp::create(b, loc, value, one);
    return arith::SelectOp::create(b, loc, condition, more, value);
  };
  auto createNext = [&](OpBuilder &b, Location,
                        ArrayRef<BlockArgument> carried) -> SmallVector<Value> {
    // Both remainders are below the divisor, so at most one carry occurs.
    Value sum = arith::AddIOp::create(b, loc, carried[0], stepRemainder);
    if (dividend.carry)
      sum = addOneIf(b, dividend.carry, sum);
    quotient.carry =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, sum, divisor);
    Value rest = arith::SubIOp::create(b, loc, sum, divisor);
    SmallVector<Value> next = {
        arith::SelectOp::create(b, loc, quotient.carry, rest, sum)};
    if (hasQuotient)
      next.push_back(
          addOneIf(b, quotient.carry,
                   arith::AddIOp::create(b, loc, carried[1], quotient.step)));
    return next;
  };
  LoopLikeOpInterface extended = *loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false, createNext);
  loop = cast<scf::ForOp>(extended);

  auto replaceAll = [&](ArrayRef<Operation *> divisions, Value by) {
    for (Operation *division : divisions)
      rewriter.replaceOp(division, by);
    reduced += divisions.size();
  };
  Block &body = *loop.getBody();
  replaceAll(group.remainders, body.getArgument(quotient.argument - 1));
  if (hasQuotient) {
    replaceAll(group.quotients, body.getArgument(quotient.argument));
    open.push_back(quotient);
  }
}

ReducedDivisions carousel::reduceDivisions(Operation *root,
                                           unsigned maxDivisors) {
  SmallVector<scf::ForOp> loops;
  llvm::DenseSet<Operation *> candidates;
  unsigned divisors = 0;
  root->walk([&](scf::ForOp loop) {
    if (!isSteady(loop))
      return;
    loops.push_back(loop);
    divisors += findCandidates(loop, candidates);
  });
  if (candidates.empty())
    return {};
  unsigned kept = candidates.size();
  if (divisors > maxDivisors) {
    LDBG() << root->getLoc() << ": kept " << kept << " divisions, by "
           << divisors << " divisors of at most " << maxDivisors;
    return {0, kept};
  }
  if (Operation *other = findOtherDivision(root, candidates)) {
    LDBG() << root->getLoc() << ": kept " << kept
           << " divisions, since a 64-bit one is left at " << other->getLoc();
    return {0, kept};
  }
  IRRewriter rewriter(root->getContext());
  ReducedDivisions result;
  for (scf::ForOp loop : loops) {
    Location loc = loop.getLoc();
    unsigned reduced = LoopReducer(loop, rewriter).run();
    if (reduced != 0)
      LDBG() << loc << ": loop carries " << reduced << " divisions";
    result.reduced += reduced;
  }
  return result;
}
