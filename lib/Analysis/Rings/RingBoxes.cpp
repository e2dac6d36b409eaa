//===- RingBoxes.cpp - boxes of loads and stores --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RingBoxes.h. Two boxes are apart if they are in one dimension. A value
// that is the same in all iterations cancels out. All others are taken to be
// independent in the two iterations, apart from their ranges and divisors.
//
//===----------------------------------------------------------------------===//

#include "RingBoxes.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

bool RingBoxes::isVarying(Value value, scf::ForOp outermost) const {
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

/// In the same iteration: all values have the same numbers in both.
bool RingBoxes::haveDistance(const Dim &dim) {
  return isApart(positions.subtract(dim.store, dim.load), dim.loaded,
                 dim.stored);
}

/// In any two iterations: by the ranges of what varies.
bool RingBoxes::areRegionsApart(const Dim &dim, ArrayRef<scf::ForOp> loops) {
  auto isGone = [&](Value value) { return isVarying(value, loops.front()); };
  IndexPosition load = positions.substitute(dim.load, PositionMap(), isGone);
  IndexPosition store = positions.substitute(dim.store, PositionMap(), isGone);
  return isApart(positions.subtract(store, load), dim.loaded, dim.stored);
}

/// In any two iterations: the distance is a constant plus a multiple of some
/// number, such as that of even tiles from odd ones.
bool RingBoxes::haveStrides(const Dim &dim, ArrayRef<scf::ForOp> loops) {
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

/// In two iterations that differ in the variable of `loop`: the boxes advance
/// by their extent or more in each iteration.
bool RingBoxes::advances(const Dim &dim, scf::ForOp loop,
                         scf::ForOp outermost) {
  if (dim.load.terms != dim.store.terms || !dim.load.rest.isExact() ||
      !dim.store.rest.isExact())
    return false;
  int64_t factor = 0;
  for (auto [number, found] : dim.load.terms) {
    Value value = positions.getValue(number);
    if (value == loop.getInductionVar())
      factor = found;
    else if (isVarying(value, outermost))
      return false;
  }
  int64_t advance, distance, behind, before;
  if (llvm::MulOverflow(factor, facts.getMultiple(loop.getStep()), advance) ||
      llvm::SubOverflow(dim.store.rest.lo, dim.load.rest.lo, distance))
    return false;
  advance = std::abs(advance);
  return advance != 0 && !llvm::AddOverflow(advance, distance, behind) &&
         !llvm::SubOverflow(advance, distance, before) &&
         behind >= dim.loaded && before >= dim.stored;
}

bool RingBoxes::areApart(LoadOp load, StoreOp store, ArrayRef<scf::ForOp> loops,
                         bool inSameIteration) {
  AccessBox loaded = getTransferBox(positions, load),
            stored = getTransferBox(positions, store);
  // Further entries are numbers that determine boxes of the same offsets.
  size_t rank = load.getOffsets().size(), count = rank;
  if (load.getOffsets() == store.getOffsets() &&
      loaded.extents == stored.extents)
    count = std::min(loaded.first.size(), stored.first.size());
  SmallVector<Dim> dims;
  for (size_t dim = 0; dim < count; ++dim)
    dims.push_back({loaded.first[dim], stored.first[dim], loaded.extents[dim],
                    stored.extents[dim]});
  ArrayRef<Dim> extents = ArrayRef<Dim>(dims).take_front(rank);
  if (llvm::any_of(extents, [&](const Dim &dim) {
        return areRegionsApart(dim, loops) || haveStrides(dim, loops);
      }))
    return true;
  if (inSameIteration &&
      llvm::none_of(extents, [&](const Dim &dim) { return haveDistance(dim); }))
    return false;
  return llvm::all_of(loops, [&](scf::ForOp loop) {
    return llvm::any_of(dims, [&](const Dim &dim) {
      return advances(dim, loop, loops.front());
    });
  });
}
