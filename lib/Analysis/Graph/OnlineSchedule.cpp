//===- OnlineSchedule.cpp - the schedule of reductions in one pass --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineReduction.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;

static int64_t clampTile(const ScheduledDim &dim, int64_t most, int64_t least) {
  if (dim.extent == kUnknownExtent)
    return most;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(dim.extent), least, most);
}

/// Finds the longest one of the dimensions that an inner product's result has
/// from one factor alone, or the innermost one of these.
static std::optional<unsigned> findLongest(const GraphProblem &problem,
                                           const OpGroup &group,
                                           const GroupShape &shape,
                                           const GroupSchedule &schedule,
                                           size_t at, unsigned factor) {
  const GraphOp &op = problem.ops[group.ops[at]];
  std::optional<unsigned> found;
  int64_t longest = 0;
  for (std::optional<unsigned> loop : op.reads[factor].loops) {
    unsigned dim = shape.loops[at][*loop];
    int64_t extent = assumeExtent(shape.dims[dim].extent);
    if (shape.dims[dim].isReduced || shape.hasDim(at, op.reads[!factor], dim) ||
        llvm::is_contained(shape.stream->whole, dim) || extent < longest)
      continue;
    longest = extent;
    found = schedule.find(dim);
  }
  return found;
}

/// The rows of a program, and what tiles have of the other factor.
struct TileDims {
  unsigned rows, columns;
};

/// Finds the dimensions of tiles in the first inner product. Its rows come from
/// the factor without the online reduction's dimension, whose elements are the
/// columns. Where both factors have it, as a batch, a tile is a matrix of one
/// batch.
static std::optional<TileDims> findTileDims(const GraphProblem &problem,
                                            const OpGroup &group,
                                            const GroupShape &shape,
                                            const GroupSchedule &schedule) {
  unsigned dim = shape.stream->dim;
  auto inner = llvm::find(shape.stream->roles, OnlineRole::Inner);
  if (inner == shape.stream->roles.end())
    return std::nullopt;
  size_t at = inner - shape.stream->roles.begin();
  const GraphOp &op = problem.ops[group.ops[at]];
  bool isSecond = shape.hasDim(at, op.reads[0], dim);
  bool isBatch = isSecond && shape.hasDim(at, op.reads[1], dim);
  std::optional<unsigned> rows =
      findLongest(problem, group, shape, schedule, at, isBatch ? 0 : isSecond);
  std::optional<unsigned> columns = schedule.find(dim);
  if (isBatch)
    columns = findLongest(problem, group, shape, schedule, at, 1);
  if (!rows || !columns)
    return std::nullopt;
  return TileDims{*rows, *columns};
}

/// Tiles are matrices: of the vectors' dimensions, a factor has one of the
/// result, and those that are summed.
static void checkProduct(const GraphOp &op, llvm::ArrayRef<unsigned> loops,
                         GroupSchedule &schedule) {
  constexpr int64_t kMostDepth = 256;
  std::optional<unsigned> kept[2];
  for (unsigned factor : {0, 1}) {
    int64_t depth = 1;
    llvm::SmallVector<unsigned> positions;
    for (std::optional<unsigned> loop : op.reads[factor].loops) {
      unsigned position = schedule.find(loops[*loop]);
      if (schedule.dims[position].tile == 1 ||
          llvm::is_contained(positions, position))
        continue;
      positions.push_back(position);
      if (op.loops[*loop].isReduction) {
        depth *= schedule.dims[position].tile;
        continue;
      }
      if (kept[factor])
        schedule.refusal = "'" + op.name + "' multiplies more than matrices";
      kept[factor] = position;
    }
    if (depth > kMostDepth)
      schedule.refusal = "'" + op.name + "' sums " + std::to_string(depth) +
                         " products in a tile, more than " +
                         std::to_string(kMostDepth);
  }
  if (!kept[0] || !kept[1] || kept[0] == kept[1])
    schedule.refusal = "'" + op.name + "' doesn't multiply two matrices";
}

/// Whether tiles are computed with numbers in memory of rows and elements, as a
/// bias, which then have slots beside the factors.
static bool readsTiles(const GraphProblem &problem, const OpGroup &group,
                       const GroupShape &shape, const GroupSchedule &schedule,
                       TileDims tile) {
  constexpr int64_t kLeastBytes = 2;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    if (shape.stream->roles[at] != OnlineRole::Tile)
      continue;
    for (const GraphAccess &read : problem.ops[number].reads) {
      auto hasDim = [&, at = at](unsigned dim) {
        return shape.hasDim(at, read, dim);
      };
      if (!group.findWriter(problem, read.tensor) &&
          problem.tensors[read.tensor].elementBytes >= kLeastBytes &&
          llvm::any_of(schedule.dims[tile.columns].dims, hasDim) &&
          llvm::any_of(schedule.dims[tile.rows].dims, hasDim))
        return true;
    }
  }
  return false;
}

