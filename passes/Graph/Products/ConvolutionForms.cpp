//===- ConvolutionForms.cpp - convolutions as kernels have them -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConvolutionForms.h. Images with channels before their pixels are
// transposed, and so are such weights. A producer of the image writes it so, if
// they are in one group.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionForms.h"

#include "../Decisions/DecisionLog.h"
#include "../Precision/WidenSums.h"
#include "../Reading/ReadConvolution.h"
#include "JoinedTaps.h"
#include "NarrowGroups.h"
#include "SeparateTaps.h"
#include "SpreadImages.h"
#include "WindowFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

bool carousel::isPlainConvolution(linalg::LinalgOp op) {
  if (!hasWindows(op))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (AffineExpr expr : op.getIndexingMapsArray().front().getResults()) {
    SmallVector<int64_t> strides(extents.size(), 0);
    int64_t constant = 0;
    if (!readLinear(expr, strides, constant) || constant != 0)
      return false;
    if (isa<AffineDimExpr>(expr))
      continue;
    for (auto [stride, extent, iterator] :
         llvm::zip_equal(strides, extents, iterators)) {
      bool isReduced = iterator == utils::IteratorType::reduction;
      if (stride != 0 && (isReduced ? extent != 1 : stride != 1))
        return false;
    }
  }
  return true;
}

namespace {

class ConvolutionOrder {
public:
  explicit ConvolutionOrder(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), maps(op.getIndexingMapsArray()) {
  }

  /// Groups of channels and channels as the image's last dimensions.
  void orderGroups() {
    SmallVector<unsigned> last = findGroups();
    sumsPixels = hasLongTaps(op);
    std::optional<unsigned> depth = findDepth();
    if (sumsPixels || last.empty() || !depth || findSharedChannels())
      return;
    divideInsidePad();
    restoreUnits();
    last.push_back(*depth);
    order(0, last);
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  }

