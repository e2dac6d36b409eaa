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

Polynomial PolynomialReader::readValue(Value value) {
  return readValue(
      op, AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()),
      value);
}

Polynomial PolynomialReader::readInput(OpOperand &input) {
  return readTensor(input.get(), op.getMatchingIndexingMap(&input));
}

Polynomial PolynomialReader::readTensor(Value tensor, AffineMap map) {
  auto producer = tensor.getDefiningOp<linalg::GenericOp>();
  if (!producer || producer.getNumResults() != 1 || !isPointwise(producer) ||
      !producer.hasPureTensorSemantics() ||
      !getResultMap(producer).isPermutation())
    return {{1, {{tensor, map, 1}}}};
  return readValue(producer,
                   inversePermutation(getResultMap(producer)).compose(map),
                   producer.getBody()->getTerminator()->getOperand(0));
}

/// \p loops: of `from`, by those of the op that is read.
Polynomial PolynomialReader::readValue(linalg::GenericOp from, AffineMap loops,
                                       Value value) {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)) && number.isFinite() &&
      (expands || !number.isZero()))
    return number.isZero() ? Polynomial()
                           : Polynomial{{number.convertToDouble(), {}}};
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == from.getBody()) {
    OpOperand *operand = from.getMatchingOpOperand(argument);
    if (from.isDpsInput(operand))
      return readTensor(operand->get(),
                        from.getMatchingIndexingMap(operand).compose(loops));
  }
  if (Operation *source = value.getDefiningOp())
    if (std::optional<Polynomial> read = readOp(from, loops, source))
      return *read;
  return {{1, {{value, loops, 1}}}};
}

std::optional<Polynomial> PolynomialReader::readOp(linalg::GenericOp from,
                                                   AffineMap loops,
                                                   Operation *source) {
  constexpr size_t kMostProducts = 8;
  auto read = [&](unsigned operand) {
    return readValue(from, loops, source->getOperand(operand));
  };
  Polynomial result;
  if (isa<arith::MulFOp>(source)) {
    result = ::multiply(read(0), read(1));
  } else if (isa<arith::DivFOp>(source)) {
    Polynomial divisor = read(1);
    if (divisor.size() != 1 ||
        llvm::any_of(divisor.front().powers,
                     [](const Power &power) { return power.isCondition(); }))
      return std::nullopt;
    result = ::multiply(read(0), {divisor.front().raise(-1)});
  } else if (isa<arith::ExtFOp, arith::TruncFOp>(source)) {
    result = read(0);
  } else if (isa<arith::NegFOp>(source)) {
    result = ::multiply(read(0), {{-1, {}}});
  } else if (expands && isa<arith::AddFOp, arith::SubFOp>(source)) {
    result = read(0);
    llvm::append_range(
        result,
        ::multiply(read(1), {{isa<arith::AddFOp>(source) ? 1.0 : -1.0, {}}}));
  } else if (auto choice = dyn_cast<arith::SelectOp>(source);
             choice && expands) {
    bool holds = matchPattern(choice.getFalseValue(), m_AnyZeroFloat());
    Polynomial condition = read(0);
    if ((!holds && !matchPattern(choice.getTrueValue(), m_AnyZeroFloat())) ||
        condition.size() != 1 || condition.front().powers.size() != 1)
      return std::nullopt;
    condition.front().powers.front().exponent = holds ? 1 : -1;
    result = ::multiply(read(holds ? 1 : 2), condition);
  } else {
    return std::nullopt;
  }
  if (result.size() > kMostProducts || (!expands && result.size() != 1))
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
  unsigned own = value.getType().getIntOrFloatBitWidth(),
           wanted = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
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
