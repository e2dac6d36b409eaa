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
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Narrow groups
//===----------------------------------------------------------------------===//

namespace {

class GroupJoiner {
public:
  GroupJoiner(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()) {}

  linalg::GenericOp run() {
    if (!findLoops() || !chooseJoined())
      return op;
    rewriter.setInsertionPoint(op);
    AffineMap ofWeights;
    Value weights = joinWeights(ofWeights);
    Value image = joinImage(op.getInputs()[0]);
    Value init = joinInit();
    auto made = linalg::GenericOp::create(
        rewriter, loc, init.getType(), ValueRange{image, weights}, init,
        ArrayRef{maps[0], ofWeights, maps[2]}, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                                made.getRegion().begin());
    int64_t dim = *findDim(maps[2], group);
    linalg::GenericOp last = op;
    Value result = made.getResult(0);
    if (linalg::GenericOp cast = findCast()) {
      result = joinCast(cast, result);
      last = cast;
    }
    auto type = llvm::cast<RankedTensorType>(last.getResult(0).getType());
    rewriter.setInsertionPointAfterValue(result);
    rewriter.replaceOp(last, regroup(result, dim, type));
    if (last != op)
      rewriter.eraseOp(op);
    return made;
  }

private:
  std::optional<unsigned> findDim(AffineMap map, unsigned loop) const {
    return map.getResultPosition(getAffineDimExpr(loop, rewriter.getContext()));
  }

  /// Groups and channels are neighbours in the image and in the result.
  bool findLoops() {
    ArrayRef<AffineExpr> dims = maps[0].getResults();
    if (dims.size() < 3 || !isa<AffineDimExpr>(dims.back()) ||
        !isa<AffineDimExpr>(dims.drop_back().back()))
      return false;
    depth = cast<AffineDimExpr>(dims.back()).getPosition();
    group = cast<AffineDimExpr>(dims.drop_back().back()).getPosition();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    if (kinds[depth] != utils::IteratorType::reduction ||
        kinds[group] == utils::IteratorType::reduction)
      return false;
    unsigned count = 0;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!maps[0].isFunctionOfDim(loop)) {
        channels = loop;
        ++count;
      }
    std::optional<unsigned> groupDim = findDim(maps[2], group);
    return count == 1 && groupDim &&
           findDim(maps[2], channels) == std::optional(*groupDim + 1) &&
           maps[1].isProjectedPermutation() &&
           llvm::all_of(ArrayRef{group, depth, channels}, [&](unsigned loop) {
             return maps[1].isFunctionOfDim(loop);
           });
  }

  /// As many groups as fill the rows of a tile that tensor copies bring.
  bool chooseJoined() {
    constexpr int64_t kLeast = 32, kWanted = 64;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    groups = extents[group];
    own = {extents[depth], extents[channels]};
    if (ShapedType::isDynamic(groups) || groups == 0 ||
        llvm::any_of(own,
                     [](int64_t extent) {
                       return ShapedType::isDynamic(extent) || extent == 0;
                     }) ||
        llvm::all_of(own, [](int64_t extent) { return extent >= kLeast; }) ||
        !cast<RankedTensorType>(op.getInputs()[1].getType()).hasStaticShape())
      return false;
    for (joined = kWanted / std::max(own[0], own[1]); joined > 1; --joined)
      if (groups % joined == 0)
        return true;
    return false;
  }

