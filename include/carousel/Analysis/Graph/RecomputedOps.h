//===- RecomputedOps.h - products that several reductions read --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scores of attention are a product that is larger than its factors. The
// forward pass and the gradients of queries and of keys and values all read
// them, along different dimensions or at different times. None of these is an
// online reduction while another one reads its tiles. Each is if it computes
// the scores again. docs/GraphPhase.md, Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_RECOMPUTEDOPS_H
#define CAROUSEL_ANALYSIS_GRAPH_RECOMPUTEDOPS_H

#include "carousel/Analysis/Graph/GraphProblem.h"

namespace carousel {

/// Reductions that can be in one pass, and what they read.
struct RecomputedOps {
  /// Ascending: reductions along the same dimensions of large products.
  llvm::SmallVector<unsigned> reductions = {};
  /// Ascending: the large products, and the elementwise ops from these to the
  /// reductions.
  llvm::SmallVector<unsigned> sources = {};
  /// The sources that reductions of another one, which comes first, have.
  llvm::SmallVector<unsigned> shared = {};
};

/// Groups the reductions of large products. Each group's sources are whole:
/// all that is computed of large products between these and the reductions. A
/// copy of the shared ones for each group leaves no source to two groups. Empty
/// if none has shared sources.
std::vector<RecomputedOps> findRecomputedOps(const GraphProblem &problem);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_RECOMPUTEDOPS_H
