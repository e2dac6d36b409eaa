//===- DividedStreams.cpp - streams of products of any depth --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DividedStreams.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/DividedStreams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace carousel;

/// Columns of a tile.
static constexpr int64_t kWidest = 256, kNarrowest = 64;

/// The widest tile that divides a dimension, or nothing.
static std::optional<int64_t> findColumns(int64_t extent) {
  for (int64_t columns = kWidest; columns >= kNarrowest; columns /= 2)
    if (extent > kWidest && extent % columns == 0)
      return columns;
  return std::nullopt;
}

/// Why a library shall compute the product, and write its elements to memory;
/// empty if a kernel that reduces them takes no longer.
static std::string preferLibrary(const GraphProblem &problem,
                                 const OpGroup &group, double elements,
                                 double depth) {
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
  double library = work / (isNarrow ? chip.libraryHalf : chip.libraryTF32) +
                   bytes / chip.bytesPerNs / 1e3;
  if (kernel <= library)
    return "";
  return llvm::formatv("a library that writes all elements takes {0:f1} us, "
                       "and a kernel that reduces them {1:f1} us",
                       library, kernel);
}

std::vector<DividedStream>
carousel::findDividedStreams(const GraphProblem &problem, int64_t leastElements,
                             bool hasLibraries,
                             std::vector<StreamRefusal> &refusals) {
  constexpr int64_t kMostDepth = 256; // of a stream in one kernel
  GraphProblem any = problem;
  any.hasAnyDepth = true;
  std::vector<StreamRefusal> misses; // which --carousel-form-groups reports
  std::vector<DividedStream> divided;
  for (const StreamSeed &seed : findStreams(any, misses)) {
    DividedStream found;
    found.group.ops = seed.ops;
    found.shape = *computeGroupShape(any, found.group).shape;
    double elements = 1, depth = 1;
    for (auto [dim, info] : llvm::enumerate(found.shape.dims))
      (info.isReduced && dim != found.shape.stream->dim ? depth : elements) *=
          static_cast<double>(assumeExtent(info.extent));
    if (elements < static_cast<double>(leastElements) || depth <= kMostDepth)
      continue;
    StreamRefusal refusal = {seed.ops.front(), seed.ops.back(), ""};
    refusal.reason = hasLibraries
                         ? preferLibrary(problem, found.group, elements, depth)
                         : std::string();
    if (!refusal.reason.empty()) {
      refusals.push_back(std::move(refusal));
      continue;
    }
    int64_t extent = found.shape.dims[found.shape.stream->dim].extent;
    std::optional<int64_t> columns = findColumns(extent);
    if (columns) {
      found.columns = *columns;
      divided.push_back(std::move(found));
      continue;
    }
    // One tile has all of a few columns.
    if (extent != kUnknownExtent && extent <= kWidest)
      continue;
    refusal.reason =
        "tiles of 64, 128 or 256 columns don't divide " +
        (extent == kUnknownExtent ? std::string("an unknown extent")
                                  : std::to_string(extent));
    refusals.push_back(std::move(refusal));
  }
  return divided;
}
