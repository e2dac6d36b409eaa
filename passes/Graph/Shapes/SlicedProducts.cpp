//===- SlicedProducts.cpp - slices of products ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss over a vocabulary leaves out the last token of each sequence, and a
// decoder wants logits of the last token alone: they take a slice of a product
// that nothing else reads. A slice of its factors is smaller, and the product
// has neighbours that it can share a kernel with.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A part of an op's result: a slice of it, or of its dimensions when each is
/// divided into several.
class ResultPart {
public:
  /// The part that a slice is; nullopt unless it has unit strides and is the
  /// only one that reads the op.
  static std::optional<ResultPart> read(tensor::ExtractSliceOp slice);

  linalg::GenericOp getOp() { return op; }

  /// Whether a part of each factor has fewer elements than the part of the
  /// result, where `op` is a product or computes on one.
  bool isSmallerBefore();

  /// The op on such parts.
  Value compute(RewriterBase &rewriter);

private:
  linalg::GenericOp op;
  tensor::ExtractSliceOp slice;
  tensor::ExpandShapeOp expand; ///< or null

  /// The first of the slice's dimensions that a dimension of the result is
  /// divided into, and how many they are.
  std::pair<unsigned, unsigned> getDims(unsigned resultDim) {
    if (!expand)
      return {resultDim, 1};
    ReassociationIndices dims = expand.getReassociationIndices()[resultDim];
    return {dims.front(), dims.size()};
  }

  bool isWhole(unsigned resultDim);
  std::optional<unsigned> findCutDim(linalg::GenericOp of, AffineExpr expr);
  std::optional<int64_t> countElements(linalg::GenericOp of,
                                       OpOperand &operand);
  Value takePart(RewriterBase &rewriter, OpOperand &operand);
  SmallVector<OpFoldResult> getPartSizes(OpBuilder &builder);
};

} // namespace

static int64_t estimateExtent(int64_t extent) {
  constexpr int64_t kUnknownExtent = 32;
  return ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
}

/// Whether a slice is known to have all of a tensor's dimension.
static bool hasAll(tensor::ExtractSliceOp slice, unsigned dim) {
  int64_t size = slice.getStaticSizes()[dim];
  return isZeroInteger(slice.getMixedOffsets()[dim]) &&
         ShapedType::isStatic(size) &&
         size == slice.getSourceType().getDimSize(dim);
}

std::optional<ResultPart> ResultPart::read(tensor::ExtractSliceOp slice) {
  ResultPart part;
  part.slice = slice;
  Value source = slice.getSource();
  part.expand = source.getDefiningOp<tensor::ExpandShapeOp>();
  if (part.expand) {
    if (!part.expand->hasOneUse())
      return std::nullopt;
    source = part.expand.getSrc();
  }
  part.op = source.getDefiningOp<linalg::GenericOp>();
  if (!part.op || !part.op->hasOneUse() || slice.getDroppedDims().any() ||
      !slice.hasUnitStride() || part.op.getNumResults() != 1 ||
      !part.op.getMatchingIndexingMap(part.op.getDpsInitOperand(0))
           .isProjectedPermutation() ||
      part.op.hasIndexSemantics())
    return std::nullopt;
  return part;
}

/// Whether the slice has all of a dimension of the result.
bool ResultPart::isWhole(unsigned resultDim) {
  auto [first, count] = getDims(resultDim);
  return llvm::all_of(llvm::seq(first, first + count),
                      [&](unsigned dim) { return hasAll(slice, dim); });
}

/// The dimension of the result that the slice has a part of, and whose loop an
/// operand's index is; nullopt for an index of several loops.
std::optional<unsigned> ResultPart::findCutDim(linalg::GenericOp of,
                                               AffineExpr expr) {
  AffineMap result = of.getMatchingIndexingMap(of.getDpsInitOperand(0));
  std::optional<unsigned> dim = result.getResultPosition(expr);
  return dim && !isWhole(*dim) ? dim : std::nullopt;
}

/// How many elements of an operand of an op of the same result the part reads,
/// 0 if it reads all of them; nullopt if it can't be cut. Extents that aren't
/// known count as kUnknownExtent.
std::optional<int64_t> ResultPart::countElements(linalg::GenericOp of,
                                                 OpOperand &operand) {
  AffineMap map = of.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = of.getShape(&operand);
  int64_t elements = 1;
  bool isCut = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<unsigned> cut = findCutDim(of, expr);
    if (!cut) {
      // An index of several loops may have one of those in it.
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return std::nullopt;
      elements *= estimateExtent(shape[dim]);
      continue;
    }
    isCut = true;
    auto [first, count] = getDims(*cut);
    // The factor's dimension is divided as the result's is.
    if (count != 1 && ShapedType::isDynamic(shape[dim]) !=
                          cast<ShapedType>(op.getType(0)).isDynamicDim(*cut))
      return std::nullopt;
    for (int64_t size : slice.getStaticSizes().slice(first, count))
      elements *= estimateExtent(size);
  }
  return isCut ? elements : 0;
}

