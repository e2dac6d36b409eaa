//===- ReducedConcatenations.cpp - reductions of concatenations -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax takes the logit of an attention sink as one column more, and its
// weights leave that column out. Computed apart, the column is a number of the
// row, by which the maximum and the sum of the other columns are completed, so
// that attention is an online reduction.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Computes a concatenation's parts apart: what ops compute of its elements, by
/// elements, and what they reduce along its axis. A reduction begins with what
/// the one of the part before it gives. So the logit of an attention sink,
/// which a softmax takes as one column more, becomes a number of the row.
class PartSplitter {
public:
  PartSplitter(Value whole, const Concatenation &all)
      : block(whole.getParentBlock()) {
    auto getExtent = [&](const Concatenation::Part &part) {
      return cast<RankedTensorType>(part.value.getType()).getDimSize(all.axis);
    };
    // The longest part first, of which products and reductions are one kernel.
    SmallVector<Concatenation::Part> sorted(all.parts);
    llvm::sort(sorted, [&](const auto &a, const auto &b) {
      return std::pair(getExtent(b), a.start) <
             std::pair(getExtent(a), b.start);
    });
    SmallVector<Value> parts;
    for (const Concatenation::Part &part : sorted) {
      parts.push_back(part.value);
      starts.push_back(part.start);
      extents.push_back(getExtent(part));
    }
    wholes[whole] = {all.axis, parts};
  }

  /// Whether all but one part are single elements, and whether all ops from
  /// them on reduce elements, or take those of one part.
  bool canSplit() {
    return extents.size() > 1 && extents.front() > 1 &&
           llvm::all_of(ArrayRef(extents).drop_front(),
                        [](int64_t extent) { return extent == 1; }) &&
           collect() && hasReduction;
  }

  void split(PatternRewriter &rewriter) {
    llvm::sort(users, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *user : users) {
      rewriter.setInsertionPoint(user);
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        splitSlice(rewriter, slice);
      else
        splitLoops(rewriter, cast<linalg::GenericOp>(user));
    }
    for (Operation *user : llvm::reverse(users))
      if (user->use_empty())
        rewriter.eraseOp(user);
  }

private:
  /// The dimension of a tensor that parts divide, and its parts.
  struct Whole {
    int64_t axis;
    SmallVector<Value> parts;
  };

