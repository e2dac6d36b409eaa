//===- ConvolutionGradients.cpp - gradients as front ends write them ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write gradients of convolutions as convolutions by weights that
// are reversed, or have zeros between them. Here indices are, and nothing is
// copied. A number of the kernel's element takes the place of another one in
// the index of the image: the last one less it, or a multiple.
//
// The gradient of an image for a stride is a convolution of an image that has
// zeros between its pixels. Here it is a convolution for each remainder of the
// result's pixels, by the elements of the kernel that meet no zeros. Along a
// dimension of windows, pixel i of the result meets element r of the kernel in
// place i + d * r + k of the spread image (d is 1 or -1), and pixel u of the
// image is in place s * u + offset. With i = s * p + a, only every s-th r meets
// a pixel: r = r0 + s * m, and
//
//   u = p + d * m + (a + d * r0 + k - offset) / s.
//
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#include "LowerConvolutions.h"

#include "../Reading/ExtentFactors.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Spread images
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of the image along which the kernel moves.
struct WindowDim {
  unsigned dim = 0;                    ///< of the image
  unsigned pixel = 0, tap = 0;         ///< loops
  int64_t direction = 1, constant = 0; ///< of the tap in the index
  int64_t step = 1, offset = 0;        ///< of pixels in the spread image
};

/// One remainder of a dimension.
struct Phase {
  int64_t first = 0, pixels = 0; ///< of the result
  int64_t firstTap = 0, taps = 0;
  int64_t shift = 0; ///< of the index of the image
};

class SpreadImage {
public:
  SpreadImage(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()),
        spread(findInsertIntoZeros(op.getInputs()[0])) {}

  SmallVector<linalg::GenericOp> split();

private:
  bool read();
  std::optional<WindowDim> readDim(unsigned dim);
  SmallVector<Phase> getPhases(const WindowDim &window);
  Value pad(ArrayRef<Phase> phases, SmallVectorImpl<int64_t> &lows);
  Value takeTaps(ArrayRef<Phase> phases);
  linalg::GenericOp multiply(ArrayRef<Phase> phases, Value zeros);
  linalg::GenericOp findConversion();
  Value convert(Value part);
  Value put(Value part, ArrayRef<Phase> phases, Value into);
  Value fill(ArrayRef<OpFoldResult> sizes);
  SmallVector<OpFoldResult> getResultSizes(ArrayRef<Phase> phases);
  OpFoldResult number(int64_t value) { return rewriter.getIndexAttr(value); }

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  SmallVector<AffineMap> maps;
  tensor::InsertSliceOp spread;
  SmallVector<WindowDim> windows;
  linalg::GenericOp conversion; ///< of the result, or null
};

} // namespace

/// Finds the only user of the result, if it computes each element of one of it.
linalg::GenericOp SpreadImage::findConversion() {
  if (!op->hasOneUse())
    return {};
  auto user = dyn_cast<linalg::GenericOp>(*op->getUsers().begin());
  bool isConversion =
      user && user.getNumDpsInputs() == 1 && user.getNumDpsInits() == 1 &&
      user.getNumReductionLoops() == 0 && !user.hasIndexSemantics() &&
      llvm::all_of(user.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); });
  return isConversion ? user : linalg::GenericOp();
}

/// The same of a part.
Value SpreadImage::convert(Value part) {
  if (!conversion)
    return part;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, part);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes,
      getElementTypeOrSelf(conversion.getResultTypes()[0]));
  auto made = linalg::GenericOp::create(
      rewriter, conversion.getLoc(), empty.getType(), part, empty,
      conversion.getIndexingMapsArray(), conversion.getIteratorTypesArray());
  rewriter.cloneRegionBefore(conversion.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  return made.getResult(0);
}