  /// `tensor` with other groups in two neighbouring dimensions, as `type` has
  /// them.
  Value regroup(Value tensor, int64_t dim, RankedTensorType type) {
    auto from = cast<RankedTensorType>(tensor.getType());
    int64_t least =
        std::min(from.getDimSize(dim + 1), type.getDimSize(dim + 1));
    int64_t inner = from.getDimSize(dim + 1) / least;
    int64_t outer = type.getDimSize(dim + 1) / least;
    SmallVector<ReassociationIndices> expansion, collapse;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, tensor);
    SmallVector<int64_t> shape(from.getShape());
    for (int64_t at = 0; at < from.getRank(); ++at) {
      int64_t first = at + (at > dim);
      expansion.push_back({at > dim + 1 ? at + 1 : first});
      collapse.push_back(expansion.back());
    }
    bool isDivided = inner != 1;
    int64_t three[] = {isDivided ? from.getDimSize(dim) : type.getDimSize(dim),
                       std::max(inner, outer), least};
    expansion[dim] = isDivided ? ReassociationIndices{dim}
                               : ReassociationIndices{dim, dim + 1};
    expansion[dim + 1] = isDivided ? ReassociationIndices{dim + 1, dim + 2}
                                   : ReassociationIndices{dim + 2};
    collapse[dim] = isDivided ? ReassociationIndices{dim, dim + 1}
                              : ReassociationIndices{dim};
    collapse[dim + 1] = isDivided ? ReassociationIndices{dim + 2}
                                  : ReassociationIndices{dim + 1, dim + 2};
    sizes.erase(sizes.begin() + dim, sizes.begin() + dim + 2);
    shape.erase(shape.begin() + dim, shape.begin() + dim + 2);
    for (int64_t at : {2, 1, 0}) {
      sizes.insert(sizes.begin() + dim, rewriter.getIndexAttr(three[at]));
      shape.insert(shape.begin() + dim, three[at]);
    }
    Value expanded = tensor::ExpandShapeOp::create(
        rewriter, loc, RankedTensorType::get(shape, from.getElementType()),
        tensor, expansion, sizes);
    return tensor::CollapseShapeOp::create(rewriter, loc, type, expanded,
                                           collapse);
  }

  /// Finds the only reader of the result, if it only converts its elements: a
  /// kernel computes both.
  linalg::GenericOp findCast() const {
    if (!op->hasOneUse())
      return {};
    auto user = dyn_cast<linalg::GenericOp>(*op->user_begin());
    bool isCast =
        user && user.getNumDpsInputs() == 1 && user.getNumDpsInits() == 1 &&
        llvm::all_of(user.getIndexingMapsArray(),
                     [](AffineMap map) { return map.isIdentity(); }) &&
        llvm::all_of(user.getBody()->without_terminator(),
                     llvm::IsaPred<CastOpInterface>) &&
        user.getBody()->getArguments().back().use_empty();
    return isCast ? user : linalg::GenericOp();
  }

  Value joinCast(linalg::GenericOp cast, Value result) {
    rewriter.setInsertionPoint(cast);
    auto type = llvm::cast<RankedTensorType>(result.getType());
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, result),
        getElementTypeOrSelf(cast.getResult(0)));
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    auto made = linalg::GenericOp::create(
        rewriter, cast.getLoc(), empty.getType(), result, empty,
        ArrayRef{map, map}, cast.getIteratorTypesArray());
    rewriter.inlineRegionBefore(cast.getRegion(), made.getRegion(),
                                made.getRegion().begin());
    return made.getResult(0);
  }

  RankedTensorType joinType(RankedTensorType type, int64_t dim) const {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= joined;
    shape[dim + 1] *= joined;
    return type.clone(shape);
  }

  /// Inside of zeros around it.
  Value joinImage(Value image) {
    auto type = cast<RankedTensorType>(image.getType());
    int64_t dim = type.getRank() - 2;
    tensor::InsertSliceOp pad = findInsertIntoZeros(image);
    if (!pad || !isWhole(pad, dim) || !isWhole(pad, dim + 1))
      return regroup(image, dim, joinType(type, dim));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, image);
    auto join = [&](SmallVectorImpl<OpFoldResult> &of) {
      of[dim] = rewriter.getIndexAttr(groups / joined);
      of[dim + 1] = rewriter.getIndexAttr(own[0] * joined);
    };
    join(sizes);
    Value source = joinImage(pad.getSource());
    SmallVector<OpFoldResult> inner = pad.getMixedSizes();
    join(inner);
    return tensor::InsertSliceOp::create(
        rewriter, loc, source, fill(sizes, type.getElementType()),
        pad.getMixedOffsets(), inner, pad.getMixedStrides());
  }

  Value fill(ArrayRef<OpFoldResult> sizes, Type element) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    Value zero = arith::ConstantOp::create(
        rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(element)));
    return linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  }

  Value joinInit() {
    Value init = op.getOutputs()[0];
    auto type = cast<RankedTensorType>(init.getType());
    int64_t dim = *findDim(maps[2], group);
    TypedAttr value = findFill(init);
    if (!value)
      return regroup(init, dim, joinType(type, dim));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, init);
    sizes[dim] = rewriter.getIndexAttr(groups / joined);
    sizes[dim + 1] = rewriter.getIndexAttr(own[1] * joined);
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    Value constant = arith::ConstantOp::create(rewriter, loc, value);
    return linalg::FillOp::create(rewriter, loc, constant, empty).getResult(0);
  }

  /// By other dimensions, groups, joined channels of the image, and those of
  /// the result: zero where these are of different groups.
  Value joinWeights(AffineMap &map);

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  SmallVector<AffineMap> maps;
  unsigned group = 0, depth = 0, channels = 0;
  int64_t groups = 1, joined = 1;
  SmallVector<int64_t> own; ///< channels of a group: image's, result's
};

} // namespace

