//===- OnlineReduction.cpp - reductions in one pass -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineReduction.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/OnlineReduction.h"

#include "carousel/Analysis/Graph/GroupShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace carousel;

/// The most elements that a program has of a dimension.
static constexpr int64_t kMostWhole = 256;

const OnlineReference *OnlineReduction::findReference(unsigned tensor) const {
  auto found = llvm::find_if(
      references, [&](const auto &ref) { return ref.tensor == tensor; });
  return found == references.end() ? nullptr : &*found;
}

namespace {

class OnlineReductionFinder {
public:
  OnlineReductionFinder(const GraphProblem &problem, const OpGroup &group,
                        const GroupShape &shape, unsigned dim)
      : problem(problem), group(group), shape(shape) {
    stream.dim = dim;
  }

  std::optional<OnlineReduction> run(OnlineMiss &miss) {
    if (findRoles() && checkFactors() && checkProducts() && findWhole() &&
        findChanges() && checkResults()) {
      findNeeded();
      return stream;
    }
    miss = {refusal, openTensor};
    return std::nullopt;
  }

  /// The online reduction of one tile, of which nothing is corrected.
  std::optional<OnlineReduction> runOfOneTile() {
    stream.hasOneTile = true;
    if (findRoles() && checkTile() && checkProducts() && checkResults())
      return stream;
    return std::nullopt;
  }

private:
  const GraphOp &getOp(size_t at) const { return problem.ops[group.ops[at]]; }
  bool refuse(const llvm::Twine &reason) {
    refusal = reason.str();
    return false;
  }
  bool refuseChange(size_t at, const GraphChange &change) {
    if (change.kind != ChangeKind::Unknown && varies(at, change))
      return refuse("a correction of " + name(at) +
                    " would vary from element to element");
    std::string operation =
        change.obstacle.empty() ? "" : "'" + change.obstacle + "' in ";
    return refuse(operation + name(at) +
                  " has no correction where a result of earlier tiles changes");
  }
  bool refuseUnbounded(size_t at) {
    return refuse("exponentials in " + name(at) +
                  " may be too large before the largest or least that they are "
                  "computed with is known");
  }
  std::string name(size_t at) const { return "'" + getOp(at).name + "'"; }
  /// Whether a change isn't the same for all elements of a tile.
  bool varies(size_t at, const GraphChange &change) const {
    return llvm::any_of(change.loops, [&](unsigned loop) {
      return shape.loops[at][loop] == stream.dim;
    });
  }

  bool hasDim(size_t at) const {
    return llvm::is_contained(shape.loops[at], stream.dim);
  }
  /// Whether an inner product sums over a dimension.
  bool isInnerDim(unsigned dim) const {
    return dim != stream.dim && shape.dims[dim].isReduced;
  }
  bool isSummed(size_t at, unsigned dim) const {
    for (auto [loop, info] : llvm::enumerate(getOp(at).loops))
      if (info.isReduction && shape.loops[at][loop] == dim)
        return true;
    return false;
  }
  /// The op of the group that writes a row which follows from tiles.
  std::optional<size_t> findRow(const GraphAccess &read) const {
    std::optional<size_t> writer = group.findWriter(problem, read.tensor);
    bool isRow = writer && (stream.roles[*writer] == OnlineRole::Sum ||
                            stream.roles[*writer] == OnlineRole::Row);
    return isRow ? writer : std::nullopt;
  }
  bool isAfterSums(size_t at) const {
    return llvm::any_of(getOp(at).reads, [&](const GraphAccess &read) {
      return findRow(read).has_value();
    });
  }

  bool findRoles();
  bool checkFactors();
  bool checkTile();
  bool checkProducts();
  double countPrograms(llvm::ArrayRef<unsigned> op) const;
  bool checkTileFactors();
  bool findWhole();
  bool checkSums();
  bool checkResults();
  bool findChanges();
  bool addReference(size_t at, const GraphAccess &read);
  bool checkDifference(size_t at, const GraphChange &change,
                       const GraphDifference &of, GraphDifference &result);
  llvm::SmallVector<size_t> findSums(size_t row, bool &areKept) const;
  bool areOwnExtrema(size_t row, size_t at, const GraphChange &change) const;
  bool isOfMaxima(size_t row) const;
  void findNeeded();

