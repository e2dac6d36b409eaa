//===- ReadConvolution.cpp - windows of convolutions ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReadConvolution.h. A pad is an insertion into a fill here, as in the
// normal form.
//
//===----------------------------------------------------------------------===//

#include "ReadConvolution.h"

#include "ExtentFactors.h"
#include "ReadGraph.h"

#include "carousel/Analysis/Graph/ConvolutionTiles.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The argument of a body that a value is a conversion of, or null.
static Value skipCasts(Value value) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<CastOpInterface, RoundTF32Op>(cast))
      return {};
    value = cast->getOperand(0);
  }
  return value;
}

bool carousel::isContraction(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  Operation *sum = result.getDefiningOp();
  while (sum->getNumOperands() == 1)
    sum = sum->getOperand(0).getDefiningOp();
  return isa<arith::AddFOp, arith::AddIOp>(sum) &&
         llvm::any_of(sum->getOperands(), [](Value term) {
           return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(
               term.getDefiningOp());
         });
}

static bool addsProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumReductionLoops() == 0)
    return false;
  std::optional<Combination> sum = findCombination(op);
  if (!sum || sum->kind != vector::CombiningKind::ADD)
    return false;
  Operation *product = sum->element.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return false;
  Value lhs = skipCasts(product->getOperand(0));
  Value rhs = skipCasts(product->getOperand(1));
  Block &body = *op.getBlock();
  if (lhs != body.getArgument(0))
    std::swap(lhs, rhs);
  return lhs == body.getArgument(0) && rhs == body.getArgument(1);
}

bool carousel::hasWindows(linalg::LinalgOp op) {
  return addsProducts(op) &&
         !op.getIndexingMapsArray().front().isProjectedPermutation() &&
         op.getIndexingMapsArray()[1].isProjectedPermutation() &&
         op.getIndexingMapsArray()[2].isProjectedPermutation();
}

