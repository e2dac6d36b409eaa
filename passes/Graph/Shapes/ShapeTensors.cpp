//===- ShapeTensors.cpp - small tensors that the host computes ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX has shapes as tensors, and computes with them as with others: by
// gathers, concatenations, products. A launch knows their elements, which are
// numbers of the host. A tensor.from_elements is what all become; upstream's
// folds take elements from it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

using Elements = SmallVector<OpFoldResult>;

/// Shapes have fewer dimensions.
static constexpr int64_t kMostElements = 16;

static bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tensor.getNumElements() <= kMostElements &&
         tensor.getElementType().isIntOrIndex();
}

static bool isOfHost(Value tensor) {
  return isSmall(tensor.getType()) &&
         tensor.getDefiningOp<tensor::FromElementsOp>();
}

/// The elements of a constant or of a tensor that is made of numbers, in the
/// order of memory; or nothing.
static std::optional<Elements> findElements(Value tensor) {
  if (!isSmall(tensor.getType()))
    return std::nullopt;
  if (auto made = tensor.getDefiningOp<tensor::FromElementsOp>())
    return llvm::map_to_vector(made.getElements(), [](Value element) {
      return OpFoldResult(element);
    });
  DenseIntElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  return llvm::map_to_vector(
      constant.getValues<Attribute>(),
      [](Attribute element) { return OpFoldResult(element); });
}

static void replaceWithElements(PatternRewriter &rewriter, Operation *op,
                                ArrayRef<OpFoldResult> elements) {
  SmallVector<Value> values;
  for (OpFoldResult element : elements)
    values.push_back(
        getValueOrCreateConstantIntOp(rewriter, op->getLoc(), element));
  rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(
      op, op->getResult(0).getType(), values);
}

/// The number of an element in memory.
static int64_t linearize(RankedTensorType type, ArrayRef<int64_t> indices) {
  return mlir::linearize(indices, computeStrides(type.getShape()));
}

namespace {

//===----------------------------------------------------------------------===//
// Views, concatenations and fills
//===----------------------------------------------------------------------===//

/// Reshapes and casts leave the elements as they are.
template <typename Op> struct ElementsOfReshape : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value source = op->getOperand(0);
    if (!isOfHost(source) || !isSmall(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected a small tensor of the host");
    replaceWithElements(rewriter, op, *findElements(source));
    return success();
  }
};

struct ElementsOfSlice : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOfHost(op.getSource()) || !isSmall(op.getType()) ||
        ShapedType::isDynamicShape(op.getStaticOffsets()) ||
        ShapedType::isDynamicShape(op.getStaticStrides()))
      return rewriter.notifyMatchFailure(
          op, "expected a static slice of a small tensor of the host");
    Elements elements = *findElements(op.getSource()), taken;
    // Sizes of 1 may be missing in the result.
    ArrayRef<int64_t> sizes = op.getStaticSizes();
    SmallVector<int64_t> strides = computeStrides(sizes);
    for (int64_t number = 0, e = ShapedType::getNumElements(sizes); number != e;
         ++number) {
      SmallVector<int64_t> place = delinearize(number, strides);
      for (auto [index, offset, stride] :
           llvm::zip_equal(place, op.getStaticOffsets(), op.getStaticStrides()))
        index = offset + index * stride;
      taken.push_back(elements[linearize(op.getSourceType(), place)]);
    }
    replaceWithElements(rewriter, op, taken);
    return success();
  }
};

/// Along the first dimension, parts follow one another in memory.
struct ElementsOfConcat : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getDim() != 0 || !isSmall(op.getResultType()) ||
        llvm::none_of(op.getInputs(), isOfHost))
      return rewriter.notifyMatchFailure(op,
                                         "expected small tensors of the host");
    Elements all;
    for (Value input : op.getInputs()) {
      std::optional<Elements> elements = findElements(input);
      if (!elements)
        return rewriter.notifyMatchFailure(
            op, "expected inputs with known elements");
      llvm::append_range(all, *elements);
    }
    replaceWithElements(rewriter, op, all);
    return success();
  }
};

struct ElementsOfInsert : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Elements> part = findElements(op.getSource());
    std::optional<Elements> elements = findElements(op.getDest());
    if (!part || !elements || op.getType().getRank() != 1 ||
        (!isOfHost(op.getSource()) && !isOfHost(op.getDest())) ||
        ShapedType::isDynamicShape(op.getStaticOffsets()) ||
        ShapedType::isDynamicShape(op.getStaticStrides()))
      return rewriter.notifyMatchFailure(
          op, "expected a static part of a tensor with known elements");
    for (auto [number, element] : llvm::enumerate(*part))
      (*elements)[op.getStaticOffsets()[0] +
                  number * op.getStaticStrides()[0]] = element;
    replaceWithElements(rewriter, op, *elements);
    return success();
  }
};

/// A fill that ops read. What they begin with stays a fill.
struct ElementsOfFill : public OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    auto isInit = [](OpOperand &use) {
      auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return user && user.isDpsInit(&use);
    };
    if (op.getNumResults() != 1 || !isSmall(op.getResult(0).getType()) ||
        matchPattern(op.getInputs()[0], m_Constant()) ||
        llvm::any_of(op->getUses(), isInit))
      return rewriter.notifyMatchFailure(
          op, "expected one small result that is no start");
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    replaceWithElements(
        rewriter, op,
        Elements(type.getNumElements(), OpFoldResult(op.getInputs()[0])));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// A structured op of a few elements, written as arithmetic on each of them.
