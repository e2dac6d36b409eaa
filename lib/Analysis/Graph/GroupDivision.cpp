//===- GroupDivision.cpp - reductions divided among programs --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupDivision.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupDivision.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace carousel;
using namespace carousel::sums;

bool carousel::isInLoop(const GroupShape &shape, const GroupSchedule &schedule,
                        unsigned at) {
  return llvm::any_of(shape.loops[at], [&](unsigned dim) {
    return schedule.dims[schedule.find(dim)].walk == DimWalk::Loop;
  });
}

std::vector<OpPlace> carousel::findOpPlaces(const GraphProblem &problem,
                                            const OpGroup &group,
                                            const GroupShape &shape,
                                            const GroupSchedule &schedule) {
  llvm::SmallDenseMap<unsigned, unsigned> positions; // by op
  std::vector<OpPlace> places(group.ops.size(), OpPlace::BeforeLoops);
  auto findSource = [&](const GraphAccess &read) -> std::optional<unsigned> {
    std::optional<unsigned> writer = problem.findWriter(read.tensor);
    if (!writer || !positions.contains(*writer))
      return std::nullopt;
    return positions.lookup(*writer);
  };
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    positions[number] = at;
    for (const GraphAccess &read : problem.ops[number].reads)
      if (std::optional<unsigned> source = findSource(read);
          source && places[*source] != OpPlace::BeforeLoops)
        places[at] = OpPlace::BehindLoops;
    if (isInLoop(shape, schedule, at))
      places[at] = OpPlace::Loops;
  }
  if (!llvm::is_contained(places, OpPlace::Loops))
    return places;
  llvm::SmallBitVector isRead(group.ops.size()); // by loops
  for (unsigned at = group.ops.size(); at-- > 0;) {
    if (places[at] == OpPlace::BeforeLoops && !isRead.test(at))
      places[at] = OpPlace::BehindLoops;
    if (places[at] == OpPlace::BehindLoops)
      continue;
    for (const GraphAccess &read : problem.ops[group.ops[at]].reads)
      if (std::optional<unsigned> source = findSource(read))
        isRead.set(*source);
  }
  return places;
}

/// Whether the parts write each result once: in the loop, where each has other
/// elements, or behind the combination.
static bool areWritesApart(const GraphProblem &problem, const OpGroup &group,
                           const GroupShape &shape,
                           const GroupSchedule &schedule) {
  std::vector<OpPlace> places = findOpPlaces(problem, group, shape, schedule);
  for (auto [place, number] : llvm::zip_equal(places, group.ops))
    for (const GraphAccess &write : problem.ops[number].writes)
      if (place == OpPlace::BeforeLoops &&
          leavesGroup(problem, group, write.tensor))
        return false;
  return true;
}

/// Whether all that loops reduce is combined by a known operation.
static bool isCombinable(const GraphProblem &problem, const OpGroup &group,
                         const GroupShape &shape,
                         const GroupSchedule &schedule) {
  if (group.scans(problem))
    return false;
  bool reduces = false;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    const GraphOp &op = problem.ops[number];
    if (op.kind == GraphOpKind::Irregular)
      return false;
    reduces |= op.reduces() && isInLoop(shape, schedule, at);
  }
  return reduces;
}

static int64_t countIterations(const ScheduledDim &dim) {
  return llvm::divideCeil(assumeExtent(dim.extent), dim.tile);
}

/// The longest of the loops.
static std::optional<unsigned> findLoop(const GroupSchedule &schedule) {
  std::optional<unsigned> longest;
  for (auto [position, dim] : llvm::enumerate(schedule.dims))
    if (dim.walk == DimWalk::Loop && dim.isReduced &&
        (!longest ||
         countIterations(dim) > countIterations(schedule.dims[*longest])))
      longest = position;
  return longest;
}

/// Iterations of the other loops for a step of this one, if their dimensions
/// have known extents.
static std::optional<int64_t>
countOtherIterations(const GroupSchedule &schedule, unsigned loop) {
  int64_t iterations = 1;
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    if (position == loop || dim.walk != DimWalk::Loop)
      continue;
    if (dim.extent == kUnknownExtent)
      return std::nullopt;
    iterations *= countIterations(dim);
  }
  return std::max<int64_t>(iterations, 1);
}

/// The programs of a schedule without its parts, if they are known.
static std::optional<int64_t> countPrograms(const GroupSchedule &schedule) {
  int64_t programs = 1;
  for (const ScheduledDim &dim : schedule.dims) {
    if (dim.walk != DimWalk::Grid)
      continue;
    if (dim.extent == kUnknownExtent)
      return std::nullopt;
    programs *= llvm::divideCeil(dim.extent, dim.tile);
  }
  return programs;
}

