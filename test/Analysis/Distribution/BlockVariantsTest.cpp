//===- BlockVariantsTest.cpp - tests of BlockVariants.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/BlockVariants.h"

#include "gtest/gtest.h"

#include <map>

#include <set>

using namespace carousel;

namespace {

std::string describe(const BlockProblem &problem) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const BlockVariant &variant : planBlockVariants(problem)) {
    print(os, variant);
    os << '\n';
  }
  return text;
}

TEST(BlockVariantsTest, TilesHaveTwoAlignments) {
  BlockProblem problem;
  problem.elements = 4096;
  problem.elementsOfThread = 32;
  EXPECT_EQ(describe(problem),
            "aligned: 128 threads, 1 programs, 16-byte accesses\n"
            "last: 128 threads, 1 programs\n");
  problem.hasAlignment = false;
  EXPECT_EQ(describe(problem), "last: 128 threads, 1 programs\n");
  // More than a CTA's threads have.
  problem.elements = 1 << 20;
  EXPECT_EQ(planBlockVariants(problem).back().threads, 1024);
}

TEST(BlockVariantsTest, ShortRowsThatAreReducedHaveOneWarp) {
  BlockProblem problem;
  problem.elements = 1024;
  problem.elementsOfThread = 32;
  problem.hasAlignment = false;
  EXPECT_EQ(describe(problem), "last: 128 threads, 1 programs\n");
  problem.hasTotals = true;
  EXPECT_EQ(describe(problem), "last: 32 threads, 1 programs\n");
  problem.elements = 2048;
  EXPECT_EQ(describe(problem), "last: 128 threads, 1 programs\n");
}

TEST(BlockVariantsTest, EachWidthIsThereOnce) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 32;
  std::vector<BlockVariant> variants = planBlockVariants(problem);
  std::set<std::string> suffixes;
  int64_t before = 0;
  for (const BlockVariant &variant : variants) {
    EXPECT_TRUE(suffixes.insert(variant.suffix).second) << variant.suffix;
    // The elements of a thread fit its registers.
    int64_t elements = variant.width * variant.programs;
    EXPECT_LE(elements, variant.threads * 32);
    if (variant.isAligned && !variant.isStreamed) {
      EXPECT_EQ(variant.width, before ? 2 * before : 64);
      before = variant.width;
    }
  }
  EXPECT_EQ(before, 32768);
  EXPECT_TRUE(variants.back().isStreamed);
  EXPECT_FALSE(variants.back().isAligned);
  EXPECT_EQ(variants.back().suffix, "");
}

TEST(BlockVariantsTest, WidthsFollowTheChip) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 16;
  auto findWidest = [&] {
    int64_t widest = 0;
    for (const BlockVariant &variant : planBlockVariants(problem))
      if (!variant.isStreamed)
        widest = std::max(widest, variant.width);
    return widest;
  };
  auto findChunk = [&] { return planBlockVariants(problem).back().width; };
  EXPECT_EQ(findWidest(), 32768);
  EXPECT_EQ(findChunk(), 8192);
  problem.chip.registersPerSM /= 2;
  EXPECT_EQ(findWidest(), 16384);
  EXPECT_EQ(findChunk(), 4096);
  // Narrow rows have the fewest threads with which an SM holds all its CTAs.
  problem.width = problem.elements = 128;
  EXPECT_EQ(planBlockVariants(problem)[1].threads, 64);
  problem.chip.maxBlocksPerSM = 16;
  EXPECT_EQ(planBlockVariants(problem)[1].threads, 128);
}

TEST(BlockVariantsTest, NarrowRowsShareCTAs) {
  BlockProblem problem;
  problem.width = problem.elements = 128;
  problem.elementsOfThread = 32;
  BlockVariant variant = planBlockVariants(problem)[1];
  EXPECT_EQ(variant.width, 128);
  EXPECT_EQ(variant.threads, 64);
  EXPECT_EQ(variant.programs, 8);
  problem.canBatch = false;
  EXPECT_EQ(planBlockVariants(problem)[1].programs, 1);
  // A kernel's own numbers of threads and programs stay.
  problem.threads = 64;
  problem.programs = 2;
  EXPECT_EQ(planBlockVariants(problem)[1].threads, 64);
  EXPECT_EQ(planBlockVariants(problem)[1].programs, 2);
}

