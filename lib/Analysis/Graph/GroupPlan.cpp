//===- GroupPlan.cpp - which ops of a graph become one kernel -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupPlan.h. Each op starts alone, but for those of online reductions.
// The pair of groups that saves the most bytes, among those that exchange a
// tensor or read the same one, is merged, until no pair can be. Each step
// leaves one group fewer, so this ends. What a pair saves depends on these two
// groups only, and is computed when one of them is new. A path through a third
// group stays one when others are merged.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupPlan.h"

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Analysis/Graph/GroupTimes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace carousel;
using llvm::SmallVector;

namespace {

class GroupPlanner {
public:
  explicit GroupPlanner(const GraphProblem &problem) : problem(problem) {
    readers.resize(problem.tensors.size());
    partners.resize(problem.ops.size());
    for (size_t op = 0; op < problem.ops.size(); ++op) {
      OpGroup group;
      group.ops = {unsigned(op)};
      groups.push_back(group);
      groupOfOp.push_back(op);
      for (const GraphAccess &read : problem.ops[op].reads)
        readers[read.tensor].insert(op);
    }
  }

  GroupPlan run() {
    GroupPlan plan;
    for (const OnlineSeed &seed :
         findOnlineReductions(problem, plan.missedOnlineReductions)) {
      unsigned first = seed.ops.front();
      for (unsigned op : seed.ops) {
        groups[op] = {};
        groupOfOp[op] = first;
      }
      groups[first].ops = seed.ops;
    }
    for (unsigned group = 0; group < groups.size(); ++group)
      for (unsigned other : findRelated(group))
        if (group < other)
          addPair(group, other);
    while (!pairs.empty()) {
      auto [saved, first, second] = *pairs.begin();
      erasePair(first, second);
      if (!hasDetour(first, second) && !hasDetour(second, first))
        mergePair(first, second);
    }
    for (unsigned number : sortGroups()) {
      PlannedGroup planned;
      planned.group = groups[number];
      GroupShapeResult result = computeGroupShape(problem, planned.group);
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

  bool isRegular(unsigned op, unsigned tensor) const {
    return llvm::all_of(problem.ops[op].reads, [&](const GraphAccess &read) {
      return read.tensor != tensor || read.isRegular();
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

  /// The groups that read what a group writes.
  llvm::SetVector<unsigned> findNext(unsigned group) const {
    llvm::SetVector<unsigned> next;
    for (unsigned op : groups[group].ops)
      for (const GraphAccess &write : problem.ops[op].writes)
        for (unsigned reader : readers[write.tensor])
          if (groupOfOp[reader] != group)
            next.insert(groupOfOp[reader]);
    return next;
  }

  /// Whether a path leads from one group to another one through a third.
  bool hasDetour(unsigned from, unsigned to) const {
    llvm::SetVector<unsigned> reached = findNext(from);
    reached.remove(to);
    for (size_t i = 0; i < reached.size(); ++i)
      for (unsigned next : findNext(reached[i])) {
        if (next == to)
          return true;
        reached.insert(next);
      }
    return false;
  }

  SmallVector<unsigned> sortGroups() const {
    // The order of the program where there is a choice.
    std::set<unsigned> ready;
    std::vector<unsigned> open(groups.size());
    for (unsigned group = 0; group < groups.size(); ++group)
      for (unsigned next : findNext(group))
        ++open[next];
    for (unsigned group = 0; group < groups.size(); ++group)
      if (open[group] == 0 && !groups[group].ops.empty())
        ready.insert(group);
    SmallVector<unsigned> order;
    while (!ready.empty()) {
      unsigned group = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(group);
      for (unsigned next : findNext(group))
        if (--open[next] == 0)
          ready.insert(next);
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

  /// Counts the bytes that a group merged of two no longer writes and reads.
  int64_t countSaved(unsigned first, unsigned second,
                     const OpGroup &united) const {
    int64_t bytes = 0;
    for (unsigned tensor : findPassed(groups[first], groups[second]))
      bytes += problem.tensors[tensor].getBytes() *
               (leavesGroup(problem, united, tensor) ? 1 : 2);
    return bytes;
  }

  bool isOnlineReduction(unsigned group) const {
    GroupShapeResult result = computeGroupShape(problem, groups[group]);
    return result.shape && result.shape->stream;
  }

  bool hasProduct(unsigned group) const {
    return llvm::any_of(groups[group].ops, [&](unsigned op) {
      return problem.ops[op].isProduct();
    });
  }

  double estimateTime(const OpGroup &group) const {
    GroupShape shape = *computeGroupShape(problem, group).shape;
    return estimateGroupTime(problem, group, shape,
                             scheduleGroup(problem, group, shape))
        .predicted;
  }

  /// Says why one kernel of two groups takes longer than two, or nothing.
  std::string findCost(unsigned first, unsigned second, const OpGroup &united,
                       const GroupShape &shape,
                       const GroupSchedule &schedule) const {
    // An online reduction may take in what computes elements.
    auto takesElements = [&](unsigned online, unsigned other) {
      return isOnlineReduction(online) && !hasProduct(other);
    };
    if (shape.stream && !takesElements(first, second) &&
        !takesElements(second, first)) {
      OnlineTimes times =
          estimateOnlineReduction(problem, united, shape, schedule);
      if (!times.isWorthOnePass())
        return times.describe();
    }
    double one = estimateSplitSectors(problem, united, shape, schedule);
    if (one == 0)
      return "";
    double two = estimateTime(groups[first]) + estimateTime(groups[second]);
    return one <= two
               ? ""
               : llvm::formatv("accesses of parts of sectors take {0:f1}"
                               " us in one kernel, and two take {1:f1} us",
                               one, two)
                     .str();
  }

  struct Merge {
    OpGroup group;
    int64_t savedBytes = 0;
  };

  /// Merges two groups if one kernel can have both. `reason` says why not.
  std::optional<Merge> merge(unsigned first, unsigned second,
                             std::string &reason) const {
    OpGroup united = unite(groups[first], groups[second]);
    int64_t passed =
        countSaved(first, second, united) + countSaved(second, first, united);
    // Together along what both read, if that is possible.
    OpGroup together = united;
    int64_t shared = 0;
    for (unsigned tensor : findShared(groups[first], groups[second])) {
      SharedRead read = {tensor, findReader(groups[first], tensor),
                         findReader(groups[second], tensor)};
      // Elements at computed indices are read in no common order.
      if (!isRegular(read.first, tensor) || !isRegular(read.second, tensor))
        continue;
      together.sharedReads.push_back(read);
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
      std::string cost = findCost(first, second, group, *shape.shape, schedule);
      if (!cost.empty()) {
        explain(cost);
        continue;
      }
      return Merge{group, bytes};
    }
    return std::nullopt;
  }

  /// The groups that exchange a tensor with a group, or read the same one.
  llvm::SetVector<unsigned> findRelated(unsigned group) const {
    llvm::SetVector<unsigned> related = findNext(group);
    for (unsigned tensor : findReads(groups[group])) {
      if (std::optional<unsigned> writer = problem.findWriter(tensor))
        related.insert(groupOfOp[*writer]);
      for (unsigned reader : readers[tensor])
        related.insert(groupOfOp[reader]);
    }
    related.remove(group);
    return related;
  }

  void addPair(unsigned first, unsigned second) {
    std::string reason;
    if (first > second)
      std::swap(first, second);
    std::optional<Merge> found = merge(first, second, reason);
    if (!found)
      return;
    pairs.insert({-found->savedBytes, first, second});
    partners[first][second] = partners[second][first] = -found->savedBytes;
  }

  void erasePair(unsigned first, unsigned second) {
    pairs.erase({partners[first][second], std::min(first, second),
                 std::max(first, second)});
    partners[first].erase(second);
    partners[second].erase(first);
  }

  void mergePair(unsigned first, unsigned second) {
    std::string reason;
    groups[first] = merge(first, second, reason)->group;
    groups[second] = {};
    for (unsigned op : groups[first].ops)
      groupOfOp[op] = first;
    for (unsigned old : {first, second})
      while (!partners[old].empty())
        erasePair(old, partners[old].begin()->first);
    for (unsigned other : findRelated(first))
      addPair(first, other);
  }

  //===--------------------------------------------------------------------===//
  // Messages
  //===--------------------------------------------------------------------===//

  std::string findReason(unsigned first, unsigned second) const {
    std::string reason;
    if (hasDetour(first, second) || hasDetour(second, first))
      return "a third kernel needs results of the one for the other";
    merge(first, second, reason);
    return reason;
  }

  /// Says why an online reduction doesn't compute a factor of its tiles that
  /// another kernel computes; empty if it is no such factor.
  std::string findFactorReason(unsigned from, unsigned to) const {
    const OpGroup &group = groups[groupOfOp[to]];
    if (problem.ops[from].kind != GraphOpKind::Elementwise ||
        !problem.ops[to].isProduct() || !isOnlineReduction(groupOfOp[to]))
      return "";
    OpGroup own;
    own.ops = {from};
    GroupShapeResult result = computeGroupShape(problem, unite(own, group));
    return result.shape ? "" : result.streamMiss.reason;
  }

  void addBoundaries(GroupPlan &plan) const {
    for (auto [to, reader] : llvm::enumerate(problem.ops))
      for (const GraphAccess &read : reader.reads) {
        std::optional<unsigned> from = problem.findWriter(read.tensor);
        if (!from || groupOfOp[*from] == groupOfOp[to])
          continue;
        GroupBoundary boundary;
        boundary.tensor = read.tensor;
        boundary.from = *from;
        boundary.to = to;
        boundary.reason = findFactorReason(*from, to);
        if (boundary.reason.empty())
          boundary.reason = findReason(groupOfOp[*from], groupOfOp[to]);
        plan.boundaries.push_back(std::move(boundary));
      }
  }

  const GraphProblem &problem;
  /// The readers of each tensor.
  std::vector<llvm::SetVector<unsigned>> readers;
  /// Those that are part of others are empty.
  std::vector<OpGroup> groups;
  std::vector<unsigned> groupOfOp;
  /// The pairs that one kernel can have: the saved bytes, negated, and the
  /// groups. The pair of the first groups comes first where bytes are equal.
  std::set<std::tuple<int64_t, unsigned, unsigned>> pairs;
  /// By group: the other ones of its pairs, with the saved bytes, negated.
  std::vector<std::map<unsigned, int64_t>> partners;
};

} // namespace

GroupPlan carousel::planGroups(const GraphProblem &problem) {
  return GroupPlanner(problem).run();
}

void carousel::print(llvm::raw_ostream &os, const GroupSchedule &schedule) {
  os << stringifyEnum(schedule.family);
  for (const ScheduledDim &dim : schedule.dims) {
    os << ", ";
    if (dim.extent == kUnknownExtent)
      os << '?';
    else
      os << dim.extent;
    os << (dim.walk == DimWalk::Grid   ? " by the grid"
           : dim.walk == DimWalk::Loop ? " by a loop"
                                       : " at once");
    if (dim.tile != 1)
      os << " in vectors of " << dim.tile;
    if (schedule.division &&
        &dim == &schedule.dims[schedule.division->position])
      os << ", divided into parts of " << schedule.division->leastLength
         << (schedule.division->stepIterations != 1 ? " iterations" : "")
         << " or more";
  }
}

void carousel::print(llvm::raw_ostream &os, const GraphProblem &problem,
                     const GroupPlan &plan) {
  for (auto [number, planned] : llvm::enumerate(plan.groups)) {
    os << "group " << number << ": " << stringifyEnum(planned.shape.family)
       << " {";
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
