//===- GroupSchedule.h - which part of a group a program has ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says for each dimension of a group whether the grid goes along it, a loop of
// each program, or neither, and how many elements of it a vector has. A kernel
// of the block phase follows from it. docs/GraphPhase.md, Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GROUPSCHEDULE_H
#define CAROUSEL_ANALYSIS_GRAPH_GROUPSCHEDULE_H

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

/// One or several dimensions of a group that are next to each other in all
/// tensors, and so are one.
struct ScheduledDim {
  llvm::SmallVector<unsigned> dims; ///< of the group's shape, outermost first
  int64_t extent = kUnknownExtent;
  bool isReduced = false;
  DimWalk walk = DimWalk::Grid;
  /// Elements of a vector; 1 if the dimension isn't one of vectors'.
  int64_t tile = 1;

  /// Whether vectors reach behind the end.
  bool isRagged() const {
    return extent == kUnknownExtent || extent == 0 || extent % tile != 0;
  }
  /// Whether different programs may be at different places of it.
  bool hasManyPrograms() const {
    return walk == DimWalk::Grid && (extent == kUnknownExtent || extent > tile);
  }
};

/// A reduced dimension whose loop several programs divide among themselves.
struct GroupDivision {
  unsigned position = 0; ///< in GroupSchedule::dims
  /// Elements of a step along it, and the iterations of such a step: of one
  /// loop along all dimensions, those of the others.
  int64_t stepElements = 1, stepIterations = 1;
  /// Iterations that a part has, at least. These are elements, unless one loop
  /// goes along all dimensions.
  int64_t leastLength = 1;
  int64_t mostParts = 1;
  /// Programs that keep a device busy, with all parts.
  int64_t wantedPrograms = 1;
  /// The parts are the CTAs of a cluster, `mostParts` of them. They leave their
  /// results in shared memory.
  bool isCluster = false;
};

struct GroupSchedule {
  ScheduleFamily family = ScheduleFamily::Elementwise;
  /// Vectors have their dimensions in this order, and so has the grid.
  std::vector<ScheduledDim> dims;
  /// One loop goes along all dimensions of loops, the last one innermost: rings
  /// then bring tiles across all of them.
  bool hasOneLoop = false;
  /// The dimension whose extent the kernel's variants cover.
  std::optional<unsigned> covered;
  /// A dimension of few elements, all of which vectors have. With the one
  /// before it, it is one dimension of the memrefs that have both.
  std::optional<unsigned> few;
  /// The dimension of which launches of this schedule have few elements.
  std::optional<unsigned> fewRows;
  /// See GroupDivision.h.
  std::optional<GroupDivision> division;
  /// Why the group has no schedule; a group of one op has one.
  std::string refusal;

  /// The position in `dims` of a dimension of the shape.
  unsigned find(unsigned dim) const;
  /// The elements that a program has of some of the shape's dimensions, of
  /// which several may be at one position.
  int64_t countElements(llvm::ArrayRef<unsigned> shapeDims) const;
  /// Finds the dimension of a tensor, of these positions, that is one with the
  /// one before it.
  std::optional<unsigned> findJoined(llvm::ArrayRef<unsigned> positions) const;
};

GroupSchedule scheduleGroup(const GraphProblem &problem, const OpGroup &group,
                            const GroupShape &shape);

/// Why a kernel of the schedule would not compute what the group does, as where
/// a vector lacks elements of a dimension; empty if it would.
std::string findMisfit(const GraphProblem &problem, const OpGroup &group,
                       const GroupShape &shape, const GroupSchedule &schedule);

/// Whether the group has a shape and a schedule.
bool isKernel(const GraphProblem &problem, const OpGroup &group);

void print(llvm::raw_ostream &os, const GroupSchedule &schedule);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GROUPSCHEDULE_H
