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
#include "../Reading/ReadGraph.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERCONVOLUTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value carousel::transpose(RewriterBase &rewriter, Value tensor,
                          ArrayRef<int64_t> permutation) {
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes = applyPermutation(
      tensor::getMixedSizes(rewriter, loc, tensor), permutation);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(tensor));
  auto copy =
      linalg::TransposeOp::create(rewriter, loc, tensor, empty, permutation);
  return linalg::generalizeNamedOp(rewriter, copy)->getResult(0);
}

SmallVector<ReassociationIndices> carousel::joinNext(int64_t rank, int64_t at) {
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back({dim + (dim > at)});
  dims[at].push_back(at + 1);
  return dims;
}

/// The slice with steps that a tensor is, as for phases of a window; null for
/// others.
static tensor::ExtractSliceOp findSlice(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && !slice.hasUnitStride() &&
                 slice.getSourceType().getRank() == slice.getType().getRank()
             ? slice
             : tensor::ExtractSliceOp();
}

SmallVector<Range> carousel::readRanges(OffsetSizeAndStrideOpInterface slice) {
  return llvm::map_to_vector(llvm::zip_equal(slice.getMixedOffsets(),
                                             slice.getMixedSizes(),
                                             slice.getMixedStrides()),
                             [](auto part) {
                               auto [offset, size, stride] = part;
                               return Range{offset, size, stride};
                             });
}

SmallVector<Range> ConvolutionRewriter::getRanges(Value tensor) const {
  return llvm::map_to_vector(getSizes(tensor), [&](OpFoldResult size) {
    return Range{number(0), size, number(1)};
  });
}

Value ConvolutionRewriter::fill(ArrayRef<OpFoldResult> sizes,
                                TypedAttr value) const {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, value.getType());
  Value constant = arith::ConstantOp::create(rewriter, loc, value);
  return linalg::FillOp::create(rewriter, loc, constant, empty).getResult(0);
}

Value ConvolutionRewriter::insertIntoZeros(Value tensor,
                                           ArrayRef<OpFoldResult> sizes,
                                           ArrayRef<Range> ranges) const {
  Value zeros = fill(sizes, rewriter.getZeroAttr(getElementTypeOrSelf(tensor)));
  return tensor::InsertSliceOp::create(rewriter, loc, tensor, zeros, ranges);
}

linalg::GenericOp ConvolutionRewriter::findConversion() {
  if (!op->hasOneUse())
    return {};
  auto user = dyn_cast<linalg::GenericOp>(*op->user_begin());
  bool isConversion =
      user && user.getNumDpsInputs() == 1 && user.getNumDpsInits() == 1 &&
      !user.hasIndexSemantics() &&
      llvm::all_of(user.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); });
  return isConversion ? user : linalg::GenericOp();
}

Value ConvolutionRewriter::convert(linalg::GenericOp conversion,
                                   Value tensor) const {
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, getSizes(tensor),
      getElementTypeOrSelf(conversion.getResultTypes()[0]));
  return createWithBodyOf(rewriter, conversion, tensor, empty,
                          conversion.getIndexingMapsArray(),
                          conversion.getIteratorTypesArray())
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Im2col
//===----------------------------------------------------------------------===//

namespace {

class Im2colRewriter : ConvolutionRewriter {
public:
  Im2colRewriter(linalg::GenericOp op, RewriterBase &rewriter)
      : ConvolutionRewriter(op, rewriter),
        element(getElementTypeOrSelf(op.getInputs()[0])) {}

  linalg::GenericOp run(DecisionLog &log);

private:
  using Reader = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  /// Where the first pixel meets the first element of the kernel, in the image
  /// without zeros around it, and how many pixels that has.
  int64_t getFirst() {
    return window.constant - (pad ? pad.getStaticOffset(windowDim) : 0);
  }
  int64_t getLength() {
    return cast<RankedTensorType>(source.getType()).getDimSize(windowDim);
  }
  bool readDims();
  bool areIndicesShort();
  bool isNarrow() const;
  bool isWorthIt() const;

  Value copyImage();
  Value readElement(ImplicitLocOpBuilder &body, Value from, ValueRange indices);
  Value copyWeights();
  Value createCopy(ArrayRef<OpFoldResult> sizes, Type type, Reader read);
  AffineMap renumber(ArrayRef<AffineExpr> results) const;
  SmallVector<AffineExpr> findOthers(AffineMap map) const;
  AffineMap joinDepth(AffineMap map) const;
  Value fillResult();
  Value separateDepth(Value result);

