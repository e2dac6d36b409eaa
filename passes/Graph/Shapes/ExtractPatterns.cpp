//===- ExtractPatterns.cpp - elements that bodies read --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write gathers as tensor.extract in the body of a linalg.generic,
// and arithmetic on shapes as tensors of rank 0 and 1.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"
#include "../Tables/TableOps.h"
#include "EqualExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Extracts
//===----------------------------------------------------------------------===//

namespace {

/// The most ops of a body with what is copied into it: chains of values that
/// are used twice would double with each one.
static constexpr unsigned kMostOps = 256;

/// Up to one more than the most.
static unsigned countOps(Operation *op) {
  unsigned count = 0;
  op->walk([&](Operation *) {
    return ++count > kMostOps ? WalkResult::interrupt() : WalkResult::advance();
  });
  return count;
}

/// Whether the elements of a tensor are in memory anyway: the function returns
/// them, or what the host computes reads them.
static bool isInMemory(Value tensor) {
  SmallVector<Value> open = {tensor};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
              user))
        open.push_back(user->getResult(0));
      else if (isa<func::FuncOp>(user->getParentOp()) &&
               !isa<linalg::LinalgOp, tensor::ExtractSliceOp>(user))
        return true;
    }
  return false;
}

/// Whether an op reads few of a tensor's elements.
static bool readsFew(tensor::ExtractOp extract) {
  constexpr double kFew = 64;
  auto count = [](ArrayRef<int64_t> extents) {
    double elements = 1;
    for (int64_t extent : extents)
      elements *= ShapedType::isDynamic(extent) ? 1. : double(extent);
    return elements;
  };
  auto reader = extract->getParentOfType<linalg::GenericOp>();
  return reader && !ShapedType::isDynamicShape(reader.getStaticLoopRanges()) &&
         kFew * count(reader.getStaticLoopRanges()) <
             count(extract.getTensor().getType().getShape());
}

/// Whether an op rounds what a product adds, alone, and its result is in memory
/// as many of the elements are read, or for others: elements of the product
/// itself would be there, too.
static bool roundsProduct(linalg::GenericOp op, tensor::ExtractOp extract) {
  if (op.getNumDpsInputs() != 1)
    return false;
  Value rounded = op.getInputs()[0];
  while (Operation *reshape = rounded.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape))
      break;
    rounded = reshape->getOperand(0);
  }
  auto product = rounded.getDefiningOp<linalg::GenericOp>();
  auto rounding = op.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  return product && rounding &&
         rounding.getIn() == op.getBody()->getArgument(0) &&
         isContraction(product) &&
         (isInMemory(op.getResult(0)) || !readsFew(extract));
}

/// Whether many iterations read the same element: those of a loop in a body, or
/// of loops that the indices don't depend on.
static bool isRepeated(tensor::ExtractOp extract) {
  if (extract->getParentOfType<scf::ForOp>())
    return true;
  auto op = extract->getParentOfType<linalg::GenericOp>();
  if (!op)
    return false;
  bool isUnknown = false;
  llvm::SmallBitVector loops(op.getNumLoops());
  SmallVector<Value> open(extract.getIndices());
  llvm::SmallPtrSet<Value, 16> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBody()) {
      AffineMap map =
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
      for (unsigned loop = 0; loop != loops.size(); ++loop)
        loops[loop] = loops[loop] || map.isFunctionOfDim(loop);
    }
    Operation *source = value.getDefiningOp();
    if (!source || !op->isProperAncestor(source))
      continue;
    // Upstream's fusion passes the numbers of all loops.
    if (auto apply = dyn_cast<affine::AffineApplyOp>(source)) {
      for (auto [dim, operand] : llvm::enumerate(apply.getMapOperands()))
        if (apply.getAffineMap().isFunctionOfDim(dim))
          open.push_back(operand);
      continue;
    }
    source->walk([&](Operation *inner) {
      // The dependences of indices show when they are computed here.
      if (auto other = dyn_cast<tensor::ExtractOp>(inner))
        isUnknown |= isPointwise(other.getTensor().getDefiningOp());
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        loops.set(index.getDim());
      llvm::append_range(open, inner->getOperands());
    });
  }
  if (isUnknown)
    return true;
  return areMany(op, ~loops);
}

