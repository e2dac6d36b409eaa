//===- BoxDistances.cpp - how far boxes are apart -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BoxDistances.h. Differences of positions are bounded term by term. The
// induction variable of the loop whose iterations are compared differs by a
// positive multiple of the step; other values that change are independent in
// the two iterations.
//
//===----------------------------------------------------------------------===//

#include "BoxDistances.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

static bool isBound(int64_t value) {
  return value != IndexInterval::kLowest && value != IndexInterval::kHighest;
}

/// One end of an interval: a constant, if the interval ends there.
static LaunchNumber getEnd(const IndexInterval &interval, bool isUpper) {
  int64_t end = isUpper ? interval.hi : interval.lo;
  return isBound(end) ? LaunchNumber::constant(end) : LaunchNumber();
}

static scf::ForOp getLoopOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && loop.getInductionVar() == value && !loop.getUnsignedCmp()
             ? loop
             : scf::ForOp();
}

/// What the induction variable isn't above. Only multiples of what divides
/// start and step count.
LaunchNumber BoxDistances::getLastOfLoop(scf::ForOp loop) {
  LaunchNumber end = getBound(positions.get(loop.getUpperBound()), true);
  int64_t multiple = std::gcd(facts.getMultiple(loop.getStep()),
                              facts.getMultiple(loop.getLowerBound()));
  multiple = std::max<int64_t>(multiple, 1);
  MLIRContext *context = loop.getContext();
  auto round = [&](int64_t value) {
    return isBound(value) ? llvm::divideCeilSigned(value, multiple) : value;
  };
  LaunchNumber count = {{round(end.range.lo), round(end.range.hi)},
                        end.sum.ceilDivide(context, multiple)};
  return count.plus(LaunchNumber::constant(-1)).times(multiple);
}

/// A number that `value` is never below, or never above.
LaunchNumber BoxDistances::getBound(Value value, bool isUpper) {
  IndexInterval range = positions.getRange(value);
  if (ExprAttr expr = launch.get(value))
    return {range, LaunchSum::of(expr)};
  LaunchNumber known = getEnd(range, isUpper);
  scf::ForOp loop = getLoopOf(value);
  if (!loop)
    return known;
  LaunchNumber bound = isUpper ? getLastOfLoop(loop)
                               : getBound(positions.get(loop.getLowerBound()),
                                          /*isUpper=*/false);
  // What the launch computes is closer than a constant.
  return bound.sum.isValid() ? bound : known;
}

LaunchNumber BoxDistances::getScaled(Value value, int64_t factor) {
  return getBound(value, /*isUpper=*/factor < 0).times(factor);
}

LaunchNumber BoxDistances::getBound(const IndexPosition &position,
                                    bool isUpper) {
  LaunchNumber bound = getEnd(position.rest, isUpper);
  for (auto [number, factor] : position.terms)
    bound =
        bound.plus(getBound(positions.getValue(number), isUpper == (factor > 0))
                       .times(factor));
  return bound;
}

/// The least or the largest difference of the induction variable between two
/// iterations.
LaunchNumber BoxDistances::getAdvance(scf::ForOp loop, bool isMost) {
  if (isMost) {
    Value variable = loop.getInductionVar();
    return getBound(variable, true).plus(getBound(variable, false).times(-1));
  }
  int64_t multiple = std::max<int64_t>(facts.getMultiple(loop.getStep()), 1);
  IndexInterval range = positions.getRange(loop.getStep());
  // A step is positive.
  range.lo = std::max(range.lo, multiple);
  range.hi = std::max(range.hi, range.lo);
  ExprAttr step = launch.get(loop.getStep());
  return step ? LaunchNumber{range, LaunchSum::of(step)}
              : LaunchNumber::constant(multiple);
}

LaunchNumber BoxDistances::getGap(const BoxPairDim &dim, bool after,
                                  scf::ForOp loop, scf::ForOp outermost) {
  const IndexPosition &from = after ? dim.load : dim.store;
  const IndexPosition &to = after ? dim.store : dim.load;
  LaunchNumber gap =
      getEnd(from.rest, false)
          .plus(getEnd(to.rest, true).times(-1))
          .plus(LaunchNumber::constant(after ? -dim.stored : -dim.loaded));
  auto add = [&](unsigned number, int64_t factor, int64_t subtracted) {
    Value value = positions.getValue(number);
    bool isSame = !loop || outermost.isDefinedOutsideOfLoop(value);
    if (!isSame && loop.getInductionVar() == value && factor == subtracted) {
      // The load's is the later one.
      int64_t advance = after ? factor : -factor;
      gap = gap.plus(getAdvance(loop, advance < 0).times(advance));
    } else if (isSame) {
      int64_t difference;
      if (llvm::SubOverflow(factor, subtracted, difference))
        gap = LaunchNumber();
      else if (difference != 0)
        gap = gap.plus(getScaled(value, difference));
    } else {
      if (factor != 0)
        gap = gap.plus(getScaled(value, factor));
      if (subtracted == INT64_MIN)
        gap = LaunchNumber();
      else if (subtracted != 0)
        gap = gap.plus(getScaled(value, -subtracted));
    }
  };
  auto getFactor = [](const IndexPosition &position, unsigned wanted) {
    for (auto [number, factor] : position.terms)
      if (number == wanted)
        return factor;
    return int64_t(0);
  };
  for (auto [number, factor] : from.terms)
    add(number, factor, getFactor(to, number));
  for (auto [number, factor] : to.terms)
    if (getFactor(from, number) == 0)
      add(number, 0, factor);
  return gap;
}
