//===- LibraryProducts.cpp - products that a library computes -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LibraryProducts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/LibraryProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace carousel;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

using Run = LibraryProduct::Run;

/// Reads the loops of one product.
class ProductReader {
public:
  ProductReader(const GraphProblem &problem, const GraphOp &op)
      : problem(problem), op(op) {
    tensors = {&op.reads[0], &op.reads[1], &op.writes[0]};
  }

  std::optional<LibraryProduct> read(std::string &refusal);

  /// Counts the bytes of a factor, with as many batches as calls are counted
  /// for.
  int64_t countBytes(const LibraryProduct &product, unsigned factor) const;

  /// Finds what the bytes of a row of a matrix are a multiple of, up to 16. The
  /// result comes behind the factors, and may be rounded to other elements.
  int64_t getRowAlignment(unsigned tensor, int64_t elementBytes = 0) const;

  /// Whether the elements of a factor's last dimension are whole rows, which
  /// can be further apart.
  bool hasSeparateRows(unsigned factor) const;

private:
  /// A bit for each tensor that the loop goes along.
  unsigned getTensors(unsigned loop) const {
    unsigned bits = 0;
    for (auto [number, tensor] : llvm::enumerate(tensors))
      if (llvm::is_contained(tensor->loops, loop))
        bits |= 1u << number;
    return bits;
  }
  static constexpr unsigned kM = 0b101, kN = 0b110, kK = 0b011, kResult = 0b100;

  /// Whether the loop follows the other one in all tensors that have either.
  bool follows(unsigned loop, unsigned other) const {
    if (getTensors(loop) != getTensors(other))
      return false;
    return llvm::all_of(tensors, [&](const GraphAccess *tensor) {
      const auto *at = llvm::find(tensor->loops, other);
      return at == tensor->loops.end() ||
             (at + 1 != tensor->loops.end() && at[1] == loop);
    });
  }

  std::vector<Run> findRuns() const;
  int64_t getExtent(const Run &run) const;
  /// Unknown extents are less for batches than for what matrices have.
  int64_t getBatch(const Run &run) const;
  void countCalls(LibraryProduct &product) const;
  /// Whether the tensor's last dimension is of one of the matrix's runs.
  bool hasNeighbours(unsigned tensor, const Run &rows,
                     const Run &columns) const {
    unsigned last = *tensors[tensor]->loops.back();
    return llvm::is_contained(rows, last) || llvm::is_contained(columns, last);
  }

  const GraphProblem &problem;
  const GraphOp &op;
  std::array<const GraphAccess *, 3> tensors;
};

} // namespace

std::vector<Run> ProductReader::findRuns() const {
  std::vector<Run> runs;
  for (unsigned loop = 0; loop < op.loops.size(); ++loop)
    if (llvm::none_of(llvm::seq<unsigned>(0, op.loops.size()),
                      [&](unsigned other) { return follows(loop, other); }))
      runs.push_back({loop});
  for (Run &run : runs)
    for (size_t at = 0; at < run.size(); ++at)
      for (unsigned loop = 0; loop < op.loops.size(); ++loop)
        if (follows(loop, run[at])) {
          run.push_back(loop);
          break;
        }
  return runs;
}

int64_t ProductReader::getExtent(const Run &run) const {
  int64_t extent = 1;
  for (unsigned loop : run)
    extent *= op.loops[loop].extent == kUnknownExtent ? kAssumedExtent
                                                      : op.loops[loop].extent;
  return std::max<int64_t>(extent, 1);
}

int64_t ProductReader::getBatch(const Run &run) const {
  constexpr int64_t kAssumedBatch = 32;
  int64_t extent = 1;
  for (unsigned loop : run)
    extent *= op.loops[loop].extent == kUnknownExtent ? kAssumedBatch
                                                      : op.loops[loop].extent;
  return std::max<int64_t>(extent, 1);
}

