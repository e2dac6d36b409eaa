//===- GroupPlan.h - which ops of a graph become one kernel -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms groups of ops, so that as few bytes as possible pass through memory
// between kernels. docs/GraphPhase.md, Fusion groups.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GROUPPLAN_H
#define CAROUSEL_ANALYSIS_GRAPH_GROUPPLAN_H

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

/// Why a tensor passes through memory from one op to another, or is read by two
/// kernels.
struct GroupBoundary {
  unsigned tensor = 0;
  unsigned from = 0, to = 0; ///< ops
  std::string reason;
};

/// A group with its shape. An op that is cheap may be in several groups: each
/// computes it for itself.
struct PlannedGroup {
  OpGroup group;
  GroupShape shape;
};

struct GroupPlan {
  /// The groups, in an order in which they can be executed.
  std::vector<PlannedGroup> groups;
  std::vector<GroupBoundary> boundaries;
  /// Why a product and one that needs its result are no online reduction.
  std::vector<OnlineRefusal> missedOnlineReductions;
};

GroupPlan planGroups(const GraphProblem &problem);

void print(llvm::raw_ostream &os, const GraphProblem &problem,
           const GroupPlan &plan);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GROUPPLAN_H
