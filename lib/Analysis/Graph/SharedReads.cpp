//===- SharedReads.cpp - what ops of a kernel read together ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SharedReads.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/SharedReads.h"

#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "llvm/ADT/DenseMap.h"

using namespace carousel;

/// Each op that reads a tensor with the first one that does.
static llvm::SmallVector<SharedRead>
findSharedReads(const GraphProblem &problem, const OpGroup &group) {
  llvm::DenseMap<unsigned, unsigned> firstReaders;
  llvm::SmallVector<SharedRead> shared;
  for (unsigned op : group.ops)
    for (const GraphAccess &read : problem.ops[op].reads) {
      // Elements at computed indices are read in no common order.
      if (!read.isRegular())
        continue;
      auto [first, isNew] = firstReaders.try_emplace(read.tensor, op);
      if (!isNew && first->second != op)
        shared.push_back({read.tensor, first->second, op});
    }
  return shared;
}

/// Two ops may have loops in common that the first reader of a tensor lacks:
/// then the planner knows which ones, if ops are one kernel by them.
static bool joinAsPlanned(const GraphProblem &problem, OpGroup &group) {
  if (isKernel(problem, group))
    return false;
  GroupPlan plan = planGroups(problem);
  if (plan.groups.size() != 1 || plan.groups.front().group.ops != group.ops)
    return false;
  group = plan.groups.front().group;
  return true;
}

bool carousel::joinSharedReads(const GraphProblem &problem, OpGroup &group) {
  llvm::SmallVector<SharedRead> shared = findSharedReads(problem, group);
  OpGroup joined = group;
  joined.sharedReads = shared;
  if (isKernel(problem, joined)) {
    group = joined;
    return true;
  }
  // As many are joined as can be: joins may need one another.
  for (size_t left = 0; left < shared.size(); ++left) {
    joined.sharedReads = shared;
    joined.sharedReads.erase(joined.sharedReads.begin() + left);
    if (isKernel(problem, joined)) {
      group = joined;
      return true;
    }
  }
  if (joinAsPlanned(problem, group))
    return true;
  bool isOne = isKernel(problem, group);
  for (const SharedRead &read : shared) {
    joined = group;
    joined.sharedReads.push_back(read);
    if (!isKernel(problem, joined))
      continue;
    group = joined;
    isOne = true;
  }
  return isOne;
}
