//===- LowerConvolutions.cpp - convolutions as products -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-convolutions. Images with channels before their pixels are
// transposed, and so are such weights. A producer of the image writes it so, if
// they are in one group. docs/GraphPhase.md, Convolutions.
//
// Im2col: an image of three channels fills three of the 8 or 16 elements of
// depth that an instruction multiplies, for each element of the kernel. Here a
// row of the kernel and the channels become one depth: a copy of the image has,
// for each pixel of the result, what the row meets. Along the joined dimension,
// pixel j of the result meets element a of the kernel in place s * j + d * a +
// k of the padded image. The copy has channel c of it at depth a * channels +
// c, and zeros after the last one, so that rows of the copy are whole granules
// of 16 bytes. Weights have zeros there, too: no product is of a zero and an
// element of the image. In the gradient of weights, the elements of the kernel
// are those of the result, which has the joined depth then, and pixels are what
// is summed.
//
//===----------------------------------------------------------------------===//

#include "LowerConvolutions.h"

#include "../Decisions/DecisionLog.h"
#include "../Precision/WidenSums.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERCONVOLUTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Im2col
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of the image along which the kernel moves.
struct JoinedWindow {
  unsigned dim = 0; ///< of the image
  unsigned pixel = 0, tap = 0;
  int64_t stride = 1, dilation = 1, constant = 0;
  int64_t pixels = 0, taps = 0;
};

class TapJoiner {
public:
  TapJoiner(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()),
        element(getElementTypeOrSelf(op.getInputs()[0])),
        maps(op.getIndexingMapsArray()), iterators(op.getIteratorTypesArray()),
        extents(op.getStaticLoopRanges()) {}

  linalg::GenericOp run(DecisionLog &log);

private:
  bool isReduced(unsigned loop) const {
    return iterators[loop] == utils::IteratorType::reduction;
  }
  /// Where the first pixel meets the first element of the kernel, in the image
  /// without zeros around it, and how many pixels that has.
  int64_t getFirst() {
    return window.constant - (pad ? pad.getStaticOffset(window.dim) : 0);
  }
  int64_t getLength() {
    return cast<RankedTensorType>(source.getType()).getDimSize(window.dim);
  }
  /// Channels and elements of the kernel are what is summed, or what is kept.
  bool isOfKernel(unsigned loop) const { return isReduced(loop) != sumsPixels; }
  RankedTensorType getResultType() {
    return cast<RankedTensorType>(op.getResult(0).getType());
  }
  bool arePlacesShort();
  bool readDims();
  std::optional<JoinedWindow> readWindow(unsigned dim) const;
  bool isNarrow() const;
  bool isWorthIt() const;

  Value copyImage();
  Value readElement(OpBuilder &body, Location at, Value source,
                    ArrayRef<Value> others, Value pixel, Value depthIndex);
  Value copyWeights();
  linalg::GenericOp createCopy(
      ArrayRef<OpFoldResult> sizes, Type type,
      llvm::function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)> read);
  AffineMap renumber(ArrayRef<AffineExpr> results) const;
  AffineMap joinDepth(AffineMap map) const;
  Value fillResult();
  Value separateDepth(Value result);

  static Value number(OpBuilder &body, Location at, int64_t value) {
    return arith::ConstantIndexOp::create(body, at, value);
  }

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  Type element;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> extents;
  Value source;              ///< the image without zeros around it
  tensor::InsertSliceOp pad; ///< or null
  bool sumsPixels = false;   ///< for the gradient of weights
  unsigned depthDim = 0;     ///< of the image
  unsigned depth = 0;        ///< the loop of channels
  unsigned ownChannels = 0;  ///< the result's
  int64_t channels = 0;      ///< of the image
  JoinedWindow window;
  int64_t joined = 0;     ///< elements of depth
  int64_t padded = 0;     ///< with zeros behind
  int64_t granule = 0;    ///< elements of it
  int64_t leastDepth = 0; ///< an instruction's
};

} // namespace

std::optional<JoinedWindow> TapJoiner::readWindow(unsigned dim) const {
  SmallVector<int64_t> strides(extents.size(), 0);
  JoinedWindow found;
  found.dim = dim;
  if (!readLinear(maps[0].getResult(dim), strides, found.constant))
    return std::nullopt;
  std::optional<unsigned> pixel, tap;
  for (auto [loop, stride] : llvm::enumerate(strides)) {
    if (stride == 0)
      continue;
    std::optional<unsigned> &own = isOfKernel(loop) ? tap : pixel;
    if (own)
      return std::nullopt;
    own = loop;
    (isOfKernel(loop) ? found.dilation : found.stride) = stride;
  }
  if (!pixel || !tap || found.stride < 1)
    return std::nullopt;
  found.pixel = *pixel;
  found.tap = *tap;
  found.pixels = extents[*pixel];
  found.taps = extents[*tap];
  return found;
}