int64_t carousel::countParts(const GroupDivision &division, int64_t programs,
                             int64_t extent) {
  int64_t wanted = division.wantedPrograms / std::max<int64_t>(programs, 1);
  int64_t steps = llvm::divideCeil(extent, division.stepElements);
  int64_t possible =
      llvm::divideCeil(steps * division.stepIterations, division.leastLength);
  return std::max<int64_t>(1, std::min({division.mostParts, wanted, possible}));
}

std::optional<int64_t> carousel::getStaticParts(const GroupSchedule &schedule) {
  if (schedule.division->isCluster)
    return schedule.division->mostParts;
  const GroupDivision &division = *schedule.division;
  std::optional<int64_t> programs = countPrograms(schedule);
  if (division.wantedPrograms == kAnyPrograms)
    programs = 1;
  int64_t extent = schedule.dims[division.position].extent;
  if (!programs || extent == kUnknownExtent)
    return std::nullopt;
  return countParts(division, *programs, extent);
}

/// Whether so many programs with wide tiles have parts that keep a device busy,
/// each of them for longer than partial sums take to combine.
static bool hasLongParts(const GroupSchedule &schedule, int64_t programs,
                         unsigned loop) {
  constexpr int64_t kLongPart = 64; // iterations, of 0.4 us
  const ScheduledDim &dim = schedule.dims[loop];
  int64_t parts = kWantedWidePrograms / std::max<int64_t>(programs, 1);
  return dim.extent != kUnknownExtent && parts <= kMostProductParts &&
         dim.extent / dim.tile >= parts * kLongPart;
}

/// Smaller tiles of the result, where there are few of them. Returns the
/// programs that keep a device busy: a wide tile fills an SM.
static int64_t narrowTiles(GroupSchedule &schedule, bool isWgrad,
                           bool isByThreads, unsigned loop) {
  std::optional<int64_t> programs = countPrograms(schedule);
  if (!programs)
    return kWantedPrograms;
  // A tile of sums of pixels reads both factors again for each tap.
  bool isWide = isWgrad ? *programs * kMostProductParts >= kWantedWidePrograms
                        : *programs * 4 > kWantedPrograms ||
                              (!isByThreads && !schedule.hasOneLoop &&
                               hasLongParts(schedule, *programs, loop));
  if (isWide)
    return kWantedWidePrograms;
  for (ScheduledDim &dim : schedule.dims)
    if (dim.walk == DimWalk::Grid && dim.tile != 1)
      dim.tile = std::min(dim.tile, kNarrowTile);
  return kWantedPrograms;
}

/// The schedule with a division, if there are \p leastParts parts or if known
/// extents say that there are several.
static std::optional<GroupSchedule> divide(const GroupSchedule &schedule,
                                           const GroupDivision &division,
                                           int64_t leastParts) {
  GroupSchedule divided = schedule;
  divided.division = division;
  int64_t extent = divided.dims[division.position].extent;
  if (std::optional<int64_t> parts = getStaticParts(divided))
    return *parts > 1 ? std::optional(divided) : std::nullopt;
  // At most so many, whatever the launch says.
  int64_t most = extent == kUnknownExtent
                     ? division.mostParts
                     : countParts(division, /*programs=*/1, extent);
  if (std::optional<int64_t> programs = countPrograms(divided))
    most = std::min(most,
                    division.wantedPrograms / std::max<int64_t>(*programs, 1));
  if (most < leastParts)
    return std::nullopt;
  return divided;
}

int64_t carousel::countPartials(const GroupShape &shape,
                                const GroupSchedule &schedule) {
  int64_t all = 0;
  for (auto [role, loops] : llvm::zip_equal(shape.stream->roles, shape.loops)) {
    if (role != OnlineRole::Sum)
      continue;
    int64_t numbers = 1;
    llvm::SmallSet<unsigned, 8> positions;
    for (unsigned dim : loops)
      if (unsigned position = schedule.find(dim);
          dim != shape.stream->dim && positions.insert(position).second)
        numbers *= schedule.dims[position].tile;
    all += numbers;
  }
  return all;
}

int64_t carousel::countTogether(const GroupShape &shape,
                                const GroupSchedule &schedule) {
  constexpr int64_t kMostTogether = 4; // each of which has code of its own
  int64_t partials = std::max<int64_t>(countPartials(shape, schedule), 1);
  return std::clamp<int64_t>(kCombinedElements / partials, 1, kMostTogether);
}

