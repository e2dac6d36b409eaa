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

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace carousel;

/// The narrowest vectors: below, lanes of a warp share rows anyway.
static constexpr int64_t kLeastWidth = 64;

/// Elements of a vector in a thread of the largest CTA: half of its registers.
static int64_t getMostElements(const BlockProblem &problem) {
  return problem.chip.getRegistersPerThread(2 * rules::kMaxThreadsPerBlock);
}

/// The width of a row that takes this share of an SM's registers, with one for
/// each element.
static int64_t getWidth(const BlockProblem &problem, int64_t share) {
  return problem.chip.registersPerSM / share;
}
static constexpr int64_t kNarrow = 32, kPersistent = 16, kChunk = 8,
                         kLargest = 4;

/// Rows have a thread's elements by their width: narrow ones are many, and need
/// registers for more of them at once.
static int64_t getElementsOfThread(const BlockProblem &problem, int64_t width) {
  return width != 0 && width <= getWidth(problem, kNarrow)
             ? std::min(problem.elementsOfThread, getMostElements(problem) / 2)
             : problem.elementsOfThread;
}

/// The fewest threads of a CTA. Small CTAs wait less for their slowest warp;
/// with so few an SM holds as many CTAs as it can. A warp alone waits at no
/// barrier: measured on an H200, cross-entropy of 65536 x 1000 takes 50 us so,
/// 57 with 64 threads and 70 with 128, and softmax of 65536 x 1024 takes 68, 68
/// and 74.
static int64_t getLeastThreads(const BlockProblem &problem, int64_t width) {
  constexpr int64_t kOfWarp = 1024; // elements
  if (width == 0 && problem.hasTotals &&
      std::max(problem.elements, problem.fixedElements) <= kOfWarp)
    return rules::kWarpSize;
  int64_t least = llvm::bit_floor<uint64_t>(problem.chip.maxThreadsPerSM /
                                            problem.chip.maxBlocksPerSM);
  int64_t narrow = getWidth(problem, kNarrow);
  return width == 0 || width == narrow ? 2 * least
         : width < narrow              ? least
                                       : 4 * least;
}

static int64_t chooseThreads(int64_t elements, int64_t ofThread,
                             int64_t least) {
  int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(elements, ofThread));
  return std::clamp(threads, least, rules::kMaxThreadsPerBlock);
}

/// Whether all programs read much more than each has of its own.
static bool readsMuchInCommon(const BlockProblem &problem) {
  return problem.commonBytes > 2 * problem.ownBytes;
}

/// Rows that are too wide for one CTA are shared, so that their chunks needn't
/// be read again. An exchange in a cluster takes about 0.8 microseconds:
/// measured on an H200, rmsnorm of 8192 x 32768 runs at 3808 GB/s in CTAs of
/// 1024 threads, and at 3241 in clusters of two CTAs of 512. What all programs
/// read needs registers, too, and those a CTA of 1024 threads has not.
static int64_t chooseCTAs(const BlockProblem &problem, int64_t width) {
  if (problem.mostCTAs == 1 ||
      width < getWidth(problem, readsMuchInCommon(problem) ? 2 : 1))
    return 1;
  return std::clamp<int64_t>(width / getWidth(problem, kLargest), 2,
                             problem.mostCTAs);
}

static BlockVariant makeVariant(const BlockProblem &problem, int64_t width,
                                int64_t ctas) {
  BlockVariant variant;
  variant.width = width;
  variant.ctas = ctas;
  int64_t elements = problem.elements;
  if (width != 0)
    elements = std::max<int64_t>(elements / problem.width * width / ctas, 1);
  elements = std::max(elements, problem.fixedElements / ctas);
  int64_t ofThread = getElementsOfThread(problem, width);
  variant.threads = problem.threads.value_or(
      chooseThreads(elements, ofThread, getLeastThreads(problem, width)));
  int64_t ofThreads = variant.threads * ofThread;
  variant.programs = problem.programs.value_or(
      problem.canBatch && width != 0 && ctas == 1
          ? std::max<int64_t>(ofThreads / llvm::PowerOf2Ceil(elements), 1)
          : 1);
  return variant;
}

/// The bytes of vectors of another width.
static int64_t narrowTo(const BlockProblem &problem, int64_t bytes,
                        int64_t width) {
  return llvm::divideCeil(bytes, problem.width) * width;
}

/// The bytes of a variant's vectors, in one CTA.
static int64_t narrow(const BlockProblem &problem, const BlockVariant &variant,
                      int64_t bytes) {
  return narrowTo(problem, bytes, variant.width) / variant.ctas;
}

static int64_t countRegisters(const BlockProblem &problem,
                              const BlockVariant &variant) {
  int64_t bytes = problem.liveBytes;
  if (variant.isPersistent)
    bytes += problem.commonBytes;
  return llvm::divideCeil(narrow(problem, variant, bytes),
                          4 * variant.threads) +
         kAddressRegisters;
}

