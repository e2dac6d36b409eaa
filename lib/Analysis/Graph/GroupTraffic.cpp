//===- GroupTraffic.cpp - what groups read and write ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tensors cross the border of a group, and how many bytes they have. See
// GroupShape.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupShape.h"

#include "llvm/ADT/DenseSet.h"
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

int64_t carousel::countTraffic(const GraphProblem &problem,
                               const OpGroup &group) {
  llvm::DenseSet<unsigned> tensors;
  for (unsigned op : group.ops) {
    for (const GraphAccess &read : problem.ops[op].reads) {
      std::optional<unsigned> writer = problem.findWriter(read.tensor);
      if (!writer || !group.contains(*writer))
        tensors.insert(read.tensor);
    }
    for (const GraphAccess &write : problem.ops[op].writes)
      if (leavesGroup(problem, group, write.tensor))
        tensors.insert(write.tensor);
  }
  int64_t bytes = 0;
  for (unsigned tensor : tensors)
    bytes += problem.tensors[tensor].getBytes();
  return bytes;
}
