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

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

namespace carousel {
#define GEN_PASS_DEF_REORDERSUMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Monomials
//===----------------------------------------------------------------------===//

namespace {

/// A power of an element of a tensor, or of a value that an op's body computes.
struct Power {
  Value value;
  /// From the loops of the op that is read to the dimensions of the tensor, or
  /// to the loops of the body's op.
  AffineMap map;
  int64_t exponent = 0;

  bool isSameElement(const Power &other) const {
    return value == other.value && map == other.map;
  }
};

/// A product of a number and of powers.
struct Monomial {
  double coefficient = 1;
  SmallVector<Power> powers = {};

  void multiply(const Power &power) {
    auto known = llvm::find_if(
        powers, [&](const Power &other) { return other.isSameElement(power); });
    if (known == powers.end())
      known = powers.insert(powers.end(), {power.value, power.map, 0});
    known->exponent += power.exponent;
    if (known->exponent == 0)
      powers.erase(known);
  }
  void divideBy(const Monomial &other) {
    coefficient /= other.coefficient;
    for (Power power : other.powers) {
      power.exponent = -power.exponent;
      multiply(power);
    }
  }
};

/// Reads what an op's body computes, through the elementwise ops whose results
/// it reads. Roundings don't count.
class MonomialReader {
public:
  explicit MonomialReader(linalg::GenericOp op) : op(op) {}

  Monomial readSummand(Value summand) {
    monomial = {};
    readValue(op, getIdentity(), summand, 1);
    return monomial;
  }
  Monomial readInput(OpOperand &input) {
    monomial = {};
    readTensor(input.get(), op.getMatchingIndexingMap(&input), 1);
    return monomial;
  }

private:
  AffineMap getIdentity() {
    return AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  }

  void readTensor(Value tensor, AffineMap map, int64_t exponent) {
    auto producer = tensor.getDefiningOp<linalg::GenericOp>();
    if (!producer || producer.getNumResults() != 1 || !isPointwise(producer) ||
        !producer.hasPureTensorSemantics()) {
      monomial.multiply({tensor, map, exponent});
      return;
    }
    AffineMap result =
        producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
    if (!result.isPermutation()) {
      monomial.multiply({tensor, map, exponent});
      return;
    }
    Operation *end = producer.getBody()->getTerminator();
    readValue(producer, inversePermutation(result).compose(map),
              end->getOperand(0), exponent);
  }

  /// \p loops: of `from`, by those of the op that is read.
  void readValue(linalg::GenericOp from, AffineMap loops, Value value,
                 int64_t exponent) {
    APFloat number(0.0);
    if (matchPattern(value, m_ConstantFloat(&number)) && !number.isZero()) {
      monomial.coefficient *= std::pow(number.convertToDouble(), exponent);
      return;
    }
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == from.getBody()) {
      OpOperand *operand = from.getMatchingOpOperand(argument);
      if (from.isDpsInput(operand)) {
        readTensor(operand->get(),
                   from.getMatchingIndexingMap(operand).compose(loops),
                   exponent);
        return;
      }
    }
    Operation *source = value.getDefiningOp();
    if (isa_and_present<arith::MulFOp, arith::DivFOp>(source)) {
      bool divides = isa<arith::DivFOp>(source);
      readValue(from, loops, source->getOperand(0), exponent);
      readValue(from, loops, source->getOperand(1),
                divides ? -exponent : exponent);
    } else if (isa_and_present<arith::ExtFOp, arith::TruncFOp>(source)) {
      readValue(from, loops, source->getOperand(0), exponent);
    } else if (isa_and_present<arith::NegFOp>(source)) {
      monomial.coefficient *= exponent % 2 == 0 ? 1 : -1;
      readValue(from, loops, source->getOperand(0), exponent);
    } else {
      monomial.multiply({value, loops, exponent});
    }
  }

  linalg::GenericOp op;
  Monomial monomial;
};

} // namespace

//===----------------------------------------------------------------------===//
// Products with sums of the same weights
//===----------------------------------------------------------------------===//

namespace {

/// By loop of one op: the loop of another one, if that has it.
using LoopMatch = SmallVector<std::optional<unsigned>>;

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

static AffineMap getResultMap(linalg::GenericOp op) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
}

/// The loops of the other op, by the first one's, of two maps to the dimensions
/// of one tensor. Fails if the first one doesn't have each loop that it reads
/// once.
static std::optional<LoopMatch> matchLoops(AffineMap of, AffineMap other) {
  if (!of.isProjectedPermutation() || !other.isProjectedPermutation())
    return std::nullopt;
  LoopMatch match(of.getNumDims());
  for (auto [own, theirs] :
       llvm::zip_equal(of.getResults(), other.getResults()))
    match[cast<AffineDimExpr>(own).getPosition()] =
        cast<AffineDimExpr>(theirs).getPosition();
  return match;
}

