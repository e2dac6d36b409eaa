//===- SeparateTaps.cpp - gradients of depthwise weights ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SeparateTaps.h. An element of the kernel is a number that is added to an
// index of the image. A pad of one element more keeps these numbers positive:
// an index that is a loop alone would be no window. Each image of a batch has
// sums of its own, which the op that puts them together adds: programs for all
// images need no parts.
//
//===----------------------------------------------------------------------===//

#include "SeparateTaps.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

namespace {

class TapSeparator {
public:
  TapSeparator(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()), context(op.getContext()),
        maps(op.getIndexingMapsArray()), iterators(op.getIteratorTypesArray()),
        extents(op.getStaticLoopRanges()) {}

  void run(DecisionLog &log);

private:
  bool isStencil();
  bool chooseTaps();
  bool isWorthIt();
  int64_t getStride(AffineExpr index) const;
  Value padImage();
  AffineMap keep(AffineMap map, ArrayRef<int64_t> taps) const;
  Value sum(Value image, ArrayRef<int64_t> taps);
  Value putTogether(ArrayRef<Value> sums);
  Value fill(ArrayRef<OpFoldResult> sizes, TypedAttr value);

  bool isSeparate(unsigned loop) const {
    return llvm::is_contained(separate, loop);
  }

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  MLIRContext *context;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> separate; ///< loops of the kernel
  SmallVector<unsigned> images;   ///< loops of batches
  SmallVector<unsigned> order;    ///< loops of sums
  int64_t sums = 1;
};

} // namespace

/// Whether it sums along the pixels of an image of which each channel has
/// weights of its own, from a constant.
bool TapSeparator::isStencil() {
  if (!hasWindows(op) || !findFill(op.getOutputs()[0]))
    return false;
  std::string refusal;
  std::optional<ConvolutionImage> found = findConvolution(op, refusal);
  WindowIterations windows = countWindowIterations(op);
  return found && found->kind == GraphOpKind::Stencil &&
         windows.reduced > windows.kept &&
         !op.getBody()
              ->walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// All elements of a small kernel. Those of a large one would be too many
/// operands of the op that puts them together.
bool TapSeparator::chooseTaps() {
  SmallVector<unsigned> taps;
  for (AffineExpr expr : maps[0].getResults()) {
    if (isa<AffineDimExpr>(expr))
      continue;
    std::optional<unsigned> tap;
    bool hasPixels = false;
    for (auto [loop, kind] : llvm::enumerate(iterators)) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      if (kind == utils::IteratorType::reduction)
        hasPixels = true;
      else
        tap = loop;
    }
    if (!hasPixels || !tap || ShapedType::isDynamic(extents[*tap]) ||
        maps[1].isFunctionOfDim(*tap))
      return false;
    taps.push_back(*tap);
  }
  for (AffineExpr expr : maps[0].getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && iterators[loop.getPosition()] == utils::IteratorType::reduction)
      images.push_back(loop.getPosition());
  separate = taps;
  for (AffineExpr expr : maps[0].getResults())
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (expr.isFunctionOfDim(loop) && !isSeparate(loop))
        order.push_back(loop);
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!maps[0].isFunctionOfDim(loop))
      order.push_back(loop);
  constexpr int64_t kMostTaps = 25;
  for (unsigned loop : separate)
    sums *= extents[loop];
  return sums > 1 && sums <= kMostTaps;
}

/// Putting the sums together is a kernel more, which takes some microseconds.
/// Narrow elements are as few bytes as reading them again for each element of
/// the kernel hides (H200, 32 x 56 x 56 x 128: 57 us, and 76 by one pass).
bool TapSeparator::isWorthIt() {
  constexpr unsigned kLeastBits = 32;
  if (getElementTypeOrSelf(op.getInputs()[0]).getIntOrFloatBitWidth() <
      kLeastBits)
    return false;
  constexpr double kLeastReads = double(1 << 24);
  double reads = 1;
  for (int64_t extent : extents)
    reads *= double(ShapedType::isDynamic(extent) ? kAssumedExtent : extent);
  return reads >= kLeastReads;
}