/// The widest vectors of aligned variants.
int64_t findWidest(const BlockProblem &problem) {
  int64_t widest = 0;
  for (const BlockVariant &variant : planBlockVariants(problem))
    if (variant.isAligned && !variant.isStreamed)
      widest = std::max(widest, variant.width);
  return widest;
}

TEST(BlockVariantsTest, LiveVectorsFitRegisters) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 32;
  problem.liveBytes = 65536 * 4;
  EXPECT_EQ(findWidest(problem), 32768);
  // 512 threads have 128 registers each: 32 elements of two words, but not of
  // four.
  problem.liveBytes = 65536 * 8;
  EXPECT_EQ(findWidest(problem), 16384);
  problem.liveBytes = 65536 * 16;
  EXPECT_EQ(findWidest(problem), 8192);
}

TEST(BlockVariantsTest, TilesFitSharedMemory) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 32;
  problem.tileBytes = 65536 * 6;
  EXPECT_EQ(findWidest(problem), 16384);
  problem.tileBytes = 65536 * 7;
  EXPECT_EQ(findWidest(problem), 8192);
}

TEST(BlockVariantsTest, ControlFlowIsNotStreamed) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.canStream = false;
  std::vector<BlockVariant> variants = planBlockVariants(problem);
  for (const BlockVariant &variant : variants)
    EXPECT_FALSE(variant.isStreamed);
  EXPECT_EQ(variants.back().suffix, "");
  EXPECT_EQ(variants.back().width, findWidest(problem));
}

TEST(BlockVariantsTest, ClustersShareWideRows) {
  BlockProblem problem;
  problem.width = problem.elements = 262144;
  problem.elementsOfThread = 32;
  problem.mostCTAs = 8;
  std::map<int64_t, std::pair<int64_t, int64_t>> shared;
  for (const BlockVariant &variant : planBlockVariants(problem)) {
    if (variant.isAligned && !variant.isStreamed)
      shared[variant.width] = {variant.ctas, variant.threads};
    else
      EXPECT_EQ(variant.ctas, 1) << variant.suffix;
  }
  using Share = std::pair<int64_t, int64_t>;
  EXPECT_EQ(shared[16384], (Share{1, 512}));
  EXPECT_EQ(shared[32768], (Share{1, 1024}));
  EXPECT_EQ(shared[65536], (Share{4, 512}));
  EXPECT_EQ(shared[131072], (Share{8, 512}));
  EXPECT_EQ(shared[262144], (Share{8, 1024}));
  // Without clusters, chunks follow.
  problem.mostCTAs = 1;
  for (const BlockVariant &variant : planBlockVariants(problem))
    EXPECT_LE(variant.width, 32768);
}

TEST(BlockVariantsTest, CTAsKeepWhatAllProgramsRead) {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 32;
  problem.ownBytes = 2 * problem.width;
  problem.commonBytes = 8 * problem.width;
  problem.canPersist = true;
  for (const BlockVariant &variant : planBlockVariants(problem)) {
    bool isWide = variant.width >= 4096 && variant.width <= 16384;
    EXPECT_EQ(variant.isPersistent,
              variant.isAligned && !variant.isStreamed && isWide)
        << variant.suffix;
    if (variant.isPersistent)
      EXPECT_EQ(variant.threads, variant.width / 32);
  }
  // Not worth it for as much as each has of its own.
  problem.commonBytes = problem.ownBytes;
  for (const BlockVariant &variant : planBlockVariants(problem))
    EXPECT_FALSE(variant.isPersistent);
}

TEST(BlockVariantsTest, ClustersKeepWhatAllProgramsRead) {
  BlockProblem problem;
  problem.width = problem.elements = 262144;
  problem.elementsOfThread = 32;
  problem.ownBytes = 2 * problem.width;
  problem.commonBytes = 8 * problem.width;
  problem.canPersist = true;
  problem.mostCTAs = 8;
  problem.exchanges = true;
  auto findCTAs = [&] {
    std::map<int64_t, int64_t> ctas;
    for (const BlockVariant &variant : planBlockVariants(problem))
      if (variant.isPersistent)
        ctas[variant.width] = variant.ctas;
    return ctas;
  };
  using CTAs = std::map<int64_t, int64_t>;
  EXPECT_EQ(findCTAs(), (CTAs{{4096, 1},
                              {8192, 1},
                              {16384, 2},
                              {32768, 4},
                              {65536, 8},
                              {131072, 8}}));
  EXPECT_NE(
      describe(problem).find(
          "\n65536_aligned: width 65536, 256 threads, 1 programs, 16-byte "
          "accesses, in a loop over programs, clusters of 8 CTAs\n"),
      std::string::npos);
  // CTAs that exchange nothing gain nothing from clusters.
  problem.exchanges = false;
  EXPECT_EQ(findCTAs(), (CTAs{{4096, 1}, {8192, 1}, {16384, 1}}));
  problem.exchanges = true;
  problem.mostCTAs = 1;
  EXPECT_EQ(findCTAs(), (CTAs{{4096, 1}, {8192, 1}, {16384, 1}}));
}

