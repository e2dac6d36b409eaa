//===- DepthwiseConvolutions.cpp - few channels for each group ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution whose groups have fewer channels than a matrix instruction has
// depth or columns becomes one of fewer groups, with zeros between the weights
// of those that were put together. Images and results are seen in another
// shape; a small kernel writes the weights.
//
// The gradient of depthwise weights sums over all pixels for each element of
// the kernel. Here each of these elements is a sum of its own, so that one
// kernel has them all, and reads its pixels once for them. An element of the
// kernel is a number that is added to an index of the image. A pad of one
// element more keeps these numbers positive: an index that is a loop alone
// would be no window. Each image of a batch has sums of its own, which the op
// that puts them together adds: programs for all images need no parts.
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#include "LowerConvolutions.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Narrow groups
//===----------------------------------------------------------------------===//

namespace {

class GroupJoiner : ConvolutionRewriter {
public:
  using ConvolutionRewriter::ConvolutionRewriter;

  linalg::GenericOp run() {
    if (!findLoops() || !chooseJoined())
      return op;
    AffineMap ofWeights;
    Value weights = joinWeights(ofWeights);
    Value image = joinImage(op.getInputs()[0]);
    auto made = createWithBodyOf(rewriter, op, {image, weights}, joinInit(),
                                 {maps[0], ofWeights, maps[2]}, iterators);
    linalg::GenericOp last = op;
    Value result = made.getResult(0);
    if (linalg::GenericOp cast = findCast()) {
      rewriter.setInsertionPoint(cast);
      result = convert(cast, result);
      last = cast;
    }
    auto type = llvm::cast<RankedTensorType>(last.getResult(0).getType());
    rewriter.setInsertionPointAfterValue(result);
    rewriter.replaceOp(last, regroup(result, *findDim(2, group), type));
    if (last != op)
      rewriter.eraseOp(op);
    return made;
  }

private:
  /// Groups and channels are neighbours in the image and in the result.
  bool findLoops() {
    ArrayRef<AffineExpr> dims = maps[0].getResults();
    if (dims.size() < 3 || !isa<AffineDimExpr>(dims.back()) ||
        !isa<AffineDimExpr>(dims.drop_back().back()))
      return false;
    depth = cast<AffineDimExpr>(dims.back()).getPosition();
    group = cast<AffineDimExpr>(dims.drop_back().back()).getPosition();
    std::optional<unsigned> own = findOwnChannels(), dim = findDim(2, group);
    if (!isReduced(depth) || isReduced(group) || !own || !dim ||
        findDim(2, *own) != std::optional(*dim + 1))
      return false;
    channels = *own;
    return isInWeights(group) && isInWeights(depth);
  }

  /// As many groups as fill the rows of a tile that tensor copies bring.
  bool chooseJoined() {
    constexpr int64_t kLeast = 32, kWanted = 64;
    int64_t most = std::max(extents[depth], extents[channels]);
    // Unknown extents are negative.
    if (extents[group] <= 0 || extents[depth] <= 0 || extents[channels] <= 0 ||
        std::min(extents[depth], extents[channels]) >= kLeast ||
        !cast<RankedTensorType>(op.getInputs()[1].getType()).hasStaticShape())
      return false;
    for (joined = kWanted / most; joined > 1; --joined)
      if (extents[group] % joined == 0)
        return true;
    return false;
  }

  /// `tensor` with other groups in two neighbouring dimensions, as `type` has
  /// them.
  Value regroup(Value tensor, int64_t dim, RankedTensorType type) {
    auto from = cast<RankedTensorType>(tensor.getType());
    bool isDivided = from.getDimSize(dim + 1) > type.getDimSize(dim + 1);
    // Groups, those that are joined, and channels.
    SmallVector<int64_t> shape(from.getShape());
    shape[dim] = std::min(from.getDimSize(dim), type.getDimSize(dim));
    shape[dim + 1] =
        std::min(from.getDimSize(dim + 1), type.getDimSize(dim + 1));
    shape.insert(shape.begin() + dim + 1, joined);
    Value expanded = tensor::ExpandShapeOp::create(
        rewriter, loc, from.clone(shape), tensor,
        joinNext(from.getRank(), dim + isDivided));
    return tensor::CollapseShapeOp::create(
        rewriter, loc, type, expanded,
        joinNext(from.getRank(), dim + !isDivided));
  }