  void run() {
    divideInsidePad();
    if (std::optional<unsigned> shared = findSharedChannels())
      return orderStencil(*shared);
    sumsPixels = hasLongTaps(op);
    std::optional<unsigned> depth = findDepth(), channels = findChannels();
    if (!depth || !channels)
      return;
    restoreUnits();
    SmallVector<unsigned> groups = findGroups();
    if (sumsPixels) {
      permuteInput(0, putWindowsLast(groups, *depth));
      SmallVector<unsigned> last = findPixels();
      llvm::append_range(last, groups);
      last.push_back(*channels);
      order(1, last);
    } else {
      SmallVector<unsigned> last = groups;
      last.push_back(*depth);
      order(0, last);
      if (!endsWith(maps[1], *channels, *depth))
        order(1, {*depth, *channels});
    }
    divideStrides();
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  }

private:
  /// A pad of an image that is divided into groups of channels goes around what
  /// is divided.
  void divideInsidePad() {
    auto expand = op.getInputs()[0].getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand)
      return;
    tensor::InsertSliceOp pad = findPad(expand.getSrc());
    if (!pad || !expand.getResultType().hasStaticShape())
      return;
    SmallVector<OpFoldResult> offsets, sizes, steps;
    RankedTensorType wide = expand.getResultType();
    for (auto [from, dims] :
         llvm::enumerate(expand.getReassociationIndices())) {
      bool isWhole = pad.getStaticOffset(from) == 0 &&
                     pad.getStaticSize(from) == pad.getType().getDimSize(from);
      if (dims.size() != 1 && !isWhole)
        return;
      for (int64_t dim : dims) {
        offsets.push_back(dims.size() == 1 ? pad.getMixedOffsets()[from]
                                           : builder.getIndexAttr(0));
        sizes.push_back(dims.size() == 1
                            ? pad.getMixedSizes()[from]
                            : builder.getIndexAttr(wide.getDimSize(dim)));
        steps.push_back(builder.getIndexAttr(1));
      }
    }
    std::optional<SmallVector<int64_t>> shape = getConstantIntValues(sizes);
    if (!shape)
      return;
    Type element = wide.getElementType();
    Value source = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(*shape, element), pad.getSource(),
        expand.getReassociationIndices());
    SmallVector<OpFoldResult> all =
        getAsIndexOpFoldResult(builder.getContext(), wide.getShape());
    op.getInputsMutable()[0].set(tensor::InsertSliceOp::create(
        builder, loc, source, fill(all, element), offsets, sizes, steps));
  }

  /// A pad of an image lacks dimensions of extent 1 where these went. Kernels
  /// look through pads that have all of the image's.
  void restoreUnits() {
    auto pad = op.getInputs()[0].getDefiningOp<tensor::InsertSliceOp>();
    if (!pad || pad.getSourceType().getRank() == pad.getType().getRank())
      return;
    SmallVector<int64_t> shape(pad.getStaticSizes());
    auto wide = RankedTensorType::get(shape, pad.getType().getElementType());
    std::optional<SmallVector<ReassociationIndices>> dims =
        getReassociationIndicesForReshape(pad.getSourceType(), wide);
    if (!dims)
      return;
    Value source;
    if (auto narrow = pad.getSource().getDefiningOp<tensor::CollapseShapeOp>();
        narrow && narrow.getSrcType() == wide)
      source = narrow.getSrc();
    else
      source = tensor::ExpandShapeOp::create(
          builder, loc, wide, pad.getSource(), *dims, pad.getMixedSizes());
    op.getInputsMutable()[0].set(tensor::InsertSliceOp::create(
        builder, loc, source, pad.getDest(), pad.getMixedOffsets(),
        pad.getMixedSizes(), pad.getMixedStrides()));
    if (pad->use_empty())
      pad.erase();
  }

  /// The loop of a stencil's channels that have weights of their own.
  std::optional<unsigned> findSharedChannels() {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    std::optional<unsigned> shared;
    bool sumsChannels = false, hasOwnChannels = false;
    for (unsigned loop = 0; loop < extents.size(); ++loop) {
      bool isInImage =
          maps[0].getResultPosition(builder.getAffineDimExpr(loop)).has_value();
      if (extents[loop] == 1 || !maps[1].isFunctionOfDim(loop))
        continue;
      sumsChannels |= isInImage && isReduced(loop);
      hasOwnChannels |= !maps[0].isFunctionOfDim(loop) && !isReduced(loop);
      if (isInImage && !isReduced(loop) &&
          (!shared || ShapedType::isDynamic(extents[loop]) ||
           extents[loop] > extents[*shared]))
        shared = loop;
    }
    return sumsChannels && hasOwnChannels ? std::nullopt : shared;
  }

  void orderStencil(unsigned shared) {
    auto [reduced, kept] = countWindowIterations(op);
    sumsPixels = reduced > kept;
    restoreUnits();
    order(0, {shared});
    SmallVector<unsigned> last = {shared};
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!isReduced(loop) && !maps[0].isFunctionOfDim(loop) &&
          maps[1].isFunctionOfDim(loop))
        last.push_back(loop);
    order(1, last);
    divideStrides();
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  }

  bool isReduced(unsigned loop) {
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
  }

  /// What is summed, in the image's order.
  SmallVector<unsigned> findPixels() {
    SmallVector<unsigned> pixels;
    for (AffineExpr expr : maps[0].getResults())
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (isReduced(loop) && expr.isFunctionOfDim(loop))
          pixels.push_back(loop);
    return pixels;
  }

  bool endsWith(AffineMap map, unsigned loop, unsigned last) {
    return map.getNumResults() > 1 &&
           map.getResults().take_back(2) ==
               ArrayRef{builder.getAffineDimExpr(loop),
                        builder.getAffineDimExpr(last)};
  }

  /// The channels of the image: of the loops that are no window, the longest
  /// one that both factors sum along, or, where pixels are summed, that the
  /// weights lack.
  std::optional<unsigned> findDepth() {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    std::optional<unsigned> depth;
    for (AffineExpr expr : maps[0].getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && isReduced(dim.getPosition()) != sumsPixels &&
          maps[1].isFunctionOfDim(dim.getPosition()) != sumsPixels &&
          (!depth || ShapedType::isDynamic(extents[dim.getPosition()]) ||
           extents[dim.getPosition()] > extents[*depth]))
        depth = dim.getPosition();
    return depth;
  }

  std::optional<unsigned> findChannels() {
    std::optional<unsigned> channels;
    for (AffineExpr expr : maps[1].getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (isReduced(loop) || maps[0].isFunctionOfDim(loop))
        continue;
      if (channels)
        return std::nullopt;
      channels = loop;
    }
    return channels;
  }

  /// Lets the dimensions along `loops` be the last ones of an input.
  void order(unsigned input, ArrayRef<unsigned> loops) {
    SmallVector<int64_t> first, last;
    for (unsigned loop : loops)
      last.push_back(*maps[input].getResultPosition(
          getAffineDimExpr(loop, builder.getContext())));
    for (int64_t dim = 0; dim < maps[input].getNumResults(); ++dim)
      if (!llvm::is_contained(last, dim))
        first.push_back(dim);
    llvm::append_range(first, last);
    permuteInput(input, first);
  }

  /// Boxes of several windows then have few dimensions of memory.
  SmallVector<int64_t> putWindowsLast(ArrayRef<unsigned> groups,
                                      unsigned depth) {
    SmallVector<int64_t> order, windows, last;
    for (unsigned loop : groups)
      last.push_back(getDim(loop));
    last.push_back(getDim(depth));
    bool isOne = llvm::count_if(maps[0].getResults(), [](AffineExpr expr) {
                   return !isa<AffineDimExpr>(expr);
                 }) == 1;
    for (auto [dim, expr] : llvm::enumerate(maps[0].getResults()))
      if (!llvm::is_contained(last, int64_t(dim)))
        (isOne || isa<AffineDimExpr>(expr) ? order : windows).push_back(dim);
    llvm::append_range(order, windows);
    llvm::append_range(order, last);
    return order;
  }

  /// The image's dimension along a loop.
  int64_t getDim(unsigned loop) {
    return *maps[0].getResultPosition(builder.getAffineDimExpr(loop));
  }

  /// Channels of which each group has weights of its own.
  SmallVector<unsigned> findGroups() {
    SmallVector<unsigned> groups;
    for (AffineExpr expr : maps[0].getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && !isReduced(dim.getPosition()) &&
          maps[1].isFunctionOfDim(dim.getPosition()))
        groups.push_back(dim.getPosition());
    return groups;
  }

  void permuteInput(unsigned input, ArrayRef<int64_t> first) {
    if (llvm::is_sorted(first))
      return;
    Value tensor = op.getInputs()[input];
    op.getInputsMutable()[input].set(permute(tensor, first));
    maps[input] = AffineMap::get(
        maps[input].getNumDims(), 0,
        llvm::map_to_vector(
            first, [&](int64_t dim) { return maps[input].getResult(dim); }),
        builder.getContext());
  }

  template <typename T>
  static SmallVector<T> pick(ArrayRef<T> values, ArrayRef<int64_t> order) {
    return llvm::map_to_vector(order, [&](int64_t dim) { return values[dim]; });
  }

  /// What is inside of zeros is permuted, and surrounded by them then.
  Value permute(Value tensor, ArrayRef<int64_t> permutation) {
    SmallVector<OpFoldResult> sizes = pick<OpFoldResult>(
        tensor::getMixedSizes(builder, loc, tensor), permutation);
    Type element = getElementTypeOrSelf(tensor);
    if (tensor::InsertSliceOp pad = findInsertIntoZeros(tensor)) {
      Value zeros = fill(sizes, element);
      return tensor::InsertSliceOp::create(
          builder, loc, permute(pad.getSource(), permutation), zeros,
          pick<OpFoldResult>(pad.getMixedOffsets(), permutation),
          pick<OpFoldResult>(pad.getMixedSizes(), permutation),
          pick<OpFoldResult>(pad.getMixedStrides(), permutation));
    }
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    unsigned rank = permutation.size();
    SmallVector<AffineExpr> exprs(rank);
    for (auto [to, from] : llvm::enumerate(permutation))
      exprs[from] = builder.getAffineDimExpr(to);
    SmallVector<AffineMap> copyMaps = {
        AffineMap::get(rank, 0, exprs, builder.getContext()),
        builder.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, empty.getType(), tensor, empty, copyMaps,
               iterators,
               [](OpBuilder &body, Location at, ValueRange arguments) {
                 linalg::YieldOp::create(body, at, arguments.front());
               })
        .getResult(0);
  }

  Value fill(ArrayRef<OpFoldResult> sizes, Type element) {
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  }

  /// Zeros behind an image, so that its extents are multiples of strides.
  void divideStrides() {
    Value image = op.getInputs()[0];
    tensor::InsertSliceOp pad = findPad(image);
    auto inner = cast<RankedTensorType>(pad ? pad.getSource().getType()
                                            : image.getType());
    auto outer = cast<RankedTensorType>(image.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, image);
    bool isDivisible = true, isPadded = false;
    for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
      SmallVector<int64_t> strides(maps[0].getNumDims(), 0);
      int64_t constant = 0;
      if (isa<AffineDimExpr>(expr) || !readLinear(expr, strides, constant))
        continue;
      int64_t stride = 1;
      for (auto [loop, own] : llvm::enumerate(strides))
        if (own > 0 && isReduced(loop) == sumsPixels)
          stride = own;
      if (stride == 1)
        continue;
      if (inner.isDynamicDim(dim) || outer.isDynamicDim(dim))
        return;
      isDivisible &= inner.getDimSize(dim) % stride == 0;
      int64_t wanted = llvm::divideCeil(outer.getDimSize(dim), stride) * stride;
      isPadded |= wanted != outer.getDimSize(dim);
      sizes[dim] = builder.getIndexAttr(wanted);
    }
    // Kernels look through pads where that suffices.
    if (isDivisible || !isPadded)
      return;
    Value zeros = fill(sizes, outer.getElementType());
    Value source = pad ? pad.getSource() : image;
    SmallVector<OpFoldResult> offsets(outer.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> steps(outer.getRank(), builder.getIndexAttr(1));
    if (pad)
      offsets = pad.getMixedOffsets();
    op.getInputsMutable()[0].set(tensor::InsertSliceOp::create(
        builder, loc, source, zeros, offsets,
        tensor::getMixedSizes(builder, loc, source), steps));
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<AffineMap> maps;
  bool sumsPixels = false;
};

} // namespace