  Type element;
  Value source;              ///< the image without zeros around it
  tensor::InsertSliceOp pad; ///< or null
  unsigned depthDim = 0;     ///< of the image
  unsigned depth = 0;        ///< the loop of channels
  unsigned ownChannels = 0;  ///< the result's
  int64_t channels = 0;      ///< of the image
  unsigned windowDim = 0;    ///< of the image
  ConvolutionIndex window;
  int64_t pixels = 0, taps = 0; ///< along the window
  int64_t joined = 0;           ///< elements of depth
  int64_t padded = 0;           ///< with zeros behind
  int64_t granule = 0;          ///< elements of it
  int64_t leastDepth = 0;       ///< an instruction's
};

} // namespace

/// Finds the image's dimension of channels, and the one that is joined with
/// them: the one with most elements of the kernel, of these the innermost.
bool Im2colRewriter::readDims() {
  SmallVector<unsigned> ofKernel = findPlainLoops();
  llvm::erase_if(ofKernel, [&](unsigned loop) { return !isOfKernel(loop); });
  std::optional<unsigned> own = findOwnChannels();
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (isReduced(loop) ? !isInImage(loop) || !isInWeights(loop)
                        : isInImage(loop) == isInWeights(loop))
      return false;
  if (ofKernel.size() != 1 || !own)
    return false;
  depth = ofKernel.front();
  depthDim = *findDim(0, depth);
  ownChannels = *own;
  channels = extents[depth];
  taps = 0;
  for (unsigned dim = 0; dim < maps[0].getNumResults(); ++dim)
    if (std::optional<ConvolutionIndex> found = readIndex(dim);
        found && found->isWindow() && found->stride > 0 &&
        !ShapedType::isDynamic(extents[*found->pixel]) &&
        extents[*found->tap] >= taps) {
      windowDim = dim;
      window = *found;
      pixels = extents[*window.pixel];
      taps = extents[*window.tap];
    }
  // Unknown extents are negative.
  if (taps < 2 || pixels < 1 || channels < 1)
    return false;
  // The gradient of weights sums along pixels and a batch, not along elements
  // of a kernel and channels. Large windows next to each other are patches.
  if (isWgrad != (hasLongFilterLoops() && window.stride < taps))
    return false;
  if (isWgrad &&
      (!findFill(op.getOutputs()[0]) || !maps[2].isProjectedPermutation() ||
       !cast<RankedTensorType>(op.getResult(0).getType()).hasStaticShape()))
    return false;
  source = op.getInputs()[0];
  pad = findPad(source);
  if (pad)
    source = pad.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  bool padsChannels = pad && (pad.getStaticOffset(depthDim) != 0 ||
                              type.getDimSize(depthDim) != channels);
  return !padsChannels && !type.isDynamicDim(windowDim) &&
         type.getDimSize(windowDim) > 0 && !op.hasIndexSemantics();
}

/// Whether all places have 31 bits.
bool Im2colRewriter::areIndicesShort() {
  constexpr double kMost = double(int64_t(1) << 31);
  double most = double(window.stride) * double(pixels) +
                std::abs(double(window.dilation)) * double(padded) +
                std::abs(double(getFirst())) + double(getLength());
  return most * double(channels) < kMost;
}

/// Whether a pixel's channels fill no instruction's depth, and no granule of a
/// tensor copy, and joined ones do.
bool Im2colRewriter::isNarrow() const {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (channels >= leastDepth || channels * bytes % 16 == 0)
    return false;
  constexpr int64_t kDepthBytes = 128;
  int64_t tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(joined), leastDepth,
                                     kDepthBytes / bytes);
  int64_t tiles = llvm::divideCeil(joined, tile);
  return 3 * tiles * tile <= 2 * taps * leastDepth;
}

/// The copy is a kernel more, which takes some microseconds.
bool Im2colRewriter::isWorthIt() const {
  constexpr double kLeastWork = double(1 << 27);
  double work = double(leastDepth) / double(channels);
  for (int64_t extent : extents)
    work *= double(ShapedType::isDynamic(extent) ? kAssumedExtent : extent);
  return work >= kLeastWork;
}

