//===- StreamSeeds.cpp - the streams of a graph ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamShape.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Analysis/Graph/StreamShape.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace carousel;
using llvm::ArrayRef;
using llvm::SmallVector;

static double countElements(int64_t extent) {
  return static_cast<double>(assumeExtent(extent));
}

bool carousel::isWorthOnePass(const GraphProblem &problem, const OpGroup &group,
                              const GroupShape &shape,
                              const GroupSchedule &schedule) {
  double programs = 1, elements = 1;
  for (const ScheduledDim &dim : schedule.dims)
    if (dim.walk == DimWalk::Grid)
      programs *=
          std::ceil(countElements(dim.extent) / static_cast<double>(dim.tile));
  double work = 0, bytes = 0;
  bool isNarrow = true;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    const GraphOp &op = problem.ops[number];
    StreamRole role = shape.stream->roles[at];
    if (role == StreamRole::Inner || role == StreamRole::Tile)
      bytes += 2.0 * static_cast<double>(
                         problem.tensors[op.writes.front().tensor].getBytes());
    if (!op.isProduct())
      continue;
    elements = programs;
    for (unsigned dim : shape.loops[at]) {
      const ScheduledDim &along = schedule.dims[schedule.find(dim)];
      elements *= along.walk == DimWalk::Loop ? countElements(along.extent)
                                              : static_cast<double>(along.tile);
    }
    work += 2e-6 * elements;
    for (const GraphAccess &read : op.reads)
      isNarrow &= problem.tensors[read.tensor].elementBytes <= 2;
  }
  const ChipModel &chip = problem.chip;
  double time = work / (isNarrow ? chip.kernelHalf : chip.kernelTF32);
  double used = std::min(programs / static_cast<double>(chip.sms), 1.0);
  double saved = bytes / chip.bytesPerNs / 1e3 + 2 * chip.nextLaunch / 1e3;
  return time / used <= time + saved;
}

namespace {

class SeedFinder {
public:
  explicit SeedFinder(const GraphProblem &problem) : problem(problem) {
    readers.resize(problem.tensors.size());
    for (auto [number, op] : llvm::enumerate(problem.ops))
      for (const GraphAccess &read : op.reads)
        readers[read.tensor].push_back(number);
  }

  std::vector<StreamSeed> run(std::vector<StreamRefusal> &refusals) {
    std::vector<StreamSeed> seeds;
    std::vector<bool> isTaken(problem.ops.size());
    for (unsigned product = 0; product != problem.ops.size(); ++product) {
      if (problem.ops[product].kind != GraphOpKind::Contraction ||
          isTaken[product])
        continue;
      std::optional<StreamRefusal> refusal;
      SmallVector<unsigned> reached = findReached(product);
      for (unsigned last : llvm::reverse(reached)) {
        if (!problem.ops[last].reduces() || isTaken[last])
          continue;
        StreamMiss miss;
        std::optional<OpGroup> group =
            close(findBetween(product, {last}), miss);
        if (group && llvm::none_of(group->ops,
                                   [&](unsigned op) { return isTaken[op]; })) {
          for (unsigned op : group->ops)
            isTaken[op] = true;
          seeds.push_back({group->ops});
          refusal = std::nullopt;
          break;
        }
        // What one would want is the nearest product after other sums.
        if (!group && problem.ops[last].isProduct() &&
            hasSumBetween(product, last))
          refusal = {product, last, miss.reason};
      }
      if (refusal)
        refusals.push_back(std::move(*refusal));
    }
    return seeds;
  }

private:
  /// The ops that need a result of an op, without steps of the host.
  SmallVector<unsigned> findReached(unsigned from) const {
    // Paths are short: a softmax has fewer than ten ops.
    constexpr size_t kMostReached = 64;
    SmallVector<unsigned> reached = {from};
    for (size_t i = 0; i < reached.size() && reached.size() < kMostReached; ++i)
      for (const GraphAccess &write : problem.ops[reached[i]].writes)
        for (unsigned reader : readers[write.tensor])
          if (problem.ops[reader].kind != GraphOpKind::Host &&
              !llvm::is_contained(reached, reader))
            reached.push_back(reader);
    reached.erase(reached.begin());
    llvm::sort(reached);
    return reached;
  }

