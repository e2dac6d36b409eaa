//===- OnlineReductionSplitter.h - tiles and their sums ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a product sums over more than a program has, the ops of an online
// reduction become ops on tiles, each with reductions of its own, and ops that
// combine these. Before it is combined, what a tile has is corrected by the
// same rules that an online reduction corrects its sums by. Columns that are no
// whole tile are the rest: ops are written once more for these.
// docs/GraphPhase.md, Losses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONSPLITTER_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONSPLITTER_H

#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Graph/SplitOnlineReduction.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Empty if the ops of an online reduction can be written, or what stands
/// against it.
std::string explainUndivided(const Graph &graph,
                             const SplitOnlineReduction &stream,
                             mlir::RewriterBase &rewriter);

/// Writes the new ops, and erases those that they replace.
mlir::LogicalResult splitOnlineReduction(const Graph &graph,
                                         const SplitOnlineReduction &stream,
                                         mlir::RewriterBase &rewriter);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEREDUCTIONSPLITTER_H
