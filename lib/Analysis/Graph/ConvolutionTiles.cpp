//===- ConvolutionTiles.cpp - what a program convolves --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConvolutionTiles.h. All boxes of 64 and of 128 pixels are compared.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/ConvolutionTiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel;
using llvm::SmallVector;

bool carousel::isBesideChannels(const GraphAccess &image, unsigned dim) {
  return dim + (image.hasGroups ? 3 : 2) == image.loops.size();
}

int64_t carousel::countMemoryDims(const GraphAccess &image, unsigned dims) {
  bool isWhole = dims == image.loops.size();
  int64_t count = int64_t(dims) - (isWhole && image.hasGroups);
  for (const GraphWindow &window : image.windows)
    count += window.dim < dims && window.stride != 1 &&
             !isBesideChannels(image, window.dim);
  return count;
}

bool carousel::isInBox(const GraphAccess &image, unsigned dim) {
  constexpr int64_t kMostDims = 4;
  return countMemoryDims(image, image.loops.size()) -
             countMemoryDims(image, dim) <=
         kMostDims;
}

/// Extents that the launch says, if planners have to choose before.
static int64_t assumePixels(int64_t extent) {
  constexpr int64_t kAssumedPixels = 64;
  return extent == kUnknownExtent ? kAssumedPixels : extent;
}

namespace {

/// The difference between boxes of as many pixels, beside how many there are.
enum class BoxKind {
  Tile,   ///< nothing
  Summed, ///< what has to be masked
  Shared, ///< what neighbours read, too
};

/// Compares boxes of one number of pixels.
class BoxSearch {
public:
  BoxSearch(const ConvolutionExtents &extents, int64_t pixels,
            BoxKind kind = BoxKind::Tile)
      : extents(extents), box(extents.pixels.size(), 1), kind(kind) {
    visit(extents.first, pixels);
  }

  /// The outer dimensions are short where boxes are equally good: neighbours
  /// of the image's rows are near each other in memory.
  SmallVector<int64_t> best;
  int64_t boxes = 0; ///< of all pixels

private:
  void visit(unsigned dim, int64_t rest) {
    if (dim + 1 < box.size()) {
      for (box[dim] = 1; box[dim] <= rest; box[dim] *= 2)
        visit(dim + 1, rest / box[dim]);
      return;
    }
    if (dim < box.size())
      box[dim] = rest;
    if (llvm::count_if(box, [](int64_t tile) { return tile != 1; }) >
        extents.mostDims)
      return;
    int64_t own = 1;
    for (auto [extent, tile] : llvm::zip_equal(extents.pixels, box))
      own *= llvm::divideCeil(std::max<int64_t>(assumePixels(extent), 1), tile);
    double ownPrice = double(own);
    if (kind == BoxKind::Summed && isMasked())
      ownPrice *= kMaskPrice;
    if (kind == BoxKind::Shared)
      ownPrice *= 1 + kSharePrice * (getShare() - 1);
    if (!best.empty() && ownPrice >= price)
      return;
    best = box;
    boxes = own;
    price = ownPrice;
  }

  bool isMasked() const {
    for (auto [extent, tile, window] :
         llvm::zip_equal(extents.pixels, box, extents.isWindow))
      if (window && tile != 1 &&
          (extent == kUnknownExtent || extent % tile != 0))
        return true;
    return false;
  }

  /// Elements that a box reads, by pixel, with a kernel of three.
  double getShare() const {
    constexpr double kAround = 2;
    double share = 1;
    for (auto [tile, window] : llvm::zip_equal(box, extents.isWindow))
      if (window)
        share *= 1 + kAround / double(tile);
    return share;
  }

  /// Threads read what they mask from shared memory, and multiply it then.
  static constexpr double kMaskPrice = 2;
  /// Elements come from the L2 once for a box, and from the L1 then.
  static constexpr double kSharePrice = 0.25;

  const ConvolutionExtents &extents;
  SmallVector<int64_t> box;
  BoxKind kind;
  double price = 0;
};

} // namespace

SmallVector<int64_t> carousel::planBox(const ConvolutionExtents &extents,
                                       int64_t pixels) {
  return BoxSearch(extents, pixels, BoxKind::Shared).best;
}

SmallVector<int64_t> carousel::planWgrad(const ConvolutionExtents &extents,
                                         int64_t most) {
  return BoxSearch(extents, most, BoxKind::Summed).best;
}

ConvolutionTiles
carousel::planConvolutionTiles(const ConvolutionExtents &extents,
                               const ChipModel &chip) {
  constexpr int64_t kWide = 128, kNarrow = 64, kLeast = 16;
  constexpr int64_t kAssumedChannels = 128;
  constexpr double kNarrowPrice = 1.1;
  int64_t channels =
      extents.channels == kUnknownExtent ? kAssumedChannels : extents.channels;
  ConvolutionTiles best;
  double least = 0;
  for (int64_t pixels : {kWide, kNarrow, kNarrow / 2}) {
    BoxSearch search(extents, pixels);
    for (int64_t most : {kWide, kNarrow}) {
      int64_t tile = std::max<int64_t>(
          std::min<int64_t>(most, llvm::PowerOf2Ceil(channels)), kLeast);
      int64_t programs = search.boxes * llvm::divideCeil(channels, tile) *
                         std::max<int64_t>(extents.groups, 1);
      // The work of the busiest multiprocessor. Small tiles read more for each
      // product.
      double price =
          double(llvm::divideCeil(programs, chip.sms)) * double(pixels * tile);
      for (int64_t side : {pixels, tile})
        for (int64_t wide = side; wide < kWide; wide *= 2)
          price *= kNarrowPrice;
      if (!best.pixels.empty() && price >= least)
        continue;
      least = price;
      best = {search.best, tile};
    }
  }
  return best;
}