  /// Finds the only reader of the result, if it only converts its elements: a
  /// kernel computes both.
  linalg::GenericOp findCast() {
    linalg::GenericOp user = findConversion();
    bool isCast = user &&
                  llvm::all_of(user.getBody()->without_terminator(),
                               llvm::IsaPred<CastOpInterface>) &&
                  user.getBody()->getArguments().back().use_empty();
    return isCast ? user : linalg::GenericOp();
  }

  Value regroupJoined(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= joined;
    shape[dim + 1] *= joined;
    return regroup(tensor, dim, type.clone(shape));
  }

  /// Inside of zeros around it.
  Value joinImage(Value image) {
    int64_t dim = maps[0].getNumResults() - 2;
    tensor::InsertSliceOp pad = findInsertIntoZeros(image);
    if (!pad || !isWhole(pad, dim) || !isWhole(pad, dim + 1))
      return regroupJoined(image, dim);
    SmallVector<OpFoldResult> sizes = getSizes(image);
    SmallVector<Range> ranges = readRanges(pad);
    sizes[dim] = ranges[dim].size = number(extents[group] / joined);
    sizes[dim + 1] = ranges[dim + 1].size = number(extents[depth] * joined);
    return insertIntoZeros(joinImage(pad.getSource()), sizes, ranges);
  }

  Value joinInit() {
    Value init = op.getOutputs()[0];
    int64_t dim = *findDim(2, group);
    TypedAttr value = findFill(init);
    if (!value)
      return regroupJoined(init, dim);
    SmallVector<OpFoldResult> sizes = getSizes(init);
    sizes[dim] = number(extents[group] / joined);
    sizes[dim + 1] = number(extents[channels] * joined);
    return fill(sizes, value);
  }

  /// By other dimensions, groups, joined channels of the image, and those of
  /// the result: zero where these are of different groups.
  Value joinWeights(AffineMap &map);

  unsigned group = 0, depth = 0, channels = 0; ///< loops
  int64_t joined = 1;
};

} // namespace

Value GroupJoiner::joinWeights(AffineMap &map) {
  Value weights = op.getInputs()[1];
  auto type = cast<RankedTensorType>(weights.getType());
  // Loops: other dimensions, groups, joined, depth, joined, channels.
  unsigned others = type.getRank() - 3, loops = others + 5;
  SmallVector<AffineExpr> read, results;
  SmallVector<int64_t> wide, shape(type.getShape());
  for (auto [dim, expr] : llvm::enumerate(maps[1].getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop == group) {
      read.append({getLoop(others), getLoop(others + 1)});
    } else if (loop == depth || loop == channels) {
      read.push_back(getLoop(others + (loop == depth ? 2 : 4)));
    } else {
      read.push_back(getLoop(results.size()));
      results.push_back(expr);
      wide.push_back(shape[dim]);
    }
  }
  // Groups become two dimensions.
  int64_t groups = *findDim(1, group);
  shape[groups] = extents[group] / joined;
  shape.insert(shape.begin() + groups + 1, joined);
  Value divided =
      tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), weights,
                                    joinNext(type.getRank(), groups));
  wide.append({extents[group] / joined, joined, extents[depth], joined,
               extents[channels]});
  Type element = type.getElementType();
  Value spread = createElements(
      rewriter, loc, wide, element, divided,
      AffineMap::get(loops, 0, read, op.getContext()),
      [&](OpBuilder &body, ValueRange indices, ValueRange weights) {
        IndexBuilder n(body, loc);
        Value isSame = n.compare(arith::CmpIPredicate::eq, indices[others + 1],
                                 indices[others + 3]);
        Value zero =
            arith::ConstantOp::create(body, loc, body.getZeroAttr(element));
        return n.choose(isSame, weights.front(), zero);
      });
  SmallVector<ReassociationIndices> collapse = joinNext(others + 2, others + 1);
  collapse.push_back({others + 3, others + 4});
  for (unsigned loop : {group, depth, channels})
    results.push_back(getLoop(loop));
  map = AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
  return tensor::CollapseShapeOp::create(rewriter, loc, spread, collapse);
}

linalg::GenericOp carousel::mergeConvolutionGroups(linalg::GenericOp op,
                                                   RewriterBase &rewriter) {
  return GroupJoiner(op, rewriter).run();
}

