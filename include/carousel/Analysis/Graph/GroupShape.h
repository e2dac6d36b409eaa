//===- GroupShape.h - the dimensions that ops of a kernel share -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that become one kernel have their loops in common. A union-find over the
// loops gives the group's dimensions; from these follow the family of its
// schedule, or the reason why there is none. docs/GraphPhase.md, Fusion groups.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GROUPSHAPE_H
#define CAROUSEL_ANALYSIS_GRAPH_GROUPSHAPE_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "carousel/Analysis/Graph/OnlineReduction.h"
#include "carousel/Dialect/IR/CarouselDialect.h"

namespace carousel {

struct GroupDim {
  int64_t extent = kUnknownExtent;
  /// Some op of the group reduces along it, or scans: programs go along all of
  /// it.
  bool isReduced = false;
  /// Some op scans along it: ops that reduce other dimensions keep it.
  bool isScanned = false;
};

/// Two ops of a group that shall go along the dimensions of a tensor, which
/// both read, together.
struct SharedRead {
  unsigned tensor, first, second;
};

/// Ops that shall become one kernel. What one of them writes and another one
/// reads stays in registers.
struct OpGroup {
  llvm::SmallVector<unsigned> ops; ///< ascending
  llvm::SmallVector<SharedRead> sharedReads;

  bool contains(unsigned op) const;
  /// Whether some of them are scans.
  bool scans(const GraphProblem &problem) const;
  /// The position of an op that sorts, if there is one.
  std::optional<size_t> findSort(const GraphProblem &problem) const;
  /// The position of the op that writes a tensor, if it is one of these.
  std::optional<size_t> findWriter(const GraphProblem &problem,
                                   unsigned tensor) const;
};

struct GroupShape {
  std::vector<GroupDim> dims;
  /// By op of the group, in its order, and by loop: the dimension.
  std::vector<llvm::SmallVector<unsigned>> loops;
  ScheduleFamily family = ScheduleFamily::Elementwise;
  /// Whether a reduction's result is needed along the dimension it reduces.
  bool hasSeveralPasses = false;
  /// The shape of an online reduction, if the group is one.
  std::optional<OnlineReduction> stream = {};

  /// Whether an access of the op at a position goes along a dimension.
  bool hasDim(size_t at, const GraphAccess &access, unsigned dim) const;
};

/// A shape, or the reason why the ops can't be one kernel.
struct GroupShapeResult {
  std::optional<GroupShape> shape;
  std::string refusal;
  /// Why the ops are no online reduction, either.
  OnlineMiss streamMiss = {};
};

GroupShapeResult computeGroupShape(const GraphProblem &problem,
                                   const OpGroup &group);

/// Whether ops outside of the group, or of the program, read the tensor.
bool leavesGroup(const GraphProblem &problem, const OpGroup &group,
                 unsigned tensor);

/// The bytes that a kernel of these ops reads from memory and writes to it.
int64_t countTraffic(const GraphProblem &problem, const OpGroup &group);

/// The same, but of a tensor that ops pick elements of no more than they pick:
/// an op reads one for each of its iterations.
int64_t countGatheredTraffic(const GraphProblem &problem, const OpGroup &group);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GROUPSHAPE_H