/// Creates a copy, computed of the indices of its elements, which have a type.
Value Im2colRewriter::createCopy(ArrayRef<OpFoldResult> sizes, Type type,
                                 Reader read) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  return createElements(
      rewriter, loc, empty, {}, {},
      [&](OpBuilder &builder, ValueRange indices, ValueRange) {
        ImplicitLocOpBuilder body(loc, builder);
        return read(body, indices);
      });
}

static Value selectInside(ImplicitLocOpBuilder &body, Value isInside,
                          Value value) {
  Value zero =
      arith::ConstantOp::create(body, body.getZeroAttr(value.getType()));
  return arith::SelectOp::create(body, isInside, value, zero);
}

/// The element of the image that a pixel of the result meets at a depth, which
/// are the last two indices. Places have 32 bits: each element needs several of
/// them, of which a chip computes one in the time of a part of 64.
Value Im2colRewriter::readElement(ImplicitLocOpBuilder &body, Value from,
                                  ValueRange indices) {
  auto narrow = [&](Value index) -> Value {
    return arith::IndexCastOp::create(body, body.getI32Type(), index);
  };
  auto widen = [&](Value place) -> Value {
    return arith::IndexCastOp::create(body, body.getIndexType(), place);
  };
  auto number32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(body, value, 32);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return body.createOrFold<arith::MulIOp>(value, number32(factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return body.createOrFold<arith::AddIOp>(lhs, rhs);
  };
  bool isFlat = from != source;
  int64_t unit = isFlat ? channels : 1;
  Value depthPlace = narrow(indices.back()), place = depthPlace, channel;
  if (!isFlat) {
    Value count = number32(channels);
    channel = widen(arith::RemUIOp::create(body, depthPlace, count));
    Value tap = arith::DivUIOp::create(body, depthPlace, count);
    place = multiply(tap, window.dilation);
  }
  Value pixel = narrow(indices[indices.size() - 2]);
  place = add(add(multiply(pixel, window.stride * unit), place),
              number32(getFirst() * unit));
  Value bounded = arith::MaxSIOp::create(body, place, number32(0));
  bounded =
      arith::MinSIOp::create(body, bounded, number32(getLength() * unit - 1));
  SmallVector<Value> at;
  auto other = indices.begin();
  for (unsigned dim = 0; dim < maps[0].getNumResults(); ++dim) {
    if (dim == windowDim)
      at.push_back(widen(bounded));
    else if (dim != depthDim)
      at.push_back(*other++);
    else if (!isFlat)
      at.push_back(channel);
  }
  Value isInside =
      arith::CmpIOp::create(body, arith::CmpIPredicate::eq, place, bounded);
  if (padded != joined) {
    Value isJoined = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                           depthPlace, number32(joined));
    isInside = arith::AndIOp::create(body, isInside, isJoined);
  }
  return selectInside(body, isInside,
                      tensor::ExtractOp::create(body, from, at));
}

/// The image by its other dimensions, the pixels of the result and the joined
/// depth, inside of the zeros around the other dimensions.
Value Im2colRewriter::copyImage() {
  // Where a row of the kernel is one run of memory, no division is needed.
  Value from = source;
  if (windowDim + 1 == depthDim && window.dilation == 1)
    from = tensor::CollapseShapeOp::create(rewriter, loc, source,
                                           joinNext(depthDim, windowDim));
  auto arrange = [&](auto values, auto pixel, auto last) {
    SmallVector<decltype(pixel)> arranged;
    for (auto [dim, value] : llvm::enumerate(values))
      if (dim != windowDim && dim != depthDim)
        arranged.push_back(value);
    arranged.append({pixel, last});
    return arranged;
  };
  OpFoldResult columns = number(pixels), depths = number(padded);
  Value copy = createCopy(arrange(getSizes(source), columns, depths), element,
                          [&](ImplicitLocOpBuilder &body, ValueRange indices) {
                            return readElement(body, from, indices);
                          });
  if (!pad)
    return copy;
  return insertIntoZeros(
      copy, arrange(getSizes(op.getInputs()[0]), columns, depths),
      arrange(readRanges(pad), Range{number(0), columns, number(1)},
              Range{number(0), depths, number(1)}));
}