/// The map of another op's loops; fails if it has loops without a match.
static std::optional<AffineMap> translate(AffineMap map, const LoopMatch &match,
                                          unsigned loops) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (auto [own, theirs] : llvm::enumerate(match)) {
    if (!theirs && map.isFunctionOfDim(own))
      return std::nullopt;
    dims.push_back(getAffineDimExpr(theirs.value_or(0), context));
  }
  return map.replaceDimsAndSymbols(dims, {}, loops, 0);
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
    return isa<RankedTensorType>(power.value.getType()) && !isAlong;
  });
}

/// Matches the weights, which are the sum's elements but for the product, with
/// an input of another product.
static bool matchWeights(ReorderedSum &found, const Monomial &summand,
                         const Power &result, OpOperand &input) {
  Monomial weights = MonomialReader(found.weighted).readInput(input);
  unsigned loops = found.sum.getNumLoops();
  for (const Power &own : summand.powers)
    for (const Power &theirs : weights.powers) {
      if (own.value != theirs.value || own.map.getNumResults() != loops)
        continue;
      std::optional<LoopMatch> match = matchLoops(theirs.map, own.map);
      if (!match)
        continue;
      Monomial scale = summand, divisor = {weights.coefficient, {}};
      bool areKnown = llvm::all_of(weights.powers, [&](const Power &power) {
        std::optional<AffineMap> map = translate(power.map, *match, loops);
        if (map)
          divisor.multiply({power.value, *map, power.exponent});
        return map.has_value();
      });
      scale.divideBy(divisor);
      scale.divideBy({1, {result}});
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
  Monomial summand = MonomialReader(sum).readSummand(value);
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

/// The product's results, rounded if an op before `user` rounds them: these are
/// in memory anyway.
static IndexedValue findResult(linalg::GenericOp product, Operation *user) {
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
    if (cast && cast.getIn() == rounding.getBody()->getArgument(0) &&
        read.isPermutation())
      return {rounding.getResult(0), getResultMap(rounding)
                                         .compose(inversePermutation(read))
                                         .compose(own)};
  }
  return {product.getResult(0), own};
}

static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  bool isWider =
      type.getIntOrFloatBitWidth() > value.getType().getIntOrFloatBitWidth();
  return isWider ? arith::ExtFOp::create(builder, loc, type, value).getResult()
                 : arith::TruncFOp::create(builder, loc, type, value);
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
  IndexedValue summed = findResult(found.weighted, sum);
  std::optional<AffineMap> ofFactor =
      translate(product.getMatchingIndexingMap(found.other),
                getLoops(found.ofProduct, true), loops);
  std::optional<AffineMap> ofSummed =
      translate(summed.map, getLoops(found.ofWeighted, false), loops);
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
               Value left = convert(inner, loc, values[0], type),
                     right = convert(inner, loc, values[1], type);
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
    maps.push_back(*translate(power.map, dims, rows));
  }
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  return createElements(
      builder, loc, empty, inputs, maps,
      [&](OpBuilder &inner, ValueRange, ValueRange elements) -> Value {
        Type type = elements[0].getType();
        Value result = elements[0];
        if (scale.coefficient != 1) {
          Value number = arith::ConstantOp::create(
              inner, loc, inner.getFloatAttr(type, scale.coefficient));
          result = arith::MulFOp::create(inner, loc, result, number);
        }
        for (auto [power, element] :
             llvm::zip_equal(scale.powers, elements.drop_front()))
          for (int64_t i = 0; i != std::abs(power.exponent); ++i) {
            Value factor = convert(inner, loc, element, type);
            result = power.exponent > 0
                         ? arith::MulFOp::create(inner, loc, result, factor)
                               .getResult()
                         : arith::DivFOp::create(inner, loc, result, factor);
          }
        return result;
      });
}

namespace {

struct ReorderSums : public carousel::impl::ReorderSumsBase<ReorderSums> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<linalg::GenericOp> sums, products;
    func.walk([&](linalg::GenericOp op) {
      if (isProduct(op))
        products.push_back(op);
      else if (op.getNumReductionLoops() != 0)
        sums.push_back(op);
    });
    DecisionLog log(func, "carousel-reorder-sums");
    bool isChanged = false;
    for (linalg::GenericOp sum : sums) {
      std::optional<ReorderedSum> found = findReorderedSum(sum, products);
      if (!found)
        continue;
      IRRewriter builder(sum);
      Value value = writeScale(builder, *found, writeSum(builder, *found));
      sum.getResult(0).replaceAllUsesWith(value);
      log.passed(value.getDefiningOp(), "Sum",
                 "a sum of weights times a product is one of a factor times "
                 "the weights' sums");
      ++reordered;
      isChanged = true;
    }
    if (!isChanged)
      return;
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }
};

} // namespace
