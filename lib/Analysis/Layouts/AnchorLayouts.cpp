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

#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

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

static constexpr unsigned kLaneBits = llvm::ConstantLog2<rules::kWarpSize>();

static LinearLayout makeLayout(llvm::ArrayRef<unsigned> extentBits,
                               unsigned runBits, unsigned warpBits,
                               bool rowsOfWarps) {
  LinearLayout layout(extentBits);
  BitSource bits(extentBits);
  for (unsigned bit = 0; bit < runBits && bits.isInLastDim(); ++bit)
    layout.addBasis(Place::Register, bits.take());
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    layout.addBasis(Place::Lane, bits.take());
  while (rowsOfWarps && bits.isInLastDim())
    layout.addBasis(Place::Register, bits.take());
  for (unsigned bit = 0; bit < warpBits; ++bit)
    layout.addBasis(Place::Warp, bits.take());
  while (!bits.isEmpty())
    layout.addBasis(Place::Register, bits.take());
  return layout;
}

LinearLayout carousel::makeCoalescedLayout(llvm::ArrayRef<unsigned> extentBits,
                                           unsigned runBits,
                                           unsigned warpBits) {
  return makeLayout(extentBits, runBits, warpBits, /*rowsOfWarps=*/false);
}

LinearLayout carousel::makeRowsOfWarps(llvm::ArrayRef<unsigned> extentBits,
                                       unsigned runBits, unsigned warpBits) {
  return makeLayout(extentBits, runBits, warpBits, /*rowsOfWarps=*/true);
}