/// Where all programs read more than each has of its own, CTAs keep it, or each
/// CTA of a cluster its part. Rings then bring the rows, so that few threads
/// suffice. Measured on an H200, layernorm of 4096 x 65536 runs at 3112 GB/s
/// so, and at 2698 from tiles, with its weights from the L2. Returns the CTAs
/// for each program; 0 if they shouldn't.
static int64_t choosePersistentCTAs(const BlockProblem &problem,
                                    int64_t width) {
  if (!problem.canPersist || problem.programs ||
      width < getWidth(problem, kPersistent) || !readsMuchInCommon(problem))
    return 0;
  int64_t ctas = std::clamp<int64_t>(width / getWidth(problem, kChunk), 1,
                                     problem.exchanges ? problem.mostCTAs : 1);
  return width / ctas <= getWidth(problem, kLargest) ? ctas : 0;
}

/// Whether vectors can have this width, and no others have it.
static bool isFree(const BlockProblem &problem, int64_t width) {
  return width == problem.width ||
         (problem.canNarrow && !problem.otherExtents.count(width));
}

/// Whether vectors of the variant's width fit its CTAs.
static bool fits(const BlockProblem &problem, const BlockVariant &variant) {
  int64_t elements =
      problem.elements / problem.width * variant.width / variant.ctas;
  return std::max(elements, problem.fixedElements / variant.ctas) <=
             variant.threads * getMostElements(problem) &&
         variant.registers <=
             std::min<int64_t>(
                 rules::kMaxRegisters - 1,
                 problem.chip.getRegistersPerThread(variant.threads)) &&
         narrow(problem, variant, problem.tileBytes) <= problem.sharedBytes;
}

/// How a CTA goes over `bytes` of rows in tiles. Few threads leave room for
/// three CTAs of an SM and more. With weights, a thread has twice as many
/// elements of a chunk, so that more of these are in flight, unless they need
/// too many registers. Measured on an H200: cross-entropy of 8192 x 16384 runs
/// at 3098 GB/s with 128 threads, and at 2982 with 256; softmax of 8192 x 32768
/// at 3852 and at 4039; rmsnorm of 8192 x 32768 at 3990 with 32 elements, and
/// at 3950 with 16.
struct KeptShape {
  int64_t threads, chunk;

  KeptShape(const BlockProblem &problem, int64_t bytes) {
    constexpr int64_t kBytesOfThread = 256, kLeastThreads = 128,
                      kMostThreads = 256;
    bool hasWeights = problem.commonBytes != 0 && !readsMuchInCommon(problem);
    int64_t own =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(bytes / kBytesOfThread),
                            kLeastThreads, kMostThreads);
    threads =
        problem.threads.value_or(problem.commonBytes != 0 ? kMostThreads : own);
    chunk = threads * getMostElements(problem) / (hasWeights ? 1 : 2);
  }
};

static int64_t getKeptBytes(const BlockProblem &problem, int64_t width,
                            int64_t ctas) {
  return llvm::divideCeil(narrowTo(problem, problem.repeatedBytes, width),
                          ctas);
}

/// The fewest CTAs that can read rows once, to tiles in shared memory; 0 if
/// none can. Rings of other tiles have no room beside them.
static int64_t chooseKeptCTAs(const BlockProblem &problem, int64_t width) {
  bool canKeep = problem.canStream && problem.tileBytes == 0 &&
                 width >= getWidth(problem, kLargest) &&
                 problem.programs.value_or(1) == 1 &&
                 problem.repeatedBytes != 0 &&
                 problem.repeatedBytes == problem.ownBytes;
  if (!canKeep)
    return 0;
  int64_t most = chooseCTAs(problem, width) == 1 ? 1 : problem.mostCTAs;
  for (int64_t ctas = 1; ctas <= most; ctas *= 2) {
    int64_t bytes = getKeptBytes(problem, width, ctas);
    int64_t chunk = KeptShape(problem, bytes).chunk;
    if (bytes <= problem.keptBytes && width % (ctas * chunk) == 0 &&
        isFree(problem, chunk))
      return ctas;
  }
  return 0;
}

/// Data in flight needs no registers in tiles, and one CTA of an SM loads while
/// others compute. Measured on an H200, softmax of 8192 x 32768 runs at 4039
/// GB/s so, and at 2937 in the registers of one CTA; of 4096 x 65536 at 3871,
/// and at 2919 in those of a cluster.
static BlockVariant makeKept(const BlockProblem &problem, int64_t width) {
  BlockVariant variant;
  variant.ctas = chooseKeptCTAs(problem, width);
  KeptShape shape(problem, getKeptBytes(problem, width, variant.ctas));
  variant.width = shape.chunk;
  variant.keeps = width;
  variant.isStreamed = true;
  variant.threads = shape.threads;
  return variant;
}