Value GroupJoiner::joinWeights(AffineMap &map) {
  Value weights = op.getInputs()[1];
  auto type = cast<RankedTensorType>(weights.getType());
  int64_t rank = type.getRank();
  // Groups become two dimensions.
  SmallVector<ReassociationIndices> dims;
  SmallVector<int64_t> shape, order;
  SmallVector<AffineExpr> results;
  std::optional<int64_t> places[3]; // of groups, depth and channels
  for (auto [dim, expr] : llvm::enumerate(maps[1].getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    dims.push_back({int64_t(shape.size())});
    if (loop == group) {
      places[0] = shape.size();
      dims.back().push_back(shape.size() + 1);
      shape.push_back(groups / joined);
      shape.push_back(joined);
      continue;
    }
    if (loop == depth || loop == channels) {
      places[loop == depth ? 1 : 2] = shape.size();
    } else {
      order.push_back(shape.size());
      results.push_back(expr);
    }
    shape.push_back(type.getDimSize(dim));
  }
  Value divided = tensor::ExpandShapeOp::create(
      rewriter, loc, type.clone(shape), weights, dims);
  // Loops: other dimensions, groups, joined, depth, joined, channels.
  unsigned others = order.size(), loops = others + 5;
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> read(rank + 1);
  SmallVector<int64_t> wide;
  for (auto [loop, dim] : llvm::enumerate(order)) {
    read[dim] = getAffineDimExpr(loop, context);
    wide.push_back(shape[dim]);
  }
  read[*places[0]] = getAffineDimExpr(others, context);
  read[*places[0] + 1] = getAffineDimExpr(others + 1, context);
  read[*places[1]] = getAffineDimExpr(others + 2, context);
  read[*places[2]] = getAffineDimExpr(others + 4, context);
  llvm::append_range(
      wide, ArrayRef<int64_t>{groups / joined, joined, own[0], joined, own[1]});
  Type element = type.getElementType();
  Value empty = tensor::EmptyOp::create(rewriter, loc, wide, element);
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  auto spread = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), divided, empty,
      ArrayRef{AffineMap::get(loops, 0, read, context),
               rewriter.getMultiDimIdentityMap(loops)},
      kinds, [&](OpBuilder &body, Location at, ValueRange arguments) {
        Value from = linalg::IndexOp::create(body, at, others + 1);
        Value to = linalg::IndexOp::create(body, at, others + 3);
        Value isSame =
            arith::CmpIOp::create(body, at, arith::CmpIPredicate::eq, from, to);
        Value zero = arith::ConstantOp::create(
            body, at, cast<TypedAttr>(body.getZeroAttr(element)));
        Value weight =
            arith::SelectOp::create(body, at, isSame, arguments.front(), zero);
        linalg::YieldOp::create(body, at, weight);
      });
  SmallVector<ReassociationIndices> collapse;
  for (int64_t dim = 0; dim <= int64_t(others); ++dim)
    collapse.push_back({dim});
  collapse.push_back({others + 1, others + 2});
  collapse.push_back({others + 3, others + 4});
  for (unsigned loop : {group, depth, channels})
    results.push_back(getAffineDimExpr(loop, context));
  map = AffineMap::get(op.getNumLoops(), 0, results, context);
  return tensor::CollapseShapeOp::create(rewriter, loc, spread.getResult(0),
                                         collapse);
}

linalg::GenericOp carousel::joinNarrowGroups(linalg::GenericOp op,
                                             RewriterBase &rewriter) {
  return GroupJoiner(op, rewriter).run();
}

//===----------------------------------------------------------------------===//
// Gradients of depthwise weights
//===----------------------------------------------------------------------===//

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