std::optional<WindowDim> SpreadImage::readDim(unsigned dim) {
  WindowDim window;
  window.dim = dim;
  window.step = spread.getStaticStride(dim);
  window.offset = spread.getStaticOffset(dim);
  SmallVector<int64_t> factors(op.getNumLoops(), 0);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (ShapedType::isDynamic(window.step) ||
      ShapedType::isDynamic(window.offset) ||
      spread.getSourceType().isDynamicDim(dim) ||
      !readLinear(maps[0].getResult(dim), factors, window.constant))
    return std::nullopt;
  bool hasPixel = false, hasTap = false;
  for (auto [loop, factor] : llvm::enumerate(factors)) {
    if (factor == 0)
      continue;
    bool isTap =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    if (ShapedType::isDynamic(extents[loop]) ||
        std::exchange(isTap ? hasTap : hasPixel, true) ||
        (factor != 1 && !(isTap && factor == -1)))
      return std::nullopt;
    (isTap ? window.tap : window.pixel) = loop;
    if (isTap)
      window.direction = factor;
  }
  if (!hasPixel || !hasTap ||
      !maps[1].getResultPosition(getAffineDimExpr(window.tap, op.getContext())))
    return std::nullopt;
  return window;
}

bool SpreadImage::read() {
  if (!spread || op.getNumResults() != 1 || !maps[2].isProjectedPermutation())
    return false;
  TypedAttr init = findFill(op.getOutputs()[0]);
  if (!init || !matchPattern(init, m_AnyZeroFloat()))
    return false;
  bool isSpread = false;
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    bool isWhole = spread.getStaticOffset(dim) == 0 &&
                   spread.getStaticStride(dim) == 1 &&
                   factorizeExtent(spread.getMixedSizes()[dim]) ==
                       factorizeExtent(spread.getDest(), dim);
    if (isa<AffineDimExpr>(expr)) {
      if (!isWhole)
        return false;
      continue;
    }
    std::optional<WindowDim> window = readDim(dim);
    if (!window)
      return false;
    isSpread |= window->step != 1;
    windows.push_back(*window);
  }
  return isSpread;
}

SmallVector<Phase> SpreadImage::getPhases(const WindowDim &window) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<Phase> phases;
  for (int64_t a = 0; a < std::min(window.step, extents[window.pixel]); ++a) {
    Phase phase;
    phase.first = a;
    phase.pixels = llvm::divideCeil(extents[window.pixel] - a, window.step);
    auto getPlace = [&](int64_t tap) {
      return a + window.direction * tap + window.constant - window.offset;
    };
    while (phase.firstTap < extents[window.tap] &&
           getPlace(phase.firstTap) % window.step != 0)
      ++phase.firstTap;
    phase.taps =
        llvm::divideCeil(extents[window.tap] - phase.firstTap, window.step);
    phase.shift = getPlace(phase.firstTap) / window.step;
    phases.push_back(phase);
  }
  return phases;
}

Value SpreadImage::fill(ArrayRef<OpFoldResult> sizes) {
  Type element = getElementTypeOrSelf(op.getResultTypes()[0]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  return linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
}

/// The image with zeros around it where a phase needs some. `lows`: the zeros
/// before it, for each window.
Value SpreadImage::pad(ArrayRef<Phase> phases, SmallVectorImpl<int64_t> &lows) {
  Value image = spread.getSource();
  RankedTensorType type = spread.getSourceType();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, image);
  SmallVector<OpFoldResult> inner = sizes;
  SmallVector<OpFoldResult> offsets(type.getRank(), number(0));
  bool isPadded = false;
  for (auto [window, phase] : llvm::zip_equal(windows, phases)) {
    int64_t back = window.direction * (phase.taps - 1);
    int64_t first = phase.shift + std::min<int64_t>(back, 0);
    int64_t last = phase.shift + phase.pixels - 1 + std::max<int64_t>(back, 0);
    int64_t extent = type.getDimSize(window.dim);
    int64_t low = std::max<int64_t>(-first, 0);
    int64_t whole = std::max(extent, last + 1) + low;
    isPadded |= whole != extent;
    lows.push_back(low);
    offsets[window.dim] = number(low);
    sizes[window.dim] = number(whole);
  }
  if (!isPadded)
    return image;
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  SmallVector<OpFoldResult> steps(type.getRank(), number(1));
  return tensor::InsertSliceOp::create(rewriter, loc, image, zeros, offsets,
                                       inner, steps);
}

