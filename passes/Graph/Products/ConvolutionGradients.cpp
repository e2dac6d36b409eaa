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
// place i + d * r + k of the dilated image (d is 1 or -1), and pixel u of the
// image is in place s * u + offset. With i = s * p + a, only every s-th r meets
// a pixel: r = r0 + s * m, and
//
//   u = p + d * m + (a + d * r0 + k - offset) / s.
//
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#include "LowerConvolutions.h"

#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {

class WeightsReader : ConvolutionRewriter {
public:
  WeightsReader(linalg::GenericOp op, RewriterBase &rewriter)
      : ConvolutionRewriter(op, rewriter) {
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      taps.push_back(getLoop(loop));
  }

  /// Returns the op that takes the convolution's place, or null.
  linalg::GenericOp run() {
    if (unreverse() || skipZeros())
      return replaceWeights();
    return {};
  }

private:
  /// Whether an index of the weights goes along the kernel: its loop is
  /// reduced, and moves the image's index of a pixel.
  bool isFilterLoop(AffineExpr index) const {
    unsigned loop = cast<AffineDimExpr>(index).getPosition();
    return isReduced(loop) && !findDim(0, loop);
  }

  bool unreverse();
  bool skipZeros();
  linalg::GenericOp replaceWeights();

  SmallVector<AffineExpr> taps; ///< by loop: its value in the image's index
  Value weights;
  AffineMap weightsMap;
};

} // namespace

linalg::GenericOp WeightsReader::replaceWeights() {
  maps[0] = simplifyAffineMap(maps[0].replaceDimsAndSymbols(
      taps, /*symReplacements=*/{}, taps.size(), /*numResultSyms=*/0));
  maps[1] = weightsMap;
  auto made = createWithBodyOf(rewriter, op, {op.getInputs()[0], weights},
                               op.getOutputs()[0], maps, iterators);
  Operation *before = op.getInputs()[1].getDefiningOp();
  rewriter.replaceOp(op, made);
  if (before->use_empty())
    rewriter.eraseOp(before);
  return made;
}

/// Finds weights of which a copy reads each element once, maybe from the end
/// on.
bool WeightsReader::unreverse() {
  auto copy = op.getInputs()[1].getDefiningOp<linalg::GenericOp>();
  if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumDpsInits() != 1 ||
      copy.getNumReductionLoops() != 0 ||
      !copy.getIndexingMapsArray().back().isIdentity() ||
      copy.getBody()->getTerminator()->getOperand(0) !=
          copy.getBody()->getArgument(0))
    return false;
  weights = copy.getInputs()[0];
  auto type = cast<RankedTensorType>(weights.getType());
  SmallVector<AffineExpr> read = taps, indices;
  llvm::SmallBitVector seen(copy.getNumLoops());
  for (auto [dim, expr] :
       llvm::enumerate(copy.getIndexingMapsArray().front().getResults())) {
    SmallVector<int64_t> strides(copy.getNumLoops(), 0);
    int64_t constant = 0;
    if (!readLinear(expr, strides, constant) ||
        llvm::count(strides, 0) + 1 != int64_t(strides.size()))
      return false;
    unsigned from =
        llvm::find_if(strides, [](int64_t stride) { return stride != 0; }) -
        strides.begin();
    if (seen.test(from))
      return false;
    seen.set(from);
    AffineExpr index = maps[1].getResult(from);
    indices.push_back(index);
    if (strides[from] == 1 && constant == 0)
      continue;
    if (strides[from] != -1 || type.isDynamicDim(dim) ||
        constant != type.getDimSize(dim) - 1 || !isFilterLoop(index))
      return false;
    read[cast<AffineDimExpr>(index).getPosition()] = constant - index;
  }
  if (!seen.all())
    return false;
  taps = read;
  weightsMap = AffineMap::get(taps.size(), 0, indices, op.getContext());
  return true;
}

bool WeightsReader::skipZeros() {
  tensor::InsertSliceOp spread = findInsertIntoZeros(op.getInputs()[1]);
  if (!spread)
    return false;
  weights = spread.getSource();
  weightsMap = maps[1];
  for (auto [dim, expr] : llvm::enumerate(maps[1].getResults())) {
    int64_t offset = spread.getStaticOffset(dim);
    int64_t step = spread.getStaticStride(dim);
    if (offset == 0 && step == 1 &&
        spread.getSourceType().getDimSize(dim) ==
            spread.getType().getDimSize(dim) &&
        !spread.getType().isDynamicDim(dim))
      continue;
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(step) ||
        spread.getSourceType().isDynamicDim(dim) || !isFilterLoop(expr))
      return false;
    taps[cast<AffineDimExpr>(expr).getPosition()] = expr * step + offset;
  }
  return true;
}