/// Finds the image's dimension of channels, and the one that is joined with
/// them: the one with most elements of the kernel, of these the innermost.
bool TapJoiner::readDims() {
  std::optional<unsigned> channelsDim, own;
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && isOfKernel(loop.getPosition())) {
      if (channelsDim)
        return false;
      channelsDim = dim;
      depth = loop.getPosition();
    }
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool ofImage = maps[0].isFunctionOfDim(loop);
    bool ofWeights = maps[1].isFunctionOfDim(loop);
    if (isReduced(loop) ? !ofImage || !ofWeights : ofImage == ofWeights)
      return false;
    if (isReduced(loop) || ofImage)
      continue;
    if (own)
      return false;
    own = loop;
  }
  if (!channelsDim || !own || ShapedType::isDynamic(extents[depth]))
    return false;
  depthDim = *channelsDim;
  ownChannels = *own;
  channels = extents[depth];
  window = {};
  for (unsigned dim = 0; dim < maps[0].getNumResults(); ++dim)
    if (std::optional<JoinedWindow> found = readWindow(dim);
        found && !ShapedType::isDynamic(found->pixels) &&
        !ShapedType::isDynamic(found->taps) && found->taps >= window.taps)
      window = *found;
  if (window.taps < 2 || window.pixels < 1 || channels < 1)
    return false;
  // The gradient of weights sums along pixels and a batch, not along elements
  // of a kernel and channels. Large windows next to each other are patches.
  if (sumsPixels != (hasLongTaps(op) && window.stride < window.taps))
    return false;
  if (sumsPixels &&
      (!findFill(op.getOutputs()[0]) || !maps[2].isProjectedPermutation() ||
       !getResultType().hasStaticShape()))
    return false;
  source = op.getInputs()[0];
  pad = findPad(source);
  if (pad)
    source = pad.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  bool padsChannels = pad && (pad.getStaticOffset(depthDim) != 0 ||
                              type.getDimSize(depthDim) != channels);
  return !padsChannels && !type.isDynamicDim(window.dim) &&
         type.getDimSize(window.dim) > 0 &&
         !op.getBody()
              ->walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Whether all places have 31 bits.
bool TapJoiner::arePlacesShort() {
  constexpr double kMost = double(int64_t(1) << 31);
  double most = double(window.stride) * double(window.pixels) +
                std::abs(double(window.dilation)) * double(padded) +
                std::abs(double(getFirst())) + double(getLength());
  return most * double(channels) < kMost;
}

/// Whether a pixel's channels fill no instruction's depth, and no granule of a
/// tensor copy, and joined ones do.
bool TapJoiner::isNarrow() const {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (channels >= leastDepth || channels * bytes % 16 == 0)
    return false;
  constexpr int64_t kDepthBytes = 128;
  int64_t tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(joined), leastDepth,
                                     kDepthBytes / bytes);
  int64_t tiles = llvm::divideCeil(joined, tile);
  return 3 * tiles * tile <= 2 * window.taps * leastDepth;
}

/// The copy is a kernel more, which takes some microseconds.
bool TapJoiner::isWorthIt() const {
  constexpr double kLeastWork = double(1 << 27);
  double work = double(leastDepth) / double(channels);
  for (int64_t extent : extents)
    work *= double(ShapedType::isDynamic(extent) ? kAssumedExtent : extent);
  return work >= kLeastWork;
}

/// Creates a copy, computed of the indices of its elements, which have a type.
linalg::GenericOp TapJoiner::createCopy(
    ArrayRef<OpFoldResult> sizes, Type type,
    llvm::function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)> read) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  unsigned rank = sizes.size();
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, loc, empty.getType(), ValueRange(), empty,
      rewriter.getMultiDimIdentityMap(rank), kinds,
      [&](OpBuilder &body, Location at, ValueRange) {
        SmallVector<Value> indices;
        for (unsigned loop = 0; loop < rank; ++loop)
          indices.push_back(linalg::IndexOp::create(body, at, loop));
        linalg::YieldOp::create(body, at, read(body, at, indices));
      });
}