/// Whether its result is widened.
static bool orderConvolution(linalg::GenericOp op, bool widens,
                             IRRewriter &rewriter, DecisionLog &log) {
  ConvolutionOrder(op).orderGroups();
  // As written, groups share nothing.
  if (widens)
    op = joinNarrowGroups(op, rewriter);
  op = joinTaps(op, rewriter, log);
  if (hasWindows(op))
    ConvolutionOrder(op).run();
  rewriter.setInsertionPoint(op);
  linalg::GenericOp wide = widens ? widenProduct(op) : op;
  bool isWidened = wide != op;
  separateTaps(wide, rewriter, log);
  return isWidened;
}

unsigned carousel::orderConvolutions(func::FuncOp func, bool widens) {
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) {
    if (hasWindows(op) && op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  DecisionLog log(func, "carousel-normalize-graph");
  unsigned widened = 0;
  for (linalg::LinalgOp op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    rewriter.setInsertionPoint(op);
    if (!generic)
      if (auto made = linalg::generalizeNamedOp(rewriter, op); succeeded(made))
        generic = *made;
    if (!generic)
      continue;
    generic = readWeightsDirectly(generic, rewriter);
    for (linalg::GenericOp part : splitSpreadImage(generic, rewriter))
      widened += orderConvolution(part, widens, rewriter, log);
  }
  return widened;
}
