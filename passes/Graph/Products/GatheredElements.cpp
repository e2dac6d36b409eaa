//===- GatheredElements.cpp - few elements of a product -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GatheredElements.h.
//
//===----------------------------------------------------------------------===//

#include "GatheredElements.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"
#include "../Shapes/EqualExtents.h"
#include "../Tables/TableOps.h"
#include "OneHotIndices.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

namespace {

/// One extraction from a product.
class GatheredElement {
public:
  GatheredElement(linalg::GenericOp product, linalg::GenericOp reader,
                  tensor::ExtractOp extract, const EqualExtents &extents)
      : product(product), reader(reader), extract(extract), extents(extents) {}

  bool canWrite();
  /// Gives the reader the element as an input.
  void write(IRRewriter &rewriter);

private:
  bool canCompute(Value value);
  /// The reader's loop whose number an index of the extraction is.
  std::optional<unsigned> findLoop(unsigned index) {
    return describeRead(extract).loops[index];
  }
  /// The index of the extraction along a loop of the product, or nothing along
  /// those that it sums over.
  std::optional<unsigned> findIndex(unsigned loop);
  /// The map of a factor that is read at loops alone.
  std::optional<AffineMap> findMap(OpOperand *factor);
  /// Whether a loop of the reader is as long as a dimension of a tensor.
  bool isAsLong(unsigned loop, Value tensor, int64_t dim);

  unsigned countLoops() {
    return reader.getNumLoops() + product.getNumReductionLoops();
  }
  AffineMap addDepth(AffineMap map) {
    return AffineMap::get(countLoops(), 0, map.getResults(), map.getContext());
  }
  /// The loop of the sum for one that the product sums over.
  unsigned getDepth(unsigned loop) {
    SmallVector<unsigned> depths;
    product.getReductionDims(depths);
    return reader.getNumLoops() + (llvm::find(depths, loop) - depths.begin());
  }

  linalg::GenericOp product, reader;
  tensor::ExtractOp extract;
  const EqualExtents &extents;
};

} // namespace

std::optional<unsigned> GatheredElement::findIndex(unsigned loop) {
  return product.getMatchingIndexingMap(product.getDpsInitOperand(0))
      .getResultPosition(getAffineDimExpr(loop, product.getContext()));
}

/// Whether a value of the reader's body can be computed elsewhere. What a
/// condition protects is computed with it, or stays where it is.
bool GatheredElement::canCompute(Value value) {
  auto isOfReader = [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    return source && reader->isProperAncestor(source);
  };
  return !isComputedOf(value, isOfReader, [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    bool isProtected =
        isOfReader(inner) && source->getBlock() != reader.getBody();
    return isOfReader(inner) &&
           (!isMemoryEffectFree(source) ||
            (isProtected && isa<tensor::ExtractOp>(source)));
  });
}

bool GatheredElement::canWrite() {
  // A factor that is read at loops says how long the sum is.
  SmallVector<OpOperand *> factors = product.getDpsInputOperands();
  return product.getNumResults() == 1 && findFill(product.getDpsInits()[0]) &&
         llvm::any_of(factors,
                      [&](OpOperand *factor) { return findMap(factor); }) &&
         linalg::LinalgOp(product).hasOnlyProjectedPermutations() &&
         llvm::all_of(extract.getIndices(),
                      [&](Value index) { return canCompute(index); });
}