static Value selectInside(OpBuilder &body, Location at, Value isInside,
                          Value value) {
  Value zero = arith::ConstantOp::create(
      body, at, cast<TypedAttr>(body.getZeroAttr(value.getType())));
  return arith::SelectOp::create(body, at, isInside, value, zero);
}

/// The element of the image that a pixel of the result meets at a depth. Places
/// have 32 bits: each element needs several of them, of which a chip computes
/// one in the time of a part of 64.
Value TapJoiner::readElement(OpBuilder &body, Location at, Value from,
                             ArrayRef<Value> others, Value pixel,
                             Value depthIndex) {
  Type i32 = body.getI32Type();
  auto narrow = [&](Value index) -> Value {
    return arith::IndexCastOp::create(body, at, i32, index);
  };
  auto widen = [&](Value place) -> Value {
    return arith::IndexCastOp::create(body, at, body.getIndexType(), place);
  };
  auto number32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(body, at, value, 32);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return body.createOrFold<arith::MulIOp>(at, value, number32(factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return body.createOrFold<arith::AddIOp>(at, lhs, rhs);
  };
  bool isFlat = from != source;
  int64_t unit = isFlat ? channels : 1;
  Value depthPlace = narrow(depthIndex), place = depthPlace, channel;
  if (!isFlat) {
    Value count = number32(channels);
    channel = widen(arith::RemUIOp::create(body, at, depthPlace, count));
    Value tap = arith::DivUIOp::create(body, at, depthPlace, count);
    place = multiply(tap, window.dilation);
  }
  place = add(add(multiply(narrow(pixel), window.stride * unit), place),
              number32(getFirst() * unit));
  Value bounded = arith::MaxSIOp::create(body, at, place, number32(0));
  bounded = arith::MinSIOp::create(body, at, bounded,
                                   number32(getLength() * unit - 1));
  SmallVector<Value> indices;
  const Value *other = others.begin();
  unsigned rank = maps[0].getNumResults();
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == window.dim)
      indices.push_back(widen(bounded));
    else if (dim != depthDim)
      indices.push_back(*other++);
    else if (!isFlat)
      indices.push_back(channel);
  }
  Value isInside =
      arith::CmpIOp::create(body, at, arith::CmpIPredicate::eq, place, bounded);
  if (padded != joined) {
    Value isJoined = arith::CmpIOp::create(body, at, arith::CmpIPredicate::ult,
                                           depthPlace, number32(joined));
    isInside = arith::AndIOp::create(body, at, isInside, isJoined);
  }
  return selectInside(body, at, isInside,
                      tensor::ExtractOp::create(body, at, from, indices));
}

/// The image by its other dimensions, the pixels of the result and the joined
/// depth, inside of the zeros around the other dimensions.
Value TapJoiner::copyImage() {
  // Where a row of the kernel is one run of memory, no division is needed.
  Value from = source;
  if (window.dim + 1 == depthDim && window.dilation == 1) {
    SmallVector<ReassociationIndices> dims;
    for (int64_t dim = 0; dim < int64_t(depthDim); ++dim)
      dims.push_back({dim});
    dims.back().push_back(depthDim);
    from = tensor::CollapseShapeOp::create(rewriter, loc, source, dims);
  }
  OpFoldResult pixels = rewriter.getIndexAttr(window.pixels),
               depths = rewriter.getIndexAttr(padded);
  SmallVector<OpFoldResult> given =
      tensor::getMixedSizes(rewriter, loc, source);
  auto arrange = [&](ArrayRef<OpFoldResult> values, OpFoldResult pixel,
                     OpFoldResult last) {
    SmallVector<OpFoldResult> arranged;
    for (auto [dim, value] : llvm::enumerate(values))
      if (dim != window.dim && dim != depthDim)
        arranged.push_back(value);
    arranged.push_back(pixel);
    arranged.push_back(last);
    return arranged;
  };
  Value copy =
      createCopy(arrange(given, pixels, depths), element,
                 [&](OpBuilder &body, Location at, ArrayRef<Value> indices) {
                   return readElement(body, at, from, indices.drop_back(2),
                                      indices.drop_back().back(),
                                      indices.back());
                 })
          .getResult(0);
  if (!pad)
    return copy;
  SmallVector<OpFoldResult> whole =
      tensor::getMixedSizes(rewriter, loc, op.getInputs()[0]);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, arrange(whole, pixels, depths), element);
  Value zero = arith::ConstantOp::create(
      rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(element)));
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  OpFoldResult none = rewriter.getIndexAttr(0);
  SmallVector<OpFoldResult> steps(maps[0].getNumResults(),
                                  rewriter.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      rewriter, loc, copy, zeros, arrange(pad.getMixedOffsets(), none, none),
      arrange(given, pixels, depths), steps);
}

