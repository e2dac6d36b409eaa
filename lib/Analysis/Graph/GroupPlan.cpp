//===- GroupPlan.cpp - which ops of a graph become one kernel -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupPlan.h. Each op starts alone. Of all pairs of groups that exchange a
// tensor or read the same one, the pair that saves the most bytes is merged,
// until no pair can be. Each step leaves one group fewer, so this ends.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupPlan.h"

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace carousel;
using llvm::SmallVector;

namespace {

/// A merge of two groups, by their numbers.
struct Merge {
  unsigned first = 0, second = 0;
  int64_t savedBytes = 0;
  PlannedGroup result;
};

class GroupPlanner {
public:
  explicit GroupPlanner(const GraphProblem &problem) : problem(problem) {
    for (size_t op = 0; op < problem.ops.size(); ++op) {
      OpGroup group;
      group.ops = {unsigned(op)};
      groups.push_back(group);
    }
  }

  GroupPlan run() {
    while (std::optional<Merge> best = findBest()) {
      groups[best->first] = best->result.group;
      groups.erase(groups.begin() + best->second);
    }
    GroupPlan plan;
    for (unsigned number : sortGroups()) {
      PlannedGroup planned;
      planned.group = groups[number];
      GroupShapeResult result = computeGroupShape(problem, groups[number]);
      assert(result.shape && "groups have shapes");
      planned.shape = std::move(*result.shape);
      plan.groups.push_back(std::move(planned));
    }
    addBoundaries(plan);
    return plan;
  }

private:
  //===--------------------------------------------------------------------===//
  // Tensors between groups
  //===--------------------------------------------------------------------===//

  bool writes(const OpGroup &group, unsigned tensor) const {
    return llvm::any_of(group.ops, [&](unsigned op) {
      return llvm::any_of(problem.ops[op].writes, [&](const GraphAccess &w) {
        return w.tensor == tensor;
      });
    });
  }

  llvm::SetVector<unsigned> findReads(const OpGroup &group) const {
    llvm::SetVector<unsigned> tensors;
    for (unsigned op : group.ops)
      for (const GraphAccess &read : problem.ops[op].reads)
        tensors.insert(read.tensor);
    return tensors;
  }

  unsigned findReader(const OpGroup &group, unsigned tensor) const {
    return *llvm::find_if(group.ops, [&](unsigned op) {
      return llvm::any_of(problem.ops[op].reads, [&](const GraphAccess &read) {
        return read.tensor == tensor;
      });
    });
  }

  /// Tensors that the second group reads and the first one writes.
  SmallVector<unsigned> findPassed(const OpGroup &first,
                                   const OpGroup &second) const {
    SmallVector<unsigned> passed;
    for (unsigned tensor : findReads(second))
      if (writes(first, tensor))
        passed.push_back(tensor);
    return passed;
  }

  /// Tensors that both read and neither writes.
  SmallVector<unsigned> findShared(const OpGroup &first,
                                   const OpGroup &second) const {
    SmallVector<unsigned> shared;
    llvm::SetVector<unsigned> others = findReads(second);
    for (unsigned tensor : findReads(first))
      if (others.contains(tensor) && !writes(first, tensor) &&
          !writes(second, tensor))
        shared.push_back(tensor);
    return shared;
  }

  //===--------------------------------------------------------------------===//
  // Order
  //===--------------------------------------------------------------------===//

  bool isBefore(unsigned first, unsigned second) const {
    return !findPassed(groups[first], groups[second]).empty();
  }

  /// Whether a path leads from one group to another one through a third.
  bool hasDetour(unsigned from, unsigned to) const {
    llvm::SetVector<unsigned> reached;
    for (size_t next = 0; next < groups.size(); ++next)
      if (next != from && next != to && isBefore(from, next))
        reached.insert(next);
    for (size_t i = 0; i < reached.size(); ++i)
      for (size_t next = 0; next < groups.size(); ++next) {
        if (!isBefore(reached[i], next))
          continue;
        if (next == to)
          return true;
        reached.insert(next);
      }
    return false;
  }

  SmallVector<unsigned> sortGroups() const {
    SmallVector<unsigned> order;
    std::vector<bool> isDone(groups.size());
    // The order of the program where there is a choice.
    while (order.size() != groups.size())
      for (size_t group = 0; group < groups.size(); ++group) {
        bool isReady = !isDone[group];
        for (size_t other = 0; isReady && other < groups.size(); ++other)
          isReady = other == group || isDone[other] || !isBefore(other, group);
        if (!isReady)
          continue;
        isDone[group] = true;
        order.push_back(group);
        break;
      }
    return order;
  }

  //===--------------------------------------------------------------------===//
  // Merges
  //===--------------------------------------------------------------------===//