/// Whether what computes an element is copied to where the element is used,
/// instead of passing through memory. An element that takes a loop is computed
/// once, and so is one that several iterations would compute by more than a few
/// instructions of what is in memory.
static bool shallCopy(linalg::GenericOp producer, tensor::ExtractOp extract,
                      Operation *consumer) {
  if (roundsProduct(producer, extract) ||
      !producer.getBody()->getOps<scf::ForOp>().empty() ||
      (!isCheap(producer) && isRepeated(extract)))
    return false;
  return producer->hasOneUse() ||
         countOps(producer) + countOps(consumer) <= kMostOps;
}

/// extract(f(x, y))[i] -> f(extract(x)[i], extract(y)[i])
struct ExtractOfElementwise : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp extract,
                                PatternRewriter &rewriter) const override {
    auto producer = extract.getTensor().getDefiningOp<linalg::GenericOp>();
    Operation *consumer = extract->getParentOfType<func::FuncOp>()
                              .getBody()
                              .findAncestorOpInRegion(*extract);
    if (!producer || producer.getNumReductionLoops() != 0 ||
        producer.getNumDpsInits() != 1 ||
        !shallCopy(producer, extract, consumer))
      return rewriter.notifyMatchFailure(
          extract, "expected an elementwise producer that may be copied");
    OpOperand *init = producer.getDpsInitOperand(0);
    AffineMap map = producer.getMatchingIndexingMap(init);
    if (!map.isPermutation() ||
        (readsInit(producer, 0) && !findFill(init->get())))
      return rewriter.notifyMatchFailure(
          extract, "expected a producer that writes each element once");
    if (llvm::any_of(producer.getIndexingMapsArray(), findBadDivision))
      return rewriter.notifyMatchFailure(extract, "indices without a value");
    SmallVector<Value> loops(map.getNumDims());
    for (auto [expr, index] :
         llvm::zip_equal(map.getResults(), extract.getIndices()))
      loops[cast<AffineDimExpr>(expr).getPosition()] = index;

    Location loc = extract.getLoc();
    IRMapping mapping;
    for (OpOperand *input : producer.getDpsInputOperands())
      mapping.map(producer.getMatchingBlockArgument(input),
                  createElement(rewriter, loc, *input, producer, loops));
    if (readsInit(producer, 0))
      mapping.map(
          producer.getMatchingBlockArgument(init),
          arith::ConstantOp::create(rewriter, loc, findFill(init->get())));
    rewriter.replaceOp(extract, cloneBody(rewriter, producer, loops, mapping));
    return success();
  }

  static Value createElement(PatternRewriter &rewriter, Location loc,
                             OpOperand &input, linalg::GenericOp producer,
                             ArrayRef<Value> loops) {
    if (!isa<RankedTensorType>(input.get().getType()))
      return input.get();
    SmallVector<Value> indices;
    for (AffineExpr expr : producer.getMatchingIndexingMap(&input).getResults())
      indices.push_back(
          affine::expandAffineExpr(rewriter, loc, expr, loops, {}));
    return tensor::ExtractOp::create(rewriter, loc, input.get(), indices);
  }
};

/// The extents of neighbouring dimensions.
SmallVector<OpFoldResult> getExtents(tensor::ExtractOp op,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> dims) {
  return getAsIndexOpFoldResult(op.getContext(),
                                shape.slice(dims.front(), dims.size()));
}

bool areKnownBehindFirst(ArrayRef<int64_t> extents) {
  return !llvm::any_of(extents.drop_front(), ShapedType::isDynamic);
}

struct ExtractOfExpand : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp extract,
                                PatternRewriter &rewriter) const override {
    auto expand = extract.getTensor().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand)
      return rewriter.notifyMatchFailure(extract,
                                         "expected an expanded tensor");
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    SmallVector<Value> indices;
    for (const ReassociationIndices &dims : expand.getReassociationIndices())
      if (!areKnownBehindFirst(shape.slice(dims.front(), dims.size())))
        return rewriter.notifyMatchFailure(
            extract, "expected extents that are known, up to the first one");
    for (const ReassociationIndices &dims : expand.getReassociationIndices())
      indices.push_back(linearize(
          rewriter, extract.getLoc(), getExtents(extract, shape, dims),
          [&, first = dims.front()](unsigned dim) -> Value {
            return extract.getIndices()[first + dim];
          }));
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(extract, expand.getSrc(),
                                                   indices);
    return success();
  }
};