Value TapSeparator::fill(ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, value.getType());
  Value constant = arith::ConstantOp::create(rewriter, loc, value);
  return linalg::FillOp::create(rewriter, loc, constant, empty).getResult(0);
}

/// From a pixel that is summed to the next one, along a dimension of windows.
int64_t TapSeparator::getStride(AffineExpr index) const {
  SmallVector<int64_t> strides(extents.size(), 0);
  int64_t constant = 0;
  readLinear(index, strides, constant);
  for (auto [loop, stride] : llvm::enumerate(strides))
    if (stride > 0 && iterators[loop] == utils::IteratorType::reduction)
      return stride;
  return 1;
}

/// The image with one zero more before it, in dimensions of windows, and with
/// zeros after it up to a multiple of the stride.
Value TapSeparator::padImage() {
  Value image = op.getInputs()[0], source = image;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, image);
  SmallVector<int64_t> lows(sizes.size(), 0);
  if (tensor::InsertSliceOp pad = findPad(image)) {
    source = pad.getSource();
    lows.assign(pad.getStaticOffsets().begin(), pad.getStaticOffsets().end());
  }
  SmallVector<OpFoldResult> offsets,
      steps(sizes.size(), rewriter.getIndexAttr(1));
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    bool isWindow = !isa<AffineDimExpr>(expr);
    offsets.push_back(rewriter.getIndexAttr(lows[dim] + isWindow));
    if (!isWindow)
      continue;
    int64_t stride = getStride(expr);
    sizes[dim] = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        (rewriter.getAffineSymbolExpr(0) + 1).ceilDiv(stride) * stride,
        sizes[dim]);
  }
  TypedAttr zero = rewriter.getZeroAttr(getElementTypeOrSelf(image));
  return tensor::InsertSliceOp::create(
      rewriter, loc, source, fill(sizes, zero), offsets,
      tensor::getMixedSizes(rewriter, loc, source), steps);
}

/// With numbers for the loops that are separate, and without these loops. Loops
/// are in the image's order, so that vectors are.
AffineMap TapSeparator::keep(AffineMap map, ArrayRef<int64_t> taps) const {
  SmallVector<AffineExpr> loops(extents.size());
  for (auto [loop, tap] : llvm::zip_equal(separate, taps))
    loops[loop] = getAffineConstantExpr(tap, context);
  for (auto [place, loop] : llvm::enumerate(order))
    loops[loop] = getAffineDimExpr(place, context);
  return map.replaceDimsAndSymbols(loops, {}, order.size(), 0);
}