std::optional<AffineMap> GatheredElement::findMap(OpOperand *factor) {
  SmallVector<AffineExpr> results;
  for (auto [dim, expr] :
       llvm::enumerate(product.getMatchingIndexingMap(factor).getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    std::optional<unsigned> index = findIndex(loop);
    std::optional<unsigned> along = index ? findLoop(*index) : getDepth(loop);
    if (!along || (index && !isAsLong(*along, factor->get(), dim)))
      return std::nullopt;
    results.push_back(getAffineDimExpr(*along, product.getContext()));
  }
  return AffineMap::get(countLoops(), 0, results, product.getContext());
}

bool GatheredElement::isAsLong(unsigned loop, Value tensor, int64_t dim) {
  ExtentFactors own = factorizeExtent(tensor, dim);
  return llvm::any_of(
      findLoopExtents(cast<linalg::LinalgOp>(*reader), loop),
      [&](const ExtentFactors &other) {
        bool areConstant = own.others.empty() && other.others.empty();
        return own == other || (!areConstant && extents.areEqual(own, other));
      });
}

void GatheredElement::write(IRRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(reader);
  Location loc = extract.getLoc();
  // The reader's operands, and those factors that are read at its loops.
  SmallVector<Value> inputs(reader.getInputs());
  SmallVector<AffineMap> maps;
  for (OpOperand *input : reader.getDpsInputOperands())
    maps.push_back(addDepth(reader.getMatchingIndexingMap(input)));
  SmallVector<std::optional<unsigned>> places; // of factors, among the inputs
  for (OpOperand *factor : product.getDpsInputOperands()) {
    std::optional<AffineMap> map = findMap(factor);
    places.push_back(map ? std::optional<unsigned>(inputs.size())
                         : std::nullopt);
    if (!map)
      continue;
    inputs.push_back(factor->get());
    maps.push_back(*map);
  }
  // An element for each iteration of the reader.
  AffineMap written = rewriter.getMultiDimIdentityMap(reader.getNumLoops());
  maps.push_back(addDepth(written));
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(
      cast<linalg::LinalgOp>(*reader).createLoopRanges(rewriter, loc),
      [](const Range &range) { return range.size; });
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(product.getResult(0)));
  Value number = arith::ConstantOp::create(rewriter, loc,
                                           findFill(product.getDpsInits()[0]));
  Value begin =
      linalg::FillOp::create(rewriter, loc, number, empty).getResult(0);
  SmallVector<utils::IteratorType> kinds(reader.getNumLoops(),
                                         utils::IteratorType::parallel);
  kinds.resize(countLoops(), utils::IteratorType::reduction);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, begin.getType(), inputs, begin, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        BodyEvaluator ofReader(reader), ofProduct(product);
        for (auto [own, argument] :
             llvm::zip(reader.getRegionInputArgs(), arguments))
          ofReader.set(own, argument);
        // Where the reader discards an element, the index may be any.
        IndexBuilder n(builder, loc);
        Value zero = n.constant(0), one = n.constant(1);
        AffineMap picked =
            product.getMatchingIndexingMap(product.getDpsInitOperand(0));
        for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
          Value own = ofReader.compute(builder, index);
          if (!findLoop(dim)) {
            Value extent = builder.createOrFold<tensor::DimOp>(
                loc, product.getDpsInits()[0], dim);
            Value last = builder.createOrFold<arith::SubIOp>(loc, extent, one);
            own = n.least(n.largest(own, zero), last);
          }
          ofProduct.setLoop(picked.getDimPosition(dim), own);
        }
        SmallVector<unsigned> depths;
        product.getReductionDims(depths);
        for (unsigned loop : depths)
          ofProduct.setLoop(
              loop, linalg::IndexOp::create(builder, loc, getDepth(loop)));
        for (auto [factor, place] :
             llvm::zip_equal(product.getDpsInputOperands(), places))
          if (place)
            ofProduct.set(product.getMatchingBlockArgument(factor),
                          arguments[*place]);
        ofProduct.set(product.getRegionOutputArgs()[0], arguments.back());
        linalg::YieldOp::create(
            builder, loc,
            ofProduct.compute(
                builder, product.getBody()->getTerminator()->getOperand(0)));
      });
  rewriter.replaceOp(extract,
                     addInput(rewriter, reader, sum.getResult(0), written));
}

unsigned carousel::sumGatheredElements(func::FuncOp func,
                                       int64_t leastElements) {
  constexpr double kFew = 64; // times as many elements of the product, at least
  DecisionLog log(func, "carousel-split-online-reductions");
  auto count = [](ArrayRef<int64_t> extents) {
    double elements = 1;
    for (int64_t extent : extents)
      elements *= static_cast<double>(
          ShapedType::isDynamic(extent) ? kAssumedExtent : extent);
    return elements;
  };
  EqualExtents extents(func);
  SmallVector<GatheredElement> picked;
  func.walk([&](tensor::ExtractOp extract) {
    auto product = extract.getTensor().getDefiningOp<linalg::GenericOp>();
    auto reader = extract->getParentOfType<linalg::GenericOp>();
    if (!product || !reader || product.getNumDpsInputs() != 2 ||
        !isContraction(product))
      return;
    double elements =
        count(cast<ShapedType>(product.getResult(0).getType()).getShape());
    double depth = count(product.getStaticLoopRanges()) / elements;
    double picks = count(reader.getStaticLoopRanges());
    if (elements < static_cast<double>(leastElements) ||
        picks > elements / std::max(kFew, depth))
      return;
    // A tensor that others than structured ops use is in memory.
    bool isInMemory = llvm::any_of(product->getUsers(), [](Operation *user) {
      return !user->getParentOfType<linalg::LinalgOp>() &&
             !isa<linalg::LinalgOp>(user);
    });
    if (isInMemory)
      return;
    GatheredElement element(product, reader, extract, extents);
    if (!element.canWrite()) {
      log.missed(reader, "Picked",
                 "doesn't sum the elements of a product that it reads: no "
                 "factor is read at loops of the same length");
      return;
    }
    log.passed(reader, "Picked",
               "sums the elements of a product that it reads");
    picked.push_back(element);
  });
  IRRewriter rewriter(func.getContext());
  for (GatheredElement &element : picked)
    element.write(rewriter);
  return picked.size();
}
