//===- ProductTiles.cpp - tiles of products, and their times --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductTiles.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ProductTiles.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace carousel;

/// Sums that a warpgroup has registers for, and those of the largest tile.
static constexpr int64_t kSumsOfWarpgroup = 128 * 128,
                         kMostSums = 2 * kSumsOfWarpgroup;

/// Those of which each was the fastest for some extents, on an H100 or H200;
/// the larger ones first, which need less of shared memory for an element. 192
/// columns are instructions of 128 and of 64.
static constexpr std::pair<int64_t, int64_t> kTiles[] = {
    {128, 256}, {256, 128}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};

static constexpr int64_t kPicoseconds = 1000;

/// Bytes of the factors' tiles of an iteration.
static int64_t countLoaded(const ProductWork &work, int64_t rows,
                           int64_t columns) {
  return (work.rowTiles * rows + work.columnTiles * columns) * work.depth *
         work.factorBits / 8;
}

static int64_t countResults(const ProductWork &work, int64_t rows,
                            int64_t columns) {
  return rows * columns * work.resultBits / 8;
}

/// Bytes of the tiles that an engine stores.
static int64_t countStored(const ProductWork &work, int64_t rows,
                           int64_t columns) {
  return rows * columns * work.storedBits / 8;
}

static constexpr int64_t kOfBarriers = 1024;

/// The nanoseconds until a slot has other factors. With two of them, an H200
/// takes 1140 for the step of 128 x 256, and 630 with three.
static double findRefillTime(const ProductWork &work, int64_t rows,
                             int64_t columns, const ChipModel &chip) {
  int64_t loaded = countLoaded(work, rows, columns);
  int64_t slots = (chip.maxSharedPerBlock - kOfBarriers -
                   countStored(work, rows, columns)) /
                  loaded;
  return (chip.loadLatency + double(loaded) / chip.l2BytesPerNsOfSM) /
         double(std::max({slots, work.stages, int64_t(2)}) - 1);
}

/// Shared memory is what limits all tiles but the largest: it is written once
/// by copies, and each piece of 64 rows reads its rows and all columns. Rings
/// fill it, so that a CTA is alone on its SM. Factors in registers are prepared
/// while products are in flight, but measured times are their sum.
static ProductTile makeTile(const ProductWork &work, int64_t rows,
                            int64_t columns, const ChipModel &chip) {
  double multiplied = double(rows) * columns * work.depth * work.products *
                      work.factorBits / chip.warpgroupBitsPerCycle;
  // The side whose elements are an instruction's rows, and the other one.
  auto [along, across] = work.columnInstructions > 0 || rows < kWgmmaRows
                             ? std::pair(columns, rows)
                             : std::pair(rows, columns);
  // Each power of two of the columns is an instruction, which reads the rows.
  double pieces = double(along) / kWgmmaRows;
  double read = pieces *
                (kWgmmaRows * llvm::popcount(uint64_t(across)) + across) *
                work.depth * work.products * work.factorBits / 8;
  double prepared =
      (rows * work.rowInstructions + columns * work.columnInstructions) *
      work.depth / (rules::kWarpSize * chip.issuePerCycle);
  double shared =
      (read + countLoaded(work, rows, columns)) / chip.sharedBytesPerCycle;
  double step =
      std::max((std::max(multiplied, shared) + prepared) / chip.clockGHz +
                   chip.productStep,
               findRefillTime(work, rows, columns, chip));
  double once = chip.storeReadLatency +
                countResults(work, rows, columns) / chip.bytesPerNsOfSM;

  ProductTile tile;
  tile.rows = rows;
  tile.columns = columns;
  // Two share the rows; more are for the author's larger tiles.
  tile.warpgroups =
      std::max<int64_t>(std::clamp<int64_t>(rows / kWgmmaRows, 1, 2),
                        llvm::divideCeil(rows * columns * work.products,
                                         work.isPromoted ? kMostPromotedSums / 2
                                                         : kSumsOfWarpgroup));
  tile.step = std::llround(step * kPicoseconds);
  tile.once = std::llround(once * kPicoseconds);
  return tile;
}

/// Bytes of shared memory beside the slots. `sums`: those that peers read.
static bool fits(const ProductWork &work, int64_t rows, int64_t columns,
                 const ChipModel &chip, int64_t stages, int64_t sums = 0) {
  int64_t most = work.isPromoted ? kMostPromotedSums : kMostSums;
  return rows * columns * work.products <= most &&
         stages * countLoaded(work, rows, columns) +
                 countStored(work, rows, columns) + sums + kOfBarriers <=
             chip.maxSharedPerBlock;
}