  /// The loop along a dimension, if no other expression has it.
  static std::optional<unsigned> findLoop(AffineMap map, int64_t dim) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    return map.isProjectedPermutation() && loop
               ? std::optional(loop.getPosition())
               : std::nullopt;
  }

  bool collect() {
    for (size_t at = 0; at != wholes.size(); ++at) {
      Value whole = wholes.getArrayRef()[at].first;
      for (OpOperand &use : whole.getUses()) {
        auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
        auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
        bool isPart = (slice && collectSlice(slice)) ||
                      (op && op.isDpsInput(&use) && collectLoops(op, use));
        if (!isPart || use.getOwner()->getBlock() != block)
          return false;
      }
    }
    return true;
  }

  bool collectSlice(tensor::ExtractSliceOp slice) {
    users.push_back(slice);
    return findPart(slice).has_value() && slice.hasUnitStride();
  }

  /// The part in which a slice lies.
  std::optional<size_t> findPart(tensor::ExtractSliceOp slice) {
    int64_t axis = wholes[slice.getSource()].axis;
    int64_t offset = slice.getStaticOffsets()[axis];
    int64_t size = slice.getStaticSizes()[axis];
    for (size_t at = 0; at != starts.size(); ++at)
      if (!ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) &&
          offset >= starts[at] && offset + size <= starts[at] + extents[at])
        return at;
    return std::nullopt;
  }

  bool collectLoops(linalg::GenericOp op, OpOperand &use) {
    std::optional<unsigned> loop =
        findLoop(op.getMatchingIndexingMap(&use), wholes[use.get()].axis);
    auto known = loops.find(op);
    if (!loop || !op.hasPureTensorSemantics() ||
        (known != loops.end() && known->second != *loop))
      return false;
    if (known != loops.end())
      return true;
    loops[op] = *loop;
    users.push_back(op);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isFunctionOfDim(*loop) && !map.isProjectedPermutation())
        return false;
    }
    if (op.getIteratorTypesArray()[*loop] == utils::IteratorType::reduction) {
      SmallVector<Operation *> combiners;
      hasReduction = true;
      return op.getNumDpsInits() == 1 &&
             matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
             combiners.size() == 1;
    }
    for (OpResult result : op.getResults()) {
      OpOperand *init = op.getTiedOpOperand(result);
      auto place = op.getMatchingIndexingMap(init).getResultPosition(
          getAffineDimExpr(*loop, op.getContext()));
      if (!place || op.payloadUsesValueFromOperand(init))
        return false;
      wholes[result] = {*place, {}};
    }
    return true;
  }

  void splitSlice(PatternRewriter &rewriter, tensor::ExtractSliceOp slice) {
    const Whole &whole = wholes[slice.getSource()];
    size_t at = *findPart(slice);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    offsets[whole.axis] = rewriter.getIndexAttr(
        slice.getStaticOffsets()[whole.axis] - starts[at]);
    rewriter.replaceAllUsesWith(
        slice, tensor::ExtractSliceOp::create(
                   rewriter, slice.getLoc(), slice.getType(), whole.parts[at],
                   offsets, slice.getMixedSizes(), slice.getMixedStrides()));
  }

  /// The part of an input that the loops of a part read.
  Value getPart(PatternRewriter &rewriter, linalg::GenericOp op,
                OpOperand *input, size_t at) {
    auto known = wholes.find(input->get());
    if (known != wholes.end())
      return known->second.parts[at];
    auto place = op.getMatchingIndexingMap(input).getResultPosition(
        getAffineDimExpr(loops[op], op.getContext()));
    if (!place)
      return input->get();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), input->get());
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> steps(sizes.size(), rewriter.getIndexAttr(1));
    offsets[*place] = rewriter.getIndexAttr(starts[at]);
    sizes[*place] = rewriter.getIndexAttr(extents[at]);
    return tensor::ExtractSliceOp::create(rewriter, op.getLoc(), input->get(),
                                          offsets, sizes, steps);
  }

  void splitLoops(PatternRewriter &rewriter, linalg::GenericOp op) {
    Location loc = op.getLoc();
    unsigned loop = loops[op];
    bool isReduced =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    SmallVector<Value> inits(op.getDpsInits());
    for (size_t at = 0; at != starts.size(); ++at) {
      SmallVector<Value> inputs;
      for (OpOperand *input : op.getDpsInputOperands())
        inputs.push_back(getPart(rewriter, op, input, at));
      for (auto [init, result] : llvm::zip_equal(inits, op.getResults())) {
        if (isReduced)
          continue;
        SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
            rewriter, loc, op.getTiedOpOperand(result)->get());
        sizes[wholes[result].axis] = rewriter.getIndexAttr(extents[at]);
        init = tensor::EmptyOp::create(rewriter, loc, sizes,
                                       getElementTypeOrSelf(result));
      }
      auto part = linalg::GenericOp::create(
          rewriter, loc, ValueRange(inits).getTypes(), inputs, inits,
          op.getIndexingMapsArray(), op.getIteratorTypesArray());
      rewriter.cloneRegionBefore(op.getRegion(), part.getRegion(),
                                 part.getRegion().begin());
      shiftIndices(rewriter, part, loop, starts[at]);
      if (isReduced)
        inits = SmallVector<Value>(part.getResults());
      else
        for (auto [whole, own] :
             llvm::zip_equal(op.getResults(), part.getResults()))
          wholes[whole].parts.push_back(own);
    }
    if (isReduced)
      rewriter.replaceAllUsesWith(op.getResult(0), inits.front());
  }

  static void shiftIndices(PatternRewriter &rewriter, linalg::GenericOp part,
                           unsigned loop, int64_t start) {
    OpBuilder::InsertionGuard guard(rewriter);
    for (auto index :
         llvm::make_early_inc_range(part.getBody()->getOps<linalg::IndexOp>()))
      if (index.getDim() == loop && start != 0) {
        rewriter.setInsertionPointAfter(index);
        Value first =
            arith::ConstantIndexOp::create(rewriter, index.getLoc(), start);
        auto moved =
            arith::AddIOp::create(rewriter, index.getLoc(), index, first);
        rewriter.replaceAllUsesExcept(index, moved, moved);
      }
  }

  Block *block;
  SmallVector<int64_t> starts, extents; ///< by part
  llvm::MapVector<Value, Whole> wholes;
  llvm::DenseMap<Operation *, unsigned> loops; ///< along which parts lie
  SmallVector<Operation *> users;
  bool hasReduction = false;
};

template <typename OpTy>
struct ReducedConcatenation : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Concatenation> all = readConcatenation(op);
    if (!all)
      return rewriter.notifyMatchFailure(op, "expected parts along one axis");
    PartSplitter splitter(op->getResult(0), *all);
    if (!splitter.canSplit())
      return rewriter.notifyMatchFailure(
          op, "expected reductions, and slices of parts");
    splitter.split(rewriter);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateReducedConcatenationPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ReducedConcatenation<tensor::ConcatOp>,
               ReducedConcatenation<linalg::GenericOp>,
               ReducedConcatenation<tensor::InsertSliceOp>>(
      patterns.getContext());
}
