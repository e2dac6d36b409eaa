//===- SplitOnlineReduction.cpp - online reductions of any depth ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitOnlineReduction.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/SplitOnlineReduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace carousel;

/// Columns of a tile.
static constexpr int64_t kWidest = 256, kNarrowest = 64;

/// The widest tile that divides a dimension, or the widest one.
static int64_t findColumns(int64_t extent) {
  for (int64_t columns = kWidest; columns >= kNarrowest; columns /= 2)
    if (extent % columns == 0)
      return columns;
  return kWidest;
}

/// Why a library shall compute the product, and write its elements to memory;
/// empty if a kernel that reduces them takes no longer.
static std::string preferLibrary(const GraphProblem &problem,
                                 const OpGroup &group, double elements,
                                 double depth, bool hasRest) {
  const auto *product = llvm::find_if(
      group.ops, [&](unsigned op) { return problem.ops[op].isProduct(); });
  const GraphOp &op = problem.ops[*product];
  constexpr int64_t kNarrowBytes = 2;
  bool isNarrow = llvm::all_of(op.reads, [&](const GraphAccess &read) {
    return problem.tensors[read.tensor].elementBytes <= kNarrowBytes;
  });
  const ChipModel &chip = problem.chip;
  // Written once and read once, in microseconds as all times.
  double bytes = 2.0 * elements *
                 static_cast<double>(
                     problem.tensors[op.writes.front().tensor].elementBytes);
  double work = 2e-6 * elements * depth;
  double kernel = work / (isNarrow ? chip.kernelReduced : chip.kernelTF32);
  if (hasRest)
    kernel += 2 * chip.nextLaunch / 1e3;
  double library = work / (isNarrow ? chip.libraryHalf : chip.libraryTF32) +
                   bytes / chip.bytesPerNs / 1e3;
  if (kernel <= library)
    return "";
  return llvm::formatv("a library that writes all elements takes {0:f1} us, "
                       "and a kernel that reduces them {1:f1} us",
                       library, kernel);
}

std::vector<SplitOnlineReduction>
carousel::findSplitOnlineReductions(const GraphProblem &problem,
                                    int64_t leastElements, bool hasLibraries,
                                    std::vector<OnlineRefusal> &refusals) {
  constexpr int64_t kMostDepth = 256; // of an online reduction in one kernel
  GraphProblem any = problem;
  any.hasAnyDepth = true;
  std::vector<OnlineRefusal> misses; // which --carousel-form-groups reports
  std::vector<SplitOnlineReduction> divided;
  for (const OnlineSeed &seed : findOnlineReductions(any, misses)) {
    SplitOnlineReduction found;
    found.group.ops = seed.ops;
    found.shape = *computeGroupShape(any, found.group).shape;
    double elements = 1, depth = 1;
    for (auto [dim, info] : llvm::enumerate(found.shape.dims))
      (info.isReduced && dim != found.shape.stream->dim ? depth : elements) *=
          static_cast<double>(assumeExtent(info.extent));
    if (elements < static_cast<double>(leastElements) || depth <= kMostDepth)
      continue;
    int64_t extent = found.shape.dims[found.shape.stream->dim].extent;
    OnlineRefusal refusal = {seed.ops.front(), seed.ops.back(), ""};
    if (hasLibraries)
      refusal.reason = preferLibrary(problem, found.group, elements, depth,
                                     extent % findColumns(extent) != 0);
    if (!refusal.reason.empty()) {
      refusals.push_back(std::move(refusal));
      continue;
    }
    if (extent == kUnknownExtent) {
      refusal.reason = "the columns are of unknown extent";
      refusals.push_back(std::move(refusal));
      continue;
    }
    // One tile has all of a few columns.
    if (extent <= kWidest)
      continue;
    found.columns = findColumns(extent);
    divided.push_back(std::move(found));
  }
  return divided;
}
