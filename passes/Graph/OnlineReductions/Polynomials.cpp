//===- Polynomials.cpp - sums and products of elements --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Polynomials.h.
//
//===----------------------------------------------------------------------===//

#include "Polynomials.h"

#include "../Reading/FusedOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Monomial::multiply(const Power &power) {
  auto *known = llvm::find_if(powers, [&](const Power &other) {
    return other.isSameElement(power) &&
           (!power.isCondition() || other.exponent == power.exponent);
  });
  if (known == powers.end())
    known = powers.insert(powers.end(), {power.value, power.map, 0});
  else if (power.isCondition())
    return;
  known->exponent += power.exponent;
  if (known->exponent == 0)
    powers.erase(known);
}

void Monomial::multiply(const Monomial &other) {
  coefficient *= other.coefficient;
  for (const Power &power : other.powers)
    multiply(power);
}

Monomial Monomial::raise(int64_t exponent) const {
  Monomial raised = {std::pow(coefficient, exponent), powers};
  for (Power &power : raised.powers)
    power.exponent *= exponent;
  return raised;
}

static Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  for (const Monomial &left : a)
    for (const Monomial &right : b)
      product.emplace_back(left).multiply(right);
  return product;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool carousel::isElementwise(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && isPointwise(op) &&
         op.hasPureTensorSemantics() && getResultMap(op).isPermutation();
}

/// The elementwise op that computes a tensor, or null.
static linalg::GenericOp findProducer(Value tensor) {
  auto producer = tensor.getDefiningOp<linalg::GenericOp>();
  return isElementwise(producer) ? producer : linalg::GenericOp();
}

/// Has elements at what `map` gives.
static Polynomial readAt(Polynomial polynomial, AffineMap map) {
  for (Monomial &product : polynomial)
    for (Power &power : product.powers)
      power.map = power.map.compose(map);
  return polynomial;
}

Polynomial PolynomialReader::readInput(OpOperand &input) {
  return readAt(tensors.get(
                    input.get(),
                    [](Value tensor) { return bool(findProducer(tensor)); },
                    [&](Value tensor) { return computeTensor(tensor); }),
                op.getMatchingIndexingMap(&input));
}

Polynomial PolynomialReader::readValue(Value value) {
  for (OpOperand *input : op.getDpsInputOperands())
    readInput(*input);
  return computeBody(op, value);
}

Polynomial PolynomialReader::computeTensor(Value tensor) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {{1, {{tensor, AffineMap::get(tensor.getContext()), 1}}}};
  if (linalg::GenericOp producer = findProducer(tensor))
    return readAt(
        computeBody(producer,
                    producer.getBody()->getTerminator()->getOperand(0)),
        inversePermutation(getResultMap(producer)));
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(type.getRank(), tensor.getContext());
  return {{1, {{tensor, all, 1}}}};
}

bool PolynomialReader::isRead(Value value) const {
  Operation *source = value.getDefiningOp();
  return isa_and_present<arith::MulFOp, arith::DivFOp, arith::NegFOp,
                         arith::ExtFOp, arith::TruncFOp, arith::SelectOp>(
             source) ||
         (expands && isa_and_present<arith::AddFOp, arith::SubFOp>(source));
}

Polynomial PolynomialReader::computeBody(linalg::GenericOp from,
                                         Value root) const {
  Values values;
  return values.get(
      root, [&](Value value) { return isRead(value); },
      [&](Value value) { return computeValue(from, value, values); });
}

Polynomial PolynomialReader::computeValue(linalg::GenericOp from, Value value,
                                          const Values &known) const {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)) && number.isFinite() &&
      (expands || !number.isZero()))
    return number.isZero() ? Polynomial()
                           : Polynomial{{number.convertToDouble(), {}}};
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == from.getBody()) {
    OpOperand *operand = from.getMatchingOpOperand(argument);
    if (from.isDpsInput(operand))
      return readAt(tensors.lookup(operand->get()),
                    from.getMatchingIndexingMap(operand));
  }
  if (isRead(value))
    if (std::optional<Polynomial> read =
            computeOp(value.getDefiningOp(), known))
      return *read;
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(from.getNumLoops(), from.getContext());
  return {{1, {{value, all, 1}}}};
}

