//===- ReorderSums.cpp - sums of products in another order ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-reorder-sums. The gradient of a softmax sums weights times a
// product along each row. Where another product has the sums of the same
// weights and one of the factors, the order of the two sums changes:
//   sum_j p_ij (sum_d g_id v_jd) = sum_d g_id (sum_j p_ij v_jd)
// docs/GraphPhase.md, Gradients.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Tables/TableOps.h"
#include "Polynomials.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

namespace carousel {
#define GEN_PASS_DEF_REORDERSUMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products with sums of the same weights
//===----------------------------------------------------------------------===//

namespace {

/// A sum of a product's results times weights, and a product that sums the
/// weights times a factor of that one.
struct ReorderedSum {
  linalg::GenericOp sum, product, weighted;
  OpOperand *other = nullptr; ///< the factor of `product` that is multiplied
  LoopMatch ofProduct, ofWeighted; ///< loops of the sum
  /// Loops of `product` that it sums over, and those of `weighted`.
  SmallVector<std::pair<unsigned, unsigned>> inner;
  /// The sum by that of the new order, of elements that don't vary along it.
  Monomial scale;
};

} // namespace

/// Whether an op is a product from zero on, neither of whose factors has all
/// loops.
static bool isProduct(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && isContraction(op) &&
         findSummand(op) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *factor) {
           return op.getMatchingIndexingMap(factor).getNumResults() <
                  op.getNumLoops();
         });
}