/// Whether an op combines the elements of each window of its first input, as a
/// pool does. Another input only says how large windows are.
static bool isPool(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() == 0 || op.getNumReductionLoops() == 0 ||
      !findCombination(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return llvm::all_of(op.getRegionInputArgs().drop_front(),
                      [](BlockArgument input) { return input.use_empty(); }) &&
         !maps.front().isProjectedPermutation() &&
         maps.back().isProjectedPermutation();
}

bool carousel::readLinear(AffineExpr expr, SmallVectorImpl<int64_t> &strides,
                          int64_t &constant) {
  SmallVector<int64_t> factors;
  if (failed(getFlattenedAffineExpr(expr, strides.size(), /*numSymbols=*/0,
                                    &factors)) ||
      factors.size() != strides.size() + 1)
    return false;
  constant += factors.pop_back_val();
  strides = factors;
  return true;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

ConvolutionView::ConvolutionView(linalg::LinalgOp op)
    : maps(op.getIndexingMapsArray()), iterators(op.getIteratorTypesArray()),
      extents(op.getStaticLoopRanges()) {}

std::optional<ConvolutionIndex> ConvolutionView::readIndex(unsigned dim) const {
  ConvolutionIndex index;
  SmallVector<int64_t> strides(iterators.size(), 0);
  if (!readLinear(maps[0].getResult(dim), strides, index.constant))
    return std::nullopt;
  for (auto [loop, stride] : llvm::enumerate(strides)) {
    if (stride == 0)
      continue;
    std::optional<unsigned> &own = isOfKernel(loop) ? index.tap : index.pixel;
    if (own)
      return std::nullopt;
    own = loop;
    (isOfKernel(loop) ? index.dilation : index.stride) = stride;
  }
  return index;
}

SmallVector<unsigned> ConvolutionView::findPlainLoops() const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : maps[0].getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops.push_back(loop.getPosition());
  return loops;
}

SmallVector<unsigned> ConvolutionView::findPixels() const {
  SmallVector<unsigned> pixels;
  for (AffineExpr expr : maps[0].getResults())
    for (unsigned loop = 0; loop < iterators.size(); ++loop)
      if (!isOfKernel(loop) && expr.isFunctionOfDim(loop))
        pixels.push_back(loop);
  return pixels;
}

std::optional<unsigned> ConvolutionView::findOwnChannels() const {
  std::optional<unsigned> channels;
  for (unsigned loop = 0; loop < iterators.size(); ++loop) {
    if (isInImage(loop) || !isInWeights(loop))
      continue;
    if (channels)
      return std::nullopt;
    channels = loop;
  }
  return channels;
}

std::pair<double, double> ConvolutionView::countWindowIterations() const {
  double reduced = 1, kept = 1;
  for (AffineExpr expr : maps[0].getResults())
    for (unsigned loop = 0; loop < iterators.size(); ++loop)
      if (!isa<AffineDimExpr>(expr) && expr.isFunctionOfDim(loop))
        (isReduced(loop) ? reduced : kept) *=
            ShapedType::isDynamic(extents[loop]) ? kAssumedExtent
                                                 : double(extents[loop]);
  return {reduced, kept};
}

bool ConvolutionView::hasLongFilterLoops() const {
  constexpr double kMuchLonger = 4, kLongestKernel = 64;
  auto [reduced, kept] = countWindowIterations();
  bool isLonger = reduced > kMuchLonger * kept;
  auto last = dyn_cast<AffineDimExpr>(maps[0].getResults().back());
  if (!last)
    return isLonger;
  return isReduced(last.getPosition()) ? isLonger && reduced > kLongestKernel
                                       : kMuchLonger * reduced > kept;
}

bool ConvolutionView::hasLongStencil() const {
  auto [reduced, kept] = countWindowIterations();
  return reduced > kept;
}

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

/// Finds the insertion of a tensor into a fill of as many dimensions, or null.
static tensor::InsertSliceOp findInsertIntoFill(Value image) {
  auto insert = image.getDefiningOp<tensor::InsertSliceOp>();
  bool isFill = insert && findFill(insert.getDest()) &&
                insert.getSourceType().getRank() == insert.getType().getRank();
  return isFill ? insert : tensor::InsertSliceOp();
}

tensor::InsertSliceOp carousel::findInsertIntoZeros(Value image) {
  tensor::InsertSliceOp insert = findInsertIntoFill(image);
  if (!insert)
    return {};
  TypedAttr fill = findFill(insert.getDest());
  bool isZero =
      matchPattern(fill, m_AnyZeroFloat()) || matchPattern(fill, m_Zero());
  return isZero ? insert : tensor::InsertSliceOp();
}

/// Whether an insertion surrounds a tensor, by known numbers before it.
static bool isPad(tensor::InsertSliceOp insert) {
  auto isOne = [](int64_t stride) { return stride == 1; };
  auto isKnown = [](int64_t low) { return !ShapedType::isDynamic(low); };
  return insert && llvm::all_of(insert.getStaticStrides(), isOne) &&
         llvm::all_of(insert.getStaticOffsets(), isKnown);
}

tensor::InsertSliceOp carousel::findPad(Value image) {
  tensor::InsertSliceOp insert = findInsertIntoZeros(image);
  return isPad(insert) ? insert : tensor::InsertSliceOp();
}

TypedAttr carousel::findPadding(linalg::LinalgOp op) {
  Value image = op.getDpsInputOperand(0)->get();
  TypedAttr zero =
      OpBuilder(op.getContext()).getZeroAttr(getElementTypeOrSelf(image));
  tensor::InsertSliceOp insert = findInsertIntoFill(image);
  return insert && !hasWindows(op) ? findFill(insert.getDest()) : zero;
}

bool carousel::isWhole(tensor::InsertSliceOp pad, int64_t dim) {
  return factorizeExtent(pad.getMixedSizes()[dim]) ==
         factorizeExtent(pad.getDest(), dim);
}

bool carousel::readsInsidePad(Operation *op, Operation *pad) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInputs() == 0 ||
      structured.getDpsInputOperand(0)->get().getDefiningOp() != pad)
    return false;
  std::string refusal;
  std::optional<ConvolutionImage> found = findConvolution(structured, refusal);
  return found && found->image.getDefiningOp() != pad;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Reads one op with windows.
