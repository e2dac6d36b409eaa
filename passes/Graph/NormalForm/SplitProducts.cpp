//===- SplitProducts.cpp - split-K ----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-products (split-K). A product of few tiles that sums over
// many elements needs more programs than tiles. Up to 16 parts of a tile add
// what they have in the kernel itself (GroupDivision.h): the last one reads the
// sums of all. With more parts it would read for longer than the product takes.
// Upstream splits the reduction.
//
//===----------------------------------------------------------------------===//

#include "../Reading/ReadConvolution.h"

#include "carousel/Analysis/Graph/OrderOfSums.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

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
  if (!op.hasPureTensorSemantics() || !isContraction(op) ||
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

/// Makes two ops of each product that needs more than 16 parts: a batch of
/// products, one for each part, and their sum, in the order of the parts. The
/// factors are narrow floats, extents are known, and parts are of equal length.
/// How many there are depends on extents only (OrderOfSums.h). Returns how many
/// products have become batches.
static unsigned splitProducts(func::FuncOp func) {
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

namespace {
struct SplitProducts : public carousel::impl::SplitProductsBase<SplitProducts> {
  using SplitProductsBase::SplitProductsBase;

  void runOnOperation() override { split += splitProducts(getOperation()); }
};

} // namespace