/// Whether an online reduction has few rows beside those of its batch.
static bool hasFewRows(const GroupSchedule &schedule) {
  for (const ScheduledDim &dim : schedule.dims)
    if (dim.walk == DimWalk::Grid && dim.tile != 1)
      return dim.extent != kUnknownExtent && dim.extent <= kMostDecodeRows;
  return false;
}

/// Parts have tiles of the online reduction's dimension.
static std::optional<GroupSchedule>
splitOnlineReduction(const GroupShape &shape, const GroupSchedule &schedule) {
  if (shape.stream->hasOneTile)
    return std::nullopt;
  GroupDivision division;
  division.position = schedule.find(shape.stream->dim);
  division.leastLength =
      schedule.dims[division.position].tile * kLeastKVIterations;
  division.mostParts = std::clamp<int64_t>(
      kMostPartialElements /
          std::max<int64_t>(countPartials(shape, schedule), 1),
      1, kMostKVSplits);
  division.wantedPrograms = kWantedWidePrograms;
  if (hasFewRows(schedule)) {
    int64_t keys = schedule.dims[division.position].extent;
    division.mostParts = std::min(
        division.mostParts, std::max(kDecodeParts, keys / kMostKeysOfPart));
    division.wantedPrograms = kAnyPrograms;
  }
  return divide(schedule, division, kLeastProductParts);
}

static bool multipliesByThreads(const GraphProblem &problem,
                                const OpGroup &group) {
  return llvm::any_of(group.ops, [&](unsigned op) {
    return problem.ops[op].isProduct() && problem.isByThreads(problem.ops[op]);
  });
}

std::optional<GroupSchedule>
carousel::divideSchedule(const GraphProblem &problem, const OpGroup &group,
                         const GroupShape &shape,
                         const GroupSchedule &schedule) {
  if (shape.stream)
    return splitOnlineReduction(shape, schedule);
  GroupSchedule divided = schedule;
  bool isProduct = schedule.family == ScheduleFamily::Contraction;
  bool hasImage = false, isWgrad = false;
  int64_t reductions = 0;
  for (unsigned op : group.ops) {
    reductions += problem.ops[op].reduces();
    hasImage |= problem.ops[op].hasImage();
    isWgrad |= problem.ops[op].isWgrad();
  }
  if (shape.hasSeveralPasses || schedule.family == ScheduleFamily::Loops ||
      (schedule.hasOneLoop && hasImage && !isWgrad && !isProduct))
    return std::nullopt;
  // A row becomes a loop over its pieces.
  if (schedule.family == ScheduleFamily::Row && schedule.covered) {
    ScheduledDim &row = divided.dims[*schedule.covered];
    row.walk = DimWalk::Loop;
    row.tile = kRowTile;
    divided.covered = std::nullopt;
  }
  std::optional<unsigned> loop = findLoop(divided);
  if (!loop || !isCombinable(problem, group, shape, divided) ||
      !areWritesApart(problem, group, shape, divided))
    return std::nullopt;
  GroupDivision division;
  division.wantedPrograms =
      isProduct ? narrowTiles(divided, isWgrad,
                              multipliesByThreads(problem, group), *loop)
                : kWantedPrograms;
  // One program combines the parts of each sum after those of another.
  if (isWgrad && reductions > 1)
    division.wantedPrograms = kWantedWidePrograms;
  division.position = *loop;
  int64_t leastIterations =
      isProduct ? kLeastProductIterations : kLeastIterations;
  std::optional<int64_t> others = countOtherIterations(divided, *loop);
  int64_t tile = divided.dims[*loop].tile;
  if (divided.hasOneLoop && others) {
    division.stepElements = tile;
    division.stepIterations = *others;
    division.leastLength = leastIterations;
  } else {
    division.leastLength =
        tile * int64_t(llvm::divideCeil(leastIterations, others.value_or(1)));
  }
  division.mostParts = isProduct ? kMostProductParts : kWantedPrograms;
  return divide(divided, division, isProduct ? kLeastProductParts : 2);
}

/// The fewest bytes of an element that the group reads from matrices.
static int64_t findNarrowest(const GraphProblem &problem,
                             const OpGroup &group) {
  int64_t narrowest = std::numeric_limits<int64_t>::max();
  for (unsigned op : group.ops)
    for (const GraphAccess &read : problem.ops[op].reads)
      if (const GraphTensor &tensor = problem.tensors[read.tensor];
          read.loops.size() >= 2 && !problem.findWriter(read.tensor))
        narrowest = std::min(narrowest, tensor.elementBytes);
  return narrowest;
}

