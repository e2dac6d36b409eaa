//===- AnchorLayouts.cpp - layouts that ops want --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AnchorLayouts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/AnchorLayouts.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"

#include <algorithm>

using namespace carousel;

namespace {

/// Hands out the bits of coordinates, the last dimension first.
class BitSource {
public:
  explicit BitSource(llvm::ArrayRef<unsigned> extentBits)
      : extentBits(extentBits), dim(extentBits.size()) {
    skipFullDims();
  }

  bool isEmpty() const { return dim == 0; }
  bool isInLastDim() const { return dim == extentBits.size(); }
  unsigned countBitsOfLastDim() const {
    return isInLastDim() && dim != 0 ? extentBits.back() - bit : 0;
  }
  /// Counts the bits of dimensions before the last one.
  unsigned countOuterBits() const {
    unsigned count = 0;
    for (size_t outer = 0; outer < std::min(dim, extentBits.size() - 1);
         ++outer)
      count += extentBits[outer];
    return isEmpty() || isInLastDim() ? count : count - bit;
  }

  /// The next basis; all 0 if there is none.
  llvm::SmallVector<uint32_t> take() {
    llvm::SmallVector<uint32_t> basis(extentBits.size(), 0);
    if (isEmpty())
      return basis;
    basis[dim - 1] = 1u << bit++;
    skipFullDims();
    return basis;
  }

private:
  void skipFullDims() {
    while (dim != 0 && bit == extentBits[dim - 1]) {
      --dim;
      bit = 0;
    }
  }

  llvm::ArrayRef<unsigned> extentBits;
  size_t dim; ///< the next bit's, plus 1
  unsigned bit = 0;
};

} // namespace

/// The runs of threads, and their neighbours.
static void addRunsOfLanes(LinearLayout &layout, BitSource &bits,
                           unsigned runBits, unsigned laneBits) {
  for (unsigned bit = 0; bit < runBits && bits.isInLastDim(); ++bit)
    layout.addBasis(Place::Register, bits.take());
  for (unsigned bit = 0; bit < laneBits; ++bit)
    layout.addBasis(Place::Lane, bits.take());
}

/// Further elements of the last dimension that a warp has, where `ofWarps` of
/// its bits go to warps.
static void addElementsOfWarp(LinearLayout &layout, BitSource &bits,
                              unsigned ofWarps) {
  while (bits.countBitsOfLastDim() > ofWarps)
    layout.addBasis(Place::Register, bits.take());
}

static void addRest(LinearLayout &layout, BitSource &bits, unsigned warpBits) {
  for (unsigned bit = 0; bit < warpBits; ++bit)
    layout.addBasis(Place::Warp, bits.take());
  while (!bits.isEmpty())
    layout.addBasis(Place::Register, bits.take());
}

LinearLayout carousel::makeCoalescedLayout(llvm::ArrayRef<unsigned> extentBits,
                                           unsigned runBits, ThreadBits threads,
                                           bool inWarps) {
  LinearLayout layout(extentBits);
  BitSource bits(extentBits);
  addRunsOfLanes(layout, bits, runBits, threads.lanes);
  if (inWarps)
    addElementsOfWarp(layout, bits,
                      threads.warps -
                          std::min(threads.warps, bits.countOuterBits()));
  addRest(layout, bits, threads.warps);
  return layout;
}

LinearLayout carousel::makeRowLayout(llvm::ArrayRef<unsigned> extentBits,
                                     unsigned runBits, ThreadBits threads,
                                     bool inWarps) {
  LinearLayout layout(extentBits);
  BitSource bits(extentBits);
  addRunsOfLanes(layout, bits, runBits, threads.lanes);
  unsigned ofRows = std::min(threads.warps, bits.countOuterBits());
  unsigned withinRow = threads.warps - ofRows;
  if (inWarps)
    addElementsOfWarp(layout, bits, withinRow);
  for (; withinRow != 0 && bits.isInLastDim(); --withinRow)
    layout.addBasis(Place::Warp, bits.take());
  while (bits.isInLastDim())
    layout.addBasis(Place::Register, bits.take());
  addRest(layout, bits, ofRows + withinRow);
  return layout;
}

/// CTAs share the last dimension of a vector with more elements there than
/// `ofCTA` has. Those that are left over have copies.
static LinearLayout addCTAs(const LinearLayout &ofCTA,
                            llvm::ArrayRef<unsigned> extentBits,
                            unsigned ctas) {
  LinearLayout layout =
      ofCTA.mapBases(extentBits, [](llvm::ArrayRef<uint32_t> basis) {
        return llvm::SmallVector<uint32_t>(basis);
      });
  unsigned next = ofCTA.getExtentBits().back();
  for (unsigned bit = 0; bit < ctas; ++bit) {
    llvm::SmallVector<uint32_t> basis(extentBits.size(), 0);
    if (next < extentBits.back())
      basis.back() = 1u << next++;
    layout.addBasis(Place::CTA, basis);
  }
  return layout;
}