bool ResultPart::isSmallerBefore() {
  int64_t result = 1, copied = 0;
  for (int64_t size : slice.getStaticSizes())
    result *= estimateExtent(size);
  linalg::GenericOp at = op;
  // Down a chain of ops on elements that nothing else reads, to a product.
  while (at) {
    bool isProduct = isContraction(at);
    linalg::GenericOp next;
    if (!isProduct && !isPointwise(at))
      return false;
    for (OpOperand *input : at.getDpsInputOperands()) {
      std::optional<int64_t> count = countElements(at, *input);
      if (!count)
        return false;
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      AffineMap map = at.getMatchingIndexingMap(input);
      bool continues =
          !isProduct && !next && producer && producer->hasOneUse() &&
          producer.getNumResults() == 1 && !producer.hasIndexSemantics() &&
          map == at.getMatchingIndexingMap(at.getDpsInitOperand(0)) &&
          producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
              .isProjectedPermutation();
      if (continues)
        next = producer;
      else
        copied += *count;
    }
    if (copied >= result)
      return false;
    if (isProduct)
      return copied > 0;
    at = next;
  }
  return false;
}

SmallVector<OpFoldResult> ResultPart::getPartSizes(OpBuilder &builder) {
  SmallVector<OpFoldResult> all = slice.getMixedSizes(), sizes;
  for (unsigned dim = 0, end = cast<RankedTensorType>(op.getType(0)).getRank();
       dim < end; ++dim) {
    auto [first, count] = getDims(dim);
    AffineExpr product = builder.getAffineConstantExpr(1);
    for (unsigned each : llvm::seq(count))
      product = product * builder.getAffineSymbolExpr(each);
    sizes.push_back(affine::makeComposedFoldedAffineApply(
        builder, slice.getLoc(), product, ArrayRef(all).slice(first, count)));
  }
  return sizes;
}

/// The part of an operand whose elements the part of the result is computed of.
Value ResultPart::takePart(RewriterBase &rewriter, OpOperand &operand) {
  Location loc = slice.getLoc();
  Value tensor = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> offsets, sizes, expanded;
  SmallVector<ReassociationIndices> groups;
  bool isDivided = false, isCut = false;
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, tensor);
  for (auto [extent, expr] : llvm::zip_equal(extents, map.getResults())) {
    ReassociationIndices &group = groups.emplace_back();
    std::optional<unsigned> cut = findCutDim(op, expr);
    auto [first, count] = cut ? getDims(*cut) : std::pair(0u, 1u);
    isDivided |= count != 1;
    isCut |= cut.has_value();
    for (unsigned dim = first; dim < first + count; ++dim) {
      group.push_back(sizes.size());
      expanded.push_back(
          !cut ? extent
               : tensor::getMixedSize(rewriter, loc, slice.getSource(), dim));
      offsets.push_back(cut ? slice.getMixedOffsets()[dim]
                            : OpFoldResult(rewriter.getIndexAttr(0)));
      sizes.push_back(cut ? slice.getMixedSizes()[dim] : extent);
    }
  }
  if (!isCut)
    return tensor;
  if (isDivided) {
    SmallVector<int64_t> shape;
    std::tie(shape, std::ignore) = decomposeMixedValues(expanded);
    tensor = tensor::ExpandShapeOp::create(
        rewriter, loc,
        RankedTensorType::get(shape, getElementTypeOrSelf(tensor)), tensor,
        groups, expanded);
  }
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  tensor = tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                          strides);
  if (isDivided)
    tensor = tensor::CollapseShapeOp::create(rewriter, loc, tensor, groups);
  return tensor;
}

Value ResultPart::compute(RewriterBase &rewriter) {
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands())
    operands.push_back(takePart(rewriter, *input));
  OpOperand &init = *op.getDpsInitOperand(0);
  bool isFresh = !readsInit(op, 0) || findFill(init.get());
  operands.push_back(isFresh ? resizeInit(rewriter, op.getLoc(), init.get(),
                                          getPartSizes(rewriter))
                             : takePart(rewriter, init));
  Operation *part = clone(rewriter, op, operands.back().getType(), operands);
  Value result = part->getResult(0);
  if (expand)
    result = tensor::ExpandShapeOp::create(
        rewriter, slice.getLoc(), slice.getType(), result,
        expand.getReassociationIndices(), slice.getMixedSizes());
  return result;
}

namespace {

/// A slice of a product, or of what ops on elements compute of it alone, is a
/// product of slices, where these are smaller.
struct SliceOfProduct : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    std::optional<ResultPart> part = ResultPart::read(slice);
    if (!part || !part->isSmallerBefore())
      return rewriter.notifyMatchFailure(
          slice, "expected all that reads a product larger than its factors");
    replaceWithCast(rewriter, slice, part->compute(rewriter));
    return success();
  }
};

} // namespace

void carousel::populateSlicedProductPatterns(RewritePatternSet &patterns) {
  patterns.add<SliceOfProduct>(patterns.getContext());
}