/// The weights by their other dimensions, the joined depth and the channels of
/// the result. A kernel writes them by granules, which are depths of another
/// shape: a product would compute the same for each of its programs.
Value TapJoiner::copyWeights() {
  Value weights = op.getInputs()[1];
  SmallVector<OpFoldResult> given =
      tensor::getMixedSizes(rewriter, loc, weights);
  SmallVector<OpFoldResult> sizes;
  SmallVector<unsigned> order; // loops
  for (auto [dim, expr] : llvm::enumerate(maps[1].getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    order.push_back(loop);
    if (loop != depth && loop != window.tap && loop != ownChannels)
      sizes.push_back(given[dim]);
  }
  int64_t others = sizes.size();
  sizes.push_back(rewriter.getIndexAttr(padded / granule));
  sizes.push_back(rewriter.getIndexAttr(granule));
  sizes.push_back(given[llvm::find(order, ownChannels) - order.begin()]);
  auto read = [&](OpBuilder &body, Location at, ArrayRef<Value> indices) {
    Value depthIndex = arith::MulIOp::create(body, at, indices[others],
                                             number(body, at, granule));
    depthIndex =
        arith::AddIOp::create(body, at, depthIndex, indices[others + 1]);
    Value count = number(body, at, channels);
    Value tap = arith::DivUIOp::create(body, at, depthIndex, count);
    tap = arith::MinUIOp::create(body, at, tap,
                                 number(body, at, window.taps - 1));
    SmallVector<Value> from;
    const Value *other = indices.begin();
    for (unsigned loop : order) {
      if (loop == depth)
        from.push_back(arith::RemUIOp::create(body, at, depthIndex, count));
      else if (loop == window.tap)
        from.push_back(tap);
      else
        from.push_back(loop == ownChannels ? indices.back() : *other++);
    }
    Value isJoined =
        arith::CmpIOp::create(body, at, arith::CmpIPredicate::ult, depthIndex,
                              number(body, at, joined));
    return selectInside(body, at, isJoined,
                        tensor::ExtractOp::create(body, at, weights, from));
  };
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0; dim < others + 2; ++dim)
    dims.push_back({dim + (dim > others ? 1 : 0)});
  dims[others].push_back(others + 1);
  return tensor::CollapseShapeOp::create(
      rewriter, loc,
      createCopy(sizes, getElementTypeOrSelf(weights), read).getResult(0),
      dims);
}

/// Without the loop along the joined elements of the kernel.
AffineMap TapJoiner::renumber(ArrayRef<AffineExpr> results) const {
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    loops.push_back(
        getAffineDimExpr(loop - (loop > window.tap ? 1 : 0), context));
  return AffineMap::get(extents.size(), 0, results, context)
      .replaceDimsAndSymbols(loops, {}, extents.size() - 1, 0);
}

/// The loops of weights, or of their gradient: others, the joined depth and the
/// channels of the result.
AffineMap TapJoiner::joinDepth(AffineMap map) const {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        loop != depth && loop != window.tap && loop != ownChannels)
      exprs.push_back(expr);
  for (unsigned loop : {depth, ownChannels})
    exprs.push_back(getAffineDimExpr(loop, rewriter.getContext()));
  return renumber(exprs);
}

/// Makes the tensor with which the sums of a gradient by the joined depth
/// start.
Value TapJoiner::fillResult() {
  SmallVector<int64_t> shape;
  for (AffineExpr expr : maps[2].getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        loop != depth && loop != window.tap && loop != ownChannels)
      shape.push_back(extents[loop]);
  shape.append({padded, extents[ownChannels]});
  Value start =
      arith::ConstantOp::create(rewriter, loc, findFill(op.getOutputs()[0]));
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, start.getType());
  return linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
}