/// The elements of the kernel that meet pixels.
Value SpreadImage::takeTaps(ArrayRef<Phase> phases) {
  Value weights = op.getInputs()[1];
  unsigned rank = maps[1].getNumResults();
  SmallVector<OpFoldResult> offsets(rank, number(0)), steps(rank, number(1));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, weights);
  for (auto [window, phase] : llvm::zip_equal(windows, phases)) {
    unsigned dim = *maps[1].getResultPosition(
        getAffineDimExpr(window.tap, op.getContext()));
    offsets[dim] = number(phase.firstTap);
    sizes[dim] = number(phase.taps);
    steps[dim] = number(window.step);
  }
  return tensor::ExtractSliceOp::create(rewriter, loc, weights, offsets, sizes,
                                        steps);
}

SmallVector<OpFoldResult> SpreadImage::getResultSizes(ArrayRef<Phase> phases) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, op.getOutputs()[0]);
  for (auto [window, phase] : llvm::zip_equal(windows, phases))
    sizes[*maps[2].getResultPosition(getAffineDimExpr(
        window.pixel, op.getContext()))] = number(phase.pixels);
  return sizes;
}

linalg::GenericOp SpreadImage::multiply(ArrayRef<Phase> phases, Value zeros) {
  SmallVector<int64_t> lows;
  Value image = pad(phases, lows);
  SmallVector<AffineExpr> indices(maps[0].getResults());
  for (auto [window, phase, low] : llvm::zip_equal(windows, phases, lows))
    indices[window.dim] =
        getAffineDimExpr(window.pixel, op.getContext()) +
        getAffineDimExpr(window.tap, op.getContext()) * window.direction +
        (phase.shift + low);
  SmallVector<AffineMap> own = maps;
  own[0] = AffineMap::get(op.getNumLoops(), 0, indices, op.getContext());
  auto made = linalg::GenericOp::create(rewriter, loc, zeros.getType(),
                                        ValueRange{image, takeTaps(phases)},
                                        zeros, own, op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  return made;
}

/// Puts a part into the result, at the pixels of the phases.
Value SpreadImage::put(Value part, ArrayRef<Phase> phases, Value into) {
  unsigned rank = maps[2].getNumResults();
  SmallVector<OpFoldResult> offsets(rank, number(0)), steps(rank, number(1));
  for (auto [window, phase] : llvm::zip_equal(windows, phases)) {
    unsigned dim = *maps[2].getResultPosition(
        getAffineDimExpr(window.pixel, op.getContext()));
    offsets[dim] = number(phase.first);
    steps[dim] = number(window.step);
  }
  return tensor::InsertSliceOp::create(rewriter, loc, part, into, offsets,
                                       getResultSizes(phases), steps);
}

SmallVector<linalg::GenericOp> SpreadImage::split() {
  if (!read())
    return {op};
  conversion = findConversion();
  rewriter.setInsertionPoint(conversion ? conversion : op);
  // One phase of each window, all of them.
  SmallVector<SmallVector<Phase>> all = {{}};
  for (const WindowDim &window : windows) {
    SmallVector<SmallVector<Phase>> longer;
    for (ArrayRef<Phase> before : all)
      for (const Phase &phase : getPhases(window)) {
        longer.emplace_back(before);
        longer.back().push_back(phase);
      }
    all = std::move(longer);
  }
  auto meetsPixels = [](const SmallVector<Phase> &phases) {
    return llvm::all_of(phases, [](const Phase &p) { return p.taps > 0; });
  };
  linalg::GenericOp last = conversion ? conversion : op;
  // Pixels that no element of the kernel meets are sums of nothing.
  Value result = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getOutputs()[0]),
      getElementTypeOrSelf(last.getResultTypes()[0]));
  SmallVector<linalg::GenericOp> parts;
  for (const SmallVector<Phase> &phases : all) {
    Value part = fill(getResultSizes(phases));
    if (meetsPixels(phases)) {
      parts.push_back(multiply(phases, part));
      part = parts.back().getResult(0);
    }
    result = put(convert(part), phases, result);
  }
  rewriter.replaceOp(last, result);
  if (conversion)
    rewriter.eraseOp(op);
  if (spread->use_empty())
    rewriter.eraseOp(spread);
  return parts;
}

SmallVector<linalg::GenericOp>
carousel::splitSpreadImage(linalg::GenericOp op, RewriterBase &rewriter) {
  return SpreadImage(op, rewriter).split();
}