/// The library's calls are one after the other, each with its batch's tiles.
void ProductReader::countCalls(LibraryProduct &product) const {
  constexpr int64_t kTile = 128;
  int64_t matrices = 1, longest = 1;
  for (const Run &batch : product.batches) {
    matrices *= getBatch(batch);
    longest = std::max(longest, getBatch(batch));
  }
  product.calls = matrices / longest;
  auto countTiles = [&](const Run &run) {
    return static_cast<double>((getExtent(run) + kTile - 1) / kTile);
  };
  auto utilize = [&](int64_t batch) {
    return std::min(static_cast<double>(batch) * countTiles(product.m) *
                        countTiles(product.n) / double(problem.chip.sms),
                    1.0);
  };
  if (product.calls > 1)
    product.utilization = utilize(longest) / utilize(matrices);
}

int64_t ProductReader::countBytes(const LibraryProduct &product,
                                  unsigned factor) const {
  const GraphAccess &access = op.reads[factor];
  int64_t bytes = problem.tensors[access.tensor].elementBytes;
  for (const Run &run : product.batches)
    if (llvm::is_contained(access.loops, std::optional(run.front())))
      bytes *= getBatch(run);
  for (const Run *run : {factor == 0 ? &product.m : &product.n, &product.k})
    bytes *= getExtent(*run);
  return bytes;
}

int64_t ProductReader::getRowAlignment(unsigned tensor,
                                       int64_t elementBytes) const {
  ArrayRef<std::optional<unsigned>> loops = tensors[tensor]->loops;
  int64_t bytes = elementBytes;
  const GraphTensor &info = problem.tensors[tensors[tensor]->tensor];
  if (info.rowAlignment != 0)
    return info.rowAlignment;
  if (bytes == 0)
    bytes = info.elementBytes;
  for (size_t at = loops.size(); at-- != 0;) {
    if (!loops[at] || (at + 1 != loops.size() &&
                       !(loops[at + 1] && follows(*loops[at + 1], *loops[at]))))
      break;
    bytes *= getExtent({*loops[at]});
  }
  return std::gcd(bytes, int64_t(16));
}

bool ProductReader::hasSeparateRows(unsigned factor) const {
  const GraphAccess &access = *tensors[factor];
  ArrayRef<std::optional<unsigned>> loops = access.loops;
  return access.isRegular() && loops.size() >= 2 &&
         !follows(*loops.back(), *loops[loops.size() - 2]);
}

std::optional<LibraryProduct> ProductReader::read(std::string &refusal) {
  std::vector<Run> runs = findRuns();
  auto isOf = [&](const Run &run, unsigned bits) {
    return getTensors(run.front()) == bits;
  };
  auto findOf = [&](unsigned bits) {
    std::vector<Run> found;
    for (const Run &run : runs)
      if (isOf(run, bits))
        found.push_back(run);
    return found;
  };
  LibraryProduct product;
  std::vector<Run> sums = findOf(kK);
  if (sums.size() != 1) {
    refusal = "its sums go along dimensions that aren't next to each other";
    return std::nullopt;
  }
  product.k = sums.front();
  int64_t largest = -1;
  for (const Run &m : findOf(kM))
    for (const Run &n : findOf(kN)) {
      int64_t area = getExtent(m) * getExtent(n);
      if (area <= largest || !hasNeighbours(0, m, product.k) ||
          !hasNeighbours(1, product.k, n) || !hasNeighbours(2, m, n))
        continue;
      largest = area;
      product.m = m;
      product.n = n;
    }
  if (largest < 0) {
    refusal = "elements of its matrices aren't neighbours";
    return std::nullopt;
  }
  for (Run &run : runs)
    if (run != product.m && run != product.n && run != product.k) {
      if (isOf(run, kResult)) {
        refusal = "its result repeats elements along a dimension that no "
                  "factor has";
        return std::nullopt;
      }
      product.batches.push_back(std::move(run));
    }
  countCalls(product);
  return product;
}