//===----------------------------------------------------------------------===//
// Gradients of depthwise weights
//===----------------------------------------------------------------------===//

namespace {

class DepthwiseWgrad : ConvolutionRewriter {
public:
  DepthwiseWgrad(linalg::GenericOp op, RewriterBase &rewriter)
      : ConvolutionRewriter(op, rewriter) {
    isWgrad = true;
  }

  void run(DecisionLog &log);

private:
  bool isStencil();
  bool chooseFilterElements();
  bool isWorthIt();
  Value padImage();
  AffineMap keep(ArrayRef<AffineExpr> results, ArrayRef<int64_t> taps) const;
  Value sum(Value image, ArrayRef<int64_t> taps);
  Value putTogether(ArrayRef<Value> sums);

  bool isSeparate(AffineExpr expr) const {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    return loop && llvm::is_contained(separate, loop.getPosition());
  }

  SmallVector<unsigned> separate; ///< loops of the kernel
  SmallVector<int64_t> counts;    ///< their extents
  SmallVector<unsigned> images;   ///< loops of batches
  SmallVector<unsigned> order;    ///< loops of sums
  int64_t sums = 1;
};

} // namespace

/// Whether it sums along the pixels of an image of which each channel has
/// weights of its own, from a constant.
bool DepthwiseWgrad::isStencil() {
  if (!hasWindows(op) || !findFill(op.getOutputs()[0]) || !hasLongStencil() ||
      op.hasIndexSemantics())
    return false;
  std::string refusal;
  std::optional<ConvolutionImage> found = findConvolution(op, refusal);
  return found && found->kind == GraphOpKind::Stencil;
}

/// All elements of a small kernel. Those of a large one would be too many
/// operands of the op that puts them together.
bool DepthwiseWgrad::chooseFilterElements() {
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    if (isa<AffineDimExpr>(expr))
      continue;
    std::optional<ConvolutionIndex> index = readIndex(dim);
    if (!index || !index->isWindow() ||
        ShapedType::isDynamic(extents[*index->tap]) || isInWeights(*index->tap))
      return false;
    separate.push_back(*index->tap);
    counts.push_back(extents[*index->tap]);
  }
  sums = computeProduct(counts);
  images = findPlainLoops();
  llvm::erase_if(images, [&](unsigned loop) { return !isReduced(loop); });
  for (AffineExpr expr : maps[0].getResults())
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (expr.isFunctionOfDim(loop) && !isSeparate(getLoop(loop)))
        order.push_back(loop);
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!isInImage(loop))
      order.push_back(loop);
  constexpr int64_t kMostFilterElements = 25;
  return sums > 1 && sums <= kMostFilterElements;
}

/// Putting the sums together is a kernel more, which takes some microseconds.
/// Narrow elements are as few bytes as reading them again for each element of
/// the kernel hides (H200, 32 x 56 x 56 x 128: 57 us, and 76 by one pass).
bool DepthwiseWgrad::isWorthIt() {
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

/// The image with one zero more before it, in dimensions of windows, and with
/// zeros after it up to a multiple of the stride.
Value DepthwiseWgrad::padImage() {
  Value image = op.getInputs()[0], source = image;
  SmallVector<OpFoldResult> sizes = getSizes(image);
  tensor::InsertSliceOp pad = findPad(image);
  if (pad)
    source = pad.getSource();
  SmallVector<Range> ranges = getRanges(source);
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    bool isWindow = !isa<AffineDimExpr>(expr);
    ranges[dim].offset =
        number((pad ? pad.getStaticOffset(dim) : 0) + isWindow);
    if (!isWindow)
      continue;
    int64_t stride = readIndex(dim)->stride;
    sizes[dim] = affine::makeComposedFoldedAffineApply(
        rewriter, loc,
        (rewriter.getAffineSymbolExpr(0) + 1).ceilDiv(stride) * stride,
        sizes[dim]);
  }
  return insertIntoZeros(source, sizes, ranges);
}

/// With numbers for the loops that are separate, and without these loops. Loops
/// are in the image's order, so that vectors are.
AffineMap DepthwiseWgrad::keep(ArrayRef<AffineExpr> results,
                               ArrayRef<int64_t> taps) const {
  SmallVector<AffineExpr> loops(extents.size());
  for (auto [loop, tap] : llvm::zip_equal(separate, taps))
    loops[loop] = rewriter.getAffineConstantExpr(tap);
  for (auto [place, loop] : llvm::enumerate(order))
    loops[loop] = getLoop(place);
  return AffineMap::get(extents.size(), 0, results, rewriter.getContext())
      .replaceDimsAndSymbols(loops, {}, order.size(), 0);
}

