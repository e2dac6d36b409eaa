//===- RecomputedOps.cpp - products that several reductions read ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RecomputedOps.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/RecomputedOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using llvm::BitVector;
using llvm::SmallVector;

static double countElements(const GraphTensor &tensor) {
  return static_cast<double>(tensor.getBytes()) /
         static_cast<double>(tensor.elementBytes);
}

namespace {

class RecomputedOpsFinder {
public:
  explicit RecomputedOpsFinder(const GraphProblem &problem)
      : problem(problem), sourcesOf(problem.tensors.size()),
        isLarge(problem.ops.size()) {}

  std::vector<RecomputedOps> run() {
    for (auto [number, op] : llvm::enumerate(problem.ops)) {
      if (op.reduces() && addReduction(number))
        continue;
      if (isLargeProduct(op)) {
        isLarge.set(number);
        addSource(number, BitVector(problem.ops.size()));
      } else if (op.kind == GraphOpKind::Elementwise) {
        addElementwise(number);
      }
    }
    return finish();
  }

private:
  /// A dimension of a tensor.
  using Dim = std::pair<unsigned, unsigned>;

  struct Group {
    SmallVector<unsigned> reductions;
    BitVector sources;
    std::vector<Dim> along; ///< leaders of their classes
  };

  /// Whether it takes less to read the factors again than the product.
  bool isLargeProduct(const GraphOp &op) const {
    if (op.kind != GraphOpKind::Contraction || op.writes.size() != 1)
      return false;
    double factors = 0;
    for (const GraphAccess &read : op.reads)
      factors += countElements(problem.tensors[read.tensor]);
    return countElements(problem.tensors[op.writes.front().tensor]) > factors;
  }

  void addSource(unsigned number, BitVector sources) {
    sources.set(number);
    for (const GraphAccess &write : problem.ops[number].writes)
      sourcesOf[write.tensor] = sources;
  }

  bool isOfProducts(const GraphAccess &access) const {
    return !sourcesOf[access.tensor].empty();
  }

  /// Unites the sources of all that an op reads; empty if it reads none of
  /// them.
  BitVector uniteSources(const GraphOp &op) const {
    BitVector sources;
    for (const GraphAccess &read : op.reads)
      if (isOfProducts(read))
        sources |= sourcesOf[read.tensor];
    return sources;
  }

  void addElementwise(unsigned number) {
    const GraphOp &op = problem.ops[number];
    BitVector sources = uniteSources(op);
    auto hasAllLoops = [&](const GraphAccess &access) {
      return access.isRegular() && access.loops.size() == op.loops.size();
    };
    bool areWhole = llvm::all_of(op.reads, [&](const GraphAccess &read) {
      return !isOfProducts(read) || hasAllLoops(read);
    });
    if (sources.empty() || !areWhole || !llvm::all_of(op.writes, hasAllLoops))
      return;
    addSource(number, sources);
    std::vector<std::optional<Dim>> dimOf(op.loops.size()); // by loop
    auto unite = [&](const GraphAccess &access) {
      for (auto [dim, loop] : llvm::enumerate(access.loops)) {
        Dim own = {access.tensor, unsigned(dim)};
        if (dimOf[*loop])
          dims.unionSets(*dimOf[*loop], own);
        else
          dimOf[*loop] = own;
      }
    };
    for (const GraphAccess &read : op.reads)
      if (isOfProducts(read))
        unite(read);
    llvm::for_each(op.writes, unite);
  }

  /// The longest loop that an op reduces along. Sums along several become sums
  /// along that one, and others of these.
  static std::optional<unsigned> findLongestSum(const GraphOp &op) {
    std::optional<unsigned> longest;
    for (auto [loop, info] : llvm::enumerate(op.loops))
      if (info.isReduction &&
          (!longest ||
           assumeExtent(info.extent) > assumeExtent(op.loops[*longest].extent)))
        longest = loop;
    return longest;
  }

