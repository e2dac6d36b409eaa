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

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace carousel;

/// Sums that a warpgroup has registers for, and those of the largest tile.
static constexpr int64_t kSumsOfWarpgroup = 128 * 128,
                         kMostSums = 2 * kSumsOfWarpgroup;

/// Those of which each was the fastest for some extents, on an H100; the larger
/// ones first, which need less of shared memory for an element.
static constexpr std::pair<int64_t, int64_t> kTiles[] = {
    {128, 256}, {128, 128}, {64, 128}, {64, 64}};

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

/// Shared memory is what limits all tiles but the largest: it is written once
/// by copies, and each piece of 64 rows reads its rows and all columns. Rings
/// fill it, so that a CTA is alone on its SM.
static ProductTile makeTile(const ProductWork &work, int64_t rows,
                            int64_t columns, const ChipModel &chip) {
  double multiplied = double(rows) * columns * work.depth * work.products *
                      work.factorBits / chip.warpgroupBitsPerCycle;
  double pieces = double(rows) / kWgmmaRows;
  double read = pieces * (kWgmmaRows + columns) * work.depth * work.products *
                work.factorBits / 8;
  double shared =
      (read + countLoaded(work, rows, columns)) / chip.sharedBytesPerCycle;
  double step = std::max(multiplied, shared) / chip.clockGHz + chip.productStep;
  double once = chip.storeReadLatency +
                countResults(work, rows, columns) / chip.bytesPerNsOfSM;

  ProductTile tile;
  tile.rows = rows;
  tile.columns = columns;
  // Two share the rows; more are for the author's larger tiles.
  tile.warpgroups = std::max<int64_t>(
      std::clamp<int64_t>(rows / kWgmmaRows, 1, 2),
      llvm::divideCeil(rows * columns * work.products, kSumsOfWarpgroup));
  tile.step = std::llround(step * kPicoseconds);
  tile.once = std::llround(once * kPicoseconds);
  return tile;
}

static bool fits(const ProductWork &work, int64_t rows, int64_t columns,
                 const ChipModel &chip) {
  constexpr int64_t kOfOthers = 1024;
  return rows * columns * work.products <= kMostSums &&
         work.stages * countLoaded(work, rows, columns) +
                 countResults(work, rows, columns) + kOfOthers <=
             chip.maxSharedPerBlock;
}

std::vector<ProductTile> carousel::planProductTiles(const ProductWork &work,
                                                    const ChipModel &chip) {
  std::vector<ProductTile> tiles = {
      makeTile(work, work.rows, work.columns, chip)};
  for (auto [rows, columns] : kTiles)
    if (fits(work, rows, columns, chip) &&
        (rows != work.rows || columns != work.columns))
      tiles.push_back(makeTile(work, rows, columns, chip));
  return tiles;
}

/// Before the first product, in nanoseconds.
static int64_t getStart(const ChipModel &chip) {
  return std::llround(chip.launchOverhead + 2 * chip.loadLatency);
}

ExprAttr carousel::makeCost(const ProductWork &work, const ProductTile &tile,
                            const ProductLaunch &launch,
                            const ChipModel &chip) {
  MLIRContext *context = launch.rows.getContext();
  auto number = [&](int64_t value) {
    return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
  };
  auto combine = [&](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
    return ExprAttr::get(context, kind, 0, 0, lhs, rhs);
  };
  auto times = [&](ExprAttr lhs, ExprAttr rhs) {
    return combine(ExprKind::Mul, lhs, rhs);
  };
  auto plus = [&](ExprAttr lhs, ExprAttr rhs) {
    return combine(ExprKind::Add, lhs, rhs);
  };
  ExprAttr programs =
      times(combine(ExprKind::CeilDiv, launch.rows, number(tile.rows)),
            combine(ExprKind::CeilDiv, launch.columns, number(tile.columns)));
  if (launch.batches)
    programs = times(programs, launch.batches);
  auto sms = ExprAttr::get(context, ExprKind::SMs, 0, 0, {}, {});
  ExprAttr ofSM = combine(ExprKind::CeilDiv, programs, sms);
  ExprAttr ofProgram =
      plus(times(launch.iterations, number(tile.step)), number(tile.once));
  // Bits of all elements, once.
  ExprAttr depth = times(launch.iterations, number(work.depth));
  ExprAttr factors = times(
      plus(times(launch.rows, number(work.rowTiles * work.factorBits)),
           times(launch.columns, number(work.columnTiles * work.factorBits))),
      depth);
  ExprAttr moved = plus(factors, times(times(launch.rows, launch.columns),
                                       number(work.resultBits)));
  if (launch.batches)
    moved = times(moved, launch.batches);
  moved = combine(ExprKind::FloorDiv, times(moved, number(kPicoseconds / 8)),
                  number(std::llround(chip.bytesPerNs)));
  ExprAttr time = combine(ExprKind::Max, times(ofSM, ofProgram), moved);
  return plus(combine(ExprKind::FloorDiv, time, number(kPicoseconds)),
              number(getStart(chip)));
}

void carousel::print(llvm::raw_ostream &os, const ProductTile &tile) {
  os << tile.rows << " x " << tile.columns << " in " << tile.warpgroups
     << (tile.warpgroups == 1 ? " warpgroup, " : " warpgroups, ") << tile.step
     << " ps an iteration, " << tile.once << " ps once";
}
