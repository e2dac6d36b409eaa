//===- LaunchShape.cpp - grid, block and residency ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchShape.h"

#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/TargetInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
using llvm::formatv;
namespace rules = carousel::rules;

using Extents = std::array<uint32_t, 3>;

static constexpr uint64_t kMaxCTAs = uint64_t(1) << Epoch::kCTABits;

static Dim3 makeDim(const Extents &extents) {
  return {extents[0], extents[1], extents[2]};
}

/// The extents of the block or the cluster: given, or constants of the launch.
static Extents getExtents(const std::optional<Extents> &given,
                          ArrayRef<int64_t> launch) {
  if (given)
    return *given;
  Extents extents = {1, 1, 1};
  for (auto [dim, extent] : llvm::enumerate(launch))
    extents[dim] = static_cast<uint32_t>(extent);
  return extents;
}

/// Computes the grid; lowering a block program may fold its dimensions.
static std::string computeGrid(carousel::LaunchAttr launch, bool isBlockProgram,
                               const LaunchArguments &arguments,
                               Extents &extents) {
  for (auto [dim, expr] : llvm::enumerate(launch.getGrid())) {
    int64_t value = 0;
    if (!arguments.evaluate(expr, value))
      return formatv("expected dimension {0} of the grid to have a value with "
                     "these arguments",
                     dim);
    int64_t most =
        dim == 0 || isBlockProgram ? rules::kMaxGridX : rules::kMaxGridYZ;
    if (value < 0 || value > most)
      return formatv("expected 0 to {0} CTAs in dimension {1} of the grid, got "
                     "{2}",
                     most, dim, value);
    extents[dim] = static_cast<uint32_t>(value);
  }
  return "";
}

/// The number of CTAs that are resident on a multiprocessor.
static uint32_t getResidency(const carousel::TargetInfo &chip,
                             uint64_t sharedBytes, uint64_t threads) {
  uint64_t warpThreads = llvm::alignTo(threads, rules::kWarpSize);
  uint64_t byThreads = chip.maxThreadsPerSM / warpThreads;
  uint64_t byShared =
      chip.sharedPerSM / (sharedBytes + chip.sharedReservedPerBlock);
  uint64_t least =
      std::min({byThreads, byShared, uint64_t(chip.maxBlocksPerSM)});
  return static_cast<uint32_t>(std::max<uint64_t>(least, 1));
}

/// Checks the extents of block and cluster, which are below 2^32 each.
static std::string checkBlock(const GridShape &grid) {
  // A product of two fits 64 bits, and the third is checked last.
  for (const Dim3 &dim : {grid.block, grid.cluster})
    for (uint32_t extent : {dim.x, dim.y, dim.z})
      if (extent == 0 || extent > 1024)
        return formatv("expected extents of block and cluster of 1 to 1024, "
                       "got {0} x {1} x {2}",
                       dim.x, dim.y, dim.z);
  if (grid.block.count() > uint64_t(rules::kMaxThreadsPerBlock))
    return formatv("expected at most {0} threads in a CTA, got {1}",
                   rules::kMaxThreadsPerBlock, grid.block.count());
  if (grid.cluster.count() > 16)
    return formatv("expected at most 16 CTAs in a cluster, got {0}",
                   grid.cluster.count());
  return "";
}

static std::string checkGrid(const Extents &grid, const Extents &cluster) {
  if (uint64_t(grid[0]) * grid[1] >= kMaxCTAs || grid[2] >= kMaxCTAs ||
      makeDim(grid).count() >= kMaxCTAs)
    return formatv("expected fewer than {0} CTAs, got {1} x {2} x {3}",
                   kMaxCTAs, grid[0], grid[1], grid[2]);
  for (unsigned dim = 0; dim < 3; ++dim)
    if (grid[dim] % cluster[dim] != 0)
      return formatv("expected the grid to be a multiple of the cluster, got "
                     "{0} and {1} in dimension {2}",
                     grid[dim], cluster[dim], dim);
  return "";
}

/// The number of CTAs whose vectors fit the host's memory together.
static uint32_t limitByValues(uint32_t residentCTAs, uint64_t valueBytes) {
  constexpr uint64_t kMostBytes = uint64_t(256) << 20;
  uint64_t most = kMostBytes / std::max<uint64_t>(valueBytes, 1);
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(most, 1, std::max<uint32_t>(residentCTAs, 1)));
}