/// The weights by their other dimensions, the joined depth and the channels of
/// the result. A kernel writes them by granules, which are depths of another
/// shape: a product would compute the same for each of its programs.
Value Im2colRewriter::copyWeights() {
  Value weights = op.getInputs()[1];
  SmallVector<OpFoldResult> given = getSizes(weights), sizes;
  for (AffineExpr other : findOthers(maps[1]))
    sizes.push_back(given[*maps[1].getResultPosition(other)]);
  int64_t others = sizes.size();
  sizes.append({number(padded / granule), number(granule),
                given[*findDim(1, ownChannels)]});
  auto read = [&](ImplicitLocOpBuilder &body, ValueRange indices) {
    IndexBuilder n(body, loc);
    Value place =
        n.add(n.multiply(indices[others], granule), indices[others + 1]);
    Value count = n.constant(channels), tap = n.divide(place, count);
    tap = arith::MinUIOp::create(body, tap, n.constant(taps - 1));
    SmallVector<Value> from;
    auto other = indices.begin();
    for (AffineExpr expr : maps[1].getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (loop == depth)
        from.push_back(n.remainder(place, count));
      else if (loop == window.tap)
        from.push_back(tap);
      else
        from.push_back(loop == ownChannels ? indices.back() : *other++);
    }
    Value isJoined =
        n.compare(arith::CmpIPredicate::ult, place, n.constant(joined));
    return selectInside(body, isJoined,
                        tensor::ExtractOp::create(body, weights, from));
  };
  return tensor::CollapseShapeOp::create(
      rewriter, loc, createCopy(sizes, getElementTypeOrSelf(weights), read),
      joinNext(others + 2, others));
}

/// Without the loop along the joined elements of the kernel.
AffineMap Im2colRewriter::renumber(ArrayRef<AffineExpr> results) const {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    loops.push_back(getLoop(loop - (loop > window.tap)));
  return AffineMap::get(extents.size(), 0, results, rewriter.getContext())
      .replaceDimsAndSymbols(loops, {}, extents.size() - 1, 0);
}

/// The loops of weights, or of their gradient, that aren't joined, without the
/// channels of the result.
SmallVector<AffineExpr> Im2colRewriter::findOthers(AffineMap map) const {
  SmallVector<AffineExpr> others(map.getResults());
  llvm::erase_if(others, [&](AffineExpr expr) {
    return llvm::is_contained({depth, *window.tap, ownChannels},
                              cast<AffineDimExpr>(expr).getPosition());
  });
  return others;
}

/// The loops of weights, or of their gradient: others, the joined depth and the
/// channels of the result.
AffineMap Im2colRewriter::joinDepth(AffineMap map) const {
  SmallVector<AffineExpr> exprs = findOthers(map);
  exprs.append({getLoop(depth), getLoop(ownChannels)});
  return renumber(exprs);
}

/// Makes the tensor with which the sums of a gradient by the joined depth
/// start.
Value Im2colRewriter::fillResult() {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr other : findOthers(maps[2]))
    sizes.push_back(number(extents[cast<AffineDimExpr>(other).getPosition()]));
  sizes.append({number(padded), number(extents[ownChannels])});
  return fill(sizes, findFill(op.getOutputs()[0]));
}

/// A gradient by elements of the kernel and channels, in the op's order.
Value Im2colRewriter::separateDepth(Value result) {
  SmallVector<AffineExpr> order = findOthers(maps[2]);
  unsigned at = order.size();
  order.append({getLoop(*window.tap), getLoop(depth), getLoop(ownChannels)});
  SmallVector<Range> ranges = getRanges(result);
  ranges[at].size = number(joined);
  Value kept = tensor::ExtractSliceOp::create(rewriter, loc, result, ranges);
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[at] = taps;
  shape.insert(shape.begin() + at + 1, channels);
  Value whole = tensor::ExpandShapeOp::create(
      rewriter, loc, type.clone(shape), kept, joinNext(type.getRank(), at));
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : maps[2].getResults())
    permutation.push_back(llvm::find(order, expr) - order.begin());
  return isIdentityPermutation(permutation)
             ? whole
             : transpose(rewriter, whole, permutation);
}