namespace {

/// The variants of a kernel that says which extent its vectors cover.
class RowVariants {
public:
  explicit RowVariants(const BlockProblem &problem)
      : problem(problem), most(findMost(/*withClusters=*/false)) {}

  std::vector<BlockVariant> plan() {
    if (problem.hasAlignment) {
      int64_t wide = findMost(/*withClusters=*/true);
      for (int64_t width = std::min(kLeastWidth, most); width <= problem.width;
           width *= 2)
        if (isFree(problem, width) &&
            (width <= wide || chooseKeptCTAs(problem, width) != 0 ||
             makePersistent(width)))
          add(width, /*isAligned=*/true, /*isStreamed=*/false);
      if (problem.canStream)
        add(findChunk(), true, true);
    }
    for (int64_t width = std::min(kLeastWidth, most); width <= most; width *= 2)
      if (isFree(problem, width))
        add(width, false, false);
    if (problem.canStream)
      add(findChunk(), false, true);
    return std::move(variants);
  }

private:
  BlockVariant make(int64_t width, bool withClusters) const {
    BlockVariant variant = makeVariant(
        problem, width, withClusters ? chooseCTAs(problem, width) : 1);
    variant.registers = countRegisters(problem, variant);
    return variant;
  }

  std::optional<BlockVariant> makePersistent(int64_t width) const {
    BlockVariant variant;
    variant.width = width;
    variant.ctas = choosePersistentCTAs(problem, width);
    if (variant.ctas == 0)
      return std::nullopt;
    variant.isPersistent = true;
    constexpr int64_t kLeastThreads = 128;
    variant.threads = problem.threads.value_or(chooseThreads(
        width / variant.ctas, problem.elementsOfThread, kLeastThreads));
    variant.registers = countRegisters(problem, variant);
    return fits(problem, variant) ? std::optional(variant) : std::nullopt;
  }

  /// The widest vectors that fit. Those that can't be narrower must.
  int64_t findMost(bool withClusters) const {
    int64_t width = problem.width;
    while (
        problem.canNarrow && width > 1 &&
        !(isFree(problem, width) && fits(problem, make(width, withClusters))))
      width /= 2;
    return width;
  }

  int64_t findChunk() const {
    int64_t width = std::min(getWidth(problem, kChunk), most);
    while (width > 1 && !isFree(problem, width))
      width /= 2;
    return width;
  }

  /// Where rows, or what all programs read, are kept otherwise.
  void chooseMemory(BlockVariant &variant, int64_t width) const {
    if (std::optional<BlockVariant> persistent = makePersistent(width))
      variant = *persistent;
    else if (chooseKeptCTAs(problem, width) != 0)
      variant = makeKept(problem, width);
    variant.isAligned = true;
  }

  void add(int64_t width, bool isAligned, bool isStreamed) {
    BlockVariant variant =
        make(width, /*withClusters=*/isAligned && !isStreamed);
    variant.isAligned = isAligned;
    variant.isStreamed = isStreamed;
    if (isAligned && !isStreamed)
      chooseMemory(variant, width);
    variant.suffix = isStreamed ? "_streamed" : "_" + std::to_string(width);
    if (isAligned)
      variant.suffix += "_aligned";
    variants.push_back(variant);
  }

  const BlockProblem &problem;
  int64_t most;
  std::vector<BlockVariant> variants;
};

} // namespace

std::vector<BlockVariant>
carousel::planBlockVariants(const BlockProblem &problem) {
  std::vector<BlockVariant> variants;
  if (problem.width != 0 && problem.keeps == 0) {
    variants = RowVariants(problem).plan();
  } else {
    variants.push_back(makeVariant(problem, problem.width, /*ctas=*/1));
    if (problem.keeps != 0) {
      variants.front().keeps = problem.keeps;
      variants.front().programs = 1;
      variants.front().isStreamed = true;
    }
    if (problem.hasAlignment) {
      variants.insert(variants.begin(), variants.front());
      variants.front().isAligned = true;
      variants.front().suffix = "_aligned";
    }
  }
  variants.back().suffix.clear();
  return variants;
}

void carousel::print(llvm::raw_ostream &os, const BlockVariant &variant) {
  os << (variant.suffix.empty() ? "last" : variant.suffix.c_str() + 1) << ": ";
  if (variant.width != 0)
    os << (variant.isStreamed ? "chunks of " : "width ") << variant.width
       << ", ";
  if (variant.keeps != 0)
    os << "tiles of " << variant.keeps << ", ";
  os << variant.threads << " threads, " << variant.programs << " programs"
     << (variant.isAligned ? ", 16-byte accesses" : "");
  if (variant.isPersistent)
    os << ", in a loop over programs";
  if (variant.ctas != 1)
    os << ", clusters of " << variant.ctas << " CTAs";
}
