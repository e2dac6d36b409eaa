//===- OnlineReduction.h - reductions in one pass ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions whose operands depend on earlier reductions along the same
// dimension, as those of a softmax do, are computed in one pass over its tiles
// (online softmax, FlashAttention) if what they have so far can be corrected
// where an earlier result changes.
// docs/GraphPhase.md, Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_ONLINEREDUCTION_H
#define CAROUSEL_ANALYSIS_GRAPH_ONLINEREDUCTION_H

#include "carousel/Analysis/Graph/GraphProblem.h"

namespace carousel {

struct GroupSchedule;
struct GroupShape;
struct OpGroup;

/// A tensor without the dimension of tiles, which ops that have it read, and
/// which follows from their reductions.
struct OnlineReference {
  unsigned tensor = 0;
  /// Shift: tiles are computed with what the reductions have so far, and sums
  /// are corrected when that changes. Scale: they are computed with 1, or with
  /// a condition that is false, and sums are multiplied at the end.
  ChangeKind kind = ChangeKind::Shift;
};

/// The role of an op in an online reduction, in the order in which tiles need
/// them.
enum class OnlineRole {
  Before, ///< lacks the dimension, and needs no result of a tile
  Tile,   ///< computes elements along the dimension
  Inner,  ///< a product whose result has the dimension
  Sum,    ///< reduces along the dimension
  Row,    ///< lacks the dimension, and needs results of sums
};

struct OnlineReduction {
  unsigned dim = 0;              ///< of the group's shape
  std::vector<OnlineRole> roles; ///< by op of the group, in its order
  std::vector<OnlineReference> references;
  /// By op: whether tiles are computed with what its row is so far, or with a
  /// row that follows from it.
  std::vector<bool> needed;
  /// Dimensions of which a program has all elements: those that inner products
  /// sum over, and those of results that their factors lack.
  llvm::SmallVector<unsigned> whole;
  /// A tile has all of the dimension, and a loop goes along the depth of the
  /// one product. Reductions follow behind the loop, and nothing is corrected.
  bool hasOneTile = false;

  const OnlineReference *findReference(unsigned tensor) const;
};

/// Why ops are no online reduction.
struct OnlineMiss {
  std::string reason;
  /// The tensor that tiles compute and other ops read, if that is all.
  std::optional<unsigned> openTensor = {};
};

/// The online reduction of a group whose loops have been joined; without one,
/// the reason.
/// \p shape has dimensions and loops.
std::optional<OnlineReduction> findOnlineReduction(const GraphProblem &problem,
                                                   const OpGroup &group,
                                                   const GroupShape &shape,
                                                   OnlineMiss &miss);

/// Says which dimensions of \p schedule, which has none so far, programs and
/// the loop go along: a program has rows, and goes along tiles.
void scheduleOnlineReduction(const GraphProblem &problem, const OpGroup &group,
                             const GroupShape &shape, GroupSchedule &schedule);

/// Times of an online reduction by the chip's model, in microseconds.
struct OnlineTimes {
  double programs = 1;
  double parts = 1; ///< of each program, which divide the online reduction
  double onePass = 0, severalKernels = 0;

  bool isWorthOnePass() const { return onePass <= severalKernels; }
  /// "one pass takes T us with P programs of N parts, and several kernels T us"
  std::string describe() const;
};

/// The time of an online reduction, whose programs have all of some dimensions,
/// and that of a kernel for each product: those have tiles for all SMs, and
/// pass what tiles compute through memory.
OnlineTimes estimateOnlineReduction(const GraphProblem &problem,
                                    const OpGroup &group,
                                    const GroupShape &shape,
                                    const GroupSchedule &schedule);

/// Ops that shall be a group since they are an online reduction.
struct OnlineSeed {
  llvm::SmallVector<unsigned> ops; ///< ascending
};

/// Why two ops, of which the second one needs the first, are no online
/// reduction.
struct OnlineRefusal {
  unsigned from = 0, to = 0; ///< ops
  std::string reason;
};

/// The online reductions that begin with a product. They have no op in common.
std::vector<OnlineSeed>
findOnlineReductions(const GraphProblem &problem,
                     std::vector<OnlineRefusal> &refusals);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_ONLINEREDUCTION_H