/// Adds tiles whose iterations CTAs of a cluster divide: the largest one in all
/// numbers of parts, and smaller ones, of which more fill the device, in few.
static void planParts(const ProductWork &work, const ChipModel &chip,
                      std::vector<ProductTile> &tiles) {
  // Fewer slots wait for memory, more tiles of 64 rows for each other.
  constexpr int64_t kFewestStages = 4, kBytesOfSum = 4;
  constexpr int64_t kMost = rules::kMaxClusterSize;
  SmallVector<std::tuple<int64_t, int64_t, int64_t>> divided = {
      {128, 128, kMost}, {64, 128, 4}, {64, 64, 2}};
  if (work.rows < kWgmmaRows || work.columns < kWgmmaRows)
    divided.emplace_back(work.rows, work.columns, kMost);
  for (auto [rows, columns, most] : divided)
    for (int64_t parts = 2; parts <= std::min(most, work.mostParts);
         parts *= 2) {
      int64_t sums = rows * columns * work.products * kBytesOfSum;
      if (!fits(work, rows, columns, chip, std::max(work.stages, kFewestStages),
                sums))
        continue;
      ProductTile tile = makeTile(work, rows, columns, chip);
      tile.parts = parts;
      // Each reads its part of the sums of all, and writes that of the result.
      // No CTA goes on to another tile: each fills its ring and meets others.
      double once =
          chip.loadLatency + chip.clusterOverhead + chip.storeReadLatency +
          sums / chip.l2BytesPerNsOfSM +
          countResults(work, rows, columns) / (parts * chip.bytesPerNsOfSM);
      tile.once = std::llround(once * kPicoseconds);
      tiles.push_back(tile);
    }
}

std::vector<ProductTile> carousel::planProductTiles(const ProductWork &work,
                                                    const ChipModel &chip) {
  std::vector<ProductTile> tiles = {
      makeTile(work, work.rows, work.columns, chip)};
  // Threads that prepare a factor have no registers for two instructions' sums.
  bool isPrepared = work.rowInstructions > 0 || work.columnInstructions > 0;
  for (auto [rows, columns] : kTiles)
    if (fits(work, rows, columns, chip, work.stages) &&
        (rows != work.rows || columns != work.columns) &&
        (llvm::isPowerOf2_64(columns) || !isPrepared))
      tiles.push_back(makeTile(work, rows, columns, chip));
  // In step, CTAs wait for each other's slots. Measured on an H200.
  constexpr double kInStep = 1.02;
  const ProductTile *widest = nullptr;
  for (const ProductTile &tile : tiles)
    if (tile.rows * tile.columns * work.products ==
            (work.isPromoted ? kMostPromotedSums : kMostSums) &&
        (!widest || tile.columns > widest->columns))
      widest = &tile;
  if (widest) {
    ProductTile shared = *widest;
    shared.ctas = 2; // more of them find fewer places on the device
    shared.step = std::llround(shared.step * kInStep);
    tiles.push_back(shared);
  }
  planParts(work, chip, tiles);
  return tiles;
}

static ExprAttr makeNumber(MLIRContext *context, int64_t value) {
  return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
}

static ExprAttr combine(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
  return ExprAttr::get(lhs.getContext(), kind, 0, 0, lhs, rhs);
}
static ExprAttr combine(ExprKind kind, ExprAttr lhs, int64_t rhs) {
  return combine(kind, lhs, makeNumber(lhs.getContext(), rhs));
}

/// The programs that an SM executes one after the other, at most. A cluster has
/// its place in one of 8 GPCs, of each of which SMs are left, half of a cluster
/// on average. Measured on an H200: clusters of four have 120 of 132 SMs.
static ExprAttr countRounds(ExprAttr programs, int64_t ctasOfCluster = 1) {
  constexpr int64_t kGPCs = 8;
  auto sms = ExprAttr::get(programs.getContext(), ExprKind::SMs, 0, 0, {}, {});
  if (int64_t left = kGPCs * (ctasOfCluster - 1) / 2; ctasOfCluster > 2)
    sms = combine(ExprKind::Max, combine(ExprKind::Sub, sms, left), 1);
  return combine(ExprKind::CeilDiv, programs, sms);
}

/// The time of a launch, in nanoseconds, from picoseconds after its start.
static ExprAttr makeLaunchTime(ExprAttr time, const ChipModel &chip) {
  int64_t start = std::llround(chip.launchOverhead + 2 * chip.loadLatency);
  return combine(ExprKind::Add, combine(ExprKind::FloorDiv, time, kPicoseconds),
                 start);
}

/// Bits of the factors that batches read, each at most once. They may share
/// some, as groups of rows share a matrix.
static ExprAttr countFactors(const ProductWork &work,
                             const ProductLaunch &launch, ExprAttr depth) {
  auto count = [&](ExprAttr extent, ExprAttr elements, int64_t tiles) {
    if (launch.batches) {
      extent = combine(ExprKind::Mul, combine(ExprKind::Mul, extent, depth),
                       launch.batches);
      if (elements)
        extent = combine(ExprKind::Min, extent, elements);
    }
    return combine(ExprKind::Mul, extent, tiles * work.factorBits);
  };
  ExprAttr factors = combine(
      ExprKind::Add, count(launch.rows, launch.elementsOfRows, work.rowTiles),
      count(launch.columns, launch.elementsOfColumns, work.columnTiles));
  return launch.batches ? factors : combine(ExprKind::Mul, factors, depth);
}