LinearLayout carousel::makeOrderedLayout(llvm::ArrayRef<unsigned> extentBits,
                                         unsigned dim, unsigned runBits,
                                         ThreadBits threads, bool inRows,
                                         bool inWarps) {
  llvm::SmallVector<int64_t> order;
  for (unsigned other = 0; other < extentBits.size(); ++other)
    if (other != dim)
      order.push_back(other);
  order.push_back(dim);
  llvm::SmallVector<unsigned> ordered;
  for (int64_t other : order)
    ordered.push_back(extentBits[other]);
  llvm::SmallVector<unsigned> ofCTA = ordered;
  unsigned shared = std::min(threads.ctas, ofCTA.back());
  ofCTA.back() -= shared;
  LinearLayout layout =
      inRows ? makeRowLayout(ofCTA, runBits, threads, inWarps)
             : makeCoalescedLayout(ofCTA, runBits, threads, inWarps);
  layout = addCTAs(layout, ordered, threads.ctas);
  return getTransposeSource(layout, order);
}

namespace {

/// Hands out the bits of chosen dimensions.
class LayoutBuilder {
public:
  explicit LayoutBuilder(llvm::ArrayRef<unsigned> extentBits)
      : layout(extentBits), taken(extentBits.size(), 0) {}

  /// Gives up to `count` bits of a dimension to a place; returns what is left.
  unsigned take(Place place, unsigned dim, unsigned count) {
    for (; count != 0 && taken[dim] < layout.getExtentBits()[dim]; --count) {
      llvm::SmallVector<uint32_t> basis(taken.size(), 0);
      basis[dim] = 1u << taken[dim]++;
      layout.addBasis(place, basis);
    }
    return count;
  }

  void addCopies(Place place, unsigned count) {
    llvm::SmallVector<uint32_t> zeros(taken.size(), 0);
    for (; count != 0; --count)
      layout.addBasis(place, zeros);
  }

  LinearLayout layout;

private:
  llvm::SmallVector<unsigned> taken;
};

} // namespace

LinearLayout carousel::makeLinesLayout(llvm::ArrayRef<unsigned> extentBits,
                                       unsigned dim,
                                       llvm::ArrayRef<bool> isReduced,
                                       ThreadBits threads) {
  LayoutBuilder builder(extentBits);
  builder.take(Place::Register, dim, extentBits[dim]);
  llvm::SmallVector<unsigned> order;
  for (bool reduces : {false, true})
    for (unsigned other = extentBits.size(); other-- > 0;)
      if (other != dim && isReduced[other] == reduces)
        order.push_back(other);
  auto share = [&](Place place, unsigned count) {
    for (unsigned other : order)
      count = builder.take(place, other, count);
    builder.addCopies(place, count);
  };
  share(Place::Lane, threads.lanes);
  share(Place::Warp, threads.warps);
  for (unsigned other : llvm::reverse(order))
    builder.take(Place::Register, other, extentBits[other]);
  builder.addCopies(Place::CTA, threads.ctas);
  return builder.layout;
}

LinearLayout carousel::makeBlockedLayout(llvm::ArrayRef<unsigned> extentBits,
                                         unsigned dim, unsigned other,
                                         unsigned runBits, ThreadBits threads) {
  LayoutBuilder builder(extentBits);
  llvm::SmallVector<unsigned> order = {dim, other};
  for (unsigned rest = extentBits.size(); rest-- > 0;)
    if (rest != dim && rest != other)
      order.push_back(rest);
  auto takeAny = [&](Place place, unsigned count) {
    for (unsigned from : order)
      count = builder.take(place, from, count);
    builder.addCopies(place, count);
  };
  builder.take(Place::Register, dim, runBits);
  builder.take(Place::Register, other, runBits);
  unsigned across = std::min(threads.lanes, 2u);
  unsigned left = builder.take(Place::Lane, dim, threads.lanes - across);
  left = builder.take(Place::Lane, other, across + left);
  takeAny(Place::Lane, left);
  takeAny(Place::Warp, threads.warps);
  for (unsigned from : order)
    builder.take(Place::Register, from, extentBits[from]);
  builder.addCopies(Place::CTA, threads.ctas);
  return builder.layout;
}

LinearLayout carousel::makeSliceableLayout(llvm::ArrayRef<unsigned> extentBits,
                                           ThreadBits threads) {
  unsigned last = extentBits.size() - 1;
  LinearLayout layout(extentBits);
  llvm::SmallVector<llvm::SmallVector<uint32_t>> ofThreads;
  for (unsigned dim = last + 1; dim-- > 0;)
    for (unsigned bit = 0; bit < extentBits[dim]; ++bit) {
      llvm::SmallVector<uint32_t> basis(extentBits.size(), 0);
      basis[dim] = 1u << bit;
      if ((bit == 0 && dim == last) || bit + 1 == extentBits[dim])
        layout.addBasis(Place::Register, basis);
      else
        ofThreads.push_back(basis);
    }
  llvm::SmallVector<uint32_t> zeros(extentBits.size(), 0);
  unsigned all = threads.lanes + threads.warps;
  for (unsigned bit = 0; bit < std::max<unsigned>(all, ofThreads.size()); ++bit)
    layout.addBasis(bit < threads.lanes ? Place::Lane
                    : bit < all         ? Place::Warp
                                        : Place::Register,
                    bit < ofThreads.size() ? ofThreads[bit] : zeros);
  for (unsigned bit = 0; bit < threads.ctas; ++bit)
    layout.addBasis(Place::CTA, zeros);
  return layout;
}