linalg::GenericOp Im2colRewriter::run(DecisionLog &log) {
  if (!readDims()) {
    isWgrad = true;
    if (!readDims())
      return op;
  }
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (bytes == 0)
    return op;
  // As schedules have it.
  constexpr int64_t kBytesOfTF32 = 4, kGranuleBytes = 16;
  leastDepth = bytes >= kBytesOfTF32 ? 8 : 16;
  joined = taps * channels;
  granule = std::max<int64_t>(kGranuleBytes / bytes, 1);
  padded = llvm::alignTo(joined, granule);
  if (!isNarrow() || !areIndicesShort())
    return op;
  if (!isWorthIt()) {
    log.missed(op, "JoinedTaps",
               "copying an image of " + Twine(channels) +
                   " channels, so that " + Twine(taps) +
                   " elements of the kernel are one depth, takes as long as "
                   "it saves");
    return op;
  }
  log.passed(op, "JoinedTaps",
             Twine(taps) + " elements of the kernel and " + Twine(channels) +
                 " channels are one depth of " + Twine(padded) +
                 ", in a copy of the image");
  Value image = copyImage(), other = op.getInputs()[1],
        start = op.getOutputs()[0];
  SmallVector<AffineExpr> ofImage;
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults()))
    if (dim != windowDim && dim != depthDim)
      ofImage.push_back(expr);
  ofImage.append({getLoop(*window.pixel), getLoop(depth)});
  AffineMap ofOther = renumber(maps[1].getResults()),
            ofResult = renumber(maps[2].getResults());
  if (isWgrad) {
    start = fillResult();
    ofResult = joinDepth(maps[2]);
  } else {
    other = copyWeights();
    ofOther = joinDepth(maps[1]);
  }
  SmallVector<utils::IteratorType> kinds = iterators;
  kinds.erase(kinds.begin() + *window.tap);
  auto made = createWithBodyOf(rewriter, op, {image, other}, start,
                               {renumber(ofImage), ofOther, ofResult}, kinds);
  rewriter.replaceOp(op, isWgrad ? separateDepth(made.getResult(0))
                                 : made.getResult(0));
  return made;
}

/// Joins the channels of a narrow image with the elements of the kernel along
/// one dimension, where that saves much. Returns the op that takes the
/// convolution's place, or the convolution.
static linalg::GenericOp rewriteInIm2col(linalg::GenericOp op,
                                         RewriterBase &rewriter,
                                         DecisionLog &log) {
  if (!hasWindows(op))
    return op;
  return Im2colRewriter(op, rewriter).run(log);
}

//===----------------------------------------------------------------------===//
// Order of dimensions
//===----------------------------------------------------------------------===//

bool carousel::isPlainConvolution(linalg::LinalgOp op) {
  if (!hasWindows(op))
    return false;
  ConvolutionView view(op);
  for (unsigned dim = 0; dim < view.maps[0].getNumResults(); ++dim) {
    std::optional<ConvolutionIndex> index = view.readIndex(dim);
    bool isPlain = isa<AffineDimExpr>(view.maps[0].getResult(dim));
    if (!index || index->constant != 0 ||
        (!isPlain && (index->stride != 1 ||
                      (index->tap && view.extents[*index->tap] != 1))))
      return false;
  }
  return true;
}

namespace {

class ConvolutionOrder : ConvolutionRewriter {
public:
  using ConvolutionRewriter::ConvolutionRewriter;

  /// Groups of channels and channels as the image's last dimensions.
  void orderGroups() {
    SmallVector<unsigned> last = findGroups();
    isWgrad = hasLongFilterLoops();
    std::optional<unsigned> depth = findDepth();
    if (isWgrad || last.empty() || !depth || findSharedChannels())
      return;
    divideInsidePad();
    restoreUnits();
    last.push_back(*depth);
    putLast(0, last);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }

