//===- StreamShape.h - reductions in one pass -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions whose operands depend on earlier reductions along the same
// dimension, as those of a softmax do, are computed in one pass over its tiles
// if what they have so far can be corrected where an earlier result changes.
// docs/GraphPhase.md, Streams.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_STREAMSHAPE_H
#define CAROUSEL_ANALYSIS_GRAPH_STREAMSHAPE_H

#include "carousel/Analysis/Graph/GraphProblem.h"

namespace carousel {

struct GroupSchedule;
struct GroupShape;
struct OpGroup;

/// A tensor without the dimension of tiles, which ops that have it read, and
/// which follows from their reductions.
struct StreamReference {
  unsigned tensor = 0;
  /// Shift: tiles are computed with what the reductions have so far, and sums
  /// are corrected when that changes. Scale: they are computed with 1, or with
  /// a condition that is false, and sums are multiplied at the end.
  ChangeKind kind = ChangeKind::Shift;
};

/// The role of an op in a stream, in the order in which tiles need them.
enum class StreamRole {
  Before, ///< lacks the dimension, and needs no result of a tile
  Tile,   ///< computes elements along the dimension
  Inner,  ///< a product whose result has the dimension
  Sum,    ///< reduces along the dimension
  Row,    ///< lacks the dimension, and needs results of sums
};

struct StreamShape {
  unsigned dim = 0;              ///< of the group's shape
  std::vector<StreamRole> roles; ///< by op of the group, in its order
  std::vector<StreamReference> references;
  /// By op: whether tiles are computed with what its row is so far, or with a
  /// row that follows from it.
  std::vector<bool> needed;
  /// Dimensions of which a program has all elements: those that inner products
  /// sum over, and those of results that their factors lack.
  llvm::SmallVector<unsigned> whole;
  /// A tile has all of the dimension, and a loop goes along the depth of the
  /// one product. Reductions follow behind the loop, and nothing is corrected.
  bool hasOneTile = false;

  const StreamReference *findReference(unsigned tensor) const;
};

/// Why ops are no stream.
struct StreamMiss {
  std::string reason;
  /// The tensor that tiles compute and other ops read, if that is all.
  std::optional<unsigned> openTensor = {};
};

/// The stream of a group whose loops have been joined; without one, the reason.
/// \p shape has dimensions and loops.
std::optional<StreamShape> findStream(const GraphProblem &problem,
                                      const OpGroup &group,
                                      const GroupShape &shape,
                                      StreamMiss &miss);

/// Says which dimensions of \p schedule, which has none so far, programs and
/// the loop go along: a program has rows, and goes along tiles.
void scheduleStream(const GraphProblem &problem, const OpGroup &group,
                    const GroupShape &shape, GroupSchedule &schedule);

/// Times of a stream by the chip's model, in microseconds.
struct StreamTimes {
  double programs = 1;
  double parts = 1; ///< of each program, which divide the stream
  double onePass = 0, severalKernels = 0;

  bool isWorthOnePass() const { return onePass <= severalKernels; }
  /// "one pass takes T us with P programs of N parts, and several kernels T us"
  std::string describe() const;
};

/// The time of a stream, whose programs have all of some dimensions, and that
/// of a kernel for each product: those have tiles for all SMs, and pass what
/// tiles compute through memory.
StreamTimes estimateStream(const GraphProblem &problem, const OpGroup &group,
                           const GroupShape &shape,
                           const GroupSchedule &schedule);

/// Ops that shall be a group since they are a stream.
struct StreamSeed {
  llvm::SmallVector<unsigned> ops; ///< ascending
};

/// Why two ops, of which the second one needs the first, are no stream.
struct StreamRefusal {
  unsigned from = 0, to = 0; ///< ops
  std::string reason;
};

/// The streams that begin with a product. They have no op in common.
std::vector<StreamSeed> findStreams(const GraphProblem &problem,
                                    std::vector<StreamRefusal> &refusals);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_STREAMSHAPE_H