  const GraphProblem &problem;
  const OpGroup &group;
  const GroupShape &shape;
  OnlineReduction stream;
  std::string refusal;
  std::optional<unsigned> openTensor;
};

} // namespace

bool OnlineReductionFinder::findRoles() {
  for (size_t at = 0; at < group.ops.size(); ++at) {
    const GraphOp &op = getOp(at);
    auto isElsewhere = [&](const GraphLoop &loop) {
      return loop.isReduction &&
             shape.loops[at][&loop - op.loops.begin()] != stream.dim;
    };
    if (op.kind == GraphOpKind::Irregular || op.hasImage() || op.results != 1)
      return refuse(name(at) + " is no part of a pass over tiles");
    OnlineRole role = OnlineRole::Before;
    if (isSummed(at, stream.dim)) {
      if (llvm::any_of(op.loops, isElsewhere))
        return refuse(name(at) + " reduces along several dimensions");
      role = OnlineRole::Sum;
    } else if (llvm::any_of(op.loops, isElsewhere)) {
      if (op.kind != GraphOpKind::Contraction || !hasDim(at))
        return refuse(name(at) + " reduces along another dimension");
      role = OnlineRole::Inner;
    } else if (hasDim(at)) {
      role = OnlineRole::Tile;
    } else if (isAfterSums(at)) {
      role = OnlineRole::Row;
    }
    if (problem.isByThreads(op) && (stream.hasOneTile || problem.hasAnyDepth))
      return refuse("threads multiply the factors of " + name(at) +
                    ", which are exact f32, and have no registers for all of "
                    "its columns (products=tf32: matrix instructions do)");
    if (role == OnlineRole::Inner && !op.startsAtZero)
      return refuse(name(at) + " adds to more than zeros");
    if (role == OnlineRole::Inner && isAfterSums(at))
      return refuse(name(at) + " needs a result of all tiles");
    stream.roles.push_back(role);
  }
  return true;
}

/// Threads that multiply the factors of an online reduction read the elements
/// of tiles in shared memory where they need them: whole factors, which they
/// would compute or extend, have no room in their registers.
bool OnlineReductionFinder::checkFactors() {
  constexpr int64_t kWideBytes = 4;
  // Tensors that tiles have of no product yet: the ops that compute them.
  llvm::SmallDenseMap<unsigned, size_t> early;
  for (size_t at = 0; at < group.ops.size(); ++at) {
    const GraphOp &op = getOp(at);
    bool isByThreads = problem.isByThreads(op), isEarly = true;
    for (const GraphAccess &read : op.reads) {
      auto by = early.find(read.tensor);
      isEarly &= by != early.end() || !group.findWriter(problem, read.tensor);
      if (!isByThreads)
        continue;
      std::string start =
          "threads multiply the factors of " + name(at) + ", and ";
      int64_t bytes = problem.tensors[read.tensor].elementBytes;
      if (bytes < kWideBytes)
        return refuse(start + "have no registers to extend those of " +
                      std::to_string(bytes) + " bytes");
      // Values that are the same for all tiles are computed before them.
      if (by != early.end() && shape.hasDim(at, read, stream.dim))
        return refuse(start + "have no registers for what " + name(by->second) +
                      " computes of tiles");
    }
    if (stream.roles[at] != OnlineRole::Inner && isEarly)
      for (const GraphAccess &write : op.writes)
        early[write.tensor] = at;
  }
  return true;
}

/// No sum keeps a dimension that an inner product sums over.
bool OnlineReductionFinder::checkProducts() {
  for (size_t at = 0; at < group.ops.size(); ++at)
    if (OnlineRole role = stream.roles[at];
        (role == OnlineRole::Sum || role == OnlineRole::Row) &&
        llvm::any_of(shape.loops[at],
                     [&](unsigned dim) { return isInnerDim(dim); }))
      return refuse(name(at) + " keeps a dimension that another op reduces");
  return checkTileFactors();
}