  void run() {
    divideInsidePad();
    std::optional<unsigned> shared = findSharedChannels();
    isWgrad = shared ? hasLongStencil() : hasLongFilterLoops();
    std::optional<unsigned> depth = findDepth(), channels = findOwnChannels();
    SmallVector<unsigned> last = findGroups(), weights;
    if (shared) {
      last = weights = {*shared};
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (!isReduced(loop) && !isInImage(loop) && isInWeights(loop))
          weights.push_back(loop);
    } else if (!depth || !channels) {
      return;
    } else {
      last.push_back(*depth);
    }
    restoreUnits();
    putLast(0, last, /*putsWindowsLast=*/!shared && isWgrad);
    if (!shared && isWgrad) {
      weights = findPixels(); // as the image has them now
      weights.append(last.begin(), std::prev(last.end()));
      weights.push_back(*channels);
    } else if (!shared && maps[1].getResults().take_back(2) !=
                              ArrayRef{getLoop(*channels), getLoop(*depth)}) {
      weights = {*depth, *channels};
    }
    putLast(1, weights);
    divideStrides();
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }

private:
  /// A pad of an image that is divided into groups of channels goes around what
  /// is divided.
  void divideInsidePad() {
    auto expand = op.getInputs()[0].getDefiningOp<tensor::ExpandShapeOp>();
    tensor::InsertSliceOp pad;
    if (expand)
      pad = findPad(expand.getSrc());
    if (!pad || !expand.getResultType().hasStaticShape())
      return;
    SmallVector<Range> ranges = getRanges(expand.getResult());
    SmallVector<Range> narrow = readRanges(pad);
    for (auto [from, dims] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (dims.size() == 1)
        ranges[dims.front()] = narrow[from];
      else if (pad.getStaticOffset(from) != 0 ||
               pad.getStaticSize(from) != pad.getType().getDimSize(from))
        return;
    }
    std::optional<SmallVector<int64_t>> shape =
        getConstantIntValues(llvm::map_to_vector(
            ranges, [](const Range &range) { return range.size; }));
    if (!shape)
      return;
    Value source = tensor::ExpandShapeOp::create(
        rewriter, loc, expand.getResultType().clone(*shape), pad.getSource(),
        expand.getReassociationIndices());
    op.getInputsMutable()[0].set(
        insertIntoZeros(source, getSizes(expand.getResult()), ranges));
  }

  /// A pad of an image lacks dimensions of extent 1 where these went. Kernels
  /// look through pads that have all of the image's.
  void restoreUnits() {
    auto pad = op.getInputs()[0].getDefiningOp<tensor::InsertSliceOp>();
    if (!pad || pad.getSourceType().getRank() == pad.getType().getRank())
      return;
    RankedTensorType wide = pad.getType().clone(pad.getStaticSizes());
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
          rewriter, loc, wide, pad.getSource(), *dims, pad.getMixedSizes());
    op.getInputsMutable()[0].set(tensor::InsertSliceOp::create(
        rewriter, loc, source, pad.getDest(), readRanges(pad)));
    if (pad->use_empty())
      pad.erase();
  }

  bool isLonger(unsigned loop, std::optional<unsigned> other) const {
    return !other || ShapedType::isDynamic(extents[loop]) ||
           extents[loop] > extents[*other];
  }

  /// The loop of a stencil's channels that have weights of their own.
  std::optional<unsigned> findSharedChannels() {
    std::optional<unsigned> shared;
    bool sumsChannels = false, hasOwnChannels = false;
    for (unsigned loop = 0; loop < extents.size(); ++loop) {
      if (extents[loop] == 1 || !isInWeights(loop))
        continue;
      bool isPlain = findDim(0, loop).has_value();
      sumsChannels |= isPlain && isReduced(loop);
      hasOwnChannels |= !isInImage(loop) && !isReduced(loop);
      if (isPlain && !isReduced(loop) && isLonger(loop, shared))
        shared = loop;
    }
    return sumsChannels && hasOwnChannels ? std::nullopt : shared;
  }

  /// The channels of the image: of the loops that are no window, the longest
  /// one that both factors sum along, or, where pixels are summed, that the
  /// weights lack.
  std::optional<unsigned> findDepth() {
    std::optional<unsigned> depth;
    for (unsigned loop : findPlainLoops())
      if (isOfKernel(loop) && isInWeights(loop) != isWgrad &&
          isLonger(loop, depth))
        depth = loop;
    return depth;
  }

  /// Channels of which each group has weights of its own.
  SmallVector<unsigned> findGroups() {
    SmallVector<unsigned> groups = findPlainLoops();
    llvm::erase_if(groups, [&](unsigned loop) {
      return isReduced(loop) || !isInWeights(loop);
    });
    return groups;
  }

