//===- RingBoxes.cpp - boxes that are apart -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences of positions are bounded term by term. The induction variable of
// the loop whose iterations are compared differs by a positive multiple of the
// step. A value that is the same in all iterations cancels out. All others are
// taken to be independent in the two iterations, apart from their ranges and
// divisors. Two boxes are apart if they are in one dimension. Only pairs with
// the load in the later iteration count: a load has landed before its own
// iteration ends.
//
//===----------------------------------------------------------------------===//

#include "RingBoxes.h"

#include "llvm/Support/MathExtras.h"

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

/// Returns a bound that the induction variable isn't above. Only multiples of
/// what divides start and step count.
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
  // The bound that the launch computes is closer than a constant.
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

RingBoxes::RingBoxes(gpu::GPUFuncOp kernel)
    : kernel(kernel), positions(kernel), distances(kernel, positions, facts) {
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
    llvm::append_range(guards, variant.getGuards());
}

static bool isVarying(Value value, scf::ForOp outermost) {
  return !outermost.isDefinedOutsideOfLoop(value);
}

static int64_t getFactor(const IndexPosition &position, unsigned number) {
  for (auto [term, factor] : position.terms)
    if (term == number)
      return factor;
  return 0;
}

/// Whether a store at `distance` from a load doesn't touch its box.
static bool isApart(IndexInterval distance, int64_t loaded, int64_t stored) {
  return (distance.lo != IndexInterval::kLowest && distance.lo >= loaded) ||
         (distance.hi != IndexInterval::kHighest && distance.hi <= -stored);
}

/// Whether the regions are apart in any two iterations, by the ranges of what
/// varies.
bool RingBoxes::areRegionsApart(const BoxPairDim &dim,
                                ArrayRef<scf::ForOp> loops) {
  auto isGone = [&](Value value) { return isVarying(value, loops.front()); };
  IndexPosition load = positions.substitute(dim.load, PositionMap(), isGone);
  IndexPosition store = positions.substitute(dim.store, PositionMap(), isGone);
  return isApart(positions.subtract(store, load), dim.loaded, dim.stored);
}

/// In any two iterations: the distance is a constant plus a multiple of some
/// number, such as that of even tiles from odd ones.
bool RingBoxes::haveStrides(const BoxPairDim &dim, ArrayRef<scf::ForOp> loops) {
  if (!dim.load.rest.isExact() || !dim.store.rest.isExact())
    return false;
  int64_t stride = 0;
  auto addMultiples = [&](int64_t factor, int64_t multiple) {
    int64_t product;
    stride = llvm::MulOverflow(factor, multiple, product)
                 ? 1
                 : std::gcd(stride, product);
  };
  auto addTerms = [&](const IndexPosition &from, const IndexPosition &other) {
    return llvm::all_of(from.terms, [&](const auto &term) {
      auto [number, factor] = term;
      bool isSame = getFactor(other, number) == factor;
      Value value = positions.getValue(number);
      if (!isVarying(value, loops.front()))
        return isSame;
      const scf::ForOp *loop = llvm::find_if(loops, [&](scf::ForOp loop) {
        return loop.getInductionVar() == value;
      });
      // Differences of an induction variable are multiples of the step.
      addMultiples(factor, isSame && loop != loops.end()
                               ? facts.getMultiple(scf::ForOp(*loop).getStep())
                               : facts.getMultiple(value));
      return true;
    });
  };
  int64_t distance;
  if (!addTerms(dim.load, dim.store) || !addTerms(dim.store, dim.load) ||
      llvm::SubOverflow(dim.store.rest.lo, dim.load.rest.lo, distance))
    return false;
  stride = std::abs(stride);
  if (stride == 0)
    return isApart(IndexInterval::exactly(distance), dim.loaded, dim.stored);
  int64_t behind = distance % stride;
  behind += behind < 0 ? stride : 0;
  return behind >= dim.loaded && stride - behind >= dim.stored;
}

/// Whether the boxes are apart in a dimension, if the load is executed in a
/// later iteration of `loop`; without `loop`, in the same iteration. The guard
/// says so of the largest gap.
bool RingBoxes::haveGaps(ArrayRef<BoxPairDim> dims, scf::ForOp loop,
                         scf::ForOp outermost,
                         SmallVectorImpl<GuardAttr> *missing) {
  MLIRContext *context = kernel.getContext();
  ExprAttr largest;
  for (const BoxPairDim &dim : dims)
    for (bool after : {true, false}) {
      LaunchNumber gap = distances.getGap(dim, after, loop, outermost);
      if (gap.range.lo != IndexInterval::kLowest && gap.range.lo >= 0)
        return true;
      ExprAttr expr = gap.sum.get(context);
      if (!expr || gap.range.hi < 0 || expr == largest)
        continue;
      largest = largest ? makeMax(largest, expr) : expr;
    }
  if (!largest || !isSmallEnough(largest))
    return false;
  auto guard = GuardAttr::get(context, GuardKind::Range, /*argument=*/0,
                              largest, /*other=*/ExprAttr(), /*least=*/0,
                              /*most=*/INT64_MAX);
  if (llvm::is_contained(guards, guard))
    return true;
  if (missing && !llvm::is_contained(*missing, guard))
    missing->push_back(guard);
  return missing;
}

bool RingBoxes::areApart(LoadOp load, StoreOp store, ArrayRef<scf::ForOp> loops,
                         bool inSameIteration,
                         SmallVectorImpl<GuardAttr> *missing) {
  AccessBox loaded = getTransferBox(positions, load),
            stored = getTransferBox(positions, store);
  // Further entries are numbers that determine boxes of the same offsets.
  size_t rank = load.getOffsets().size(), count = rank;
  if (load.getOffsets() == store.getOffsets() &&
      loaded.extents == stored.extents)
    count = std::min(loaded.first.size(), stored.first.size());
  SmallVector<BoxPairDim> dims;
  for (size_t dim = 0; dim < count; ++dim)
    dims.push_back({loaded.first[dim], stored.first[dim], loaded.extents[dim],
                    stored.extents[dim]});
  ArrayRef<BoxPairDim> extents = ArrayRef<BoxPairDim>(dims).take_front(rank);
  if (llvm::any_of(extents, [&](const BoxPairDim &dim) {
        return areRegionsApart(dim, loops) || haveStrides(dim, loops);
      }))
    return true;
  if (inSameIteration &&
      !haveGaps(extents, scf::ForOp(), loops.front(), missing))
    return false;
  return llvm::all_of(loops, [&](scf::ForOp loop) {
    return haveGaps(dims, loop, loops.front(), missing);
  });
}