/// Counts the programs of 128 rows each, along what inner products have and
/// \p op lacks: those that compute the same elements of an op of tiles.
double OnlineReductionFinder::countPrograms(llvm::ArrayRef<unsigned> op) const {
  constexpr double kRows = 128;
  double rows = 1;
  for (auto [dim, info] : llvm::enumerate(shape.dims))
    if (!info.isReduced && !llvm::is_contained(op, dim) &&
        llvm::any_of(llvm::seq(group.ops.size()), [&, dim = dim](size_t at) {
          return stream.roles[at] == OnlineRole::Inner &&
                 llvm::is_contained(shape.loops[at], dim);
        }))
      rows *= double(assumeExtent(info.extent));
  return std::ceil(rows / kRows);
}

/// Each program computes the factors of its tiles, as normalized keys, if all
/// programs together take no longer than another kernel and memory do.
bool OnlineReductionFinder::checkTileFactors() {
  constexpr double kLanes = 32;
  // Threads find the place of each element, and whether it exists, but of whole
  // rows and pages, whose op has one address.
  constexpr double kGather = 64;
  double instructions = 0, bytes = 0, most = 0;
  std::string longest;
  for (size_t at = 0; at < group.ops.size(); ++at) {
    const GraphOp &op = getOp(at);
    if (stream.roles[at] != OnlineRole::Tile ||
        llvm::none_of(shape.loops[at],
                      [&](unsigned dim) { return isInnerDim(dim); }))
      continue;
    double copies = countPrograms(shape.loops[at]);
    double ofElement = double(op.work);
    for (const GraphAccess &read : op.reads)
      ofElement += read.isGather && !read.table && op.work > 1 ? kGather : 1;
    instructions += copies * double(op.getIterations()) * ofElement;
    if (copies >= most) {
      most = copies;
      longest = name(at);
    }
    for (size_t user = 0; user < group.ops.size(); ++user)
      if (getOp(user).isProduct())
        for (const GraphAccess &read : getOp(user).reads)
          if (group.findWriter(problem, read.tensor) == at)
            bytes += 2.0 * double(problem.tensors[read.tensor].getBytes());
  }
  const ChipModel &chip = problem.chip;
  // Parts divide the stream of few programs.
  constexpr double kTile = 128;
  double tiles = std::ceil(assumeExtent(shape.dims[stream.dim].extent) / kTile);
  double sms = std::min(double(chip.sms), tiles * countPrograms({stream.dim}));
  double again =
      instructions / (sms * chip.issuePerCycle * kLanes * chip.clockGHz * 1e3);
  double inMemory = (bytes / chip.bytesPerNs + chip.nextLaunch) / 1e3;
  if (again <= inMemory)
    return true;
  return refuse(llvm::formatv("{0:f0} programs would each compute {1} again: "
                              "{2:f1} us, and {3:f1} us through memory",
                              most, longest, again, inMemory));
}

/// One product, of which a program has rows and all columns. Sums are along
/// these.
bool OnlineReductionFinder::checkTile() {
  constexpr int64_t kLeastColumns = 16, kMostColumns = 256;
  int64_t columns = shape.dims[stream.dim].extent;
  if (columns < kLeastColumns || columns > kMostColumns ||
      !llvm::isPowerOf2_64(columns))
    return refuse("no tile has all of " + llvm::Twine(columns) + " columns");
  if (llvm::count(stream.roles, OnlineRole::Inner) != 1 ||
      llvm::count_if(group.ops, [&](unsigned op) {
        return problem.ops[op].isProduct();
      }) != 1)
    return refuse("a tile is of one product");
  for (size_t at = 0; at < group.ops.size(); ++at) {
    OnlineRole role = stream.roles[at];
    if (role != OnlineRole::Inner && role != OnlineRole::Sum)
      continue;
    for (auto [dim, info] : llvm::enumerate(shape.dims))
      if (!info.isReduced && !llvm::is_contained(shape.loops[at], dim))
        return refuse("each program would compute " + name(at) + " again");
  }
  return true;
}

