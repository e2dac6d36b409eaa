//===- PropagateChannelsLast.cpp - images in NHWC -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-propagate-channels-last. Finds the tensors of a graph that are
// images of convolutions. docs/GraphPhase.md, Convolutions. An image is a value
// whose first dimension is a batch, and whose last ones are pixels; its
// channels are between them. From convolutions, images are followed to what
// computes them, and to what reads them. Structured ops take any layout by
// their maps, and slices by their indices. Others read a copy as it was.
//
//===----------------------------------------------------------------------===//

#include "LowerConvolutions.h"

#include "../Shapes/Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/MapVector.h"

namespace carousel {
#define GEN_PASS_DEF_PROPAGATECHANNELSLAST
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The pixels' dimensions of a convolution with channels before them, or 0.
static unsigned countPixels(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !hasWindows(op))
    return 0;
  ConvolutionView view(op);
  ArrayRef<AffineExpr> image = view.maps[0].getResults();
  ArrayRef<AffineExpr> result = view.maps[2].getResults();
  unsigned count = image.size() - view.findPlainLoops().size();
  bool areLast =
      llvm::all_of(image.drop_back(count), llvm::IsaPred<AffineDimExpr>);
  return areLast && !view.hasLongFilterLoops() && image.size() >= count + 2 &&
                 result.size() >= count + 2 && image[0] == result[0]
             ? count
             : 0;
}

/// Whether two tensors of an op are at the same image, and at pixels that
/// follow from each other.
static bool areAlike(AffineMap lhs, AffineMap rhs, unsigned pixels) {
  if (lhs.getNumResults() < pixels + 2 || rhs.getNumResults() < pixels + 2 ||
      lhs.getResult(0) != rhs.getResult(0) ||
      !isa<AffineDimExpr>(lhs.getResult(0)))
    return false;
  return llvm::all_of(
      llvm::zip_equal(lhs.getResults().take_back(pixels),
                      rhs.getResults().take_back(pixels)),
      [](auto both) {
        AffineExpr one = std::get<0>(both), other = std::get<1>(both);
        if (!isa<AffineDimExpr>(one))
          std::swap(one, other);
        auto loop = dyn_cast<AffineDimExpr>(one);
        return loop && other.isFunctionOfDim(loop.getPosition());
      });
}

/// Dimensions of channels last: of dimension i, which one it was.
static SmallVector<int64_t> getOrder(int64_t rank, unsigned pixels) {
  SmallVector<int64_t> order = {0};
  llvm::append_range(order, llvm::seq<int64_t>(rank - pixels, rank));
  llvm::append_range(order, llvm::seq<int64_t>(1, rank - pixels));
  return order;
}

/// Dimensions as they were: of dimension i, which one it is with channels last.
static SmallVector<int64_t> getBack(int64_t rank, unsigned pixels) {
  return invertPermutationVector(getOrder(rank, pixels));
}

template <typename T>
static SmallVector<T> reorder(ArrayRef<T> values, unsigned pixels) {
  return applyPermutation(values, getOrder(values.size(), pixels));
}

static RankedTensorType reorder(RankedTensorType type, unsigned pixels) {
  return RankedTensorType::get(reorder(type.getShape(), pixels),
                               type.getElementType(), type.getEncoding());
}

/// The dimensions that a reshape joins or divides; none for other ops.
static SmallVector<ReassociationIndices> getGroups(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getReassociationIndices();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse.getReassociationIndices();
  return {};
}

/// Whether a reshape leaves all but channels alone.
static bool reshapesChannels(ArrayRef<ReassociationIndices> groups,
                             unsigned pixels) {
  auto isAlone = [](const ReassociationIndices &dims) {
    return dims.size() == 1;
  };
  return groups.size() >= pixels + 2 && isAlone(groups.front()) &&
         llvm::all_of(groups.take_back(pixels), isAlone);
}

namespace {
class ImageLayouts {
public:
  explicit ImageLayouts(func::FuncOp func)
      : func(func), rewriter(func.getContext()) {}

