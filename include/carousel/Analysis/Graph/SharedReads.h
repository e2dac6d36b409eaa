//===- SharedReads.h - what ops of a kernel read together -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that read one tensor may have its loops in common, as planGroups decides.
// A group that was planned is written as a function of its own; this finds such
// loops again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_SHAREDREADS_H
#define CAROUSEL_ANALYSIS_GRAPH_SHAREDREADS_H

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

/// Adds the shared reads of the group's ops: all of them if these can be one
/// kernel then, or else as many as are found to be possible. Returns whether
/// the ops are one kernel.
bool joinSharedReads(const GraphProblem &problem, OpGroup &group);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_SHAREDREADS_H