  /// Puts a reduction of large products into its group. False if it is none.
  bool addReduction(unsigned number) {
    const GraphOp &op = problem.ops[number];
    BitVector sources = uniteSources(op);
    if (sources.empty())
      return false;
    std::optional<unsigned> longest = findLongestSum(op);
    std::vector<Dim> along;
    for (const GraphAccess &read : op.reads)
      if (isOfProducts(read))
        for (auto [dim, loop] : llvm::enumerate(read.loops))
          if (loop && loop == longest)
            along.push_back({read.tensor, unsigned(dim)});
    for (Group &group : llvm::reverse(groups))
      if (areEqual(group.along, along) && group.sources.anyCommon(sources) &&
          canJoin(group, number, sources)) {
        group.reductions.push_back(number);
        group.sources |= sources;
        return true;
      }
    groups.push_back({{number}, sources, along});
    return true;
  }

  /// Dimensions of one tensor may be those of another one that a later op
  /// reads with it.
  bool areEqual(const std::vector<Dim> &a, const std::vector<Dim> &b) const {
    auto hasEqual = [&](const std::vector<Dim> &all, Dim dim) {
      return llvm::any_of(
          all, [&](Dim other) { return dims.isEquivalent(dim, other); });
    };
    return llvm::all_of(a, [&](Dim dim) { return hasEqual(b, dim); }) &&
           llvm::all_of(b, [&](Dim dim) { return hasEqual(a, dim); });
  }

  /// Whether a reduction that needs one of the group only does by rows of it,
  /// and of the same products, as the sum of a softmax needs its maximum.
  bool canJoin(const Group &group, unsigned number,
               const BitVector &sources) const {
    BitVector own(problem.ops.size()), visited(problem.ops.size());
    for (unsigned member : group.reductions)
      own.set(member);
    bool isSame = hasSameProducts(group.sources, sources);
    // Paths lead back from the reduction. One is behind another op once it has
    // passed one that neither computes elements nor is a large product.
    SmallVector<std::pair<unsigned, bool>> open = {{number, false}};
    BitVector visitedBehind(problem.ops.size());
    while (!open.empty()) {
      auto [op, isBehind] = open.pop_back_val();
      for (const GraphAccess &read : problem.ops[op].reads) {
        std::optional<unsigned> writer = problem.findWriter(read.tensor);
        if (!writer || *writer < group.reductions.front())
          continue;
        if (own.test(*writer)) {
          if (isBehind || !isSame)
            return false;
          continue;
        }
        bool isOther = problem.ops[*writer].kind != GraphOpKind::Elementwise &&
                       !isLarge.test(*writer);
        bool behind = isBehind || isOther;
        BitVector &seen = behind ? visitedBehind : visited;
        if (seen.test(*writer))
          continue;
        seen.set(*writer);
        open.push_back({*writer, behind});
      }
    }
    return true;
  }

  bool hasSameProducts(BitVector a, BitVector b) const {
    a &= isLarge;
    b &= isLarge;
    return a == b;
  }

  std::vector<RecomputedOps> finish() const {
    std::vector<RecomputedOps> found;
    BitVector taken(problem.ops.size());
    bool areShared = false;
    for (const Group &group : groups) {
      RecomputedOps &own = found.emplace_back();
      own.reductions = group.reductions;
      for (unsigned source : group.sources.set_bits()) {
        own.sources.push_back(source);
        if (taken.test(source))
          own.shared.push_back(source);
      }
      areShared |= !own.shared.empty();
      taken |= group.sources;
    }
    return areShared ? found : std::vector<RecomputedOps>();
  }

  const GraphProblem &problem;
  /// By tensor: the ops that compute it of large products; empty for others.
  std::vector<BitVector> sourcesOf;
  BitVector isLarge;
  /// Dimensions that are one loop's.
  llvm::EquivalenceClasses<Dim> dims;
  std::vector<Group> groups;
};

} // namespace

std::vector<RecomputedOps>
carousel::findRecomputedOps(const GraphProblem &problem) {
  return RecomputedOpsFinder(problem).run();
}
