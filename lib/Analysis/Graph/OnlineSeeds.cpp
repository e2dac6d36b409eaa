//===- OnlineSeeds.cpp - the online reductions of a graph -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineReduction.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Analysis/Graph/GroupTimes.h"
#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "carousel/Analysis/Graph/OnlineReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace carousel;
using llvm::ArrayRef;
using llvm::SmallVector;

static double countElements(const GroupShape &shape, const ScheduledDim &dim) {
  double elements = 1;
  for (unsigned own : dim.dims)
    elements *= static_cast<double>(assumeExtent(shape.dims[own].extent));
  return elements;
}

/// The parts of an online reduction's programs, and the time in which one part
/// reads what all of them have left.
static std::pair<double, double> planParts(const GraphProblem &problem,
                                           const OpGroup &group,
                                           const GroupShape &shape,
                                           const GroupSchedule &schedule,
                                           double programs) {
  std::optional<GroupSchedule> divided =
      divideSchedule(problem, group, shape, schedule);
  if (!divided)
    return {1.0, 0.0};
  const GroupDivision &division = *divided->division;
  int64_t extent = assumeExtent(divided->dims[division.position].extent);
  auto parts = static_cast<double>(
      countParts(division, static_cast<int64_t>(programs), extent));
  if (parts == 1.0)
    return {1.0, 0.0};
  constexpr double kBytes = 4;
  double bytes =
      kBytes * parts * static_cast<double>(countPartials(shape, *divided));
  double waits =
      std::ceil(parts / static_cast<double>(countTogether(shape, *divided)));
  const ChipModel &chip = problem.chip;
  return {parts,
          (bytes / chip.bytesPerNsOfSM + waits * chip.loadLatency) / 1e3};
}

/// Whether several kernels would read what a product computes that other groups
/// compute, too. What is much larger than its factors isn't kept in memory.
static bool isKept(const GraphProblem &problem, const GraphOp &op) {
  constexpr int64_t kMuchLarger = 8;
  if (!op.isProduct() || !op.copyOf || problem.isByThreads(op))
    return false;
  int64_t factors = 0;
  for (const GraphAccess &access : op.reads)
    factors += problem.tensors[access.tensor].getBytes();
  return problem.tensors[op.writes.front().tensor].getBytes() <
         kMuchLarger * factors;
}

/// The bytes that several kernels would pass through memory of what the tiles
/// of one have.
static double countPassed(const GraphProblem &problem, const OpGroup &group,
                          const GroupShape &shape) {
  bool keeps = llvm::any_of(
      group.ops, [&](unsigned op) { return isKept(problem, problem.ops[op]); });
  auto isCopy = [&](unsigned op) {
    return keeps && problem.ops[op].copyOf.has_value();
  };
  double bytes = 0;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    OnlineRole role = shape.stream->roles[at];
    if (role != OnlineRole::Inner && role != OnlineRole::Tile)
      continue;
    unsigned tensor = problem.ops[number].writes.front().tensor;
    bool isPassed =
        !isCopy(number) || llvm::any_of(group.ops, [&](unsigned op) {
          return !isCopy(op) && llvm::any_of(problem.ops[op].reads,
                                             [&](const GraphAccess &read) {
                                               return read.tensor == tensor;
                                             });
        });
    if (isPassed)
      bytes += (isCopy(number) ? 1.0 : 2.0) *
               static_cast<double>(problem.tensors[tensor].getBytes());
  }
  return bytes;
}

