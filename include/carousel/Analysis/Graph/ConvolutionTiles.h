//===- ConvolutionTiles.h - what a program convolves ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a product: of pixels of the result by its channels, summed
// along the kernel and the channels of the image. A program has a box of
// pixels, so that its part of the image is a box, too, for each element of the
// kernel. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_CONVOLUTIONTILES_H
#define CAROUSEL_ANALYSIS_GRAPH_CONVOLUTIONTILES_H

#include "carousel/Analysis/Graph/GraphProblem.h"

namespace carousel {

struct ConvolutionExtents {
  /// The images, rows and columns of the result, as the image has them.
  llvm::SmallVector<int64_t> pixels;
  int64_t channels = kUnknownExtent; ///< of a group
  int64_t groups = 1;                ///< each has programs of its own
  /// The first dimension of pixels that boxes have; 1 for all before it. If it
  /// is none of them, boxes are of one pixel.
  unsigned first = 0;
  /// By dimension of pixels: whether the image has a window there, so that it
  /// has other elements behind the pixels' end.
  llvm::SmallVector<bool> isWindow = {};
  /// Dimensions of boxes that aren't 1: vectors have four dimensions, of which
  /// one is the channels'.
  int64_t mostDims = 3;
};

struct ConvolutionTiles {
  llvm::SmallVector<int64_t> pixels;
  int64_t channels = 1;
};

/// Powers of two, which leave little of a program and few multiprocessors idle.
ConvolutionTiles planConvolutionTiles(const ConvolutionExtents &extents,
                                      const ChipModel &chip);

/// A box of `pixels`, as a power of two, that leaves few of them behind the
/// end.
llvm::SmallVector<int64_t> planBox(const ConvolutionExtents &extents,
                                   int64_t pixels);

/// The box of pixels that an iteration sums: powers of two whose product is
/// `most`. They leave few pixels of boxes behind the end, and as few as
/// possible behind the end of a window, where the image has to be masked.
llvm::SmallVector<int64_t> planWgrad(const ConvolutionExtents &extents,
                                     int64_t most);

/// Whether a dimension of an image is the last one before its channels, or
/// before groups of them.
bool isBesideChannels(const GraphAccess &image, unsigned dim);

/// How many dimensions the first `dims` of a tensor have in memory. A window of
/// stride s has two: every s-th index, and the remainder. The last remainder is
/// part of the channels' dimension.
int64_t countMemoryDims(const GraphAccess &image, unsigned dims);

/// Whether a box of pixels may begin at a dimension: vectors have at most four
/// dimensions of memory.
bool isInBox(const GraphAccess &image, unsigned dim);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_CONVOLUTIONTILES_H