  bool hasSumBetween(unsigned from, unsigned to) const {
    return llvm::any_of(findBetween(from, {to}), [&](unsigned op) {
      return op != from && op != to && problem.ops[op].reduces() &&
             !problem.ops[op].isProduct();
    });
  }

  /// Whether a path leads from an op of the group through others back to it.
  bool hasDetour(const OpGroup &group) const {
    std::vector<bool> isVisited(problem.ops.size());
    SmallVector<unsigned> visited;
    auto visitReaders = [&](unsigned op, bool isOutside) {
      for (const GraphAccess &write : problem.ops[op].writes)
        for (unsigned reader : readers[write.tensor]) {
          if (isVisited[reader] || (!isOutside && group.contains(reader)))
            continue;
          isVisited[reader] = true;
          visited.push_back(reader);
        }
    };
    for (unsigned op : group.ops)
      visitReaders(op, /*isOutside=*/false);
    for (size_t i = 0; i != visited.size(); ++i) {
      if (group.contains(visited[i]))
        return true;
      visitReaders(visited[i], /*isOutside=*/true);
    }
    return false;
  }

  bool hasOneProduct(const OpGroup &group) const {
    return llvm::count_if(group.ops, [&](unsigned op) {
             return problem.ops[op].isProduct();
           }) == 1;
  }

  /// Adds what else reads tiles until the ops are a stream, if they can be one.
  std::optional<OpGroup> close(SmallVector<unsigned> ops,
                               StreamMiss &miss) const {
    for (;;) {
      OpGroup group;
      group.ops = ops;
      GroupShapeResult result = computeGroupShape(problem, group);
      if (result.shape && result.shape->stream && problem.hasAnyDepth)
        return hasOneProduct(group) ? std::optional(group) : std::nullopt;
      if (result.shape && result.shape->stream) {
        GroupSchedule schedule = scheduleGroup(problem, group, *result.shape);
        miss = {schedule.refusal};
        if (miss.reason.empty() && hasDetour(group))
          miss = {"another op needs results of the one for the other"};
        if (miss.reason.empty() &&
            !isWorthOnePass(problem, group, *result.shape, schedule))
          miss = {"few programs would compute all of it"};
        return miss.reason.empty() ? std::optional(group) : std::nullopt;
      }
      miss = result.streamMiss;
      if (!miss.openTensor || problem.tensors[*miss.openTensor].escapes)
        return std::nullopt;
      llvm::append_range(ops, readers[*miss.openTensor]);
      ops = findBetween(group.ops.front(), ops);
      if (ops == group.ops)
        return std::nullopt;
    }
  }

  /// All ops on paths from one to some others.
  SmallVector<unsigned> findBetween(unsigned from,
                                    ArrayRef<unsigned> to) const {
    SmallVector<unsigned> reached = findReached(from), between(to);
    for (size_t i = 0; i < between.size(); ++i)
      for (const GraphAccess &read : problem.ops[between[i]].reads)
        if (std::optional<unsigned> writer = problem.findWriter(read.tensor);
            writer &&
            (*writer == from || llvm::is_contained(reached, *writer)) &&
            !llvm::is_contained(between, *writer))
          between.push_back(*writer);
    llvm::sort(between);
    between.erase(llvm::unique(between), between.end());
    return between;
  }

  const GraphProblem &problem;
  std::vector<SmallVector<unsigned>> readers;
};

} // namespace

std::vector<StreamSeed>
carousel::findStreams(const GraphProblem &problem,
                      std::vector<StreamRefusal> &refusals) {
  if (!problem.streams)
    return {};
  return SeedFinder(problem).run(refusals);
}