class ConvolutionReader : ConvolutionView {
public:
  ConvolutionReader(linalg::LinalgOp op, std::string &refusal)
      : ConvolutionView(op), op(op), refusal(refusal) {}

  std::optional<ConvolutionImage> run() {
    bool isStencil = keepsChannels();
    if (!(isStencil ? checkStencil() : checkLoops()))
      return std::nullopt;
    Value image = op.getDpsInputOperand(0)->get();
    tensor::InsertSliceOp pad =
        hasWindows(op) ? findPad(image) : findInsertIntoFill(image);
    if (!isPad(pad))
      pad = {};
    for (bool isInside : {true, false}) {
      if (isInside && !pad)
        continue;
      refusal.clear();
      ConvolutionImage found;
      found.image = isInside ? pad.getSource() : image;
      found.kind = isStencil ? GraphOpKind::Stencil : GraphOpKind::Convolution;
      if (readWindows(found, isInside ? pad : tensor::InsertSliceOp()))
        return found;
    }
    return std::nullopt;
  }

private:
  bool refuse(const Twine &reason) {
    refusal = reason.str();
    return false;
  }

  /// Whether each channel of the image has weights of its own, or a result of
  /// a pool.
  bool keepsChannels() const {
    auto last = dyn_cast<AffineDimExpr>(maps[0].getResults().back());
    return last && !isReduced(last.getPosition()) &&
           (isPool(op) ? maps.back() : maps[1])
               .isFunctionOfDim(last.getPosition());
  }

  /// Boxes go along the longer loops of windows.
  bool checkStencil() {
    isWgrad = hasLongStencil();
    return maps.back().getNumResults() != 0 && (hasWindows(op) || !isWgrad);
  }