/// Whether a product's factor is rows of a matrix that follow each other, whose
/// first dimension is what was collapsed: tensor copies take the matrix.
bool readsFactorRows(tensor::ExtractOp extract,
                     tensor::CollapseShapeOp collapse) {
  auto op = extract->getParentOfType<linalg::GenericOp>();
  if (!op || !op->hasOneUse() || !findFollowingRows(op))
    return false;
  SmallVector<ReassociationIndices> dims = collapse.getReassociationIndices();
  return dims.size() == 2 && dims[1].size() == 1 &&
         isContraction(dyn_cast<linalg::LinalgOp>(*op->user_begin()));
}

struct ExtractOfCollapse : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp extract,
                                PatternRewriter &rewriter) const override {
    auto collapse =
        extract.getTensor().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse)
      return rewriter.notifyMatchFailure(extract,
                                         "expected a collapsed tensor");
    if (readsFactorRows(extract, collapse))
      return rewriter.notifyMatchFailure(extract, "rows of a product's factor");
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    for (const ReassociationIndices &dims : collapse.getReassociationIndices())
      if (!areKnownBehindFirst(shape.slice(dims.front(), dims.size())))
        return rewriter.notifyMatchFailure(
            extract, "expected extents that are known, up to the first one");
    Location loc = extract.getLoc();
    SmallVector<Value> indices;
    for (auto [dims, index] : llvm::zip_equal(
             collapse.getReassociationIndices(), extract.getIndices()))
      llvm::append_range(
          indices,
          delinearize(rewriter, loc, index, getExtents(extract, shape, dims)));
    // A tensor of one element has no dimension left to go along.
    while (indices.size() != shape.size())
      indices.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(extract, collapse.getSrc(),
                                                   indices);
    return success();
  }
};

/// extract(extract_slice(x, offsets, strides))[i] -> extract(x)[offsets + i *
/// strides]
struct ExtractOfSlice : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp extract,
                                PatternRewriter &rewriter) const override {
    auto slice = extract.getTensor().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      return rewriter.notifyMatchFailure(extract, "expected a slice");
    SmallVector<Value> indices =
        getSourceIndices(rewriter, slice, [&](unsigned dim) {
          return extract.getIndices()[dim];
        });
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(extract, slice.getSource(),
                                                   indices);
    return success();
  }
};

/// Each element of a result is written once: what it starts from is the
/// constant of the fill.
struct KnownInit : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      BlockArgument argument = op.getMatchingBlockArgument(&init);
      TypedAttr fill = findFill(init.get());
      if (argument.use_empty() || !fill ||
          !op.getMatchingIndexingMap(&init).isPermutation())
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(op);
      Value value = arith::ConstantOp::create(rewriter, op.getLoc(), fill);
      rewriter.modifyOpInPlace(op, [&] {
        rewriter.replaceAllUsesWith(argument, value);
        init.set(init.get()
                     .getDefiningOp<linalg::FillOp>()
                     .getDpsInitOperand(0)
                     ->get());
      });
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "expected an element that another op computes");
  }
};

/// A sum that adds nothing is what it starts from.
struct UnchangedInit : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    bool isChanged = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      OpResult result = op.getTiedOpResult(&init);
      if (result.use_empty() || op.getMatchingYieldValue(&init)->get() !=
                                    op.getMatchingBlockArgument(&init))
        continue;
      rewriter.replaceAllUsesWith(result, init.get());
      isChanged = true;
    }
    return success(isChanged);
  }
};

