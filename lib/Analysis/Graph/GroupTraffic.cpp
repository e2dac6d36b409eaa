//===- GroupTraffic.cpp - what groups read and write ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the tensors that cross the border of a group, and counts their bytes.
// See GroupShape.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupShape.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace carousel;

bool carousel::leavesGroup(const GraphProblem &problem, const OpGroup &group,
                           unsigned tensor) {
  if (problem.tensors[tensor].escapes)
    return true;
  for (auto [number, op] : llvm::enumerate(problem.ops))
    if (!group.contains(number))
      for (const GraphAccess &read : op.reads)
        if (read.tensor == tensor)
          return true;
  return false;
}

/// The sum, over the tensors that cross the border, of the most bytes that an
/// access of an op counts.
static int64_t sumTraffic(
    const GraphProblem &problem, const OpGroup &group,
    llvm::function_ref<int64_t(const GraphTensor &, const GraphOp &)> count) {
  llvm::SmallMapVector<unsigned, int64_t, 8> tensors;
  auto add = [&](unsigned tensor, const GraphOp &op) {
    int64_t &bytes = tensors[tensor];
    bytes = std::max(bytes, count(problem.tensors[tensor], op));
  };
  for (unsigned number : group.ops) {
    const GraphOp &op = problem.ops[number];
    for (const GraphAccess &read : op.reads) {
      std::optional<unsigned> writer = problem.findWriter(read.tensor);
      if (!writer || !group.contains(*writer))
        add(read.tensor, op);
    }
    for (const GraphAccess &write : op.writes)
      if (leavesGroup(problem, group, write.tensor))
        add(write.tensor, op);
  }
  int64_t sum = 0;
  for (auto [tensor, bytes] : tensors)
    sum += bytes;
  return sum;
}

int64_t carousel::countTraffic(const GraphProblem &problem,
                               const OpGroup &group) {
  return sumTraffic(problem, group,
                    [](const GraphTensor &tensor, const GraphOp &op) {
                      return op.getBytes(tensor);
                    });
}

int64_t carousel::countGatheredTraffic(const GraphProblem &problem,
                                       const OpGroup &group) {
  return sumTraffic(problem, group,
                    [](const GraphTensor &tensor, const GraphOp &op) {
                      return std::min(tensor.getBytes(),
                                      op.getIterations() * tensor.elementBytes);
                    });
}
