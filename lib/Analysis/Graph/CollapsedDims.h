//===- CollapsedDims.h - dimensions of a group that are one -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions that are next to each other in all tensors of a group are one: a
// schedule says once where programs and loops go along them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_GRAPH_COLLAPSEDDIMS_H
#define CAROUSEL_LIB_ANALYSIS_GRAPH_COLLAPSEDDIMS_H

#include "carousel/Analysis/Graph/GroupSchedule.h"

namespace carousel {

/// An access to memory, by dimensions of the group.
struct DimAccess {
  unsigned tensor = 0;
  llvm::SmallVector<std::optional<unsigned>> dims;
  int64_t bytes = 0, elementBytes = 4;
  bool isWrite = false;
};

struct CollapsedDims {
  std::vector<DimAccess> accesses;
  /// In the order of the largest tensor, without walks and tiles.
  std::vector<ScheduledDim> dims;
};

CollapsedDims collapseDims(const GraphProblem &problem, const OpGroup &group,
                           const GroupShape &shape);

/// Whether two dimensions are next to each other in all tensors of both, which
/// nothing reads in another way, such as at computed indices.
bool areNeighbours(const GraphProblem &problem,
                   llvm::ArrayRef<DimAccess> accesses, unsigned outer,
                   unsigned inner);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_GRAPH_COLLAPSEDDIMS_H
