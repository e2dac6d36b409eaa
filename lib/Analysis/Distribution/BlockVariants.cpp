//===- BlockVariants.cpp - widths and threads of block programs -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BlockVariants.h. Wide rows have more elements in a thread than others, up
// to what fits registers. The reasons are in docs/BlockPhase.md, Variants.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/BlockVariants.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace carousel;

/// Elements of a vector in a thread.
static constexpr int64_t kMostElements = 32;
/// The narrowest vectors: below, lanes of a warp share rows anyway.
static constexpr int64_t kLeastWidth = 64;
/// Chunks of rows that are too wide for a CTA's registers.
static constexpr int64_t kStreamWidth = 8192;
/// From one width of single-element accesses to the next. Such launches are
/// rare, and not worth as many variants.
static constexpr int64_t kUnalignedStep = 4;

/// Rows have a thread's elements by their width: narrow ones are many, and need
/// registers for more of them at once.
static constexpr int64_t kNarrowWidth = 2048, kNarrowElements = 16;

static int64_t getElementsOfThread(const BlockProblem &problem, int64_t width) {
  return width != 0 && width <= kNarrowWidth
             ? std::min(problem.elementsOfThread, kNarrowElements)
             : problem.elementsOfThread;
}

/// The fewest threads of a CTA. Small CTAs wait less for their slowest warp;
/// an SM holds 32 of them.
static int64_t getLeastThreads(int64_t width) {
  if (width == 0)
    return 128;
  return width < kNarrowWidth ? 64 : width == kNarrowWidth ? 128 : 256;
}

static int64_t chooseThreads(int64_t elements, int64_t ofThread,
                             int64_t least) {
  int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(elements, ofThread));
  return std::clamp(threads, least, rules::kMaxThreadsPerBlock);
}

static BlockVariant makeVariant(const BlockProblem &problem, int64_t width) {
  BlockVariant variant;
  variant.width = width;
  int64_t elements = problem.elements;
  if (width != 0)
    elements = std::max<int64_t>(elements / problem.width * width, 1);
  int64_t ofThread = getElementsOfThread(problem, width);
  variant.threads = problem.threads.value_or(
      chooseThreads(elements, ofThread, getLeastThreads(width)));
  int64_t ofThreads = variant.threads * ofThread;
  variant.programs = problem.programs.value_or(
      problem.canBatch && width != 0
          ? std::max<int64_t>(ofThreads / llvm::PowerOf2Ceil(elements), 1)
          : 1);
  return variant;
}

std::vector<BlockVariant>
carousel::planBlockVariants(const BlockProblem &problem) {
  std::vector<BlockVariant> variants;
  auto addVariant = [&](int64_t width, bool isAligned, bool isStreamed) {
    BlockVariant variant = makeVariant(problem, width);
    variant.isAligned = isAligned;
    variant.isStreamed = isStreamed;
    if (isStreamed)
      variant.suffix = "_streamed";
    else if (width != 0)
      variant.suffix = "_" + std::to_string(width);
    if (isAligned)
      variant.suffix += "_aligned";
    variants.push_back(variant);
  };
  if (problem.width == 0) {
    if (problem.hasAlignment)
      addVariant(0, true, false);
    addVariant(0, false, false);
  } else {
    int64_t ofRow = problem.elements / problem.width;
    int64_t most = problem.width;
    int64_t threads = problem.threads.value_or(rules::kMaxThreadsPerBlock);
    while (most > 1 && most * ofRow > threads * kMostElements)
      most /= 2;
    int64_t least = std::min(kLeastWidth, most);
    int64_t stream = std::min(kStreamWidth, most);
    if (problem.hasAlignment) {
      for (int64_t width = least; width <= most; width *= 2)
        addVariant(width, true, false);
      addVariant(stream, true, true);
    }
    int64_t first = most;
    while (first / kUnalignedStep >= least)
      first /= kUnalignedStep;
    for (int64_t width = first; width <= most; width *= kUnalignedStep)
      addVariant(width, false, false);
    addVariant(stream, false, true);
  }
  variants.back().suffix.clear();
  return variants;
}

void carousel::print(llvm::raw_ostream &os, const BlockVariant &variant) {
  os << (variant.suffix.empty() ? "last" : variant.suffix.c_str() + 1) << ": ";
  if (variant.width != 0)
    os << (variant.isStreamed ? "chunks of " : "width ") << variant.width
       << ", ";
  os << variant.threads << " threads, " << variant.programs << " programs"
     << (variant.isAligned ? ", 16-byte accesses" : "");
}