linalg::GenericOp carousel::readWeightsDirectly(linalg::GenericOp op,
                                                RewriterBase &rewriter) {
  while (linalg::GenericOp made = WeightsReader(op, rewriter).run())
    op = made;
  return op;
}

//===----------------------------------------------------------------------===//
// Spread images
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of the image along which the kernel moves.
struct SpreadWindow {
  unsigned dim = 0;             ///< of the image
  ConvolutionIndex index;       ///< of which pixels have a stride of 1
  int64_t step = 1, offset = 0; ///< of pixels in the dilated image
};

/// One remainder of a dimension.
struct Phase {
  int64_t first = 0, pixels = 0; ///< of the result
  int64_t firstFilterElement = 0, taps = 0;
  int64_t shift = 0; ///< of the index of the image
};

class DilatedImage : ConvolutionRewriter {
public:
  DilatedImage(linalg::GenericOp op, RewriterBase &rewriter)
      : ConvolutionRewriter(op, rewriter),
        spread(findInsertIntoZeros(op.getInputs()[0])) {}

  SmallVector<linalg::GenericOp> split();

private:
  bool read();
  bool readWindow(unsigned dim);
  SmallVector<Phase> getPhases(const SpreadWindow &window) const;
  SmallVector<Range> slice(unsigned operand, ArrayRef<Phase> phases) const;
  Value pad(ArrayRef<Phase> phases, SmallVectorImpl<AffineExpr> &indices);
  linalg::GenericOp multiply(ArrayRef<Phase> phases, Value zeros);

  tensor::InsertSliceOp spread;
  SmallVector<SpreadWindow> windows;
};

} // namespace

bool DilatedImage::readWindow(unsigned dim) {
  std::optional<ConvolutionIndex> index = readIndex(dim);
  int64_t step = spread.getStaticStride(dim);
  int64_t offset = spread.getStaticOffset(dim);
  if (!index || !index->isWindow() || index->stride != 1 ||
      std::abs(index->dilation) != 1 ||
      ShapedType::isDynamic(extents[*index->pixel]) ||
      ShapedType::isDynamic(extents[*index->tap]) ||
      ShapedType::isDynamic(step) || ShapedType::isDynamic(offset) ||
      spread.getSourceType().isDynamicDim(dim) || !findDim(1, *index->tap))
    return false;
  windows.push_back({dim, *index, step, offset});
  return true;
}

bool DilatedImage::read() {
  if (!spread || op.getNumResults() != 1 || !maps[2].isProjectedPermutation())
    return false;
  TypedAttr init = findFill(op.getOutputs()[0]);
  if (!init || !matchPattern(init, m_AnyZeroFloat()))
    return false;
  for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
    bool isUnchanged = spread.getStaticOffset(dim) == 0 &&
                       spread.getStaticStride(dim) == 1 && isWhole(spread, dim);
    if (isa<AffineDimExpr>(expr) ? !isUnchanged : !readWindow(dim))
      return false;
  }
  return llvm::any_of(
      windows, [](const SpreadWindow &window) { return window.step != 1; });
}

SmallVector<Phase> DilatedImage::getPhases(const SpreadWindow &window) const {
  int64_t pixels = extents[*window.index.pixel];
  int64_t taps = extents[*window.index.tap];
  SmallVector<Phase> phases;
  for (int64_t a = 0; a < std::min(window.step, pixels); ++a) {
    Phase phase;
    phase.first = a;
    phase.pixels = llvm::divideCeil(pixels - a, window.step);
    auto getPlace = [&](int64_t tap) {
      return a + window.index.dilation * tap + window.index.constant -
             window.offset;
    };
    while (phase.firstFilterElement < taps &&
           getPlace(phase.firstFilterElement) % window.step != 0)
      ++phase.firstFilterElement;
    phase.taps = llvm::divideCeil(taps - phase.firstFilterElement, window.step);
    phase.shift = getPlace(phase.firstFilterElement) / window.step;
    phases.push_back(phase);
  }
  return phases;
}