  bool checkLoops() {
    if (!hasWindows(op))
      return refuse("channels aren't the last dimension of its image");
    auto depth = dyn_cast<AffineDimExpr>(maps[0].getResults().back());
    auto last = dyn_cast<AffineDimExpr>(maps[1].getResults().back());
    if (!depth || !last ||
        (isReduced(last.getPosition()) && !endsInDepth(depth)))
      return refuse("channels aren't the last dimension of its factors");
    isWgrad = !isReduced(depth.getPosition());
    for (unsigned loop = 0; loop < iterators.size(); ++loop) {
      bool isInBoth = isInImage(loop) && isInWeights(loop);
      if (isReduced(loop) && !isInBoth)
        return refuse("it sums along a dimension that one factor lacks");
      if (!isReduced(loop) && isInBoth && !isGroup(loop))
        return refuse("its groups of channels aren't before channels");
    }
    SmallVector<unsigned> pixels = findPixels();
    bool hasPixels = llvm::any_of(
        pixels, [&](unsigned loop) { return isWgrad || !isInWeights(loop); });
    if (!hasPixels || !findOwnChannels())
      return refuse("its result has no pixels, or no channels of its own");
    // Both factors have the same pixels, in the same order.
    SmallVector<unsigned> ofWeights;
    for (AffineExpr expr : maps[1].getResults())
      if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
          isReduced(loop))
        ofWeights.push_back(loop);
    return !isWgrad || pixels == ofWeights ||
           refuse("its factors have pixels in different orders");
  }

  /// Whether the weights have the channels of the image last, and their own
  /// ones before.
  bool endsInDepth(AffineDimExpr depth) {
    ArrayRef<AffineExpr> dims = maps[1].getResults();
    return dims.size() > 1 && dims.back() == depth &&
           !isReduced(
               cast<AffineDimExpr>(dims.drop_back().back()).getPosition());
  }

  /// Whether a loop goes along groups of channels, which both factors have.
  bool isGroup(unsigned loop) const {
    ArrayRef<AffineExpr> dims = maps[0].getResults();
    return dims.size() > 2 && maps[1].isFunctionOfDim(loop) &&
           dims.drop_back().back() == getAffineDimExpr(loop, op->getContext());
  }

  /// \p pad: the image is read inside of it; null where it has none.
  bool readWindows(ConvolutionImage &found, tensor::InsertSliceOp pad) {
    auto type = cast<RankedTensorType>(found.image.getType());
    llvm::SmallDenseSet<unsigned> seen;
    auto group =
        dyn_cast<AffineDimExpr>(maps[0].getResults().drop_back().back());
    found.access.hasGroups = found.kind == GraphOpKind::Convolution && group &&
                             !isReduced(group.getPosition()) &&
                             isGroup(group.getPosition());
    if (found.access.hasGroups && (type.isDynamicDim(type.getRank() - 1) ||
                                   type.isDynamicDim(type.getRank() - 2)))
      return refuse("the launch says how many groups of channels it has");
    for (auto [dim, expr] : llvm::enumerate(maps[0].getResults())) {
      int64_t low = pad ? pad.getStaticOffset(dim) : 0;
      bool isPadded = pad && !isWhole(pad, dim);
      bool isLast = dim + 1 + found.access.hasGroups >= maps[0].getNumResults();
      if (isLast && isPadded)
        return refuse("its channels are padded");
      std::optional<ConvolutionIndex> index = readIndex(dim);
      auto isSeen = [&](std::optional<unsigned> loop) {
        return loop && !seen.insert(*loop).second;
      };
      if (!index || index->stride < 0 || isSeen(index->pixel) ||
          isSeen(index->tap))
        return refuse("an index isn't a sum of one loop of the result and one "
                      "of the kernel");
      if (index->constant < 0)
        return refuse("an index isn't a sum of loops");
      GraphWindow window;
      window.dim = dim;
      window.along = index->pixel;
      window.tap = index->tap;
      window.stride = index->stride;
      window.dilation = index->dilation;
      window.low = low - index->constant;
      bool isPlain = !isPadded && window.low == 0 && isa<AffineDimExpr>(expr);
      found.access.loops.push_back(!isPlain       ? std::nullopt
                                   : window.along ? window.along
                                                  : window.tap);
      if (isPlain)
        continue;
      if (window.dilation < 0 && window.stride != 1)
        return refuse("its kernel is reversed, and its stride isn't 1");
      if (window.stride != 1 && (type.isDynamicDim(dim) ||
                                 type.getDimSize(dim) % window.stride != 0 ||
                                 type.isDynamicDim(type.getRank() - 1)))
        return refuse("a stride of " + Twine(window.stride) +
                      " doesn't divide the image's dimension " + Twine(dim));
      found.access.windows.push_back(window);
    }
    return checkPixels(found.access) &&
           (found.access.windows.empty() || checkBox(found.access));
  }

  /// Programs compute boxes of pixels, so that one dimension has to be in them.
  bool checkPixels(const GraphAccess &image) {
    for (unsigned dim = 0; dim + 1 + image.hasGroups < image.loops.size();
         ++dim) {
      const GraphWindow *window = image.findWindow(dim);
      std::optional<unsigned> loop = window ? window->along : image.loops[dim];
      if (loop && !isOfKernel(*loop) && isInBox(image, dim))
        return true;
    }
    return refuse("its pixels are too far before the image's channels: vectors "
                  "have at most 4 dimensions");
  }

  /// Vectors have at most four dimensions, and those of windows are all theirs.
  bool checkBox(const GraphAccess &image) {
    constexpr int64_t kMostDims = 4;
    int64_t dims = countMemoryDims(image, image.loops.size()) -
                   countMemoryDims(image, image.windows.front().dim);
    return dims <= kMostDims || refuse("its windows take " + Twine(dims) +
                                       " dimensions of memory, and vectors "
                                       "have at most 4");
  }

  linalg::LinalgOp op;
  std::string &refusal;
};

} // namespace

std::optional<ConvolutionImage>
carousel::findConvolution(linalg::LinalgOp op, std::string &refusal) {
  if (!hasWindows(op) && !isPool(op))
    return std::nullopt;
  return ConvolutionReader(op, refusal).run();
}