OnlineTimes carousel::estimateOnlineReduction(const GraphProblem &problem,
                                              const OpGroup &group,
                                              const GroupShape &shape,
                                              const GroupSchedule &schedule) {
  OnlineTimes times;
  for (const ScheduledDim &dim : schedule.dims)
    if (dim.walk == DimWalk::Grid)
      times.programs *=
          std::ceil(countElements(shape, dim) / static_cast<double>(dim.tile));
  const ChipModel &chip = problem.chip;
  double passed = countPassed(problem, group, shape), read = 0; // bytes
  double together = 0, alone = 0; // times of multiply-adds
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    const GraphOp &op = problem.ops[number];
    if (!op.isProduct())
      continue;
    double elements =
        times.programs * double(schedule.countElements(shape.loops[at]));
    for (const ScheduledDim &along : schedule.dims)
      if (along.walk == DimWalk::Loop &&
          llvm::is_contained(shape.loops[at], along.dims.front()))
        elements *= countElements(shape, along) / double(along.tile);
    bool isByThreads = problem.isByThreads(op);
    double rate = getKernelRate(problem, getFactorKind(problem, op), op);
    // Products of few tiles have few multiprocessors.
    constexpr double kElementsOfTile = 64 * 64;
    const GraphTensor &result = problem.tensors[op.writes.front().tensor];
    double tiles = std::ceil(double(result.getBytes()) /
                             double(result.elementBytes) / kElementsOfTile);
    double use = isByThreads ? std::min(tiles / chip.sms, 1.0) : 1.0;
    if (!isKept(problem, op))
      alone += 2e-6 * elements / (rate * use);
    together += 2e-6 * elements / (isByThreads ? chip.kernelStreamF32 : rate);
    for (const GraphAccess &access : op.reads) {
      if (!group.findWriter(problem, access.tensor))
        read += static_cast<double>(problem.tensors[access.tensor].getBytes());
    }
  }
  double combining = 0;
  std::tie(times.parts, combining) =
      planParts(problem, group, shape, schedule, times.programs);
  auto sms = static_cast<double>(chip.sms);
  double ctas = std::min(times.programs * times.parts, sms);
  double ofCTAs = std::min(chip.bytesPerNs, ctas * chip.bytesPerNsOfSM);
  times.onePass =
      std::max({together * sms / ctas, read / ofCTAs / 1e3,
                estimateSplitSectors(problem, group, shape, schedule)}) +
      combining;
  times.severalKernels = std::max(alone, read / chip.bytesPerNs / 1e3) +
                         (passed / chip.bytesPerNs + 2 * chip.nextLaunch) / 1e3;
  return times;
}

std::string OnlineTimes::describe() const {
  std::string text = llvm::formatv(
      "one pass takes {0:f1} us with {1:f0} programs", onePass, programs);
  if (parts > 1)
    text += llvm::formatv(", of each of which {0:f0} parts divide the stream",
                          parts);
  return text +
         llvm::formatv(", and several kernels {0:f1} us", severalKernels).str();
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

  std::vector<OnlineSeed> run(std::vector<OnlineRefusal> &refusals) {
    std::vector<OnlineSeed> seeds;
    std::vector<bool> isTaken(problem.ops.size());
    for (unsigned product = 0; product != problem.ops.size(); ++product) {
      if (problem.ops[product].kind != GraphOpKind::Contraction ||
          isTaken[product])
        continue;
      std::optional<OnlineRefusal> refusal;
      SmallVector<unsigned> reached = findReached(product);
      for (unsigned last : llvm::reverse(reached)) {
        if (!problem.ops[last].reduces() || isTaken[last])
          continue;
        OnlineMiss miss;
        std::optional<OpGroup> group =
            close(findBetween(product, {last}), miss);
        if (group && llvm::none_of(group->ops,
                                   [&](unsigned op) { return isTaken[op]; })) {
          for (unsigned op : group->ops)
            isTaken[op] = true;
          seeds.push_back({group->ops});
          break;
        }
        // The nearest product after other sums is the one that one would want.
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

  /// Adds what else reads tiles until the ops are an online reduction, if they
  /// can be one.
  std::optional<OpGroup> close(SmallVector<unsigned> ops,
                               OnlineMiss &miss) const {
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
        if (miss.reason.empty())
          if (OnlineTimes times = estimateOnlineReduction(
                  problem, group, *result.shape, schedule);
              !times.isWorthOnePass())
            miss = {times.describe()};
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

std::vector<OnlineSeed>
carousel::findOnlineReductions(const GraphProblem &problem,
                               std::vector<OnlineRefusal> &refusals) {
  if (!problem.streams)
    return {};
  return SeedFinder(problem).run(refusals);
}