/// The image with zeros around it where a phase needs some, and its indices.
Value DilatedImage::pad(ArrayRef<Phase> phases,
                        SmallVectorImpl<AffineExpr> &indices) {
  Value image = spread.getSource();
  SmallVector<OpFoldResult> sizes = getSizes(image);
  SmallVector<Range> ranges = getRanges(image);
  bool isPadded = false;
  for (auto [window, phase] : llvm::zip_equal(windows, phases)) {
    int64_t back = window.index.dilation * (phase.taps - 1);
    int64_t first = phase.shift + std::min<int64_t>(back, 0);
    int64_t last = phase.shift + phase.pixels - 1 + std::max<int64_t>(back, 0);
    int64_t extent = spread.getSourceType().getDimSize(window.dim);
    int64_t low = std::max<int64_t>(-first, 0);
    int64_t whole = std::max(extent, last + 1) + low;
    isPadded |= whole != extent;
    ranges[window.dim].offset = number(low);
    sizes[window.dim] = number(whole);
    indices[window.dim] = getLoop(*window.index.pixel) +
                          getLoop(*window.index.tap) * window.index.dilation +
                          (phase.shift + low);
  }
  return isPadded ? insertIntoZeros(image, sizes, ranges) : image;
}

/// The part of the weights that meets pixels in phases, or of the result.
SmallVector<Range> DilatedImage::slice(unsigned operand,
                                       ArrayRef<Phase> phases) const {
  bool ofWeights = operand == 1;
  SmallVector<Range> ranges = getRanges(op->getOperand(operand));
  for (auto [window, phase] : llvm::zip_equal(windows, phases)) {
    unsigned loop = ofWeights ? *window.index.tap : *window.index.pixel;
    ranges[*findDim(operand, loop)] = {
        number(ofWeights ? phase.firstFilterElement : phase.first),
        number(ofWeights ? phase.taps : phase.pixels), number(window.step)};
  }
  return ranges;
}

linalg::GenericOp DilatedImage::multiply(ArrayRef<Phase> phases, Value zeros) {
  SmallVector<AffineExpr> indices(maps[0].getResults());
  Value image = pad(phases, indices);
  Value taps = tensor::ExtractSliceOp::create(rewriter, loc, op.getInputs()[1],
                                              slice(1, phases));
  AffineMap map = AffineMap::get(extents.size(), 0, indices, op.getContext());
  return createWithBodyOf(rewriter, op, {image, taps}, zeros,
                          {map, maps[1], maps[2]}, iterators);
}

SmallVector<linalg::GenericOp> DilatedImage::split() {
  if (!read())
    return {op};
  linalg::GenericOp conversion = findConversion();
  linalg::GenericOp last = conversion ? conversion : op;
  rewriter.setInsertionPoint(last);
  // One phase of each window, all of them.
  SmallVector<SmallVector<Phase>> all = {{}};
  for (const SpreadWindow &window : windows) {
    SmallVector<SmallVector<Phase>> longer;
    for (ArrayRef<Phase> before : all)
      for (const Phase &phase : getPhases(window)) {
        longer.emplace_back(before);
        longer.back().push_back(phase);
      }
    all = std::move(longer);
  }
  // Pixels that no element of the kernel meets are sums of nothing.
  Value result =
      tensor::EmptyOp::create(rewriter, loc, getSizes(op.getOutputs()[0]),
                              getElementTypeOrSelf(last.getResultTypes()[0]));
  TypedAttr zero =
      rewriter.getZeroAttr(getElementTypeOrSelf(op.getResultTypes()[0]));
  SmallVector<linalg::GenericOp> parts;
  for (const SmallVector<Phase> &phases : all) {
    SmallVector<Range> ranges = slice(2, phases);
    Value part =
        fill(llvm::map_to_vector(ranges,
                                 [](const Range &range) { return range.size; }),
             zero);
    if (llvm::all_of(phases, [](const Phase &p) { return p.taps > 0; })) {
      parts.push_back(multiply(phases, part));
      part = parts.back().getResult(0);
    }
    if (conversion)
      part = convert(conversion, part);
    result = tensor::InsertSliceOp::create(rewriter, loc, part, result, ranges);
  }
  rewriter.replaceOp(last, result);
  if (conversion)
    rewriter.eraseOp(op);
  if (spread->use_empty())
    rewriter.eraseOp(spread);
  return parts;
}

SmallVector<linalg::GenericOp>
carousel::splitDilatedImage(linalg::GenericOp op, RewriterBase &rewriter) {
  return DilatedImage(op, rewriter).split();
}
