//===- SplitOnlineReduction.h - online reductions of any depth --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An online reduction has all of the depth of its products. Where a product
// sums over more, as the logits of a vocabulary do, tiles of its columns have
// results of their own, and other ops combine them. docs/GraphPhase.md, Losses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_SPLITONLINEREDUCTION_H
#define CAROUSEL_ANALYSIS_GRAPH_SPLITONLINEREDUCTION_H

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

/// The ops of an online reduction, but for the depth of its one product.
struct SplitOnlineReduction {
  OpGroup group;
  GroupShape shape;
  int64_t columns = 0; ///< of a tile; fewer are left behind the last one
};

/// The online reductions to divide: those whose products have at least so many
/// elements, of which nothing else needs any. Refusals are dimensions of
/// unknown extent and, if there are libraries, products that one computes so
/// much faster that it is worth having the elements in memory.
std::vector<SplitOnlineReduction>
findSplitOnlineReductions(const GraphProblem &problem, int64_t leastElements,
                          bool hasLibraries,
                          std::vector<OnlineRefusal> &refusals);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_SPLITONLINEREDUCTION_H
