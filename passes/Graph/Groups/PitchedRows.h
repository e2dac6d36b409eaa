//===- PitchedRows.h - rows of factors at multiples of 16 bytes -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies take rows that begin at multiples of 16 bytes. The graph phase
// has the memory of what passes between kernels, and gives such rows a pitch.
// Rows of arguments are copied where that pays. docs/GraphPhase.md, Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_PITCHEDROWS_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_PITCHEDROWS_H

#include "../Decisions/DecisionLog.h"
#include "../Reading/ReadGraph.h"

#include "carousel/Analysis/Graph/GroupPlan.h"

namespace carousel {

/// Puts factors of planned products in slices of longer rows, from where other
/// groups read them: what `bufferization.materialize_in_destination` returns.
/// Returns the ops that copy factors, each of which is to be a group.
llvm::SmallVector<mlir::Operation *>
pitchRows(Graph &graph, const GroupPlan &plan, DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_PITCHEDROWS_H