static std::optional<GroupSchedule> planFewRows(const GraphProblem &problem,
                                                const OpGroup &group,
                                                const GroupShape &shape,
                                                const GroupSchedule &schedule) {
  if (schedule.family != ScheduleFamily::Contraction || shape.stream ||
      shape.hasSeveralPasses || problem.clusterSize < kFewRowsParts ||
      findNarrowest(problem, group) != 1 ||
      llvm::any_of(
          group.ops,
          [&](unsigned op) {
            return problem.ops[op].hasImage() || problem.ops[op].isWgrad();
          }))
    return std::nullopt;
  GroupSchedule plan = schedule;
  std::optional<unsigned> rows, columns;
  for (auto [position, dim] : llvm::enumerate(plan.dims)) {
    if (dim.walk != DimWalk::Grid || dim.tile == 1)
      continue;
    bool isFew = dim.extent == kUnknownExtent || dim.extent <= kFewRows;
    std::optional<unsigned> &kind = isFew ? rows : columns;
    if (kind)
      return std::nullopt;
    kind = position;
  }
  std::optional<unsigned> loop = findLoop(plan);
  if (!rows || !columns || !loop ||
      !isCombinable(problem, group, shape, plan) ||
      !areWritesApart(problem, group, shape, plan))
    return std::nullopt;
  // An iteration has as many bytes of the weights as of other products.
  ScheduledDim &depth =
      llvm::find_if(llvm::reverse(plan.dims), [](const ScheduledDim &dim) {
        return dim.walk == DimWalk::Loop && dim.tile != 1;
      })[0];
  if (depth.extent != kUnknownExtent && depth.extent >= 2 * depth.tile)
    depth.tile *= 2;
  ScheduledDim &column = plan.dims[*columns];
  if (column.extent < kNarrowTile)
    return std::nullopt;
  column.tile = kNarrowTile;
  plan.dims[*rows].tile = kFewRows;
  plan.fewRows = rows;
  GroupDivision division;
  division.position = *loop;
  division.mostParts = kFewRowsParts;
  division.isCluster = true;
  // Each part has some iterations, so that the combination is worth it.
  int64_t iterations = 1;
  for (const ScheduledDim &dim : plan.dims)
    if (dim.walk == DimWalk::Loop)
      iterations *= llvm::divideCeil(assumeExtent(dim.extent), dim.tile);
  if (iterations < kFewRowsParts * kLeastIterations)
    return std::nullopt;
  plan.division = division;
  return plan;
}

/// Smaller tiles of the result, as long as SMs have none: what threads multiply
/// takes as long as a tile has elements.
static void fillDevice(GroupSchedule &schedule, int64_t sms) {
  constexpr int64_t kLeastTile = 32;
  for (std::optional<int64_t> programs = countPrograms(schedule);
       programs && *programs < sms; programs = countPrograms(schedule)) {
    ScheduledDim *widest = nullptr;
    for (ScheduledDim &dim : schedule.dims)
      if (dim.walk == DimWalk::Grid && dim.tile > kLeastTile &&
          (!widest || dim.tile >= widest->tile))
        widest = &dim;
    if (!widest)
      return;
    widest->tile /= 2;
  }
}

std::vector<GroupSchedule>
carousel::planVariants(const GraphProblem &problem, const OpGroup &group,
                       const GroupShape &shape, const GroupSchedule &schedule) {
  std::vector<GroupSchedule> variants;
  if (std::optional<GroupSchedule> few =
          planFewRows(problem, group, shape, schedule)) {
    variants.push_back(*few);
    if (few->dims[*few->fewRows].extent != kUnknownExtent)
      return variants;
  }
  std::optional<GroupSchedule> divided =
      divideSchedule(problem, group, shape, schedule);
  if (divided) {
    variants.push_back(*divided);
    if (getStaticParts(*divided))
      return variants;
  }
  GroupSchedule whole = schedule;
  if (multipliesByThreads(problem, group))
    fillDevice(whole, problem.chip.sms);
  // If the number of programs is known, rows that aren't divided are short.
  if (divided && whole.covered &&
      whole.dims[divided->division->position].extent == kUnknownExtent &&
      countPrograms(whole)) {
    int64_t &width = whole.dims[*whole.covered].tile;
    width = std::min<int64_t>(
        width, llvm::PowerOf2Ceil(divided->division->leastLength));
  }
  variants.push_back(std::move(whole));
  return variants;
}