std::optional<LibraryProduct>
carousel::findLibraryProduct(const GraphProblem &problem, const GraphOp &op,
                             std::string &refusal) {
  assert(op.kind == GraphOpKind::Contraction && "only products");
  return ProductReader(problem, op).read(refusal);
}

//===----------------------------------------------------------------------===//
// Copies of factors
//===----------------------------------------------------------------------===//

// The time of bytes in memory, in microseconds.
static double getMemoryTime(const GraphProblem &problem, int64_t bytes) {
  return static_cast<double>(bytes) / problem.chip.bytesPerNs / 1e3;
}
static double getLaunchTime(const GraphProblem &problem, int64_t launches) {
  return problem.chip.nextLaunch / 1e3 * static_cast<double>(launches);
}

SmallVector<std::optional<unsigned>>
carousel::getPackedLoops(const GraphOp &op, const LibraryProduct &product,
                         unsigned factor) {
  ArrayRef<std::optional<unsigned>> own = op.reads[factor].loops;
  auto isBatch = [&](std::optional<unsigned> loop) {
    return llvm::any_of(product.batches, [&](const Run &run) {
      return llvm::is_contained(run, *loop);
    });
  };
  SmallVector<std::optional<unsigned>> packed;
  for (std::optional<unsigned> loop : op.writes[0].loops)
    if (isBatch(loop) && llvm::is_contained(own, loop))
      packed.push_back(loop);
  for (std::optional<unsigned> loop : own)
    if (!isBatch(loop))
      packed.push_back(loop);
  return packed;
}

