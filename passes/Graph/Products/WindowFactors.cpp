//===- WindowFactors.cpp - weights of convolutions ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WindowFactors.h. A number of the kernel's element takes the place of
// another one in the index of the image: the last one less it, or a multiple.
//
//===----------------------------------------------------------------------===//

#include "WindowFactors.h"

#include "../Reading/ReadConvolution.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// Whether a loop goes along the kernel: it is reduced, and moves the image's
/// index of a pixel.
static bool isTap(linalg::GenericOp op, unsigned loop) {
  if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
    return false;
  for (AffineExpr expr : op.getIndexingMapsArray().front().getResults())
    if (expr.isFunctionOfDim(loop) && isa<AffineDimExpr>(expr))
      return false;
  return true;
}

/// The op with other weights, and with `taps` for the loops of its kernel in
/// the index of the image.
static linalg::GenericOp replaceWeights(linalg::GenericOp op,
                                        RewriterBase &rewriter, Value weights,
                                        AffineMap weightsMap,
                                        ArrayRef<AffineExpr> taps) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned loops = maps.front().getNumDims();
  maps[0] = simplifyAffineMap(maps[0].replaceDimsAndSymbols(
      taps, /*symReplacements=*/{}, loops, /*numResultSyms=*/0));
  maps[1] = weightsMap;
  rewriter.setInsertionPoint(op);
  auto made = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(),
      ValueRange{op.getInputs()[0], weights}, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                              made.getRegion().begin());
  Operation *before = op.getInputs()[1].getDefiningOp();
  rewriter.replaceOp(op, made);
  if (before && before->use_empty())
    rewriter.eraseOp(before);
  return made;
}

static SmallVector<AffineExpr> getLoops(linalg::GenericOp op) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(getAffineDimExpr(loop, op.getContext()));
  return loops;
}

/// Whether the op is a copy that reads each element once, maybe from the end
/// on.
static bool isCopy(linalg::GenericOp op) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return yield.getValues().front() == op.getBody()->getArgument(0);
}

static linalg::GenericOp unreverse(linalg::GenericOp op,
                                   RewriterBase &rewriter) {
  auto copy = op.getInputs()[1].getDefiningOp<linalg::GenericOp>();
  if (!isCopy(copy))
    return op;
  auto source = cast<RankedTensorType>(copy.getInputs()[0].getType());
  AffineMap ofCopy = copy.getIndexingMapsArray().front();
  AffineMap ofWeights = op.getIndexingMapsArray()[1];
  SmallVector<AffineExpr> taps = getLoops(op), indices;
  llvm::SmallBitVector seen(copy.getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(ofCopy.getResults())) {
    SmallVector<int64_t> strides(copy.getNumLoops(), 0);
    int64_t constant = 0;
    if (!readLinear(expr, strides, constant) ||
        llvm::count(strides, 0) + 1 != int64_t(strides.size()))
      return op;
    unsigned from =
        llvm::find_if(strides, [](int64_t stride) { return stride != 0; }) -
        strides.begin();
    if (seen.test(from))
      return op;
    seen.set(from);
    AffineExpr index = ofWeights.getResult(from);
    indices.push_back(index);
    if (strides[from] == 1 && constant == 0)
      continue;
    unsigned loop = cast<AffineDimExpr>(index).getPosition();
    if (strides[from] != -1 || source.isDynamicDim(dim) ||
        constant != source.getDimSize(dim) - 1 || !isTap(op, loop))
      return op;
    taps[loop] = constant - index;
  }
  if (!seen.all())
    return op;
  return replaceWeights(
      op, rewriter, copy.getInputs()[0],
      AffineMap::get(op.getNumLoops(), 0, indices, op.getContext()), taps);
}

static linalg::GenericOp skipZeros(linalg::GenericOp op,
                                   RewriterBase &rewriter) {
  tensor::InsertSliceOp spread = findInsertIntoZeros(op.getInputs()[1]);
  if (!spread)
    return op;
  SmallVector<AffineExpr> taps = getLoops(op);
  AffineMap map = op.getIndexingMapsArray()[1];
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    int64_t offset = spread.getStaticOffset(dim);
    int64_t step = spread.getStaticStride(dim);
    if (offset == 0 && step == 1 &&
        spread.getSourceType().getDimSize(dim) ==
            spread.getType().getDimSize(dim) &&
        !spread.getType().isDynamicDim(dim))
      continue;
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(step) ||
        spread.getSourceType().isDynamicDim(dim) || !isTap(op, loop))
      return op;
    taps[loop] = expr * step + offset;
  }
  return replaceWeights(op, rewriter, spread.getSource(), map, taps);
}

linalg::GenericOp carousel::readWeightsDirectly(linalg::GenericOp op,
                                                RewriterBase &rewriter) {
  while (true) {
    linalg::GenericOp made = skipZeros(unreverse(op, rewriter), rewriter);
    if (made == op)
      return op;
    op = made;
  }
}