/// For which global memory is busy with all elements, if it moves them once.
static ExprAttr makeMemoryTime(const ProductWork &work,
                               const ProductLaunch &launch,
                               const ChipModel &chip) {
  ExprAttr depth = combine(ExprKind::Mul, launch.iterations, work.depth);
  ExprAttr results = combine(
      ExprKind::Mul, combine(ExprKind::Mul, launch.rows, launch.columns),
      work.resultBits);
  if (launch.batches)
    results = combine(ExprKind::Mul, results, launch.batches);
  ExprAttr bits =
      combine(ExprKind::Add, countFactors(work, launch, depth), results);
  return combine(ExprKind::FloorDiv,
                 combine(ExprKind::Mul, bits, kPicoseconds / 8),
                 std::llround(chip.bytesPerNs));
}

ExprAttr carousel::countTiles(ExprAttr elements, int64_t extent) {
  return combine(ExprKind::CeilDiv, elements, extent);
}

/// The picoseconds in which a factor's tile of an iteration comes from the L2.
static ExprAttr makeLoadTime(double bytes, ExprAttr pitch, MLIRContext *context,
                             const ChipModel &chip) {
  constexpr int64_t kSector = 32;
  auto getTime = [&](double bytesPerNs) {
    return std::llround(bytes / bytesPerNs * kPicoseconds);
  };
  int64_t whole = getTime(chip.l2BytesPerNsOfSM);
  if (!pitch)
    return makeNumber(context, whole);
  ExprAttr isSplit =
      combine(ExprKind::Min, combine(ExprKind::Mod, pitch, kSector), 1);
  return combine(ExprKind::Add,
                 combine(ExprKind::Mul, isSplit,
                         getTime(chip.splitSectorBytesPerNsOfSM) - whole),
                 whole);
}

/// The picoseconds of an iteration.
static ExprAttr makeStep(const ProductWork &work, const ProductTile &tile,
                         const ProductLaunch &launch, const ChipModel &chip) {
  MLIRContext *context = launch.rows.getContext();
  ExprAttr step = makeNumber(context, tile.step);
  if (!launch.pitchOfRows && !launch.pitchOfColumns)
    return step;
  double ofElement = double(work.depth) * work.factorBits / 8;
  ExprAttr rows = makeLoadTime(work.rowTiles * tile.rows * ofElement,
                               launch.pitchOfRows, context, chip);
  ExprAttr columns =
      makeLoadTime(work.columnTiles * tile.columns * ofElement / tile.ctas,
                   launch.pitchOfColumns, context, chip);
  return combine(ExprKind::Max, step, combine(ExprKind::Add, rows, columns));
}

ExprAttr carousel::makeCost(const ProductWork &work, const ProductTile &tile,
                            const ProductLaunch &launch,
                            const ChipModel &chip) {
  ExprAttr programs = combine(ExprKind::Mul, countTiles(launch.rows, tile.rows),
                              countTiles(launch.columns, tile.columns));
  if (launch.batches)
    programs = combine(ExprKind::Mul, programs, launch.batches);
  ExprAttr iterations = launch.iterations;
  if (tile.parts != 1) {
    programs = combine(ExprKind::Mul, programs, tile.parts);
    iterations = combine(ExprKind::CeilDiv, iterations, tile.parts);
  }
  ExprAttr ofProgram = combine(
      ExprKind::Add,
      combine(ExprKind::Mul, iterations, makeStep(work, tile, launch, chip)),
      tile.once);
  ExprAttr time = combine(
      ExprKind::Max,
      combine(ExprKind::Mul, countRounds(programs, tile.parts), ofProgram),
      makeMemoryTime(work, launch, chip));
  if (tile.ctas != 1)
    time = combine(ExprKind::Add, time,
                   std::llround(chip.clusterOverhead * kPicoseconds));
  return makeLaunchTime(time, chip);
}

ExprAttr carousel::makeDividedCost(const ProductWork &work, ExprAttr programs,
                                   ExprAttr iterations, const ChipModel &chip) {
  constexpr int64_t kBytesOfSum = 4;
  ProductTile tile = makeTile(work, work.rows, work.columns, chip);
  // Written and read again, at half of the bandwidth of copies. Measured on an
  // H100: 0.09 us for each program with 128 x 128 sums.
  double exchange = 4.0 * double(work.rows * work.columns) * kBytesOfSum /
                    chip.bytesPerNs * kPicoseconds;
  ExprAttr ofRound =
      combine(ExprKind::Add, combine(ExprKind::Mul, iterations, tile.step),
              combine(ExprKind::Mul, programs, std::llround(exchange)));
  return makeLaunchTime(combine(ExprKind::Mul, countRounds(programs), ofRound),
                        chip);
}

void carousel::print(llvm::raw_ostream &os, const ProductTile &tile) {
  os << tile.rows << " x " << tile.columns << " in " << tile.warpgroups
     << (tile.warpgroups == 1 ? " warpgroup, " : " warpgroups, ");
  if (tile.ctas != 1)
    os << "clusters of " << tile.ctas << ", ";
  if (tile.parts != 1)
    os << "k in " << tile.parts << " parts, ";
  os << tile.step << " ps an iteration, " << tile.once << " ps once";
}