// Instructions of warpgroups multiply 64 rows by 16 of depth, at least.
static constexpr int64_t kLeast = 16, kRows = 128;

/// A program has rows and all columns, and goes along the depth.
static void scheduleOneTile(const GraphProblem &problem, const OpGroup &group,
                            const GroupShape &shape, GroupSchedule &schedule) {
  constexpr int64_t kDepthBytes = 128;
  std::optional<TileDims> tile = findTileDims(problem, group, shape, schedule);
  if (!tile) {
    schedule.refusal = "no dimension of rows is divided among programs";
    return;
  }
  ScheduledDim &rows = schedule.dims[tile->rows];
  rows.tile = clampTile(rows, kRows, kLeast);
  unsigned columns = schedule.find(shape.stream->dim), loops = 0;
  ScheduledDim *depth = nullptr;
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    if (position == columns || !dim.isReduced)
      continue;
    depth = &dim;
    depth->walk = DimWalk::Loop;
    ++loops;
  }
  // Reductions of columns are none of programs: vectors have them.
  schedule.dims[columns].walk = DimWalk::None;
  schedule.dims[columns].tile = schedule.dims[columns].extent;
  schedule.dims[columns].isReduced = false;
  schedule.hasOneLoop = loops > 1;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    const GraphOp &op = problem.ops[number];
    if (!op.isProduct())
      continue;
    int64_t bytes = std::max(problem.tensors[op.reads[0].tensor].elementBytes,
                             problem.tensors[op.reads[1].tensor].elementBytes);
    depth->tile = clampTile(*depth, kDepthBytes / bytes, kLeast);
    checkProduct(op, shape.loops[at], schedule);
  }
}

/// The bytes of a program's tiles, with one of each: factors of products, and
/// numbers in memory that tiles are computed with. Where several dimensions are
/// summed, threads also have matrices of what a loop reads.
static int64_t countTileBytes(const GraphProblem &problem, const OpGroup &group,
                              const GroupShape &shape,
                              const GroupSchedule &schedule, TileDims tile) {
  constexpr int64_t kSumBytes = 4;
  int64_t bytes = 0;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    if (!problem.ops[number].isProduct())
      continue;
    for (const GraphAccess &read : problem.ops[number].reads) {
      int64_t summed = 0;
      bool isOfTiles = false;
      llvm::SmallVector<unsigned> dims;
      for (std::optional<unsigned> loop : read.loops) {
        unsigned dim = shape.loops[at][*loop];
        dims.push_back(dim);
        summed += problem.ops[number].loops[*loop].isReduction &&
                  schedule.dims[schedule.find(dim)].tile != 1;
        isOfTiles |= schedule.find(dim) == tile.columns;
      }
      bytes += schedule.countElements(dims) * kSumBytes *
               (isOfTiles && summed > 1 ? 2 : 1);
    }
  }
  if (readsTiles(problem, group, shape, schedule, tile))
    bytes += kSumBytes * schedule.dims[tile.rows].tile *
             schedule.dims[tile.columns].tile;
  return bytes;
}

/// Rows that are the same for all tiles are kept in shared memory, up to 32
/// KiB: threads have no registers for them.
static void fitRows(const GraphProblem &problem, const OpGroup &group,
                    const GroupShape &shape, const GroupSchedule &schedule,
                    ScheduledDim &rows) {
  constexpr int64_t kMostKept = 8192;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    if (shape.stream->roles[at] != OnlineRole::Inner)
      continue;
    llvm::SmallVector<unsigned> summed;
    for (auto [loop, info] : llvm::enumerate(problem.ops[number].loops))
      if (info.isReduction)
        summed.push_back(shape.loops[at][loop]);
    int64_t depth = schedule.countElements(summed);
    while (rows.tile > kLeast && rows.tile * depth > kMostKept)
      rows.tile /= 2;
  }
}