/// A gradient by elements of the kernel and channels, in the op's order.
Value TapJoiner::separateDepth(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> shape(type.getShape());
  unsigned at = shape.size() - 2;
  shape[at] = joined;
  SmallVector<OpFoldResult> starts(shape.size(), rewriter.getIndexAttr(0)),
      steps(shape.size(), rewriter.getIndexAttr(1));
  Value kept = tensor::ExtractSliceOp::create(
      rewriter, loc, result, starts,
      getAsIndexOpFoldResult(rewriter.getContext(), shape), steps);
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    dims.push_back({dim + (dim > at ? 1 : 0)});
  dims[at].push_back(at + 1);
  shape[at] = window.taps;
  shape.insert(shape.begin() + at + 1, channels);
  Value whole = tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape),
                                              kept, dims);
  SmallVector<unsigned> order; // loops
  for (AffineExpr expr : maps[2].getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        loop != depth && loop != window.tap && loop != ownChannels)
      order.push_back(loop);
  order.append({window.tap, depth, ownChannels});
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : maps[2].getResults())
    permutation.push_back(
        llvm::find(order, cast<AffineDimExpr>(expr).getPosition()) -
        order.begin());
  if (isIdentityPermutation(permutation))
    return whole;
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, getResultType().getShape(), type.getElementType());
  return linalg::TransposeOp::create(rewriter, loc, whole, empty, permutation)
      ->getResult(0);
}

linalg::GenericOp TapJoiner::run(DecisionLog &log) {
  if (!readDims()) {
    sumsPixels = true;
    if (!readDims())
      return op;
  }
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (bytes == 0)
    return op;
  // As schedules have it.
  constexpr int64_t kBytesOfTF32 = 4, kGranuleBytes = 16;
  leastDepth = bytes >= kBytesOfTF32 ? 8 : 16;
  joined = window.taps * channels;
  granule = std::max<int64_t>(kGranuleBytes / bytes, 1);
  padded = llvm::alignTo(joined, granule);
  if (!isNarrow() || !arePlacesShort())
    return op;
  if (!isWorthIt()) {
    log.missed(op, "JoinedTaps",
               "copying an image of " + Twine(channels) +
                   " channels, so that " + Twine(window.taps) +
                   " elements of the kernel are one depth, takes as long as "
                   "it saves");
    return op;
  }
  log.passed(op, "JoinedTaps",
             Twine(window.taps) + " elements of the kernel and " +
                 Twine(channels) + " channels are one depth of " +
                 Twine(padded) + ", in a copy of the image");
  rewriter.setInsertionPoint(op);
  Value image = copyImage(), other = op.getInputs()[1],
        start = op.getOutputs()[0];
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> ofImage;
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults()))
    if (dim != window.dim && dim != depthDim)
      ofImage.push_back(expr);
  ofImage.push_back(getAffineDimExpr(window.pixel, context));
  ofImage.push_back(getAffineDimExpr(depth, context));
  AffineMap ofOther = renumber(maps[1].getResults()),
            ofResult = renumber(maps[2].getResults());
  if (sumsPixels) {
    start = fillResult();
    ofResult = joinDepth(maps[2]);
  } else {
    other = copyWeights();
    ofOther = joinDepth(maps[1]);
  }
  SmallVector<utils::IteratorType> kinds = iterators;
  kinds.erase(kinds.begin() + window.tap);
  auto made = linalg::GenericOp::create(
      rewriter, loc, start.getType(), ValueRange{image, other}, start,
      ArrayRef{renumber(ofImage), ofOther, ofResult}, kinds);
  rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                              made.getRegion().begin());
  rewriter.replaceOp(op, sumsPixels ? separateDepth(made.getResult(0))
                                    : made.getResult(0));
  return made;
}

/// Joins the channels of a narrow image with the elements of the kernel along
/// one dimension, where that saves much. Returns the op that takes the
/// convolution's place, or the convolution.
static linalg::GenericOp joinTaps(linalg::GenericOp op, RewriterBase &rewriter,
                                  DecisionLog &log) {
  if (!hasWindows(op))
    return op;
  return TapJoiner(op, rewriter).run(log);
}

//===----------------------------------------------------------------------===//
// Order of dimensions
//===----------------------------------------------------------------------===//

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

  /// Finds the dimensions that are summed, in the image's order.
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

  /// Permutes a tensor inside of zeros, which are put around it then.
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

/// Lets convolutions have their channels last, and images whose extents are
/// multiples of strides. With `widens` they add in f32 at least; returns how
/// many of them didn't before.
static unsigned orderConvolutions(func::FuncOp func, bool widens) {
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

namespace {
struct LowerConvolutions
    : public carousel::impl::LowerConvolutionsBase<LowerConvolutions> {
  using LowerConvolutionsBase::LowerConvolutionsBase;

  void runOnOperation() override {
    widened +=
        orderConvolutions(getOperation(), accumulate == ContractionSums::F32);
  }
};

} // namespace