  void run() {
    if (!findConvolutions())
      return;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      follow(value.getDefiningOp(), value);
      for (Operation *user : value.getUsers())
        follow(user, value);
    }
    // Values that lead to no image are as good with channels first.
    while (removeOthers()) {
    }
    rewrite();
  }

private:
  bool findConvolutions() {
    SmallVector<linalg::LinalgOp> ops;
    bool isFound = false;
    func.walk([&](linalg::LinalgOp op) {
      isFound |= countPixels(op) != 0;
      if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
          op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    if (!isFound)
      return false;
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    func.walk([&](linalg::GenericOp op) {
      if (unsigned pixels = countPixels(op)) {
        add(op.getResult(0), pixels);
        add(op.getInputs()[0], pixels);
      }
    });
    return true;
  }

  /// Whether an op takes any layout, by maps or numbers. Fills are made again.
  static bool isFlexible(Operation *op) {
    if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
      return generic.hasPureTensorSemantics();
    if (auto pad = dyn_cast_if_present<tensor::PadOp>(op))
      return pad.getConstantPaddingValue() != nullptr;
    if (auto insert = dyn_cast_if_present<tensor::InsertSliceOp>(op))
      return insert.getSourceType().getRank() == insert.getType().getRank();
    if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(op))
      return slice.getSourceType().getRank() == slice.getType().getRank();
    return isa_and_nonnull<tensor::ConcatOp, tensor::ExpandShapeOp,
                           tensor::CollapseShapeOp>(op);
  }

  void add(Value value, unsigned pixels) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() >= pixels + 2 &&
        isFlexible(value.getDefiningOp()) &&
        images.insert({value, pixels}).second)
      pending.push_back(value);
  }

  bool isImage(Value value) const { return images.contains(value); }

  /// Adds what has to be an image where one of an op's values is.
  void follow(Operation *op, Value value) {
    unsigned pixels = images.lookup(value);
    if (!isFlexible(op))
      return;
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      auto getValue = [&](OpOperand &operand) {
        return generic.isDpsInit(&operand)
                   ? Value(generic.getTiedOpResult(&operand))
                   : operand.get();
      };
      for (OpOperand &from : op->getOpOperands())
        for (OpOperand &to : op->getOpOperands())
          if ((getValue(from) == value || from.get() == value) &&
              areAlike(generic.getMatchingIndexingMap(&from),
                       generic.getMatchingIndexingMap(&to), pixels)) {
            add(getValue(to), pixels);
            add(to.get(), pixels);
          }
      return;
    }
    SmallVector<ReassociationIndices> groups = getGroups(op);
    if (!groups.empty() && !reshapesChannels(groups, pixels))
      return;
    add(op->getResult(0), pixels);
    for (Value operand : op->getOperands())
      add(operand, pixels);
  }

  /// Whether an op reads an image as one, and not a copy with channels first.
  bool takesImage(OpOperand &use) const {
    Operation *op = use.getOwner();
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return generic.isDpsInput(&use) || isImage(generic.getTiedOpResult(&use));
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return dim.getConstantIndex().has_value();
    return isa<tensor::ExtractOp>(op) ||
           (isFlexible(op) && isImage(op->getResult(0)));
  }

  bool removeOthers() {
    auto isOther = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (isa<linalg::GenericOp>(op))
        return llvm::none_of(value.getUses(), [&](OpOperand &use) {
          return !isa<tensor::DimOp>(use.getOwner()) && takesImage(use);
        });
      return llvm::none_of(op->getOperands(),
                           [&](Value operand) { return isImage(operand); });
    };
    unsigned before = images.size();
    images.remove_if([&](const auto &entry) { return isOther(entry.first); });
    return images.size() != before;
  }

  /// Returns, as an image, the value that a slice or sum begins with.
  Value takeImage(Value value, unsigned pixels) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    unsigned own = images.lookup(value);
    if (!type || own == pixels)
      return value;
    if (own != 0) // channels of one convolution are pixels of the other one
      value = transpose(rewriter, value, getBack(type.getRank(), own));
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op))
      return transpose(rewriter, value, getOrder(type.getRank(), pixels));
    Location loc = value.getLoc();
    return resizeInit(rewriter, loc, value,
                      reorder<OpFoldResult>(
                          tensor::getMixedSizes(rewriter, loc, value), pixels));
  }

  void rewrite() {
    llvm::SetVector<Operation *> ops;
    for (auto [value, pixels] : images) {
      ops.insert(value.getDefiningOp());
      SmallVector<OpOperand *> others;
      for (OpOperand &use : value.getUses())
        if (takesImage(use))
          ops.insert(use.getOwner());
        else
          others.push_back(&use);
      auto type = cast<RankedTensorType>(value.getType());
      value.setType(reorder(type, pixels));
      if (others.empty())
        continue;
      rewriter.setInsertionPointAfterValue(value);
      Value copy = transpose(rewriter, value, getBack(type.getRank(), pixels));
      for (OpOperand *use : others)
        use->set(copy);
    }
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        rewriteLoops(generic);
      else
        rewriteNumbers(op);
    }
  }

  void rewriteLoops(linalg::GenericOp op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(op->getOpOperands(), maps)) {
      Value value = op.isDpsInit(&operand) ? Value(op.getTiedOpResult(&operand))
                                           : operand.get();
      if (!isImage(value))
        continue;
      unsigned pixels = images.lookup(value);
      map = AffineMap::get(map.getNumDims(), 0,
                           reorder(map.getResults(), pixels), op.getContext());
      operand.set(takeImage(operand.get(), pixels));
    }
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    // Loops in the order of the result.
    SmallVector<unsigned> loops;
    for (AffineExpr expr : maps.back().getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        loops.push_back(loop.getPosition());
    for (unsigned loop : llvm::seq(op.getNumLoops()))
      if (!llvm::is_contained(loops, loop))
        loops.push_back(loop);
    if (!llvm::is_sorted(loops))
      (void)linalg::interchangeGenericOp(rewriter, op, loops);
  }

  void rewriteNumbers(Operation *op) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      unsigned pixels = images.lookup(dim.getSource());
      int64_t rank =
          cast<RankedTensorType>(dim.getSource().getType()).getRank();
      dim.getIndexMutable().set(arith::ConstantIndexOp::create(
          rewriter, dim.getLoc(),
          getBack(rank, pixels)[*dim.getConstantIndex()]));
      return;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      unsigned pixels = images.lookup(extract.getTensor());
      SmallVector<Value> indices(extract.getIndices());
      extract.getIndicesMutable().assign(reorder<Value>(indices, pixels));
      return;
    }
    Value result = op->getResult(0);
    unsigned pixels = images.lookup(result);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(takeImage(operand.get(), pixels));
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(result.getType());
    auto pick = [&](SmallVector<OpFoldResult> values) {
      return reorder<OpFoldResult>(values, pixels);
    };
    Value other;
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      other = tensor::PadOp::create(
          rewriter, loc, type, pad.getSource(), pick(pad.getMixedLowPad()),
          pick(pad.getMixedHighPad()), pad.getConstantPaddingValue(),
          pad.getNofold());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      other = tensor::InsertSliceOp::create(
          rewriter, loc, insert.getSource(), insert.getDest(),
          reorder<Range>(readRanges(insert), pixels));
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      other = tensor::ExtractSliceOp::create(
          rewriter, loc, type, slice.getSource(), pick(slice.getMixedOffsets()),
          pick(slice.getMixedSizes()), pick(slice.getMixedStrides()));
    else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      other = tensor::ConcatOp::create(
          rewriter, loc, type, getBack(type.getRank(), pixels)[concat.getDim()],
          concat.getInputs());
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      other =
          tensor::ExpandShapeOp::create(rewriter, loc, type, expand.getSrc(),
                                        moveGroups(getGroups(op), pixels),
                                        pick(expand.getMixedOutputShape()));
    else
      other = tensor::CollapseShapeOp::create(
          rewriter, loc, type, op->getOperand(0),
          moveGroups(getGroups(op), pixels));
    images.insert({other, pixels});
    images.erase(result); // other values may get its address
    rewriter.replaceAllUsesWith(result, other);
    rewriter.eraseOp(op);
  }

  /// Groups of dimensions where those of channels are last.
  static SmallVector<ReassociationIndices>
  moveGroups(ArrayRef<ReassociationIndices> groups, unsigned pixels) {
    SmallVector<ReassociationIndices> moved =
        reorder<ReassociationIndices>(groups, pixels);
    int64_t next = 0;
    for (ReassociationIndices &dims : moved)
      for (int64_t &dim : dims)
        dim = next++;
    return moved;
  }

  func::FuncOp func;
  IRRewriter rewriter;
  llvm::MapVector<Value, unsigned>
      images; ///< and how many dimensions of pixels
  SmallVector<Value> pending;
};
} // namespace

namespace {
struct PropagateChannelsLast
    : public carousel::impl::PropagateChannelsLastBase<PropagateChannelsLast> {
  using PropagateChannelsLastBase::PropagateChannelsLastBase;

  void runOnOperation() override { ImageLayouts(getOperation()).run(); }
};

} // namespace