std::string LaunchShape::compute(carousel::LaunchAttr launch, bool isCoresident,
                                 bool isBlockProgram,
                                 const StaticMemory &layout,
                                 LaunchArguments &arguments,
                                 const RunOptions &options, FindingLog &log) {
  const auto *chip = carousel::TargetInfo::lookup(options.chip);
  if (!chip)
    return formatv("expected the name of a chip, got '{0}'", options.chip);
  if (isBlockProgram && !launch && !options.grid)
    return "expected a grid for a block program without carousel.launch";
  if (!launch && !isBlockProgram && (!options.grid || !options.block))
    return "expected a grid and a block for a kernel without carousel.launch";
  if (options.multiprocessors == 0)
    return "expected at least one multiprocessor, got 0";

  bool hasThreads = launch && !isBlockProgram;
  Extents block = getExtents(options.block, hasThreads ? launch.getBlock()
                                                       : ArrayRef<int64_t>());
  Extents cluster = getExtents(options.cluster, launch ? launch.getCluster()
                                                       : ArrayRef<int64_t>());
  grid.block = makeDim(block);
  grid.cluster = makeDim(cluster);
  if (std::string text = checkBlock(grid); !text.empty())
    return text;
  bool hasCluster = launch && !launch.getCluster().empty();
  if (isBlockProgram &&
      (grid.block.count() != 1 || (!hasCluster && grid.cluster.count() != 1)))
    return formatv("expected one thread in a CTA and one CTA in a cluster of a "
                   "block program, got {0} and {1}",
                   grid.block.count(), grid.cluster.count());

  dynamicSharedBytes = options.dynamicSharedBytes.value_or(
      launch ? uint64_t(launch.getShared()) : 0);
  uint64_t shared = layout.staticSharedBytes;
  if (dynamicSharedBytes != 0)
    shared = llvm::alignTo(shared, 1024) + dynamicSharedBytes;
  bool fits = dynamicSharedBytes <= uint64_t(chip->maxSharedPerBlock) &&
              shared <= uint64_t(chip->maxSharedPerBlock);
  uint32_t perMultiprocessor =
      options.residentPerMultiprocessor
          ? options.residentPerMultiprocessor
          : getResidency(*chip, fits ? shared : 0, grid.block.count());
  grid.residentCTAs = static_cast<uint32_t>(std::min<uint64_t>(
      uint64_t(options.multiprocessors) * perMultiprocessor, kMaxCTAs));
  if (!isCoresident && !options.residentPerMultiprocessor)
    grid.residentCTAs = limitByValues(grid.residentCTAs, layout.valueBytes);
  // Whole clusters, of which one is always resident.
  uint64_t clusterCTAs = grid.cluster.count();
  arguments.setResident(static_cast<int64_t>(
      std::max<uint64_t>(grid.residentCTAs / clusterCTAs, 1) * clusterCTAs));

  Extents gridExtents = options.grid.value_or(Extents{1, 1, 1});
  if (!options.grid)
    if (std::string text =
            computeGrid(launch, isBlockProgram, arguments, gridExtents);
        !text.empty())
      return text;
  grid.grid = makeDim(gridExtents);
  if (std::string text = checkGrid(gridExtents, cluster); !text.empty())
    return text;
  if (!fits) {
    Finding finding;
    finding.kind = FindingKind::SharedMemoryLimit;
    finding.message =
        formatv("expected at most {0} bytes of shared memory in a CTA on {1}, "
                "got {2} static and {3} dynamic",
                chip->maxSharedPerBlock, chip->chip, layout.staticSharedBytes,
                dynamicSharedBytes);
    log.report(std::move(finding));
    return "";
  }
  if (isCoresident && grid.grid.count() > grid.residentCTAs)
    return formatv("expected a grid that is resident at once, as "
                   "carousel.coresident says, got {0} CTAs, of which {1} are "
                   "({2} on each of {3} multiprocessors)",
                   grid.grid.count(), grid.residentCTAs, perMultiprocessor,
                   options.multiprocessors);
  return "";
}