std::optional<Polynomial>
PolynomialReader::computeOp(Operation *source, const Values &known) const {
  constexpr size_t kMostProducts = 8;
  constexpr int64_t kMostExponent = 8;
  auto find = [&](unsigned operand) -> const Polynomial & {
    return known.lookup(source->getOperand(operand));
  };
  Polynomial result = find(0);
  if (isa<arith::MulFOp>(source)) {
    result = ::multiply(result, find(1));
  } else if (isa<arith::DivFOp>(source)) {
    const Polynomial &divisor = find(1);
    if (divisor.size() != 1 ||
        llvm::any_of(divisor.front().powers,
                     [](const Power &power) { return power.isCondition(); }))
      return std::nullopt;
    result = ::multiply(result, {divisor.front().raise(-1)});
  } else if (isa<arith::NegFOp>(source)) {
    result = ::multiply(result, {{-1, {}}});
  } else if (isa<arith::AddFOp, arith::SubFOp>(source)) {
    double sign = isa<arith::AddFOp>(source) ? 1 : -1;
    llvm::append_range(result, ::multiply(find(1), {{sign, {}}}));
  } else if (auto choice = dyn_cast<arith::SelectOp>(source)) {
    bool holds = matchPattern(choice.getFalseValue(), m_AnyZeroFloat());
    if ((!holds && !matchPattern(choice.getTrueValue(), m_AnyZeroFloat())) ||
        result.size() != 1 || result.front().powers.size() != 1)
      return std::nullopt;
    result.front().powers.front().exponent = holds ? 1 : -1;
    result = ::multiply(find(holds ? 1 : 2), result);
  }
  bool isLarge = llvm::any_of(result, [](const Monomial &product) {
    return llvm::any_of(product.powers, [](const Power &power) {
      return std::abs(power.exponent) > kMostExponent;
    });
  });
  if (isLarge || result.size() > kMostProducts ||
      (!expands && result.size() != 1))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<LoopMatch> carousel::matchLoops(AffineMap of, AffineMap other) {
  if (!of.isProjectedPermutation() || !other.isProjectedPermutation())
    return std::nullopt;
  LoopMatch match(of.getNumDims());
  for (auto [own, theirs] :
       llvm::zip_equal(of.getResults(), other.getResults()))
    match[cast<AffineDimExpr>(own).getPosition()] =
        cast<AffineDimExpr>(theirs).getPosition();
  return match;
}

std::optional<AffineMap> carousel::translateLoops(AffineMap map,
                                                  const LoopMatch &match,
                                                  unsigned loops) {
  SmallVector<AffineExpr> dims;
  for (auto [own, theirs] : llvm::enumerate(match)) {
    if (!theirs && map.isFunctionOfDim(own))
      return std::nullopt;
    dims.push_back(getAffineDimExpr(theirs.value_or(0), map.getContext()));
  }
  return map.replaceDimsAndSymbols(dims, {}, loops, 0);
}

AffineMap carousel::getResultMap(linalg::GenericOp op) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value carousel::castFloat(OpBuilder &builder, Location loc, Value value,
                          Type type) {
  if (value.getType() == type)
    return value;
  unsigned own = value.getType().getIntOrFloatBitWidth(),
           wanted = type.getIntOrFloatBitWidth();
  // One of two types of 16 bits has more digits, and the other more exponents.
  if (own == wanted)
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return own < wanted
             ? arith::ExtFOp::create(builder, loc, type, value).getResult()
             : arith::TruncFOp::create(builder, loc, type, value);
}

Value carousel::writeProduct(OpBuilder &builder, Location loc,
                             const Monomial &monomial, ValueRange elements,
                             Type type) {
  Value product;
  if (monomial.coefficient != 1)
    product = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(type, monomial.coefficient));
  for (auto [power, element] : llvm::zip_equal(monomial.powers, elements)) {
    Value factor = castFloat(builder, loc, element, type);
    for (int64_t i = 0; i != std::abs(power.exponent); ++i) {
      if (!product && power.exponent > 0) {
        product = factor;
        continue;
      }
      if (!product)
        product = arith::ConstantOp::create(builder, loc,
                                            builder.getFloatAttr(type, 1.0));
      product =
          power.exponent > 0
              ? arith::MulFOp::create(builder, loc, product, factor).getResult()
              : arith::DivFOp::create(builder, loc, product, factor);
    }
  }
  return product ? product
                 : arith::ConstantOp::create(builder, loc,
                                             builder.getFloatAttr(type, 1.0));
}
