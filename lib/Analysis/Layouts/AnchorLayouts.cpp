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
  /// Of dimensions before the last one.
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

static void addRest(LinearLayout &layout, BitSource &bits, unsigned warpBits) {
  for (unsigned bit = 0; bit < warpBits; ++bit)
    layout.addBasis(Place::Warp, bits.take());
  while (!bits.isEmpty())
    layout.addBasis(Place::Register, bits.take());
}

LinearLayout carousel::makeCoalescedLayout(llvm::ArrayRef<unsigned> extentBits,
                                           unsigned runBits,
                                           ThreadBits threads) {
  LinearLayout layout(extentBits);
  BitSource bits(extentBits);
  addRunsOfLanes(layout, bits, runBits, threads.lanes);
  addRest(layout, bits, threads.warps);
  return layout;
}

LinearLayout carousel::makeRowLayout(llvm::ArrayRef<unsigned> extentBits,
                                     unsigned runBits, ThreadBits threads) {
  LinearLayout layout(extentBits);
  BitSource bits(extentBits);
  addRunsOfLanes(layout, bits, runBits, threads.lanes);
  unsigned ofRows = std::min(threads.warps, bits.countOuterBits());
  unsigned withinRow = threads.warps - ofRows;
  for (; withinRow != 0 && bits.isInLastDim(); --withinRow)
    layout.addBasis(Place::Warp, bits.take());
  while (bits.isInLastDim())
    layout.addBasis(Place::Register, bits.take());
  addRest(layout, bits, ofRows + withinRow);
  return layout;
}