/// Rows of bf16 that loops over chunks would read twice.
BlockProblem makeRepeated() {
  BlockProblem problem;
  problem.width = problem.elements = 65536;
  problem.elementsOfThread = 32;
  problem.ownBytes = problem.repeatedBytes = 2 * problem.width;
  problem.keptBytes = int64_t(74) * 1024;
  return problem;
}

/// The suffixes of variants that keep rows, each with what it keeps.
std::map<std::string, int64_t> findKept(const BlockProblem &problem) {
  std::map<std::string, int64_t> kept;
  for (const BlockVariant &variant : planBlockVariants(problem)) {
    if (variant.keeps == 0)
      continue;
    EXPECT_TRUE(variant.isAligned && variant.isStreamed);
    EXPECT_EQ(variant.programs, 1);
    kept[variant.suffix] = variant.keeps;
  }
  return kept;
}

using Kept = std::map<std::string, int64_t>;
const Kept kNone;
const Kept kWidest = {{"_16384_aligned", 16384}, {"_32768_aligned", 32768}};

TEST(BlockVariantsTest, WideRowsAreKeptInTiles) {
  BlockProblem problem = makeRepeated();
  EXPECT_EQ(findKept(problem), kWidest);
  EXPECT_NE(describe(problem).find(
                "\n32768_aligned: chunks of 4096, tiles of 32768, 256 threads, "
                "1 programs, 16-byte accesses\n"),
            std::string::npos);
  // On older chips, and where a third of an SM is less than a row.
  problem.keptBytes = 0;
  EXPECT_EQ(findKept(problem), kNone);
  problem.keptBytes = int64_t(64) * 1024;
  EXPECT_EQ(findKept(problem), kWidest);
  problem.keptBytes -= 1;
  EXPECT_EQ(findKept(problem), (Kept{{"_16384_aligned", 16384}}));
  // Rows of bytes may be twice as wide.
  problem.ownBytes = problem.repeatedBytes = problem.width;
  problem.keptBytes = int64_t(64) * 1024;
  EXPECT_EQ(findKept(problem), (Kept{{"_16384_aligned", 16384},
                                     {"_32768_aligned", 32768},
                                     {"_65536_aligned", 65536}}));
}

/// The CTAs that share each row that is kept, by its width.
std::map<int64_t, int64_t> findKeepers(const BlockProblem &problem) {
  std::map<int64_t, int64_t> ctas;
  for (const BlockVariant &variant : planBlockVariants(problem))
    if (variant.keeps != 0)
      ctas[variant.keeps] = variant.ctas;
  return ctas;
}

TEST(BlockVariantsTest, ClustersKeepWiderRows) {
  BlockProblem problem = makeRepeated();
  problem.width = problem.elements = 262144;
  problem.ownBytes = problem.repeatedBytes = 2 * problem.width;
  problem.mostCTAs = 8;
  using Keepers = std::map<int64_t, int64_t>;
  EXPECT_EQ(
      findKeepers(problem),
      (Keepers{{16384, 1}, {32768, 1}, {65536, 2}, {131072, 4}, {262144, 8}}));
  EXPECT_NE(describe(problem).find(
                "\n65536_aligned: chunks of 4096, tiles of 65536, 256 threads, "
                "1 programs, 16-byte accesses, clusters of 2 CTAs\n"),
            std::string::npos);
  problem.mostCTAs = 4;
  EXPECT_EQ(findKeepers(problem),
            (Keepers{{16384, 1}, {32768, 1}, {65536, 2}, {131072, 4}}));
  // Two rows, or elements of 32 bits.
  problem.mostCTAs = 8;
  problem.ownBytes = problem.repeatedBytes *= 2;
  EXPECT_EQ(findKeepers(problem),
            (Keepers{{16384, 1}, {65536, 4}, {131072, 8}}));
  problem.keptBytes = 0;
  EXPECT_EQ(findKeepers(problem), Keepers());
}

