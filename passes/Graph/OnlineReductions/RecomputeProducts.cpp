//===- RecomputeProducts.cpp - products of each online reduction ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-recompute-products. Analysis/Graph/RecomputedOps.h finds the ops.
// Whether reductions that get copies are online reductions is found on a copy
// of the function.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Shapes/Patterns.h"

#include "carousel/Analysis/Graph/OnlineReduction.h"
#include "carousel/Analysis/Graph/RecomputedOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"

#include <limits>

namespace carousel {
#define GEN_PASS_DEF_RECOMPUTEPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// RecomputedOps in the IR.
struct RecomputedReductions {
  SmallVector<Operation *> reductions, sources;
  llvm::SmallSetVector<Operation *, 8> shared; ///< in the order of the block
  /// Sums are first along their longest dimension, and then along others.
  bool areSplit = false;
};

} // namespace

static std::vector<RecomputedReductions> findReductions(func::FuncOp func) {
  Graph graph = readGraph(func);
  std::vector<RecomputedReductions> found;
  for (const RecomputedOps &ops : findRecomputedOps(graph.problem)) {
    RecomputedReductions &own = found.emplace_back();
    auto getOp = [&](unsigned number) { return graph.ops[number]; };
    llvm::append_range(own.reductions, llvm::map_range(ops.reductions, getOp));
    llvm::append_range(own.sources, llvm::map_range(ops.sources, getOp));
    own.shared.insert_range(llvm::map_range(ops.shared, getOp));
  }
  return found;
}

/// The loops that an op sums over, the longest one first; none if it has fewer
/// than two, or no others.
static SmallVector<unsigned> findSummedLoops(Operation *op) {
  auto sum = dyn_cast<linalg::GenericOp>(op);
  SmallVector<unsigned> loops;
  Value summand = sum && sum.getNumResults() == 1 ? findSummand(sum) : Value();
  if (!summand || !isa<FloatType>(summand.getType()) ||
      sum.getNumReductionLoops() < 2 || sum.getNumParallelLoops() == 0)
    return loops;
  sum.getReductionDims(loops);
  SmallVector<int64_t> extents = sum.getStaticLoopRanges();
  auto getExtent = [&](unsigned loop) {
    return assumeExtent(ShapedType::isDynamic(extents[loop]) ? kUnknownExtent
                                                             : extents[loop]);
  };
  llvm::sort(loops, [&](unsigned a, unsigned b) {
    return std::pair(-getExtent(a), a) < std::pair(-getExtent(b), b);
  });
  return loops;
}

/// Makes an op sum along its longest dimension, and another op the sums along
/// others, since an online reduction goes along one dimension. Gradients of
/// keys that several heads share are such sums, and those of a bias that
/// batches and heads share. Returns the op that has the loops of both.
static Operation *splitSum(Operation *op) {
  SmallVector<unsigned> loops = findSummedLoops(op);
  if (loops.empty())
    return op;
  auto sum = cast<linalg::GenericOp>(op);
  IRRewriter rewriter(sum);
  Location loc = sum.getLoc();
  OpOperand &init = *sum.getDpsInitOperand(0);
  AffineMap own = sum.getMatchingIndexingMap(&init);
  // The others come first.
  ArrayRef<unsigned> others = ArrayRef(loops).drop_front();
  SmallVector<OpFoldResult> ranges;
  for (Range range : cast<TilingInterface>(op).getIterationDomain(rewriter))
    ranges.push_back(range.size);
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> results;
  SmallVector<utils::IteratorType> kinds = sum.getIteratorTypesArray();
  for (unsigned loop : others) {
    sizes.push_back(ranges[loop]);
    results.push_back(rewriter.getAffineDimExpr(loop));
    kinds[loop] = utils::IteratorType::parallel;
  }
  llvm::append_range(sizes, tensor::getMixedSizes(rewriter, loc, init.get()));
  llvm::append_range(results, own.getResults());
  SmallVector<AffineMap> maps = sum.getIndexingMapsArray();
  maps.back() = AffineMap::get(own.getNumDims(), 0, results, op->getContext());
  Value start = resizeInit(rewriter, loc, init.get(), sizes);
  auto partial = linalg::GenericOp::create(rewriter, loc, start.getType(),
                                           sum.getInputs(), start, maps, kinds);
  rewriter.cloneRegionBefore(sum.getRegion(), partial.getRegion(),
                             partial.getRegion().end());
  unsigned rank = sizes.size();
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> along(rank, utils::IteratorType::parallel);
  std::fill_n(along.begin(), others.size(), utils::IteratorType::reduction);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      sum, sum.getResultTypes(), partial.getResult(0), sum.getOutputs(),
      ArrayRef<AffineMap>{all, all.getMinorSubMap(rank - others.size())}, along,
      [](OpBuilder &inner, Location loc, ValueRange values) {
        Value total = arith::AddFOp::create(inner, loc, values[1], values[0]);
        linalg::YieldOp::create(inner, loc, total);
      });
  return partial;
}

