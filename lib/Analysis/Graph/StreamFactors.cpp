//===- StreamFactors.cpp - factors of multiply-adds in streams ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamFactors.h.
//
//===----------------------------------------------------------------------===//

#include "StreamFactors.h"

#include "carousel/Analysis/Graph/GroupShape.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace carousel;

std::optional<std::string> carousel::refuseFactors(const GraphProblem &problem,
                                                   const OpGroup &group,
                                                   const GroupShape &shape,
                                                   const StreamShape &stream) {
  constexpr int64_t kWideBytes = 4;
  // Tensors that tiles have of no product yet: the ops that compute them.
  llvm::SmallDenseMap<unsigned, const GraphOp *> early;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    const GraphOp &op = problem.ops[number];
    bool isByThreads = problem.isByThreads(op), isEarly = true;
    for (const GraphAccess &read : op.reads) {
      std::optional<unsigned> writer = problem.findWriter(read.tensor);
      isEarly &=
          !writer || !group.contains(*writer) || early.contains(read.tensor);
      if (!isByThreads)
        continue;
      std::string start =
          "threads multiply the factors of '" + op.name + "', and ";
      int64_t bytes = problem.tensors[read.tensor].elementBytes;
      if (bytes < kWideBytes)
        return start + "have no registers to extend those of " +
               std::to_string(bytes) + " bytes";
      // Values that are the same for all tiles are computed before them.
      bool isOfTiles =
          llvm::any_of(read.loops, [&, at = at](std::optional<unsigned> loop) {
            return loop && shape.loops[at][*loop] == stream.dim;
          });
      const GraphOp *by = early.lookup(read.tensor);
      if (isOfTiles && by)
        return start + "have no registers for what '" + by->name +
               "' computes of tiles";
    }
    if (stream.roles[at] != StreamRole::Inner && isEarly)
      for (const GraphAccess &write : op.writes)
        early[write.tensor] = &op;
  }
  return std::nullopt;
}