/// Rows and columns are divided among programs if all products and sums have
/// them.
bool OnlineReductionFinder::findWhole() {
  for (auto [dim, info] : llvm::enumerate(shape.dims)) {
    if (dim == stream.dim || (problem.hasAnyDepth && info.isReduced))
      continue;
    bool isWhole = info.isReduced;
    for (size_t at = 0; at < group.ops.size(); ++at) {
      OnlineRole role = stream.roles[at];
      isWhole |= (role == OnlineRole::Inner || role == OnlineRole::Sum) &&
                 !llvm::is_contained(shape.loops[at], dim);
    }
    if (!isWhole)
      continue;
    if (info.extent == kUnknownExtent || info.extent > kMostWhole)
      return refuse("a program would have all of a dimension of " +
                    (info.extent == kUnknownExtent
                         ? std::string("unknown extent")
                         : std::to_string(info.extent)) +
                    ", more than " + llvm::Twine(kMostWhole));
    stream.whole.push_back(dim);
  }
  return checkSums();
}

/// Threads have the sums of all products in registers.
bool OnlineReductionFinder::checkSums() {
  constexpr int64_t kMostColumns = 2 * kMostWhole;
  int64_t columns = 0;
  for (size_t at = 0; at < group.ops.size(); ++at) {
    if (stream.roles[at] != OnlineRole::Sum || !getOp(at).isProduct())
      continue;
    int64_t own = 1;
    for (unsigned dim : stream.whole)
      if (!shape.dims[dim].isReduced &&
          llvm::is_contained(shape.loops[at], dim))
        own *= shape.dims[dim].extent;
    columns += own;
  }
  return columns <= kMostColumns ||
         refuse("a program would have sums of " + llvm::Twine(columns) +
                " columns, more than " + llvm::Twine(kMostColumns));
}

bool OnlineReductionFinder::checkResults() {
  for (size_t at = 0; at < group.ops.size(); ++at)
    for (const GraphAccess &write : getOp(at).writes) {
      if (!leavesGroup(problem, group, write.tensor))
        continue;
      OnlineRole role = stream.roles[at];
      if (!stream.hasOneTile && role != OnlineRole::Sum &&
          role != OnlineRole::Row) {
        openTensor = write.tensor;
        return refuse("the result of " + name(at) + " would be in memory");
      }
      for (unsigned dim = 0; dim != shape.dims.size(); ++dim)
        if (!shape.dims[dim].isReduced &&
            !llvm::is_contained(stream.whole, dim) &&
            !shape.hasDim(at, write, dim))
          return refuse("several programs would write the result of " +
                        name(at));
    }
  return true;
}

/// The sums that a row follows from. They are kept where ops of rows only bound
/// them, or replace them where they are infinite.
llvm::SmallVector<size_t> OnlineReductionFinder::findSums(size_t row,
                                                          bool &areKept) const {
  llvm::SmallVector<size_t> sums;
  llvm::SetVector<size_t> rows;
  rows.insert(row);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (stream.roles[rows[i]] == OnlineRole::Sum) {
      sums.push_back(rows[i]);
      continue;
    }
    for (const GraphAccess &read : getOp(rows[i]).reads)
      if (std::optional<size_t> writer = findRow(read)) {
        areKept &= read.isKept;
        rows.insert(*writer);
      }
  }
  return sums;
}

/// Whether a row follows from the extrema of the elements that an op subtracts
/// it from: all largest elements, or all least ones. Then exponentials are
/// bounded while the row isn't complete, and of rows without elements so far,
/// the op computes nothing that counts.
bool OnlineReductionFinder::areOwnExtrema(size_t row, size_t at,
                                          const GraphChange &change) const {
  // Copies of an op have tensors of their own.
  auto findFirst = [&](unsigned tensor) -> unsigned {
    std::optional<unsigned> writer = problem.findWriter(tensor);
    return writer && problem.ops[*writer].copyOf
               ? problem.ops[*problem.ops[*writer].copyOf].writes.front().tensor
               : tensor;
  };
  const std::vector<unsigned> &minuends = change.difference.minuends;
  bool areKept = true;
  llvm::SmallVector<size_t> sums = findSums(row, areKept);
  return areKept && !minuends.empty() && llvm::all_of(sums, [&](size_t sum) {
           const GraphOp &op = getOp(sum);
           return op.isExtremum() && op.reads.size() == 1 &&
                  op.reads.front().isKept &&
                  op.combiner == getOp(sums.front()).combiner &&
                  llvm::all_of(minuends, [&](unsigned minuend) {
                    return findFirst(op.reads.front().tensor) ==
                           findFirst(getOp(at).reads[minuend].tensor);
                  });
         });
}