  static OpGroup unite(const OpGroup &first, const OpGroup &second) {
    OpGroup group = first;
    llvm::append_range(group.ops, second.ops);
    llvm::sort(group.ops);
    llvm::append_range(group.sharedReads, second.sharedReads);
    return group;
  }

  /// What a group that is merged of two no longer writes and reads.
  int64_t countSaved(unsigned first, unsigned second,
                     const OpGroup &united) const {
    int64_t bytes = 0;
    for (unsigned tensor : findPassed(groups[first], groups[second]))
      bytes += problem.tensors[tensor].getBytes() *
               (leavesGroup(problem, united, tensor) ? 1 : 2);
    return bytes;
  }

  /// Merges two groups if they can be. `reason` says why not.
  std::optional<Merge> merge(unsigned first, unsigned second,
                             std::string &reason) const {
    if (hasDetour(first, second) || hasDetour(second, first)) {
      reason = "a third kernel needs results of the one for the other";
      return std::nullopt;
    }
    Merge result;
    result.first = std::min(first, second);
    result.second = std::max(first, second);
    OpGroup united = unite(groups[first], groups[second]);
    int64_t passed =
        countSaved(first, second, united) + countSaved(second, first, united);
    // Together along what both read, if that is possible.
    OpGroup together = united;
    int64_t shared = 0;
    for (unsigned tensor : findShared(groups[first], groups[second])) {
      together.sharedReads.push_back({tensor, findReader(groups[first], tensor),
                                      findReader(groups[second], tensor)});
      shared += problem.tensors[tensor].getBytes();
    }
    // Together is what one would want.
    auto explain = [&](const std::string &refusal) {
      reason = reason.empty() ? refusal : reason;
    };
    for (auto &[group, bytes] :
         {std::pair(together, passed + shared), std::pair(united, passed)}) {
      if (bytes == 0)
        continue;
      GroupShapeResult shape = computeGroupShape(problem, group);
      if (!shape.shape) {
        explain(shape.refusal);
        continue;
      }
      GroupSchedule schedule = scheduleGroup(problem, group, *shape.shape);
      if (!schedule.refusal.empty()) {
        explain(schedule.refusal);
        continue;
      }
      result.savedBytes = bytes;
      result.result.group = group;
      result.result.shape = std::move(*shape.shape);
      return result;
    }
    return std::nullopt;
  }

  bool areRelated(unsigned first, unsigned second) const {
    return isBefore(first, second) || isBefore(second, first) ||
           !findShared(groups[first], groups[second]).empty();
  }

  std::optional<Merge> findBest() const {
    std::optional<Merge> best;
    for (size_t first = 0; first < groups.size(); ++first)
      for (size_t second = first + 1; second < groups.size(); ++second) {
        if (!areRelated(first, second))
          continue;
        std::string reason;
        std::optional<Merge> found = merge(first, second, reason);
        if (found && (!best || found->savedBytes > best->savedBytes))
          best = std::move(found);
      }
    return best;
  }

  //===--------------------------------------------------------------------===//
  // What is said
  //===--------------------------------------------------------------------===//

  unsigned findGroup(unsigned op) const {
    return llvm::find_if(groups,
                         [&](const OpGroup &g) { return g.contains(op); }) -
           groups.begin();
  }

  void addBoundaries(GroupPlan &plan) const {
    for (auto [to, reader] : llvm::enumerate(problem.ops))
      for (const GraphAccess &read : reader.reads) {
        std::optional<unsigned> from = problem.findWriter(read.tensor);
        if (!from || findGroup(*from) == findGroup(to))
          continue;
        GroupBoundary boundary;
        boundary.tensor = read.tensor;
        boundary.from = *from;
        boundary.to = to;
        merge(findGroup(*from), findGroup(to), boundary.reason);
        plan.boundaries.push_back(std::move(boundary));
      }
  }

  const GraphProblem &problem;
  std::vector<OpGroup> groups;
};

} // namespace

GroupPlan carousel::planGroups(const GraphProblem &problem) {
  return GroupPlanner(problem).run();
}

void carousel::print(llvm::raw_ostream &os, const GraphProblem &problem,
                     const GroupPlan &plan) {
  for (auto [number, planned] : llvm::enumerate(plan.groups)) {
    os << "group " << number << ": " << stringify(planned.shape.family) << " {";
    llvm::interleaveComma(planned.group.ops, os,
                          [&](unsigned op) { os << problem.ops[op].name; });
    os << "}\n";
  }
  for (const GroupBoundary &boundary : plan.boundaries)
    os << problem.ops[boundary.from].name << " to "
       << problem.ops[boundary.to].name << ", "
       << problem.tensors[boundary.tensor].getBytes()
       << " bytes: " << boundary.reason << "\n";
}
