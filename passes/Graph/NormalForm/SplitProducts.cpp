//===- SplitProducts.cpp - long products of few tiles ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitProducts.h. Upstream splits the reduction.
//
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"

#include "../Reading/ReadConvolution.h"

#include "carousel/Analysis/Graph/OrderOfSums.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sums;

/// Whether matrix instructions take the factors as they are, and add in a wider
/// type, so that parts are as exact as their sum.
static bool hasNarrowFloats(linalg::GenericOp op) {
  Type sum = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  return sum.isF32() && llvm::all_of(op.getDpsInputs(), [](Value factor) {
           auto element = dyn_cast<FloatType>(getElementTypeOrSelf(factor));
           return element && element.getWidth() <= 16;
         });
}

/// The parts of a product, 1 if it needs no more than its kernel adds.
static int64_t countParts(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() != 2 ||
      !op.hasPureTensorSemantics() || !isContraction(op) ||
      !hasNarrowFloats(op))
    return 1;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (failed(dims) || dims->m.empty() || dims->n.empty() ||
      dims->k.size() != 1 || llvm::any_of(extents, ShapedType::isDynamic))
    return 1;
  auto count = [&](ArrayRef<unsigned> loops) {
    int64_t product = 1;
    for (unsigned loop : loops)
      product = llvm::SaturatingMultiply<uint64_t>(product, extents[loop]);
    return product;
  };
  int64_t tiles = count(dims->batch);
  for (ArrayRef<unsigned> side : {ArrayRef(dims->m), ArrayRef(dims->n)})
    tiles = llvm::SaturatingMultiply<uint64_t>(
        tiles, llvm::divideCeil(uint64_t(count(side)), kWideTile));
  int64_t depth = extents[dims->k.front()];
  if (tiles <= 0 || depth % kProductStep != 0)
    return 1;
  // The parts have equal length, in whole steps of a loop.
  int64_t steps = depth / kProductStep;
  int64_t most =
      std::min(kWantedWidePrograms / tiles, steps / kLeastProductIterations);
  for (int64_t parts = most; parts > kMostProductParts; --parts)
    if (steps % parts == 0)
      return parts;
  return 1;
}

unsigned carousel::splitProducts(func::FuncOp func) {
  SmallVector<linalg::GenericOp> products;
  func.walk([&](linalg::GenericOp op) {
    if (countParts(op) > 1)
      products.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  unsigned split = 0;
  for (linalg::GenericOp op : products) {
    rewriter.setInsertionPoint(op);
    auto control = [](linalg::LinalgOp product) {
      return linalg::SplitReductionOptions{
          countParts(cast<linalg::GenericOp>(product)), /*index=*/0,
          /*innerParallel=*/false};
    };
    split += succeeded(linalg::splitReduction(rewriter, op, control));
  }
  return split;
}