/// The sum for one element of the kernel, of each image.
Value DepthwiseWgrad::sum(Value image, ArrayRef<int64_t> taps) {
  SmallVector<AffineExpr> ofImage, ofResult;
  for (AffineExpr expr : maps[0].getResults())
    ofImage.push_back(isa<AffineDimExpr>(expr) ? expr : expr + 1);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : images) {
    ofResult.push_back(getLoop(loop));
    sizes.push_back(
        tensor::getMixedSize(rewriter, loc, image, *findDim(0, loop)));
  }
  auto resultSizes = getSizes(op.getOutputs()[0]);
  for (auto [expr, size] : llvm::zip_equal(maps[2].getResults(), resultSizes))
    if (!isSeparate(expr)) {
      ofResult.push_back(expr);
      sizes.push_back(size);
    }
  SmallVector<utils::IteratorType> kinds;
  for (unsigned loop : order)
    kinds.push_back(llvm::is_contained(images, loop)
                        ? utils::IteratorType::parallel
                        : iterators[loop]);
  Value init = fill(
      sizes, rewriter.getZeroAttr(getElementTypeOrSelf(op.getOutputs()[0])));
  return createWithBodyOf(rewriter, op, {image, op.getInputs()[1]}, init,
                          {keep(ofImage, taps),
                           keep(maps[1].getResults(), taps),
                           keep(ofResult, taps)},
                          kinds)
      .getResult(0);
}

/// The result's elements, each of the sum that its indices name, of all images.
Value DepthwiseWgrad::putTogether(ArrayRef<Value> sums) {
  Value init = op.getOutputs()[0];
  unsigned rank = maps[2].getNumResults(), loops = rank + images.size();
  SmallVector<AffineExpr> ofSums, ofResult;
  for (unsigned loop = rank; loop < loops; ++loop)
    ofSums.push_back(getLoop(loop));
  for (auto [dim, expr] : llvm::enumerate(maps[2].getResults())) {
    ofResult.push_back(getLoop(dim));
    if (!isSeparate(expr))
      ofSums.push_back(getLoop(dim));
  }
  SmallVector<AffineMap> all(
      sums.size(), AffineMap::get(loops, 0, ofSums, rewriter.getContext()));
  all.push_back(AffineMap::get(loops, 0, ofResult, rewriter.getContext()));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.append(images.size(), utils::IteratorType::reduction);
  auto write = [&](OpBuilder &body, Location at, ValueRange values) {
    // The number of the sum, of all elements of the kernel.
    IndexBuilder n(body, at);
    SmallVector<Value> indices;
    for (unsigned loop : separate)
      indices.push_back(
          linalg::IndexOp::create(body, at, findDim(2, loop).value_or(0)));
    Value number = n.linearize(indices, counts), element = values.front();
    for (auto [tap, value] : llvm::enumerate(values.drop_back().drop_front()))
      element = n.choose(
          n.compare(arith::CmpIPredicate::eq, number, n.constant(tap + 1)),
          value, element);
    element = vector::makeArithReduction(body, at, vector::CombiningKind::ADD,
                                         values.back(), element);
    linalg::YieldOp::create(body, at, element);
  };
  return linalg::GenericOp::create(rewriter, loc, init.getType(), sums, init,
                                   all, kinds, write)
      .getResult(0);
}

void DepthwiseWgrad::run(DecisionLog &log) {
  if (!isStencil() || !chooseFilterElements() || !isWorthIt())
    return;
  log.passed(op, "SeparateTaps",
             Twine(sums) + " elements of a kernel are sums of one pass, which "
                           "reads pixels once for all of them");
  Value image = padImage();
  SmallVector<Value> made;
  for (int64_t number = 0; number < sums; ++number)
    made.push_back(sum(image, delinearize(number, computeStrides(counts))));
  rewriter.replaceOp(op, putTogether(made));
}

void carousel::splitDepthwiseWgrad(linalg::GenericOp op, RewriterBase &rewriter,
                                   DecisionLog &log) {
  DepthwiseWgrad(op, rewriter).run(log);
}
