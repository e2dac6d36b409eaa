//===- ReducedReads.cpp - how reductions read memory ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReducedReads.h.
//
//===----------------------------------------------------------------------===//

#include "ReducedReads.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using llvm::ArrayRef;

/// The extent of a dimension; one that only the launch knows counts as large.
static int64_t getKnownExtent(const GroupDim &dim) {
  constexpr int64_t kUnknownMany = 1024;
  return dim.extent == kUnknownExtent ? kUnknownMany : dim.extent;
}

/// Whether fewer elements are reduced to one than results are neighbours.
static bool reducesFew(const GroupShape &shape, ArrayRef<unsigned> loops) {
  int64_t reduced = 1, neighbours = 1;
  for (unsigned dim : loops)
    if (shape.dims[dim].isReduced)
      reduced *= getKnownExtent(shape.dims[dim]);
    else
      neighbours = getKnownExtent(shape.dims[dim]);
  return reduced < neighbours;
}

bool carousel::isLargestReadReducedInside(const GraphProblem &problem,
                                          const OpGroup &group,
                                          const GroupShape &shape) {
  int64_t mostBytes = -1;
  bool isReduced = true;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    ArrayRef<unsigned> loops = shape.loops[at];
    if (llvm::none_of(loops,
                      [&](unsigned dim) { return shape.dims[dim].isReduced; }))
      continue;
    for (const GraphAccess &read : problem.ops[number].reads) {
      const GraphTensor &tensor = problem.tensors[read.tensor];
      std::optional<unsigned> last =
          read.loops.empty() ? std::nullopt : read.loops.back();
      if (!(last || read.isGather) || tensor.getBytes() <= mostBytes)
        continue;
      std::optional<unsigned> writer = problem.findWriter(read.tensor);
      if (writer && group.contains(*writer))
        continue;
      mostBytes = tensor.getBytes();
      isReduced =
          last ? shape.dims[loops[*last]].isReduced : !reducesFew(shape, loops);
    }
  }
  return isReduced;
}