/// Whether no minimum is among what a row follows from.
bool OnlineReductionFinder::isOfMaxima(size_t row) const {
  bool areKept = true;
  return llvm::all_of(findSums(row, areKept), [&](size_t sum) {
    return getOp(sum).combiner == GraphCombiner::Maximum;
  });
}

void OnlineReductionFinder::findNeeded() {
  stream.needed.resize(group.ops.size());
  for (size_t at = group.ops.size(); at-- != 0;) {
    OnlineRole role = stream.roles[at];
    if (role != OnlineRole::Sum && role != OnlineRole::Row)
      continue;
    for (const GraphAccess &write : getOp(at).writes)
      if (const OnlineReference *reference = stream.findReference(write.tensor))
        stream.needed[at] =
            stream.needed[at] || reference->kind == ChangeKind::Shift;
    if (!stream.needed[at] || role != OnlineRole::Row)
      continue;
    for (const GraphAccess &read : getOp(at).reads)
      if (std::optional<size_t> writer = findRow(read))
        stream.needed[*writer] = true;
  }
}

/// Checks what an op computes of a row, or of a tensor's difference.
bool OnlineReductionFinder::checkDifference(size_t at,
                                            const GraphChange &change,
                                            const GraphDifference &of,
                                            GraphDifference &result) {
  const GraphDifference &own = change.difference;
  bool hasOther = of.hasHigh || (of.hasLow && !own.keepsSign);
  if (change.kind == ChangeKind::Scale &&
      (own.isUnbounded || !of.isDifference || hasOther))
    return refuseUnbounded(at);
  // An element that a choice makes infinite has no sum with another infinity.
  result.hasHigh |= own.hasHigh || hasOther;
  result.hasLow |= own.hasLow || of.hasLow || hasOther;
  result.isDifference &= own.isDifference && of.isDifference;
  GraphCombiner combiner = getOp(at).combiner;
  if (change.kind == ChangeKind::Shift &&
      ((combiner == GraphCombiner::Maximum && result.hasHigh) ||
       (combiner == GraphCombiner::Minimum && result.hasLow)))
    return refuse(name(at) + " chooses an infinite number that isn't neutral, "
                             "and a correction would change it");
  return true;
}

/// A row that elements of tiles are computed with.
bool OnlineReductionFinder::addReference(size_t at, const GraphAccess &read) {
  auto isConstant = [&](const GraphChange &change) {
    return change.kind != ChangeKind::Unknown && !varies(at, change);
  };
  OnlineReference reference;
  reference.tensor = read.tensor;
  if (!isConstant(read.replaced)) {
    if (!isConstant(read.scaled))
      return refuseChange(at, read.replaced);
    reference.kind = ChangeKind::Scale;
  }
  if (reference.kind == ChangeKind::Shift &&
      read.replaced.kind == ChangeKind::Scale &&
      read.replaced.difference.isUnbounded)
    return refuseUnbounded(at);
  if (reference.kind == ChangeKind::Shift &&
      !areOwnExtrema(*findRow(read), at, read.replaced))
    return refuse(name(at) + " reads other elements than the row that it is "
                             "corrected by is the largest or least of");
  if (const OnlineReference *known = stream.findReference(read.tensor))
    return known->kind == reference.kind ||
           refuse(name(at) + " needs another correction than what reads the "
                             "same result");
  stream.references.push_back(reference);
  return true;
}