TEST(BlockVariantsTest, OnlyRowsThatAreReadAgainAreKept) {
  BlockProblem problem = makeRepeated();
  problem.repeatedBytes = 0;
  EXPECT_EQ(findKept(problem), kNone);
  // A second row that one loop reads.
  problem = makeRepeated();
  problem.ownBytes *= 2;
  EXPECT_EQ(findKept(problem), kNone);
  problem = makeRepeated();
  problem.canStream = false;
  EXPECT_EQ(findKept(problem), kNone);
  problem = makeRepeated();
  problem.tileBytes = 65536;
  EXPECT_EQ(findKept(problem), kNone);
}

/// The chunk and the threads of the variant that keeps rows of a width.
std::pair<int64_t, int64_t> findShape(const BlockProblem &problem,
                                      int64_t keeps) {
  for (const BlockVariant &variant : planBlockVariants(problem))
    if (variant.keeps == keeps)
      return {variant.width, variant.threads};
  return {};
}

TEST(BlockVariantsTest, ChunksWithWeightsAreLarger) {
  using Shape = std::pair<int64_t, int64_t>;
  BlockProblem problem = makeRepeated();
  problem.mostCTAs = 8;
  EXPECT_EQ(findShape(problem, 16384), (Shape{2048, 128}));
  for (int64_t keeps : {32768, 65536})
    EXPECT_EQ(findShape(problem, keeps), (Shape{4096, 256}));
  problem.commonBytes = problem.ownBytes;
  for (int64_t keeps : {16384, 32768, 65536})
    EXPECT_EQ(findShape(problem, keeps), (Shape{8192, 256}));
  // Too much for the registers of a larger chunk.
  problem.commonBytes = 4 * problem.ownBytes;
  for (int64_t keeps : {16384, 32768, 65536})
    EXPECT_EQ(findShape(problem, keeps), (Shape{4096, 256}));
}

TEST(BlockVariantsTest, WhatKernelsSayHoldsForKeptRows) {
  BlockProblem problem = makeRepeated();
  problem.threads = 512;
  EXPECT_EQ(findKept(problem), kWidest);
  // A chunk has as many elements as the threads take.
  problem.threads = 64;
  EXPECT_EQ(findShape(problem, 32768), (std::pair<int64_t, int64_t>{1024, 64}));
  problem.threads = 48;
  EXPECT_EQ(findKept(problem), kNone);
  problem = makeRepeated();
  problem.programs = 2;
  EXPECT_EQ(findKept(problem), kNone);
  // A kernel may keep rows itself.
  problem = {};
  problem.width = problem.elements = 64;
  problem.keeps = 256;
  EXPECT_EQ(describe(problem),
            "aligned: chunks of 64, tiles of 256, 64 threads, 1 programs, "
            "16-byte accesses\n"
            "last: chunks of 64, tiles of 256, 64 threads, 1 programs\n");
}

// Plans kernels whose ops have one width, whether it fits or not.
TEST(BlockVariantsTest, FixedWidths) {
  BlockProblem problem;
  problem.width = problem.elements = 4096;
  problem.canNarrow = problem.canStream = false;
  EXPECT_EQ(describe(problem),
            "4096_aligned: width 4096, 256 threads, 1 programs, 16-byte "
            "accesses\nlast: width 4096, 256 threads, 1 programs\n");
  problem.liveBytes = 4096 * 1024;
  EXPECT_EQ(planBlockVariants(problem).back().width, 4096);
}

// Vectors that cover nothing need threads at each width, and have their extents
// for themselves.
TEST(BlockVariantsTest, OtherVectors) {
  BlockProblem problem;
  problem.width = problem.elements = 4096;
  problem.fixedElements = 2048;
  problem.otherExtents = {2048, 1024};
  for (const BlockVariant &variant : planBlockVariants(problem)) {
    EXPECT_GE(variant.threads * 16, 2048) << variant.suffix;
    EXPECT_EQ(variant.programs, 1) << variant.suffix;
    EXPECT_FALSE(problem.otherExtents.count(variant.width)) << variant.suffix;
  }
}

} // namespace
