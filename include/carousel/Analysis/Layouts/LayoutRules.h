//===- LayoutRules.h - layouts through changes of shape ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of an op's operands and results that let each thread compute its
// own elements of the result from its own elements of the operands. nullopt
// where the other layout has none: docs/BlockPhase.md, The planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_LAYOUTRULES_H
#define CAROUSEL_ANALYSIS_LAYOUTS_LAYOUTRULES_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

/// The bits that count the elements of an extent, which is rounded up to a
/// power of two.
llvm::SmallVector<unsigned> getExtentBits(llvm::ArrayRef<int64_t> extents);

/// Whether each basis changes either reduced dimensions or others, so that
/// threads can reduce.
bool canReduce(const LinearLayout &source, llvm::ArrayRef<bool> isReduced);
/// Whether CTAs of a cluster have parts of one result.
bool needsGather(const LinearLayout &source, llvm::ArrayRef<bool> isReduced);
/// The layout of a reduction's result: places that held parts of one sum hold
/// copies.
LinearLayout getReducedLayout(const LinearLayout &source,
                              llvm::ArrayRef<bool> isReduced);

/// A bit of a place's number.
struct PlaceBit {
  Place place;
  unsigned bit;
};

/// The places of a dimension's bits, the lowest first, if threads can scan
/// along it: each is of the threads of a CTA, and changes nothing else. Bits of
/// warps follow each other. nullopt for other layouts.
std::optional<llvm::SmallVector<PlaceBit>>
findScannedBits(const LinearLayout &source, unsigned dim);

/// The layout with these places of a dimension's bits, which have had others of
/// them.
LinearLayout placeBits(const LinearLayout &source, unsigned dim,
                       llvm::ArrayRef<PlaceBit> bits);
/// Gives the low bits of a dimension, of which findScannedBits holds, places as
/// near as there are: lanes, then registers, then warps; the others get
/// registers first.
LinearLayout gatherLowBits(const LinearLayout &source, unsigned dim,
                           unsigned low);
/// The layout of a sort's first elements, 2^low of them along the dimension.
/// Threads that had others have copies.
LinearLayout getFirstLayout(const LinearLayout &source, unsigned dim,
                            unsigned low);

/// The layout of what is broadcast to a vector with this layout: along leading
/// dimensions that the source lacks, and along those of one element.
LinearLayout getBroadcastSource(const LinearLayout &result,
                                llvm::ArrayRef<unsigned> extentBits);

/// Dimension i of the result is dimension permutation[i] of the source.
LinearLayout getTransposed(const LinearLayout &source,
                           llvm::ArrayRef<int64_t> permutation);
LinearLayout getTransposeSource(const LinearLayout &result,
                                llvm::ArrayRef<int64_t> permutation);

/// The same elements in row-major order, in vectors whose extents are powers of
/// two or differ in dimensions of one element only.
LinearLayout getReshaped(const LinearLayout &source,
                         llvm::ArrayRef<unsigned> extentBits);

/// With registers in another order: those of consecutive elements of a
/// dimension first, as many as threads have.
LinearLayout withRunsFirst(const LinearLayout &layout, unsigned dim);

/// The layout of a part of a vector: 2^extentBits[d] elements in dimension d,
/// from offsets[d] on, a multiple of that number. All parts must be in
/// registers of the same threads.
std::optional<LinearLayout> getSliceLayout(const LinearLayout &source,
                                           llvm::ArrayRef<unsigned> extentBits);
/// The layout of the vector that has such a part, with the parts in further
/// registers.
LinearLayout getSliceSource(const LinearLayout &slice,
                            llvm::ArrayRef<unsigned> extentBits);

/// Elements of two vectors in turns along the last dimension: the first
/// register bit selects the vector.
LinearLayout getInterleaved(const LinearLayout &half);
std::optional<LinearLayout> getInterleaveSource(const LinearLayout &result);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_LAYOUTRULES_H