  /// Lets the dimensions along `loops` be the last ones of an input, maybe
  /// after windows. Boxes of several windows then have few dimensions of
  /// memory.
  void putLast(unsigned input, ArrayRef<unsigned> loops,
               bool putsWindowsLast = false) {
    SmallVector<int64_t> permutation, last;
    for (unsigned loop : loops)
      last.push_back(*findDim(input, loop));
    for (int64_t dim = 0; dim < maps[input].getNumResults(); ++dim)
      if (!llvm::is_contained(last, dim))
        permutation.push_back(dim);
    auto isWindow = [&](int64_t dim) {
      return !isa<AffineDimExpr>(maps[input].getResult(dim));
    };
    if (putsWindowsLast && llvm::count_if(permutation, isWindow) > 1)
      llvm::sort(permutation, [&](int64_t lhs, int64_t rhs) {
        return std::pair(isWindow(lhs), lhs) < std::pair(isWindow(rhs), rhs);
      });
    llvm::append_range(permutation, last);
    if (llvm::is_sorted(permutation))
      return;
    op.getInputsMutable()[input].set(
        permute(op.getInputs()[input], permutation));
    maps[input] =
        AffineMap::get(maps[input].getNumDims(), 0,
                       applyPermutation(maps[input].getResults(), permutation),
                       rewriter.getContext());
  }

  /// Permutes a tensor inside of zeros, which are put around it then, or the
  /// tensor of which a slice with steps is taken then: that has whole rows of
  /// channels, and the slices of all phases share one permutation.
  Value permute(Value tensor, ArrayRef<int64_t> permutation) {
    if (tensor::ExtractSliceOp slice = findSlice(tensor))
      return tensor::ExtractSliceOp::create(
          rewriter, loc, transpose(rewriter, slice.getSource(), permutation),
          applyPermutation<Range>(readRanges(slice), permutation));
    tensor::InsertSliceOp pad = findInsertIntoZeros(tensor);
    if (!pad)
      return transpose(rewriter, tensor, permutation);
    SmallVector<OpFoldResult> sizes =
        applyPermutation(getSizes(tensor), permutation);
    Value zeros =
        fill(sizes, rewriter.getZeroAttr(getElementTypeOrSelf(tensor)));
    return tensor::InsertSliceOp::create(
        rewriter, loc, permute(pad.getSource(), permutation), zeros,
        applyPermutation<Range>(readRanges(pad), permutation));
  }

  /// Zeros behind an image, so that its extents are multiples of strides.
  void divideStrides() {
    Value image = op.getInputs()[0];
    tensor::InsertSliceOp pad = findPad(image);
    Value source = pad ? pad.getSource() : image;
    auto inner = cast<RankedTensorType>(source.getType());
    auto outer = cast<RankedTensorType>(image.getType());
    SmallVector<OpFoldResult> sizes = getSizes(image);
    bool isDivisible = true, isPadded = false;
    for (unsigned dim = 0; dim < sizes.size(); ++dim) {
      std::optional<ConvolutionIndex> index = readIndex(dim);
      if (!index || index->stride <= 1)
        continue;
      if (inner.isDynamicDim(dim) || outer.isDynamicDim(dim))
        return;
      isDivisible &= inner.getDimSize(dim) % index->stride == 0;
      int64_t wanted = llvm::alignTo(outer.getDimSize(dim), index->stride);
      isPadded |= wanted != outer.getDimSize(dim);
      sizes[dim] = number(wanted);
    }
    // Kernels look through pads where that suffices.
    if (isDivisible || !isPadded)
      return;
    SmallVector<Range> ranges = getRanges(source);
    if (pad)
      ranges = readRanges(pad);
    op.getInputsMutable()[0].set(insertIntoZeros(source, sizes, ranges));
  }
};

} // namespace

/// Whether its result is widened.
static bool orderConvolution(linalg::GenericOp op, bool widens,
                             IRRewriter &rewriter, DecisionLog &log) {
  ConvolutionOrder(op, rewriter).orderGroups();
  // As written, groups share nothing.
  if (widens)
    op = mergeConvolutionGroups(op, rewriter);
  op = rewriteInIm2col(op, rewriter, log);
  if (hasWindows(op))
    ConvolutionOrder(op, rewriter).run();
  rewriter.setInsertionPoint(op);
  linalg::GenericOp wide = widens ? widenProduct(op) : op;
  bool isWidened = wide != op;
  splitDepthwiseWgrad(wide, rewriter, log);
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
    for (linalg::GenericOp part : splitDilatedImage(generic, rewriter))
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