/// The sum for one element of the kernel, of each image.
Value TapSeparator::sum(Value image, ArrayRef<int64_t> taps) {
  SmallVector<AffineExpr> ofImage, ofResult;
  for (AffineExpr expr : maps[0].getResults())
    ofImage.push_back(isa<AffineDimExpr>(expr) ? expr : expr + 1);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : images) {
    ofResult.push_back(getAffineDimExpr(loop, context));
    unsigned dim = *maps[0].getResultPosition(ofResult.back());
    sizes.push_back(tensor::getMixedSize(rewriter, loc, image, dim));
  }
  SmallVector<OpFoldResult> given =
      tensor::getMixedSizes(rewriter, loc, op.getOutputs()[0]);
  for (auto [dim, expr] : llvm::enumerate(maps[2].getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        !loop || !isSeparate(loop.getPosition())) {
      ofResult.push_back(expr);
      sizes.push_back(given[dim]);
    }
  unsigned loops = extents.size();
  SmallVector<utils::IteratorType> kinds;
  for (unsigned loop : order)
    kinds.push_back(llvm::is_contained(images, loop)
                        ? utils::IteratorType::parallel
                        : iterators[loop]);
  Value init = fill(
      sizes, rewriter.getZeroAttr(getElementTypeOrSelf(op.getOutputs()[0])));
  auto made = linalg::GenericOp::create(
      rewriter, loc, init.getType(), ValueRange{image, op.getInputs()[1]}, init,
      ArrayRef{keep(AffineMap::get(loops, 0, ofImage, context), taps),
               keep(maps[1], taps),
               keep(AffineMap::get(loops, 0, ofResult, context), taps)},
      kinds);
  rewriter.cloneRegionBefore(op.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  return made.getResult(0);
}

/// The result's elements, each of the sum that its indices name, of all images.
Value TapSeparator::putTogether(ArrayRef<Value> sums) {
  Value init = op.getOutputs()[0];
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  unsigned loops = rank + images.size();
  SmallVector<AffineExpr> ofSums, ofResult;
  for (unsigned image = 0; image < images.size(); ++image)
    ofSums.push_back(getAffineDimExpr(rank + image, context));
  SmallVector<unsigned> dims(separate.size()); // by separate loop
  for (auto [dim, expr] : llvm::enumerate(maps[2].getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    const unsigned *at =
        loop ? llvm::find(separate, loop.getPosition()) : separate.end();
    if (at == separate.end())
      ofSums.push_back(getAffineDimExpr(dim, context));
    else
      dims[at - separate.begin()] = dim;
    ofResult.push_back(getAffineDimExpr(dim, context));
  }
  SmallVector<AffineMap> all(sums.size(),
                             AffineMap::get(loops, 0, ofSums, context));
  all.push_back(AffineMap::get(loops, 0, ofResult, context));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.append(images.size(), utils::IteratorType::reduction);
  auto write = [&](OpBuilder &body, Location at, ValueRange values) {
    // The number of the sum, of all elements of the kernel.
    Value number;
    for (auto [loop, dim] : llvm::zip_equal(separate, dims)) {
      Value index = linalg::IndexOp::create(body, at, dim);
      if (number) {
        Value count = arith::ConstantIndexOp::create(body, at, extents[loop]);
        number = arith::MulIOp::create(body, at, number, count);
        index = arith::AddIOp::create(body, at, number, index);
      }
      number = index;
    }
    Value element = values.front();
    for (auto [tap, value] : llvm::enumerate(values.drop_back().drop_front())) {
      Value own = arith::ConstantIndexOp::create(body, at, tap + 1);
      Value isOwn = arith::CmpIOp::create(body, at, arith::CmpIPredicate::eq,
                                          number, own);
      element = arith::SelectOp::create(body, at, isOwn, value, element);
    }
    element = vector::makeArithReduction(body, at, vector::CombiningKind::ADD,
                                         values.back(), element);
    linalg::YieldOp::create(body, at, element);
  };
  return linalg::GenericOp::create(rewriter, loc, init.getType(), sums, init,
                                   all, kinds, write)
      .getResult(0);
}

void TapSeparator::run(DecisionLog &log) {
  if (!isStencil() || !chooseTaps() || !isWorthIt())
    return;
  log.passed(op, "SeparateTaps",
             Twine(sums) + " elements of a kernel are sums of one pass, which "
                           "reads pixels once for all of them");
  rewriter.setInsertionPoint(op);
  Value image = padImage();
  SmallVector<Value> made;
  for (int64_t number = 0; number < sums; ++number) {
    SmallVector<int64_t> taps(separate.size());
    int64_t rest = number;
    for (size_t at = separate.size(); at-- != 0;) {
      taps[at] = rest % extents[separate[at]];
      rest /= extents[separate[at]];
    }
    made.push_back(sum(image, taps));
  }
  rewriter.replaceOp(op, putTogether(made));
}

void carousel::separateTaps(linalg::GenericOp op, RewriterBase &rewriter,
                            DecisionLog &log) {
  TapSeparator(op, rewriter).run(log);
}
