//===- ReducedReads.h - how reductions read memory --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's vectors go along elements that are neighbours in memory: along a
// reduced dimension or across.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_GRAPH_REDUCEDREADS_H
#define CAROUSEL_LIB_ANALYSIS_GRAPH_REDUCEDREADS_H

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

/// Whether neighbouring elements of the largest tensor that a group reduces are
/// reduced together. Which elements of a gather are neighbours isn't known:
/// then those of the results are, if they are more.
bool isLargestReadReducedInside(const GraphProblem &problem,
                                const OpGroup &group, const GroupShape &shape);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_GRAPH_REDUCEDREADS_H