/// Gives reductions copies of the ops that others share. CSE leaves copies
/// alone, since `copy` numbers them.
static void copySources(RecomputedReductions &own, int64_t copy) {
  IRMapping mapping;
  for (Operation *op : own.shared) {
    OpBuilder builder(op);
    Operation *clone = builder.clone(*op, mapping);
    clone->setDiscardableAttr(kRecomputedAttr, builder.getI64IntegerAttr(copy));
  }
  auto readCopies = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
  };
  llvm::for_each(own.reductions, readCopies);
  for (Operation *op : own.sources)
    if (!own.shared.contains(op))
      readCopies(op);
  if (own.areSplit)
    for (Operation *&op : own.reductions)
      op = splitSum(op);
}

/// Later reductions copy what earlier ones read before these get copies.
static void copySources(MutableArrayRef<RecomputedReductions> all) {
  for (auto [number, own] : llvm::enumerate(llvm::reverse(all)))
    copySources(own, number);
}

static RecomputedReductions map(const RecomputedReductions &own,
                                const IRMapping &mapping) {
  RecomputedReductions mapped;
  auto find = [&](Operation *op) { return mapping.lookup(op); };
  llvm::append_range(mapped.reductions, llvm::map_range(own.reductions, find));
  llvm::append_range(mapped.sources, llvm::map_range(own.sources, find));
  mapped.shared.insert_range(llvm::map_range(own.shared, find));
  mapped.areSplit = own.areSplit;
  return mapped;
}

namespace {
/// Whether reductions with copies are online reductions. If not, the reason, or
/// none where nobody would expect them to be.
struct CopyResult {
  bool isOnline = true;
  std::string reason;
};
} // namespace

/// Tries copies of all.
static std::vector<CopyResult> tryCopies(func::FuncOp func,
                                         ArrayRef<RecomputedReductions> found,
                                         bool usesTF32) {
  IRMapping mapping;
  OwningOpRef<Operation *> copy = func->clone(mapping);
  std::vector<RecomputedReductions> copies;
  for (const RecomputedReductions &own : found)
    copies.push_back(map(own, mapping));
  copySources(copies);
  Graph graph = rematerializeCopy(cast<func::FuncOp>(*copy), func, usesTF32);
  std::vector<OnlineRefusal> refusals;
  std::vector<OnlineSeed> seeds = findOnlineReductions(graph.problem, refusals);
  std::vector<CopyResult> results;
  for (const RecomputedReductions &own : copies) {
    CopyResult &result = results.emplace_back();
    for (Operation *op : own.reductions) {
      unsigned number = llvm::find(graph.ops, op) - graph.ops.begin();
      if (llvm::any_of(seeds, [&](const OnlineSeed &seed) {
            return llvm::is_contained(seed.ops, number);
          }))
        continue;
      result.isOnline = false;
      for (const OnlineRefusal &refusal : refusals)
        if (refusal.to == number)
          result.reason = refusal.reason;
    }
  }
  return results;
}

namespace {

struct RecomputeProducts
    : public carousel::impl::RecomputeProductsBase<RecomputeProducts> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    std::vector<RecomputedReductions> found = findReductions(func);
    auto hasSplit = [](const RecomputedReductions &own) {
      return llvm::any_of(own.reductions, [](Operation *op) {
        return !findSummedLoops(op).empty();
      });
    };
    llvm::erase_if(found, [&](const RecomputedReductions &own) {
      return own.shared.empty() && !hasSplit(own);
    });
    DecisionLog log(func, "carousel-recompute-products");
    while (!found.empty()) {
      std::vector<RecomputedReductions> kept;
      bool isSame = true;
      for (auto [own, result] : llvm::zip_equal(
               found,
               tryCopies(func, found, products == ProductFactors::TF32))) {
        isSame &= result.isOnline;
        bool maySplit = !own.areSplit && hasSplit(own);
        if (result.isOnline || maySplit)
          kept.push_back(own);
        if (!result.isOnline && maySplit)
          kept.back().areSplit = true;
        else if (!result.reason.empty())
          log.missed(own.reductions.front(), "Recompute",
                     "products that it reads aren't computed again: " +
                         result.reason);
      }
      found = std::move(kept);
      if (isSame)
        break;
    }
    for (const RecomputedReductions &own : found)
      if (!own.shared.empty())
        log.passed(own.reductions.front(), "Recompute",
                   "an online reduction computes again what " +
                       Twine(own.shared.size()) + " ops compute for others");
    copySources(found);
    recomputed += llvm::count_if(found, [](const RecomputedReductions &own) {
      return !own.shared.empty();
    });
  }
};

} // namespace
