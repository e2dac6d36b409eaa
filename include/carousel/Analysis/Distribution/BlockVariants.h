//===- BlockVariants.h - widths and threads of block programs ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variants that a kernel of the block phase is compiled as: the width of
// its vectors, the threads of a CTA, and the programs that a CTA executes
// together. docs/BlockPhase.md, Variants.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_BLOCKVARIANTS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_BLOCKVARIANTS_H

#include "carousel/Target/ChipModel.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carousel {

/// Sums of products that a thread has in registers, where it also has factors.
inline constexpr int64_t kFewMultiplyAdds = 16;

/// A kernel's vectors, as far as variants depend on them.
struct BlockProblem {
  /// The width of the dimensions that cover an extent; 0 without them.
  int64_t width = 0;
  /// The elements of the widest vector, with `width` counted as it is, and of
  /// the widest one that covers nothing.
  int64_t elements = 1, fixedElements = 1;
  /// Extents of vectors other than `width`. Vectors of a variant's width must
  /// be the only ones of that extent.
  std::set<int64_t> otherExtents;
  /// Elements of that vector in a thread, where the launch may choose.
  int64_t elementsOfThread = 16;
  /// The choices of the kernel itself.
  std::optional<int64_t> threads, programs;
  int64_t keeps = 0; ///< 0: variants choose
  /// Whether vectors are reduced to numbers.
  bool hasTotals = false;
  /// Whether programs can be executed together at all.
  bool canBatch = true;
  /// Whether vectors can have another width.
  bool canNarrow = true;
  /// Whether rows can go through the kernel in chunks.
  bool canStream = true;
  /// Bytes of a CTA's vectors that live at once, and of tiles in shared memory
  /// (VectorDemand.h), for vectors of `width`.
  int64_t liveBytes = 0, tileBytes = 0;
  /// The chip by whose registers and threads widths and CTAs are chosen.
  ChipModel chip = ChipModel::getDefault();
  /// The bytes of shared memory that a CTA may have; by default those of each
  /// chip.
  int64_t sharedBytes = int64_t(99) * 1024;
  /// Whether 16-byte accesses have conditions on a launch.
  bool hasAlignment = true;
  /// Bytes that all programs read, and that each reads of its own. CTAs can
  /// execute several programs one after the other only if they have none that
  /// they exchange.
  int64_t commonBytes = 0, ownBytes = 0;
  bool canPersist = false;
  /// The part of `ownBytes` that several loops over chunks of a row would read.
  int64_t repeatedBytes = 0;
  /// Shared memory for the tiles of one CTA that keeps rows; 0 on chips without
  /// bulk copies.
  int64_t keptBytes = 0;
  /// CTAs of a cluster that may execute one program together, and whether they
  /// have results of reductions to exchange then.
  int64_t mostCTAs = 1;
  bool exchanges = false;
};

struct BlockVariant {
  /// Appended to the kernel's name; empty for the last one.
  std::string suffix;
  /// 0 without a covered extent.
  int64_t width = 0;
  int64_t threads = 0;
  int64_t programs = 1;
  int64_t ctas = 1; ///< of a cluster, for each program
  /// CTAs go through the programs in a loop, and keep what all of them read.
  bool isPersistent = false;
  /// An estimate of what a thread needs.
  int64_t registers = 0;
  /// Guards on alignment, for 16-byte accesses.
  bool isAligned = false;
  /// The extent may exceed the width.
  bool isStreamed = false;
  /// Elements of a row in each of the CTA's tiles in shared memory, from which
  /// chunks are read; 0 if chunks are read from global memory.
  int64_t keeps = 0;
};

/// The variants, in the order in which a launch tries them.
std::vector<BlockVariant> planBlockVariants(const BlockProblem &problem);

void print(llvm::raw_ostream &os, const BlockVariant &variant);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_BLOCKVARIANTS_H