/// An extract at the indices of loops is an operand.
struct ExtractAtLoops : public OpRewritePattern<linalg::GenericOp> {
  ExtractAtLoops(MLIRContext *context, EqualExtentsListener &extents)
      : OpRewritePattern(context), extents(extents) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> ranges;
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
      std::optional<AffineMap> map = findMap(op, extract, ranges);
      // An element that a selection discards may be behind the end, and is read
      // under a condition.
      if (!map ||
          (isOnlySelected(extract) && !isInside(op, extract, *map, ranges)))
        continue;
      Value part = takePart(op, extract.getTensor(), *map, rewriter);
      rewriter.replaceOp(extract, addInput(rewriter, op, part, *map));
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "expected an element of a tensor at loops");
  }

  static std::optional<AffineMap> findMap(linalg::GenericOp op,
                                          tensor::ExtractOp extract,
                                          SmallVector<int64_t> &ranges) {
    if (Operation *source = extract.getTensor().getDefiningOp();
        (source && source->getBlock() == op.getBody()) ||
        extract.getIndices().empty()) // upstream's patterns make these
      return std::nullopt;
    SmallVector<AffineExpr> exprs;
    for (auto [index, extent] : llvm::zip_equal(
             extract.getIndices(), extract.getTensor().getType().getShape())) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      if (!loop || loop->getBlock() != op.getBody())
        return std::nullopt;
      if (ranges.empty())
        ranges = op.getStaticLoopRanges();
      // Elements behind a table's end aren't used: a selection has others.
      int64_t range = ranges[loop.getDim()];
      if (!ShapedType::isDynamic(range) && !ShapedType::isDynamic(extent) &&
          extent < range)
        return std::nullopt;
      exprs.push_back(getAffineDimExpr(loop.getDim(), op.getContext()));
      if (llvm::count(exprs, exprs.back()) != 1)
        return std::nullopt;
    }
    return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
  }

  /// Whether the loops are known to end within the table.
  bool isInside(linalg::GenericOp op, tensor::ExtractOp extract, AffineMap map,
                ArrayRef<int64_t> ranges) const {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      // findMap has taken the constants that fit.
      int64_t extent = extract.getTensor().getType().getDimSize(dim);
      if (!ShapedType::isDynamic(extent) &&
          !ShapedType::isDynamic(ranges[loop]))
        continue;
      if (!isSameExtent(extract.getTensor(), dim, factorizeLoop(op, loop)))
        return false;
    }
    return true;
  }

  /// How often a loop runs.
  static ExtentFactors factorizeLoop(linalg::GenericOp op, unsigned loop) {
    AffineExpr expr = getAffineDimExpr(loop, op.getContext());
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<unsigned> dim =
              op.getMatchingIndexingMap(&operand).getResultPosition(expr))
        return factorizeExtent(operand.get(), *dim);
    llvm_unreachable("the maps of an op have all of its loops");
  }

  /// Takes the part of a table, maybe its begin, that the loops go along.
  Value takePart(linalg::GenericOp op, Value table, AffineMap map,
                 PatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    SmallVector<Range> ranges(cast<linalg::LinalgOp>(op.getOperation())
                                  .createLoopRanges(rewriter, loc));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, table);
    bool isPart = false;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      OpFoldResult loop = ranges[cast<AffineDimExpr>(expr).getPosition()].size;
      if (isSameExtent(table, dim, factorizeExtent(loop)))
        continue;
      sizes[dim] = loop;
      isPart = true;
    }
    if (!isPart)
      return table;
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(rewriter, loc, table, offsets, sizes,
                                          strides);
  }

  /// Whether a loop is as long as a dimension of the table.
  bool isSameExtent(Value table, int64_t dim, const ExtentFactors &loop) const {
    ExtentFactors extent = factorizeExtent(table, dim);
    bool areConstant = extent.others.empty() && loop.others.empty();
    return extent == loop || (!areConstant && extents.areEqual(extent, loop));
  }

  EqualExtentsListener &extents;
};

} // namespace

void carousel::populateLoopReadPatterns(RewritePatternSet &patterns,
                                        EqualExtentsListener &extents) {
  populateExtentPatterns(patterns, extents);
  populateLoopIndexPatterns(patterns, extents);
  patterns.add<ExtractAtLoops>(patterns.getContext(), extents);
}

void carousel::populateExtractPatterns(RewritePatternSet &patterns,
                                       EqualExtentsListener &extents) {
  populateLoopReadPatterns(patterns, extents);
  patterns.add<ExtractOfElementwise, ExtractOfExpand, ExtractOfCollapse,
               ExtractOfSlice, KnownInit, UnchangedInit>(patterns.getContext());
}