/// How what tiles compute depends on rows: shifted, scaled, or not at all.
bool OnlineReductionFinder::findChanges() {
  llvm::DenseMap<unsigned, ChangeKind> kinds;            // by tensor of tiles
  llvm::DenseMap<unsigned, GraphDifference> differences; // of what is shifted
  // Those of these that are computed with a row so far, as below a maximum.
  llvm::SmallDenseSet<unsigned> bounded;
  for (size_t at = 0; at < group.ops.size(); ++at) {
    OnlineRole role = stream.roles[at];
    if (role == OnlineRole::Before || role == OnlineRole::Row)
      continue;
    ChangeKind kind = ChangeKind::Same;
    bool isBounded = false, hasDifferences = false, hasLogarithms = false;
    GraphDifference difference;
    difference.isDifference = true;
    for (const GraphAccess &read : getOp(at).reads) {
      isBounded |= bounded.contains(read.tensor);
      if (problem.tensors[read.tensor].isF16 &&
          kinds.lookup(read.tensor) == ChangeKind::Scale &&
          !bounded.contains(read.tensor))
        return refuse("what " + name(at) +
                      " reads may be too large for f16 before it is scaled");
      std::optional<size_t> row = findRow(read);
      if (row && !addReference(at, read))
        return false;
      auto known = kinds.find(read.tensor);
      if (!row && (known == kinds.end() || known->second == ChangeKind::Same))
        continue;
      bool isScaled =
          row ? stream.findReference(read.tensor)->kind == ChangeKind::Scale
              : known->second == ChangeKind::Scale;
      isBounded |= row && !isScaled && isOfMaxima(*row);
      const GraphChange &change = isScaled ? read.scaled
                                  : row    ? read.replaced
                                           : read.shifted;
      if (change.kind == ChangeKind::Unknown || varies(at, change) ||
          (kind != ChangeKind::Same && kind != change.kind))
        return refuseChange(at, change);
      kind = change.kind;
      hasLogarithms |= isScaled && change.difference.isUnbounded;
      hasDifferences |= !isScaled;
      GraphDifference ofRow;
      ofRow.isDifference = true;
      if (!isScaled &&
          !checkDifference(at, change,
                           row ? ofRow : differences.lookup(read.tensor),
                           difference))
        return false;
    }
    // The logarithm of a sum is zero so far, and so bounds nothing.
    if (hasLogarithms && !hasDifferences)
      return refuseUnbounded(at);
    const GraphOp &op = getOp(at);
    bool isCorrected =
        kind == ChangeKind::Same || (role == OnlineRole::Tile) ||
        (role == OnlineRole::Sum &&
         (kind == ChangeKind::Scale ? op.combiner == GraphCombiner::Sum
                                    : op.isExtremum()));
    if (!isCorrected)
      return refuseChange(at, {});
    for (const GraphAccess &write : getOp(at).writes) {
      kinds[write.tensor] = kind;
      differences[write.tensor] = difference;
      if (isBounded)
        bounded.insert(write.tensor);
    }
  }
  return true;
}

std::optional<OnlineReduction>
carousel::findOnlineReduction(const GraphProblem &problem, const OpGroup &group,
                              const GroupShape &shape, OnlineMiss &miss) {
  if (!problem.streams) {
    miss.reason = "streams aren't asked for";
    return std::nullopt;
  }
  // Dimensions that one op reduces and a product keeps, or several reduce.
  for (unsigned dim = 0; dim < shape.dims.size(); ++dim) {
    unsigned sums = 0;
    bool isKept = false;
    for (auto [at, number] : llvm::enumerate(group.ops))
      for (auto [loop, info] : llvm::enumerate(problem.ops[number].loops))
        if (shape.loops[at][loop] == dim) {
          sums += info.isReduction;
          isKept |= !info.isReduction && problem.ops[number].isProduct();
        }
    if (sums == 0 || !isKept)
      continue;
    if (auto stream =
            OnlineReductionFinder(problem, group, shape, dim).run(miss))
      return stream;
    if (problem.hasAnyDepth)
      return std::nullopt;
    return OnlineReductionFinder(problem, group, shape, dim).runOfOneTile();
  }
  miss.reason = "no product has a dimension that another op reduces";
  return std::nullopt;
}