void carousel::packFactors(const GraphProblem &problem, const GraphOp &op,
                           LibraryProduct &product) {
  auto getCost = [&](const LibraryProduct &found) {
    int64_t copies = found.isPacked[0] + found.isPacked[1];
    return getLaunchTime(problem, found.calls + copies) +
           getMemoryTime(problem, found.packedBytes);
  };
  LibraryProduct plain = product;
  for (unsigned factors : {0b01u, 0b10u, 0b11u}) {
    GraphOp copied = op;
    int64_t bytes = 0;
    for (unsigned factor : {0u, 1u}) {
      if ((factors >> factor & 1) == 0)
        continue;
      copied.reads[factor].loops = getPackedLoops(op, plain, factor);
      bytes += 2 * ProductReader(problem, op).countBytes(plain, factor);
    }
    std::string refusal;
    std::optional<LibraryProduct> found =
        ProductReader(problem, copied).read(refusal);
    if (!found)
      continue;
    found->isPacked = {(factors & 1) != 0, (factors & 2) != 0};
    found->packedBytes = bytes;
    if (getCost(*found) < getCost(product))
      product = std::move(*found);
  }
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

FactorKind carousel::getFactorKind(const GraphProblem &problem,
                                   const GraphOp &op) {
  bool areNarrow = llvm::all_of(op.reads, [&](const GraphAccess &access) {
    return problem.tensors[access.tensor].elementBytes <= 2;
  });
  return areNarrow                 ? FactorKind::Half
         : problem.isByThreads(op) ? FactorKind::F32
                                   : FactorKind::TF32;
}

/// The rate for factors in 16 bits whose rows are multiples of so many bytes.
static double getHalfRate(const ChipModel &chip, int64_t rows) {
  return rows == 16 ? chip.kernelHalf
                    : std::min(chip.kernelElementsHalf * double(rows) / 2,
                               chip.kernelHalf);
}

double carousel::getKernelRate(const GraphProblem &problem, FactorKind kind,
                               const GraphOp &op) {
  const ChipModel &chip = problem.chip;
  auto isAlongSum = [&](unsigned factor) {
    std::optional<unsigned> last = op.reads[factor].loops.back();
    return last && op.loops[*last].isReduction;
  };
  switch (kind) {
  case FactorKind::F32:
    return isAlongSum(0) && !isAlongSum(1) ? chip.kernelF32
                                           : chip.kernelTransposedF32;
  case FactorKind::TF32:
    return isAlongSum(0) || isAlongSum(1) ? chip.kernelTF32
                                          : chip.kernelTransposedTF32;
  case FactorKind::Half: {
    ProductReader reader(problem, op);
    return getHalfRate(
        chip, std::min(reader.getRowAlignment(0), reader.getRowAlignment(1)));
  }
  }
  llvm_unreachable("unknown kind");
}

/// Whether all that kernels do with a tensor of theirs is as easy with gaps
/// between its rows.
static bool mayHaveGaps(const GraphProblem &problem, unsigned tensor) {
  auto isOther = [&](const GraphAccess &access) {
    return access.tensor == tensor &&
           (!access.isRegular() || !access.windows.empty());
  };
  std::optional<unsigned> writer = problem.findWriter(tensor);
  return writer && problem.ops[*writer].kind != GraphOpKind::Host &&
         !problem.tensors[tensor].escapes &&
         llvm::none_of(problem.ops, [&](const GraphOp &op) {
           return llvm::any_of(op.reads, [&](const GraphAccess &read) {
             return read.tensor == tensor &&
                    (op.kind == GraphOpKind::Host || isOther(read));
           });
         });
}

FactorPitches carousel::planPitches(const GraphProblem &problem,
                                    const OpGroup &group, FactorKind kind,
                                    const GraphOp &op) {
  constexpr int64_t kCopied = 16;
  double work = 2e-6 * static_cast<double>(op.getIterations());
  FactorPitches best;
  best.product = best.unpitched = work / getKernelRate(problem, kind, op);
  if (kind != FactorKind::Half || op.kind != GraphOpKind::Contraction)
    return best;
  ProductReader reader(problem, op);
  for (unsigned factors : {0b01u, 0b10u, 0b11u}) {
    FactorPitches found;
    found.unpitched = best.unpitched;
    int64_t rows = kCopied;
    bool isPossible = true;
    for (unsigned factor : {0u, 1u}) {
      int64_t alignment = reader.getRowAlignment(factor);
      if ((factors >> factor & 1) == 0) {
        rows = std::min(rows, alignment);
        continue;
      }
      unsigned number = op.reads[factor].tensor;
      const GraphTensor &tensor = problem.tensors[number];
      std::optional<unsigned> writer = problem.findWriter(number);
      isPossible &= alignment != kCopied && reader.hasSeparateRows(factor) &&
                    !(writer && group.contains(*writer));
      if (!isPossible)
        break;
      int64_t row = assumeExtent(tensor.extents.back()) * tensor.elementBytes;
      int64_t padded = tensor.getBytes() / std::max<int64_t>(row, 1) *
                       llvm::alignTo(row, kPitchedBytes);
      found.isPitched[factor] = true;
      found.isCopied[factor] = !mayHaveGaps(problem, number);
      found.copies +=
          found.isCopied[factor]
              ? getLaunchTime(problem, 1) +
                    getMemoryTime(problem, tensor.getBytes() + padded)
              : getMemoryTime(problem, 2 * (padded - tensor.getBytes()));
    }
    found.product = work / getHalfRate(problem.chip, rows);
    if (isPossible && found.product + found.copies < best.product + best.copies)
      best = found;
  }
  return best;
}

double carousel::getLibraryRate(const ChipModel &chip, FactorKind kind,
                                int64_t rowAlignment) {
  switch (kind) {
  case FactorKind::F32:
    return chip.libraryF32;
  case FactorKind::TF32:
    return rowAlignment == 16 ? chip.libraryTF32 : chip.libraryWordsTF32;
  case FactorKind::Half:
    return rowAlignment == 16 ? chip.libraryHalf
           : rowAlignment < 4 ? chip.libraryElementsHalf
                              : chip.libraryWordsHalf;
  }
  llvm_unreachable("unknown kind");
}

/// The least alignment of the rows of the factors of `op`, and of the result
/// that the `last` op writes.
static int64_t getRowAlignment(const GraphProblem &problem, const GraphOp &op,
                               const GraphOp &last) {
  ProductReader reader(problem, op);
  int64_t bytes = problem.tensors[last.writes[0].tensor].elementBytes;
  return std::min({reader.getRowAlignment(0), reader.getRowAlignment(1),
                   reader.getRowAlignment(2, bytes)});
}

static int64_t countProducts(const GraphProblem &problem,
                             const OpGroup &group) {
  return llvm::count_if(
      group.ops, [&](unsigned op) { return problem.ops[op].isProduct(); });
}

/// Whether ops reduce what products of theirs compute.
static bool reducesProducts(const GraphProblem &problem, const OpGroup &ops) {
  return llvm::any_of(ops.ops, [&](unsigned op) {
    return problem.ops[op].reduces() && !problem.ops[op].isProduct();
  });
}

/// The time in which a kernel multiplies and adds, in microseconds, and that of
/// the copies of its factors.
static std::pair<double, double> estimateWork(const GraphProblem &problem,
                                              const OpGroup &group,
                                              FactorKind kind) {
  const ChipModel &chip = problem.chip;
  int64_t products = countProducts(problem, group);
  bool isReduced = reducesProducts(problem, group);
  double time = 0, copies = 0;
  for (unsigned op : group.ops) {
    const GraphOp &node = problem.ops[op];
    if (!node.isProduct())
      continue;
    FactorPitches pitches = planPitches(problem, group, kind, node);
    copies += pitches.copies;
    double rate = 0;
    if (kind == FactorKind::Half && products == 2)
      rate = chip.kernelGate;
    else if (kind == FactorKind::Half && products == 1 && isReduced)
      rate = chip.kernelReduced;
    else if (kind == FactorKind::F32 && products > 1 && isReduced)
      rate = chip.kernelStreamF32;
    time += rate == 0 ? pitches.product
                      : 2e-6 * static_cast<double>(node.getIterations()) / rate;
  }
  return {time, copies};
}

ProductTimes carousel::estimateProduct(const GraphProblem &problem,
                                       const OpGroup &group, unsigned op,
                                       const LibraryProduct &product,
                                       FactorKind kind,
                                       ArrayRef<unsigned> absorbed) {
  double libraryRate = getLibraryRate(
      problem.chip, kind,
      getRowAlignment(problem, problem.ops[op],
                      problem.ops[absorbed.empty() ? op : absorbed.back()]));
  OpGroup alone, before, after;
  alone.ops = {op};
  llvm::append_range(alone.ops, absorbed);
  llvm::sort(alone.ops);
  for (unsigned other : group.ops)
    if (!alone.contains(other))
      (other < op ? before : after).ops.push_back(other);
  int64_t together = countTraffic(problem, group);
  int64_t matrices = countTraffic(problem, alone);

  // Another product of the group has factors of the same kind.
  auto getKernelTime = [&](const OpGroup &ops) {
    auto [work, copies] = estimateWork(problem, ops, kind);
    return std::max(work, getMemoryTime(problem, countTraffic(problem, ops))) +
           copies + getLaunchTime(problem, 1);
  };
  double work = 2e-6 * static_cast<double>(problem.ops[op].getIterations());
  ProductTimes times;
  times.kernel = getKernelTime(group);
  times.library = std::max(work / (libraryRate * product.utilization),
                           getMemoryTime(problem, matrices)) +
                  getLaunchTime(problem, product.calls);
  times.extraBytes = matrices - together + product.packedBytes;
  times.library +=
      getMemoryTime(problem, product.packedBytes) +
      getLaunchTime(problem, product.isPacked[0] + product.isPacked[1]);
  for (const OpGroup &rest : {before, after}) {
    if (rest.ops.empty())
      continue;
    times.library += getKernelTime(rest);
    times.extraBytes += countTraffic(problem, rest);
  }
  return times;
}