struct ElementsOfGeneric : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOfScalars(op))
      return rewriter.notifyMatchFailure(op, "expected a body of numbers");
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    SmallVector<int64_t> strides = computeStrides(extents);
    SmallVector<Elements> results(op.getNumResults());
    for (auto [result, elements] : llvm::zip_equal(op.getResults(), results))
      elements.resize(
          cast<RankedTensorType>(result.getType()).getNumElements());
    for (int64_t number = 0, e = ShapedType::getNumElements(extents);
         number != e; ++number)
      write(op, delinearize(number, strides), results, rewriter);
    SmallVector<Value> made;
    for (auto [result, elements] : llvm::zip_equal(op.getResults(), results)) {
      SmallVector<Value> values = llvm::map_to_vector(
          elements, [](OpFoldResult element) { return cast<Value>(element); });
      made.push_back(tensor::FromElementsOp::create(rewriter, op.getLoc(),
                                                    result.getType(), values));
    }
    rewriter.replaceOp(op, made);
    return success();
  }

private:
  static bool isOfScalars(linalg::GenericOp op) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
        ShapedType::isDynamicShape(extents) ||
        ShapedType::getNumElements(extents) > kMostElements)
      return false;
    bool readsHost = false;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<TensorType>(input->get().getType())) {
        readsHost |= isOfHost(input->get());
        if (!findElements(input->get()))
          return false;
      }
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!isSmall(init.get().getType()) ||
          !op.getMatchingIndexingMap(&init).isPermutation() ||
          !op.getMatchingBlockArgument(&init).use_empty())
        return false;
    for (Operation &inner : op.getBody()->without_terminator()) {
      auto extract = dyn_cast<tensor::ExtractOp>(inner);
      if (extract) {
        readsHost |= isOfHost(extract.getTensor());
        if (!findElements(extract.getTensor()) ||
            !llvm::all_of(extract.getIndices(),
                          [&](Value index) { return isKnown(op, index); }))
          return false;
      } else if (!isa<linalg::IndexOp>(inner) &&
                 (!isa<arith::ArithDialect>(inner.getDialect()) ||
                  inner.getNumRegions() != 0)) {
        return false;
      }
    }
    return readsHost;
  }

  /// Whether an index of a body follows from loops and constants.
  static bool isKnown(linalg::GenericOp op, Value index) {
    auto isComputed = [&](Value value) {
      Operation *source = value.getDefiningOp();
      return source && source->getBlock() == op.getBody() &&
             isa<arith::ArithDialect>(source->getDialect());
    };
    return !isComputedOf(index, isComputed, [&](Value value) {
      if (auto argument = dyn_cast<BlockArgument>(value))
        return argument.getOwner() != op.getBody() ||
               !matchPattern(op.getMatchingOpOperand(argument)->get(),
                             m_Constant());
      return !isComputed(value) && !matchPattern(value, m_Constant()) &&
             !value.getDefiningOp<linalg::IndexOp>();
    });
  }

  /// The elements of the results at one point of the loops.
  static void write(linalg::GenericOp op, ArrayRef<int64_t> point,
                    MutableArrayRef<Elements> results,
                    PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value element = input->get();
      if (auto type = dyn_cast<RankedTensorType>(element.getType())) {
        SmallVector<int64_t> place =
            op.getMatchingIndexingMap(input).compose(point);
        element = getValueOrCreateConstantIntOp(
            rewriter, loc, (*findElements(element))[linearize(type, place)]);
      }
      mapping.map(op.getMatchingBlockArgument(input), element);
    }
    for (Operation &inner : op.getBody()->without_terminator())
      mapping.map(inner.getResults(),
                  writeOp(op, &inner, point, mapping, rewriter));
    for (auto [number, value] :
         llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
      auto type = cast<RankedTensorType>(op->getResult(number).getType());
      results[number][linearize(type, map.compose(point))] =
          mapping.lookupOrDefault(value);
    }
  }

  static SmallVector<Value> writeOp(linalg::GenericOp op, Operation *inner,
                                    ArrayRef<int64_t> point,
                                    const IRMapping &mapping,
                                    PatternRewriter &rewriter) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      return {arith::ConstantIndexOp::create(rewriter, op.getLoc(),
                                             point[index.getDim()])};
    IRMapping own(mapping);
    Operation *clone = rewriter.clone(*inner, own);
    SmallVector<Value> folded;
    if (succeeded(rewriter.tryFold(clone, folded)) && !folded.empty())
      return folded;
    return llvm::to_vector_of<Value>(clone->getResults());
  }
};

} // namespace

void carousel::populateShapeTensorPatterns(RewritePatternSet &patterns) {
  patterns.add<ElementsOfGeneric, ElementsOfSlice, ElementsOfConcat,
               ElementsOfInsert, ElementsOfFill,
               ElementsOfReshape<tensor::CollapseShapeOp>,
               ElementsOfReshape<tensor::ExpandShapeOp>,
               ElementsOfReshape<tensor::CastOp>>(patterns.getContext());
}