/// Threads multiply and add: a block of 128 of them has 64 sums of second
/// products in each, and room for those of the first one. Factors are read in
/// shared memory.
static void scheduleThreads(const GraphProblem &problem, const OpGroup &group,
                            const GroupShape &shape, GroupSchedule &schedule,
                            TileDims tile) {
  constexpr int64_t kSums = 128 * 64, kElements = 32;
  // The memory of all chips, since a graph becomes kernels once: with one
  // stage, and what reductions need.
  constexpr int64_t kMostBytes = 101376 - 1024;
  int64_t columns = 0;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    if (shape.stream->roles[at] != OnlineRole::Sum ||
        !problem.ops[number].isProduct())
      continue;
    llvm::SmallVector<unsigned> own;
    for (unsigned dim : shape.stream->whole)
      if (llvm::is_contained(shape.loops[at], dim) &&
          !shape.dims[dim].isReduced)
        own.push_back(dim);
    columns += schedule.countElements(own);
  }
  int64_t most =
      llvm::bit_floor(uint64_t(kSums / std::max<int64_t>(columns, 1)));
  ScheduledDim &dim = schedule.dims[tile.rows];
  dim.tile = clampTile(dim, std::clamp(most, kLeast, kRows), kLeast);
  ScheduledDim &tiles = schedule.dims[tile.columns];
  tiles.tile = clampTile(tiles, kElements, kLeast);
  fitRows(problem, group, shape, schedule, dim);
  auto countBytes = [&] {
    return countTileBytes(problem, group, shape, schedule, tile);
  };
  while (countBytes() > kMostBytes) {
    if (dim.tile == kLeast && tiles.tile == kLeast) {
      // Rows of 256 of two products fit, but not those of many.
      schedule.refusal = "tiles of " + std::to_string(kLeast) +
                         " rows and elements would take " +
                         std::to_string(countBytes()) + " bytes, more than " +
                         std::to_string(kMostBytes);
      return;
    }
    bool areRowsMany = dim.tile > 2 * tiles.tile || tiles.tile == kLeast;
    (areRowsMany ? dim : tiles).tile /= 2;
  }
}

void carousel::scheduleOnlineReduction(const GraphProblem &problem,
                                       const OpGroup &group,
                                       const GroupShape &shape,
                                       GroupSchedule &schedule) {
  const OnlineReduction &stream = *shape.stream;
  if (stream.hasOneTile)
    return scheduleOneTile(problem, group, shape, schedule);
  int64_t wholeElements = 1, elementBytes = 1;
  for (unsigned dim : stream.whole) {
    ScheduledDim &whole = schedule.dims[schedule.find(dim)];
    whole.walk = DimWalk::None;
    whole.tile = std::max<int64_t>(llvm::PowerOf2Ceil(whole.extent), 1);
    // --carousel-split-extents divides others into parts.
    if (whole.extent > kLeast && whole.extent % kLeast == 0)
      whole.tile = whole.extent;
    wholeElements = std::max(wholeElements, whole.tile);
    if (whole.tile != 1)
      whole.tile = std::max(whole.tile, kLeast);
  }
  for (auto [at, number] : llvm::enumerate(group.ops))
    if (problem.ops[number].isProduct())
      for (const GraphAccess &read : problem.ops[number].reads)
        elementBytes =
            std::max(elementBytes, problem.tensors[read.tensor].elementBytes);
  std::optional<TileDims> tile = findTileDims(problem, group, shape, schedule);
  if (!tile) {
    schedule.refusal = "no dimension of rows is divided among programs";
    return;
  }
  // The sums of two products are in registers, and so are exponentials.
  constexpr int64_t kWideBytes = 4, kMostElements = 16384;
  if (elementBytes > kWideBytes) {
    schedule.refusal =
        "threads would multiply factors of " + std::to_string(elementBytes) +
        " bytes, and have registers for those of " + std::to_string(kWideBytes);
    return;
  }
  bool isWide = elementBytes >= kWideBytes;
  ScheduledDim &rows = schedule.dims[tile->rows];
  rows.tile = clampTile(rows, isWide ? kRows / 2 : kRows, kLeast);
  schedule.dims[schedule.find(stream.dim)].walk = DimWalk::Loop;
  ScheduledDim &tiles = schedule.dims[tile->columns];
  int64_t most = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(kMostElements / wholeElements)), 64, 128);
  // Two products of a tile, as scores and their gradients, have sums each.
  if (readsTiles(problem, group, shape, schedule, *tile) ||
      llvm::count(stream.roles, OnlineRole::Inner) > 1)
    most = 64;
  tiles.tile = clampTile(tiles, isWide ? most / 2 : most, kLeast);
  if (llvm::any_of(group.ops, [&](unsigned op) {
        return problem.isByThreads(problem.ops[op]);
      }))
    scheduleThreads(problem, group, shape, schedule, *tile);
  for (auto [at, number] : llvm::enumerate(group.ops))
    if (problem.ops[number].isProduct())
      checkProduct(problem.ops[number], shape.loops[at], schedule);
  // Only products have the elements of their factors together.
  constexpr int64_t kMostOfVector = 32768;
  for (auto [at, number] : llvm::enumerate(group.ops)) {
    int64_t elements = schedule.countElements(shape.loops[at]);
    if (!problem.ops[number].isProduct() && elements > kMostOfVector)
      schedule.refusal = "a program would compute " + std::to_string(elements) +
                         " elements of '" + problem.ops[number].name +
                         "' at once, more than " +
                         std::to_string(kMostOfVector);
  }
}