static bool isParallel(linalg::GenericOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

/// Whether the factor of the product that isn't `other` is `input`, at the same
/// elements. Notes the loops of both that the sum lacks.
static bool matchFactor(ReorderedSum &found, OpOperand &factor,
                        OpOperand &input) {
  if (factor.get() != input.get())
    return false;
  AffineMap own = found.product.getMatchingIndexingMap(&factor),
            theirs = found.weighted.getMatchingIndexingMap(&input);
  if (!own.isProjectedPermutation() || !theirs.isProjectedPermutation())
    return false;
  for (unsigned dim = 0; dim != own.getNumResults(); ++dim) {
    unsigned a = own.getDimPosition(dim), b = theirs.getDimPosition(dim);
    if (found.ofProduct[a] != found.ofWeighted[b])
      return false;
    if (!found.ofProduct[a])
      found.inner.push_back({a, b});
  }
  return true;
}

/// Whether the product sums over the inner loops, of which `weighted` has
/// results, and `weighted` sums over what the sum does.
static bool areInOrder(const ReorderedSum &found) {
  linalg::GenericOp product = found.product, weighted = found.weighted,
                    sum = found.sum;
  size_t inner = 0;
  for (auto [loop, own] : llvm::enumerate(found.ofProduct)) {
    inner += !own;
    if (own ? !isParallel(product, loop) : isParallel(product, loop))
      return false;
  }
  llvm::SmallBitVector loops(sum.getNumLoops());
  for (auto [loop, own] : llvm::enumerate(found.ofWeighted)) {
    inner += !own;
    if (isParallel(weighted, loop) != (!own || isParallel(sum, *own)))
      return false;
    if (own)
      loops.set(*own);
  }
  AffineMap other = product.getMatchingIndexingMap(found.other);
  bool isAlong = llvm::any_of(llvm::enumerate(found.ofProduct), [&](auto loop) {
    return loop.value() && !isParallel(sum, *loop.value()) &&
           other.isFunctionOfDim(loop.index());
  });
  return loops.all() && !isAlong && other.isProjectedPermutation() &&
         inner == 2 * found.inner.size() && !found.inner.empty();
}

/// Whether all of a monomial are tensors that have only loops of the result.
static bool areOfRows(const Monomial &monomial, linalg::GenericOp sum) {
  return llvm::all_of(monomial.powers, [&](const Power &power) {
    bool isAlong =
        llvm::any_of(llvm::seq(sum.getNumLoops()), [&](unsigned loop) {
          return !isParallel(sum, loop) && power.map.isFunctionOfDim(loop);
        });
    return power.isTensor() && !isAlong;
  });
}

/// Divides by a factor. A condition has to be one of the factors.
static bool divide(Monomial &monomial, const Power &factor) {
  if (!factor.isCondition()) {
    monomial.multiply(Monomial{1, {factor}}.raise(-1));
    return true;
  }
  auto *known = llvm::find_if(monomial.powers, [&](const Power &power) {
    return power.isSameElement(factor) && power.exponent == factor.exponent;
  });
  if (known == monomial.powers.end())
    return false;
  monomial.powers.erase(known);
  return true;
}

/// Matches the weights, which are the sum's elements but for the product, with
/// an input of another product.
static bool matchWeights(ReorderedSum &found, const Monomial &summand,
                         const Power &result, OpOperand &input) {
  Polynomial read =
      PolynomialReader(found.weighted, /*expands=*/false).readInput(input);
  const Monomial &weights = read.front();
  unsigned loops = found.sum.getNumLoops();
  for (const Power &own : summand.powers)
    for (const Power &theirs : weights.powers) {
      if (own.value != theirs.value || own.map.getNumResults() != loops)
        continue;
      std::optional<LoopMatch> match = matchLoops(theirs.map, own.map);
      if (!match)
        continue;
      Monomial scale = summand;
      bool areKnown = llvm::all_of(weights.powers, [&](const Power &power) {
        std::optional<AffineMap> map = translateLoops(power.map, *match, loops);
        return map && divide(scale, {power.value, *map, power.exponent});
      });
      scale.coefficient /= weights.coefficient;
      scale.multiply(Monomial{1, {result}}.raise(-1));
      // A row that the sum doesn't divide by may be zero.
      areKnown &= llvm::all_of(scale.powers, [&](const Power &power) {
        return power.exponent > 0 ||
               llvm::any_of(summand.powers, [&](const Power &own) {
                 return own.isSameElement(power) && own.exponent < 0;
               });
      });
      if (!areKnown || !areOfRows(scale, found.sum))
        continue;
      found.ofWeighted = *match;
      found.scale = scale;
      return true;
    }
  return false;
}

/// Finds the product whose results the summands have as a factor, and one that
/// sums the others times a factor of that.
static std::optional<ReorderedSum>
findReorderedSum(linalg::GenericOp sum, ArrayRef<linalg::GenericOp> products) {
  Value value = findSummand(sum);
  if (!value || !isa<FloatType>(value.getType()) ||
      !getResultMap(sum).isProjectedPermutation())
    return std::nullopt;
  Polynomial read = PolynomialReader(sum, /*expands=*/false).readValue(value);
  const Monomial &summand = read.front();
  for (const Power &power : summand.powers) {
    auto product = power.value.getDefiningOp<linalg::GenericOp>();
    if (!isProduct(product) || power.exponent != 1 ||
        power.map.getNumResults() != sum.getNumLoops())
      continue;
    std::optional<LoopMatch> ofProduct =
        matchLoops(getResultMap(product), power.map);
    if (!ofProduct)
      continue;
    for (linalg::GenericOp weighted : products) {
      if (weighted == product || !weighted->isBeforeInBlock(sum))
        continue;
      for (unsigned weights : {0, 1})
        for (unsigned factor : {0, 1}) {
          ReorderedSum found = {sum, product, weighted};
          found.other = product.getDpsInputOperand(1 - factor);
          if (!isa<FloatType>(getElementTypeOrSelf(found.other->get())))
            continue;
          found.ofProduct = *ofProduct;
          if (matchWeights(found, summand, power,
                           *weighted.getDpsInputOperand(weights)) &&
              matchFactor(found, *product.getDpsInputOperand(factor),
                          *weighted.getDpsInputOperand(1 - weights)) &&
              areInOrder(found))
            return found;
        }
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// A value and the loops of a product that go along its dimensions.
struct IndexedValue {
  Value value;
  AffineMap map;
};

/// The product's results, rounded if an op before `user` alone reads them and
/// rounds them, or rounds them to `type`.
static IndexedValue findResult(linalg::GenericOp product, Operation *user,
                               Type type) {
  AffineMap own = getResultMap(product);
  for (Operation *reader : product->getUsers()) {
    auto rounding = dyn_cast<linalg::GenericOp>(reader);
    if (!rounding || !isPointwise(rounding) || rounding.getNumResults() != 1 ||
        rounding.getNumDpsInputs() != 1 || !rounding->isBeforeInBlock(user))
      continue;
    auto cast = rounding.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::TruncFOp>();
    AffineMap read =
        rounding.getMatchingIndexingMap(rounding.getDpsInputOperand(0));
    if (cast && (product->hasOneUse() || cast.getType() == type) &&
        cast.getIn() == rounding.getBody()->getArgument(0) &&
        read.isPermutation())
      return {rounding.getResult(0), getResultMap(rounding)
                                         .compose(inversePermutation(read))
                                         .compose(own)};
  }
  return {product.getResult(0), own};
}

/// Writes the sum of the products' factors along the inner loops, which are
/// those behind the dimensions of the result.
static Value writeSum(IRRewriter &builder, const ReorderedSum &found) {
  linalg::GenericOp sum = found.sum;
  Location loc = sum.getLoc();
  AffineMap result = getResultMap(sum);
  unsigned rows = result.getNumResults(), loops = rows + found.inner.size();
  auto getLoops = [&](const LoopMatch &match, bool ofProduct) {
    LoopMatch own(match.size());
    for (auto [loop, theirs] : llvm::enumerate(match))
      if (theirs)
        own[loop] = result.getResultPosition(builder.getAffineDimExpr(*theirs));
    for (auto [place, pair] : llvm::enumerate(found.inner))
      own[ofProduct ? pair.first : pair.second] = rows + place;
    return own;
  };
  linalg::GenericOp product = found.product;
  IndexedValue summed =
      findResult(found.weighted, sum, getElementTypeOrSelf(found.other->get()));
  std::optional<AffineMap> ofFactor =
      translateLoops(product.getMatchingIndexingMap(found.other),
                     getLoops(found.ofProduct, true), loops);
  std::optional<AffineMap> ofSummed =
      translateLoops(summed.map, getLoops(found.ofWeighted, false), loops);
  assert(ofFactor && ofSummed && "factors have only loops of both");
  AffineMap ofResult =
      AffineMap::getMultiDimIdentityMap(loops, builder.getContext())
          .getMajorSubMap(rows);
  SmallVector<utils::IteratorType> kinds(rows, utils::IteratorType::parallel);
  kinds.resize(loops, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, sum.getResultTypes(),
             ValueRange{found.other->get(), summed.value}, sum.getOutputs(),
             ArrayRef<AffineMap>{*ofFactor, *ofSummed, ofResult}, kinds,
             [](OpBuilder &inner, Location loc, ValueRange values) {
               Type type = values[2].getType();
               Value left = castFloat(inner, loc, values[0], type),
                     right = castFloat(inner, loc, values[1], type);
               Value element = arith::MulFOp::create(inner, loc, left, right);
               Value sum =
                   arith::AddFOp::create(inner, loc, values[2], element);
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

/// Multiplies rows by what all summands have.
static Value writeScale(IRRewriter &builder, const ReorderedSum &found,
                        Value value) {
  linalg::GenericOp sum = found.sum;
  const Monomial &scale = found.scale;
  if (scale.powers.empty() && scale.coefficient == 1)
    return value;
  Location loc = sum.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rows = type.getRank();
  LoopMatch dims(sum.getNumLoops());
  for (unsigned dim = 0; dim != rows; ++dim)
    dims[getResultMap(sum).getDimPosition(dim)] = dim;
  SmallVector<Value> inputs = {value};
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rows)};
  for (const Power &power : scale.powers) {
    inputs.push_back(power.value);
    maps.push_back(*translateLoops(power.map, dims, rows));
  }
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  return createElements(
      builder, loc, empty, inputs, maps,
      [&](OpBuilder &inner, ValueRange, ValueRange elements) -> Value {
        Type type = elements[0].getType();
        Monomial all = {scale.coefficient, {{value, maps[0], 1}}};
        llvm::append_range(all.powers, scale.powers);
        return writeProduct(inner, loc, all, elements, type);
      });
}

namespace {

struct ReorderSums : public carousel::impl::ReorderSumsBase<ReorderSums> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    // Factors are the same if one value is.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
    SmallVector<linalg::GenericOp> sums, products;
    for (auto op : func.getBody().front().getOps<linalg::GenericOp>()) {
      if (isProduct(op))
        products.push_back(op);
      else if (op.getNumReductionLoops() != 0)
        sums.push_back(op);
    }
    DecisionLog log(func, "carousel-reorder-sums");
    bool isChanged = false;
    for (linalg::GenericOp sum : sums) {
      std::optional<ReorderedSum> found = findReorderedSum(sum, products);
      if (!found)
        continue;
      rewriter.setInsertionPoint(sum);
      Value value = writeScale(rewriter, *found, writeSum(rewriter, *found));
      sum.getResult(0).replaceAllUsesWith(value);
      log.passed(value.getDefiningOp(), "Sum",
                 "a sum of weights times a product is one of a factor times "
                 "the weights' sums");
      ++reordered;
      isChanged = true;
    }
    if (!isChanged)
      return;
    (void)runRegionDCE(rewriter, func->getRegions());
  }
};

} // namespace
